"""Rules of Open MPI's HAN. That it obeys them is tested in tests/mpi/test_han.py."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from tuned import LARGEST
from tuned import rules as random_rules

from stretto.errors import InputError
from stretto.tune.mpis import FORMATS
from stretto.tune.openmpi import classic_rules, han_rules, remarks
from stretto.tune.openmpi_algorithms import algorithms, forced
from stretto.tune.rules import CollectiveRules, Evidence, Fingerprint, Rule, Tuned, rule_for
from stretto.tune.settings import Where

FIVE = (5, 0, 11)
_SETTING = "OMPI_MCA_coll_han_"


def tuned(*collectives: CollectiveRules, mpi: str = "Open MPI 5.0.11") -> Tuned:
    return Tuned(Fingerprint(mpi, "cpu", 2), list(collectives))


def of(
    name: str,
    ranks: int,
    *rules: Rule,
    hosts: int = 2,
    way: str = "han_simple",
    even: bool = True,
) -> CollectiveRules:
    seen = [Evidence(8, "none", f"native:{way}", 1, 1, 1, 1)]
    return CollectiveRules(name, ranks, hosts, [Rule("native")], list(rules), seen, even)


def lines(text: str) -> list[str]:
    return [line.partition("#")[0].strip() for line in text.splitlines() if line[0] != "#"]


@pytest.mark.parametrize(
    ("where", "names"),
    [
        (Where(4, 2, FIVE), ["han_intra", "han_simple"]),
        (Where(4, 1, FIVE), []),  # it keeps to communicators of several hosts
        (Where(4, 4, FIVE), []),  # and of several ranks on each
        (Where(5, 2, FIVE, is_even=False), []),  # and of as many on each
        (Where(4, 2, (4, 1, 4)), []),  # it computes wrong results
        (Where(4, 2, (5, 0, 6)), []),  # its file may not know algorithms
        (Where(4, 2, (6, 0)), []),  # not seen
        (Where(4, 2), []),
    ],
)
def test_where_han_is_measured(where: Where, names: list[str]) -> None:
    assert [name for name in algorithms("bcast", where) if "han" in name] == names
    assert [name for name in algorithms("alltoall", where) if "han" in name] == []


def test_uneven_hosts_have_hans_allreduce_and_barrier() -> None:
    uneven = Where(5, 2, FIVE, is_even=False)
    assert algorithms("allreduce", uneven)[:2] == ["han_intra", "han_simple"]
    assert algorithms("barrier", uneven)[0] == "han_simple"
    assert "han_simple" not in algorithms("reduce", uneven)


def test_hans_come_first() -> None:
    assert algorithms("bcast", Where(4, 2, FIVE))[:3] == ["han_intra", "han_simple", "basic_linear"]
    assert algorithms("barrier", Where(4, 2, FIVE))[:2] == ["han_simple", "linear"]


def test_what_makes_han_run_an_algorithm_or_leave_the_call() -> None:
    assert forced({"bcast": "han_simple", "gather": "binomial", "alltoall": "pairwise"}) == {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        f"{_SETTING}bcast_dynamic_global_communicator_module": "6",
        f"{_SETTING}use_bcast_algorithm": "simple",
        f"{_SETTING}gather_dynamic_global_communicator_module": "3",
        "OMPI_MCA_coll_tuned_gather_algorithm": "binomial",
        "OMPI_MCA_coll_tuned_alltoall_algorithm": "pairwise",
    }


def test_numbers_of_ranks_that_were_not_measured_stay_hans() -> None:
    text = han_rules(tuned(of("bcast", 4, Rule("han_simple", 1000), Rule("chain"))))
    assert lines(text) == [
        *("1", "bcast", "1", "2", "3"),
        *("1", "1", "0 han"),
        *("4", "2", "0 han @simple", "1001 tuned"),
        *("5", "1", "0 han"),
    ]
    neighbours = han_rules(tuned(of("bcast", 5, Rule("han_intra")), of("bcast", 4, Rule("native"))))
    assert lines(neighbours)[4:] == [
        *("4", "1", "1", "0 han", "4", "1", "0 han"),
        *("5", "1", "0 han @intra", "6", "1", "0 han"),
    ]


@given(some.sampled_from(["bcast", "gather", "allgather"]), some.data(), some.integers(0, LARGEST))
def test_the_two_files_together_run_the_algorithm_of_the_rule(
    name: str, data: some.DataObject, size: int
) -> None:
    where = Where(4, 2, FIVE)
    names = algorithms(name, where)
    if name == "gather":  # only one of coll/tuned's can be written
        names = [*names[:2], "binomial"]
    chosen = data.draw(random_rules(["native", *names]))
    wanted = rule_for(chosen, size).algorithm
    both = tuned(of(name, 4, *chosen))
    found = lines(han_rules(both))
    at = found.index("4", 7)
    of_four = [row.split(maxsplit=1) for row in found[at + 2 : at + 2 + int(found[at + 1])]]
    by_han = [what for start, what in of_four if int(start) <= size][-1]
    if wanted in ("native", "han_intra", "han_simple"):
        assert by_han == wanted.replace("native", "han").replace("han_", "han @")
        return
    assert by_han == "tuned"
    rows = [line.partition("# ")[::2] for line in classic_rules(both).splitlines()]
    at = next(i for i, (start, _) in enumerate(rows) if start == "4 " and i > 2)
    counted = size if name == "bcast" else 4 * size
    within = [what for start, what in rows[at + 2 :] if len(start.split()) == 5]
    starts = [int(start.split()[0]) for start, _ in rows[at + 2 :] if len(start.split()) == 5]
    most = int(rows[at + 1][0])
    assert [what for start, what in zip(starts, within, strict=True)][:most][
        sum(start <= counted for start in starts[:most]) - 1
    ] == wanted


# A gather's size coll/tuned cannot look up safely, and HAN can.
def test_sizes_that_han_tells_apart_need_not_be_left_out() -> None:
    rules = tuned(of("gather", 4, Rule("han_simple", 1000), Rule("binomial")))
    assert "4 # ranks or more\n1 # message sizes\n0 2 0 0 0 # binomial\n" in classic_rules(rules)
    assert "1001 tuned" in lines(han_rules(rules))
    (both,) = remarks(rules)
    assert both.startswith("HAN runs gather on 4 ranks: these rules hold only together with ")
    several = tuned(
        of("gather", 4, Rule("linear_sync", 1000), Rule("binomial")), of("bcast", 4, Rule("native"))
    )
    assert remarks(several)[0].startswith("not written: gather on 4 ranks: ")
    assert remarks(several)[1].startswith("HAN runs bcast on 4 ranks: these rules hold only ")
    assert "gather" not in lines(han_rules(several))


# In place coll/tuned looks up arguments that are ignored.
def test_an_allgather_that_is_left_to_one_algorithm_needs_no_size() -> None:
    text = classic_rules(tuned(of("allgather", 4, Rule("han_simple", 1000), Rule("ring"))))
    assert "4 # ranks or more\n1 # message sizes\n0 4 0 0 0 # ring\n" in text


# Where they have one rank each, or not all as many, it leaves all calls to coll/tuned.
def test_where_han_did_not_run_the_other_rules_are_whole() -> None:
    rules = [Rule("native", 1000), Rule("binomial")]
    for hosts in (2, 4):
        alone = of("gather", 4, *rules, hosts=hosts, way="binomial")
        assert remarks(tuned(alone))[0].startswith("not written: gather on 4 ranks: ")
        with pytest.raises(InputError, match="no rules are left: not written: gather on 4"):
            han_rules(tuned(alone))


AGAIN = "measure them again, or, if HAN was off then, hand over --mca coll_han_priority 0, too"
OFF = "they hold with --mca coll_han_priority 0"


# As files were before HAN was measured: their times are HAN's, or others' that it left.
@pytest.mark.parametrize(
    ("mpi", "name", "hosts", "even", "advice"),
    [
        ("Open MPI 5.0.11", "bcast", 2, True, AGAIN),
        ("Open MPI 5.0.11", "bcast", 2, False, None),
        ("Open MPI 5.0.11", "barrier", 2, False, AGAIN),
        ("Open MPI 5.0.11", "alltoall", 2, True, None),
        ("Open MPI 5.0.2", "bcast", 2, True, OFF),
        ("Open MPI 6.0.0", "bcast", 2, True, OFF),
        ("Open MPI 4.1.4", "bcast", 2, True, None),
        ("Open MPI 5.0.11", "bcast", 4, True, None),
        ("Open MPI 5.0.11", "bcast", 1, True, None),
    ],
)
def test_rules_that_han_comes_before_are_said(
    mpi: str, name: str, hosts: int, even: bool, advice: str | None
) -> None:
    group = of(name, 4, Rule("linear"), hosts=hosts, way="linear", even=even)
    said = remarks(tuned(group, mpi=mpi))
    expected = f"HAN comes before the rules of {name} on 4 ranks, and was not measured: {advice}"
    assert said == ([] if advice is None else [expected])
    # Nothing comes before what is left to Open MPI.
    assert remarks(tuned(msgspec.structs.replace(group, mpi_rule=[Rule("native")]), mpi=mpi)) == []


LEFT = "; sizes left to Open MPI may have been HAN's as they were measured"


def test_sizes_that_may_have_been_hans_are_said() -> None:
    mixed = of("bcast", 4, Rule("native", 9), Rule("chain"), way="chain")
    (said,) = remarks(tuned(mixed, mpi="Open MPI 5.0.2"))
    assert said.endswith(f"and was not measured: {OFF}{LEFT}")


# That one has no file for HAN, so that there are no two that belong together.
@pytest.mark.parametrize(
    ("mpi", "rules", "left"),
    [
        ("Open MPI 5.0.11", [Rule("han_simple", 9), Rule("chain")], LEFT),
        ("Open MPI 5.0.11", [Rule("chain", 9), Rule("pipeline")], ""),
        ("Open MPI 4.1.4", [Rule("native", 9), Rule("chain")], ""),  # its HAN is off by itself
    ],
)
def test_what_is_written_for_6_says_that_han_comes_first(
    mpi: str, rules: list[Rule], left: str
) -> None:
    remarks_of_6 = FORMATS["openmpi6"].remarks
    (said,) = remarks_of_6(tuned(of("bcast", 4, *rules), mpi=mpi))
    assert said == f"HAN of Open MPI 6 comes before the rules of bcast on 4 ranks: {OFF}{left}"
    assert remarks_of_6(tuned(of("bcast", 4, *rules, hosts=1), mpi=mpi)) == []


# The advice would take from HAN what was measured as its.
def test_no_advice_contradicts_another() -> None:
    old = of("bcast", 8, Rule("knomial"), way="knomial")
    of_han, before = remarks(tuned(of("reduce", 4, Rule("han_intra")), old))
    assert "HAN runs reduce on 4 ranks" in of_han
    assert before.endswith("measure them again")


# A file without its evidence.
def test_hans_algorithms_are_hans_without_times_too() -> None:
    edited = CollectiveRules(
        "bcast", 4, 2, [Rule("native")], [Rule("han_simple", 9), Rule("chain")]
    )
    assert "0 han @simple" in lines(han_rules(tuned(edited)))
    assert "\n10 2 4 0 0 # chain\n" in classic_rules(tuned(edited))


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        (tuned(of("bcast", 4, Rule("chain")), mpi="Open MPI 4.1.4"), "of 5.0.7 to the last 5"),
        (tuned(of("bcast", 4, Rule("chain")), mpi="Open MPI 6.0.0"), "of 5.0.7 to the last 5"),
        (tuned(of("bcast", 4, Rule("chain"), way="chain")), "of HAN, .* nothing was measured"),
        (
            tuned(of("bcast", 4, Rule("chain")), of("bcast", 4, Rule("chain"), hosts=1, way="x")),
            "different numbers of hosts",
        ),
        (
            tuned(of("gather", 4, Rule("binomial", 9), Rule("linear_sync"))),
            "no rules are left: not written: gather on 4 ranks",
        ),
        (tuned(of("bcast", 4, Rule("han_fast"))), "no bcast algorithm 'han_fast'"),
        (tuned(of("bcast", 4, Rule("han_intra"), hosts=1)), "no bcast algorithm 'han_intra'"),
    ],
)
def test_what_cannot_be_written_is_said(rules: Tuned, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        han_rules(rules)
