"""MPICH's tables. That it obeys them, and that what is not tuned is as MPICH has it, is tested in
tests/mpi/test_export.py."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tuned import LARGEST, of, rules, tuned

from stretto.errors import InputError
from stretto.tune.mpich import algorithms, ch4_table, forced, generic_table
from stretto.tune.rules import Rule, Tuned, rule_for
from stretto.tune.settings import Where

MPI = "MPICH 5.0.2"


@dataclass(frozen=True)
class Call:
    """What MPICH asks of one."""

    collective: str
    ranks: int
    bytes: int
    count: int = 1 << 30
    is_commutative: bool = True
    is_op_built_in: bool = True
    is_sendbuf_inplace: bool = False

    def holds(self, condition: str, *, is_pruned: bool) -> bool:
        name = re.split("[<=]", condition, maxsplit=1)[0]
        value = condition[len(name) :].lstrip("<=")
        if value == "any" or condition in ("comm_type=intra", "comm_hierarchy=parent"):
            return True
        if condition == "count<pow2":
            return self.count < 1 << (self.ranks.bit_length() - 1)
        if condition == "comm_size=pow2":
            return self.ranks & (self.ranks - 1) == 0
        if condition == "comm_size=node_comm_size":
            return True
        if value in ("yes", "no"):
            return bool(getattr(self, name)) == (value == "yes")
        number = {
            "comm_size": self.ranks,
            "avg_msg_size": self.bytes,
            "total_msg_size": self.bytes * self.ranks,
        }[name]
        # The search takes `comm_size<8` for `comm_size<=8`.
        up_to = "<=" in condition or (name == "comm_size" and not is_pruned)
        return number <= int(value) if up_to else number < int(value)


def chosen(text: str, call: Call) -> str:
    """The algorithm or composition that the first conditions that hold lead to.

    As a communicator is made, MPICH prunes the tree up to the first condition that is on calls.
    """
    name = {"reduce_scatter": "reduce_scatter_block"}.get(call.collective, call.collective)
    node: dict[str, Any] = json.loads(text)[f"collective={name}"]
    is_pruned = True
    while True:
        for key, below in node.items():
            if "MPI" in key:
                return key.partition("_intra_")[2]
            is_pruned = is_pruned and (key.startswith("comm_") or key.endswith("=any"))
            if call.holds(key, is_pruned=is_pruned):
                node = below
                break
        else:
            pytest.fail(f"no answer for {call}")


USUAL = tuned(MPI, of("barrier", 64, [Rule("native")]))
NAMES = ["bcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter"]


@given(some.data(), some.sampled_from(NAMES), some.integers(2, 9), some.integers(0, 2 * LARGEST))
def test_each_size_has_the_algorithm_of_its_rule(
    data: some.DataObject, name: str, ranks: int, size: int
) -> None:
    picked = data.draw(rules(["native", *algorithms(name, Where(ranks))]))
    table = tuned(MPI, of(name, ranks, picked))
    wanted = rule_for(picked, size).algorithm
    call = Call(name, ranks, size)
    if wanted == "native":
        for write in (generic_table, ch4_table):
            assert chosen(write(table), call) == chosen(write(USUAL), call)
    else:
        assert chosen(generic_table(table), call) == wanted
        at_once = {"bcast": "gamma", "reduce": "gamma", "allreduce": "beta"}
        if name in at_once:
            assert chosen(ch4_table(table), call) == f"composition_{at_once[name]}"
    for others in (ranks - 1, ranks + 1):
        other = Call(name, others, size)
        for write in (generic_table, ch4_table):
            assert chosen(write(table), other) == chosen(write(USUAL), other)


# MPICH's own conditions say `comm_size<8`, which below sizes would hold for 8 ranks, too.
@pytest.mark.parametrize("ranks", [7, 8, 9])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_to_mpich_is_its_choice_for_so_many_ranks(name: str, ranks: int) -> None:
    first, *_ = algorithms(name, Where(ranks))
    table = tuned(MPI, of(name, ranks, [Rule(first, 10), Rule("native")]))
    for write in (generic_table, ch4_table):
        for size in (11, 256, 4096, 20_000, 100_000, 1 << 20):
            call = Call(name, ranks, size)
            assert chosen(write(table), call) == chosen(write(USUAL), call), size


def test_limits_beyond_what_mpich_reads_are_left_out() -> None:
    for name, first, then in (
        ("bcast", "binomial", "scatter_ring_allgather"),
        ("allgather", "ring", "brucks"),
    ):
        limits = [Rule(first, 1 << 31), Rule(then, 1 << 32), Rule("native")]
        text = generic_table(tuned(MPI, of(name, 4, limits)))
        assert [chosen(text, Call(name, 4, 1 << n)) for n in (3, 30, 31, 33)] == [first] * 4


NARROW = [
    ("allreduce", "reduce_scatter_allgather"),
    ("allreduce", "ring"),
    ("allreduce", "recexch"),
    ("reduce", "reduce_scatter_gather"),
    ("reduce_scatter", "pairwise"),
    ("reduce_scatter", "recursive_halving"),
]


@pytest.mark.parametrize(("name", "algorithm"), NARROW)
def test_what_an_algorithm_must_not_be_given_has_mpichs_choice(name: str, algorithm: str) -> None:
    text = generic_table(tuned(MPI, of(name, 4, [Rule(algorithm)])))
    assert chosen(text, Call(name, 4, 8)) == algorithm
    ordered = Call(name, 4, 8, is_commutative=False, is_op_built_in=False)
    assert chosen(text, ordered) == chosen(generic_table(USUAL), ordered) != algorithm
    if algorithm in ("reduce_scatter_allgather", "ring", "reduce_scatter_gather"):
        for call in (Call(name, 4, 8, count=3), Call(name, 4, 8, is_op_built_in=False)):
            assert chosen(text, call) == chosen(generic_table(USUAL), call) != algorithm


def test_alltoall_in_place_has_the_one_algorithm_of_it() -> None:
    text = generic_table(tuned(MPI, of("alltoall", 4, [Rule("brucks")])))
    assert chosen(text, Call("alltoall", 4, 8)) == "brucks"
    in_place = Call("alltoall", 4, 8, is_sendbuf_inplace=True)
    assert chosen(text, in_place) == "pairwise_sendrecv_replace"


def test_neighbours_of_a_number_of_ranks() -> None:
    several = tuned(MPI, *(of("bcast", n, [Rule("scatter_ring_allgather")]) for n in (5, 4, 7)))
    text = generic_table(several)
    found = [n for n in range(2, 8) if chosen(text, Call("bcast", n, 8)) != "binomial"]
    assert found == [4, 5, 7]


def test_parameters_are_those_that_were_measured() -> None:
    table = json.loads(generic_table(tuned(MPI, of("barrier", 4, [Rule("recexch")]))))
    leaf = table["collective=barrier"]["comm_type=intra"]["comm_size<=4"]
    assert leaf == {"algorithm=MPIR_Barrier_intra_recexch": {"k=2": {}, "single_phase_recv=0": {}}}


# It maps the file, and reads on to a zero byte.
def test_no_file_fills_its_last_page() -> None:
    lengths = {
        len(write(tuned(MPI, of("bcast", 4, [Rule("binomial", limit), Rule("native")]))))
        for limit in (10**digits for digits in range(9))
        for write in (generic_table, ch4_table)
    }
    assert all(length % 4096 for length in lengths)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (tuned(MPI, of("bcast", 4, [])), "measure with stretto tune --native-algorithms"),
        (tuned("MPICH 4.3.1", of("bcast", 4, [Rule("native")])), "are MPICH 4.3.1's"),
        (tuned(MPI, of("bcast", 4, [Rule("chain")])), "no bcast algorithm 'chain'"),
        (tuned(MPI, of("gather", 4, [Rule("binomial")])), "no rules of 'gather'"),
        (
            tuned(MPI, of("allgather", 3, [Rule("recursive_doubling")])),
            "no allgather algorithm 'recursive_doubling'",
        ),
    ],
)
@pytest.mark.parametrize("write", [generic_table, ch4_table])
def test_what_cannot_be_written_is_said(
    write: Callable[[Tuned], str], wrong: Tuned, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        write(wrong)


def test_what_makes_mpich_take_an_algorithm() -> None:
    assert forced({"reduce_scatter": "pairwise"}) == {
        "MPIR_CVAR_DEVICE_COLLECTIVES": "percoll",
        "MPIR_CVAR_REDUCE_SCATTER_BLOCK_DEVICE_COLLECTIVE": "0",
        "MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM": "pairwise",
    }
    assert "recursive_doubling" in algorithms("allgather", Where(4))
    assert "recursive_doubling" not in algorithms("allgather", Where(6))
    assert algorithms("gather", Where(4)) == []
