"""Open MPI's files of rules. That it reads them is tested in tests/mpi/test_tune.py."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tuned import LARGEST
from tuned import rules as random_rules

from stretto.errors import InputError
from stretto.tune.openmpi import OWN, classic_rules, json_rules, remarks
from stretto.tune.openmpi_algorithms import algorithms, forced
from stretto.tune.rules import CollectiveRules, Fingerprint, Rule, Tuned, rule_for
from stretto.tune.settings import Where

RULES = [Rule("native", 1000), Rule("ring")]


def tuned(*collectives: CollectiveRules, mpi: str = "Open MPI 4.1.4") -> Tuned:
    return Tuned(Fingerprint(mpi, "cpu", 2), list(collectives))


def of(name: str, ranks: int, rules: list[Rule] = RULES, hosts: int = 1) -> CollectiveRules:
    return CollectiveRules(name, ranks, hosts, [Rule("native")], rules)


def numbers(text: str) -> list[list[int]]:
    lines = (line.partition("#")[0].split() for line in text.splitlines() if line[0] != "#")
    return [list(map(int, line)) for line in lines]


def test_ranks_that_were_not_measured_go_by_no_rule() -> None:
    allreduce = classic_rules(tuned(of("allreduce", 4)))
    assert numbers(allreduce) == [
        *([1], [2], [3]),
        *([0], [1], [0, 0, 0, 0]),
        *([4], [2], [0, 0, 0, 0], [1001, 4, 0, 0]),
        *([5], [1], [0, 0, 0, 0]),
    ]
    neighbours = numbers(classic_rules(tuned(of("allreduce", 5), of("allreduce", 4))))
    assert [line[0] for line in neighbours if len(line) == 1] == [1, 2, 4, 0, 1, 4, 2, 5, 2, 6, 1]


@given(some.sampled_from(["bcast", "allgather"]), some.data(), some.integers(0, 2 * LARGEST))
def test_each_size_has_the_algorithm_of_its_rule(
    name: str, data: some.DataObject, size: int
) -> None:
    names = algorithms(name, Where(4))
    chosen = data.draw(random_rules(["native", *names]))
    of_four = tuned(of(name, 4, chosen))
    wanted = ["native", *names].index(rule_for(chosen, size).algorithm)
    counted = 4 * size if name == "allgather" else size
    lines = numbers(classic_rules(of_four))
    (at,) = (i for i, line in enumerate(lines) if line == [4] and len(lines[i + 1]) == 1 and i > 2)
    rows = lines[at + 2 : at + 2 + lines[at + 1][0]]
    assert [row[1] for row in rows if row[0] <= counted][-1] == wanted
    found = json.loads(json_rules(of_four))["collectives"][name][0]["rules"]
    those = [
        each["alg"]
        for each in found
        if each["msg_size_min"] <= counted <= each.get("msg_size_max", counted)
    ]
    assert those == [wanted]


def test_blocks_are_counted_together() -> None:
    allgather = numbers(classic_rules(tuned(of("allgather", 4))))
    assert [4004, 4, 0, 0] in allgather
    rules = json.loads(json_rules(tuned(of("allgather", 4))))["collectives"]["allgather"]
    assert rules[0]["rules"] == [
        {"msg_size_min": 0, "alg": 0, "msg_size_max": 4003},
        {"msg_size_min": 4004, "alg": 4},
    ]
    assert (rules[0]["comm_size_min"], rules[0]["comm_size_max"]) == (4, 4)


@pytest.mark.parametrize(
    ("version", "has_fifth"), [("4.1.4", False), ("5.0.6", False), ("5.0.7", True), ("6.0.0", True)]
)
def test_the_fifth_column_came_with_5_0_7(version: str, has_fifth: bool) -> None:
    text = classic_rules(tuned(of("bcast", 4, [Rule("chain")]), mpi=f"Open MPI {version}"))
    assert text.startswith("rule-file-version-2\n") == has_fifth
    assert ("\n0 2 4 0 0 #" in text) == has_fifth


# One that is forced has four chains, and a rule that says nothing has one.
def test_a_chain_is_the_one_that_was_measured() -> None:
    chain = tuned(of("bcast", 4, [Rule("chain", 1000), Rule("pipeline")]))
    settings = forced({"bcast": "chain", "reduce": "pipeline"})
    assert settings["OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout"] == "4"
    assert "OMPI_MCA_coll_tuned_reduce_algorithm_chain_fanout" not in settings
    assert numbers(classic_rules(chain))[8:10] == [[0, 2, 4, 0], [1001, 3, 0, 0]]
    of_four = json.loads(json_rules(chain))["collectives"]["bcast"][0]["rules"]
    assert [each.get("faninout") for each in of_four] == [4, None]


def test_json_is_of_version_3() -> None:
    found = json.loads(json_rules(tuned(of("reduce_scatter", 2, [Rule("butterfly")]))))
    assert found["rule_file_version"] == 3
    assert found["collectives"]["reduce_scatter_block"][0]["rules"] == [
        {"msg_size_min": 0, "alg": 4}
    ]


CHANGING = [Rule("linear", 1000), Rule("recursive_doubling")]
ONE = [Rule("linear")]


# Not all ranks know the size there, or none looks it up.
@pytest.mark.parametrize("name", ["scan", "exscan"])
def test_rules_that_change_where_open_mpi_knows_no_size_are_left_out(name: str) -> None:
    rules = tuned(of(name, 4, CHANGING), of(name, 5, ONE), of("bcast", 4, [Rule("chain")]))
    assert remarks(rules)[0].startswith(f"not written: {name} on 4 ranks: ")
    text = classic_rules(rules)
    assert text.startswith(f"# not written: {name} on 4 ranks: ")
    assert "recursive_doubling" not in text
    found = json.loads(json_rules(rules))["collectives"]
    assert [each["comm_size_min"] for each in found[name]] == [5]
    assert set(found) == {name, "bcast"}


@pytest.mark.parametrize("name", ["gather", "scatter"])
def test_one_rule_of_all_sizes_is_written(name: str) -> None:
    rules = tuned(of(name, 4, [Rule("binomial", 1000), Rule("binomial")]), of(name, 5, RULES))
    assert remarks(rules)[0].startswith(f"not written: {name} on 5 ranks: ")
    assert [4004, 2, 0, 0] in numbers(classic_rules(rules))
    assert remarks(tuned(of(name, 4, [Rule("binomial")]), of("bcast", 4))) == []


TOO = (
    ", and of MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block, which may run by the "
    "rules of reduce"
)


# tests/mpi/test_tune.py shows which results are wrong.
def test_rules_for_operations_that_commute_say_so() -> None:
    rules = tuned(
        of("allreduce", 4, [Rule("ring", 1000), Rule("rabenseifner")]),
        of("reduce", 4, [Rule("native", 1000), Rule("pipeline")]),
        of("bcast", 4, [Rule("pipeline")]),
    )
    expected = f"with others results are wrong of allreduce by ring, reduce by pipeline{TOO}"
    assert [line.endswith(expected) for line in remarks(rules)] == [True]
    assert f"{expected}\n" in classic_rules(rules)
    by_reduce = of("allreduce", 4, [Rule("nonoverlapping")])
    assert remarks(tuned(by_reduce)) == []
    both = remarks(tuned(by_reduce, of("reduce", 4, [Rule("binary")])))
    expected = f"allreduce by nonoverlapping, reduce by binary{TOO}"
    assert [line.endswith(expected) for line in both] == [True]
    (own,) = remarks(tuned(of("allreduce", 4, [Rule("ring")])))
    assert own.endswith("results are wrong of allreduce by ring")


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        (tuned(of("bcast", 4, [])), "measure with stretto tune --native-algorithms"),
        (tuned(of("bcast", 4), mpi="MPICH 5.0.2"), "are MPICH 5.0.2's"),
        *(
            (tuned(of("bcast", 4), mpi=mpi), f"'{mpi}', which names no version")
            for mpi in ("Open MPI", "Open MPI main", "Open MPI 5", "Open MPI .9")
        ),
        (tuned(of("bcast", 4, [Rule("rings")])), "no bcast algorithm 'rings'"),
        (tuned(of("allgather", 4, [Rule("two_proc")])), "no allgather algorithm 'two_proc'"),
        (tuned(of("foo", 4)), "no rules of 'foo'"),
        (tuned(of("scatter", 4)), "no rules are left: not written: scatter on 4 ranks"),
        (
            tuned(of("allreduce", 4), of("allreduce", 4, hosts=2)),
            "different numbers of hosts",
        ),
    ],
)
def test_what_cannot_be_written_is_said(rules: Tuned, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        classic_rules(rules)


@pytest.mark.parametrize(
    ("name", "value", "chooses"),
    [
        ("OMPI_MCA_coll", "^hcoll", False),
        ("OMPI_MCA_coll", "^hcoll,han", False),
        ("OMPI_MCA_coll", "^han,tuned", True),
        ("OMPI_MCA_coll", "self,basic,libnbc,tuned,han", False),
        ("OMPI_MCA_coll", "self,basic,libnbc,tuned", False),
        ("OMPI_MCA_coll", "self,basic,libnbc,han", True),
        ("OMPI_MCA_coll_han_priority", "0", False),
        ("OMPI_MCA_coll_han_priority", "-1", False),
        ("OMPI_MCA_coll_han_priority", "35", True),
        ("OMPI_MCA_coll_han_priority", "high", True),
        ("OMPI_MCA_coll_tuned_priority", "0", True),
        ("OMPI_MCA_coll_adapt_priority", "90", True),
        ("OMPI_MCA_coll_hcoll_priority", "0", False),
        ("OMPI_MCA_coll_libnbc_priority", "90", False),
        ("OMPI_MCA_coll_hcoll_enable", "disabled", False),
        ("OMPI_MCA_coll_han_reproducible", "1", True),
        ("OMPI_MCA_coll_han_reproducible", "0", False),
        ("OMPI_MCA_coll_ucc_enable", "1", True),
        ("OMPI_MCA_coll_ucc_enable", "False", False),
        ("--tune", "settings.conf", True),
        ("-am", "settings.conf", True),
        ("--tuned", "x", False),
        ("OMPI_MCA_coll_han_use_bcast_algorithm", "simple", True),
        ("OMPI_MCA_coll_han_bcast_dynamic_global_communicator_module", "3", True),
        ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", True),
        ("OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "4096", True),
        ("OMPI_MCA_coll_han_verbose", "1", False),
        ("OMPI_MCA_coll_han_bcast_segsize", "1", False),
        ("OMPI_MCA_coll_hcoll_enable", "0", False),
        ("OMPI_MCA_coll_hcoll_enable", "true", True),
        ("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial", False),
    ],
)
def test_which_variables_choose_for_the_user(name: str, value: str, chooses: bool) -> None:
    assert OWN.chooses(name, value) == chooses
    assert OWN.chosen_by((("PATH", "/bin"), (name, value))) == (name if chooses else None)
    assert OWN.chosen_by(((name, ""),)) is None


def test_what_makes_open_mpi_take_an_algorithm() -> None:
    assert forced({"reduce_scatter": "butterfly"}) == {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_reduce_scatter_block_algorithm": "butterfly",
    }
    assert "two_proc" in algorithms("allgather", Where(2))
    assert "two_proc" not in algorithms("allgather", Where(3))
