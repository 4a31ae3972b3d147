"""Intel MPI's settings. That it obeys them is tested in tests/mpi/test_export.py."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tuned import LARGEST, of, rules, tuned

from stretto.errors import InputError
from stretto.tune.intel import OWN, adjust_settings, algorithms, forced, remarks, tuning_file
from stretto.tune.rules import Evidence, Rule, Tuned, rule_for
from stretto.tune.settings import Where

MPI = "Intel MPI 2021.19"
PRESETS = ["preset_1", "preset_2", "preset_3"]


def entry(level: dict[str, Any], value: int) -> Any:
    """That of the first limit that is not exceeded, as Intel MPI looks it up."""
    limits = [int(key.partition("=")[2]) for key in level]
    assert limits[-1] == -1
    found = next(i for i, limit in enumerate(limits) if limit in (-1, *range(value, limit + 1)))
    return list(level.values())[found]


def preset(text: str, name: str, ranks: int, size: int) -> int:
    by_ranks = entry(json.loads(text)[f"coll={name.capitalize()}"], ranks)
    (leaf,) = entry(entry(by_ranks, ranks)["comm_id=-1"], size)
    assert leaf.startswith(f"{name.upper()}=")
    return int(leaf.partition("=")[2])


@given(rules(PRESETS), some.integers(0, 2 * LARGEST))
def test_each_size_has_the_preset_of_its_rule(chosen: list[Rule], size: int) -> None:
    of_four = tuned(MPI, of("bcast", 4, chosen))
    wanted = int(rule_for(chosen, size).algorithm.removeprefix("preset_"))
    assert preset(tuning_file(of_four), "bcast", 4, size) == wanted
    words = re.findall(r"(\d+):(\d+)-(\d+)", adjust_settings(of_four))
    assert [int(n) for n, first, last in words if int(first) <= size <= int(last)] == [wanted]


@pytest.mark.parametrize("ranks", [2, 3, 5, 6, 100])
def test_numbers_of_ranks_that_were_not_measured_have_the_basic_logic(ranks: int) -> None:
    text = tuning_file(tuned(MPI, of("bcast", 4, [Rule("preset_7")])))
    assert preset(text, "bcast", ranks, 8) == 0
    assert preset(text, "bcast", 4, 8) == 7


def test_each_number_of_ranks_has_its_own() -> None:
    several = tuned(MPI, *(of("scan", n, [Rule(f"preset_{n - 1}")]) for n in (4, 2, 3)))
    text = tuning_file(several)
    assert [preset(text, "scan", n, 8) for n in (2, 3, 4, 5)] == [1, 2, 3, 0]
    with pytest.raises(InputError, match="for 2, 3, 4 ranks: tune one number of them"):
        adjust_settings(several)


def mixed() -> Tuned:
    measured = [
        Evidence(size, "none", f"native:{name}", us, us, us, 3)
        for size, name, us in (
            (8, "preset_1", 1.0),
            (8, "preset_2", 2.0),
            (256, "preset_1", 2.0),
            (256, "preset_2", 1.0),
            (4096, "preset_3", 0.5),
        )
    ]
    return tuned(
        MPI,
        of("bcast", 4, [Rule("native", 1000), Rule("preset_7")], measured),
        of("reduce", 4, [Rule("native")]),
    )


def test_where_its_own_choice_won_the_fastest_preset_is_written() -> None:
    text = tuning_file(mixed())
    found = [preset(text, "bcast", 4, size) for size in (0, 45, 46, 1000, 1001)]
    assert found == [1, 1, 2, 2, 7]
    assert "coll=Reduce" not in json.loads(text)
    left, replaced = remarks(mixed())
    assert left.endswith("reduce on 4 ranks")
    assert replaced.endswith("bcast on 4 ranks")


def test_a_collective_has_presets_for_all_numbers_of_ranks_or_for_none() -> None:
    measured = [
        Evidence(8, "none", f"native:{name}", us, us, us, 3)
        for name, us in (("preset_1", 2.0), ("preset_2", 1.0))
    ]
    some_won = tuned(
        MPI,
        of("bcast", 4, [Rule("native")], measured),
        of("bcast", 8, [Rule("preset_7")]),
    )
    text = tuning_file(some_won)
    assert [preset(text, "bcast", n, 8) for n in (3, 4, 5, 8, 9)] == [0, 2, 0, 7, 0]
    (replaced,) = remarks(some_won)
    assert replaced.endswith("the fastest preset is written: bcast on 4 ranks")
    with pytest.raises(InputError, match="for 4, 8 ranks"):
        adjust_settings(some_won)


def test_limits_beyond_what_intel_mpi_reads_are_left_out() -> None:
    limits = [Rule("preset_1", 1 << 31), Rule("preset_2", 1 << 32), Rule("native")]
    table = tuned(MPI, of("bcast", 4, limits))
    assert [preset(tuning_file(table), "bcast", 4, 1 << n) for n in (3, 31, 33)] == [1, 1, 1]
    assert adjust_settings(table).endswith("export I_MPI_ADJUST_BCAST='1:0-2147483647'\n")


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (tuned(MPI, of("bcast", 4, [])), "measure with stretto tune --native-algorithms"),
        (tuned("MPICH 5.0.2", of("bcast", 4, [Rule("native")])), "are MPICH 5.0.2's"),
        (tuned(MPI, of("bcast", 4, [Rule("preset_23")])), "no bcast algorithm 'preset_23'"),
        (tuned(MPI, of("reduce_scatter", 4, [Rule("preset_2")])), "no reduce_scatter algorithm"),
        (tuned(MPI, of("bcast", 4, [Rule("chain")])), "no bcast algorithm 'chain'"),
        (tuned(MPI, of("bcast", 4, [Rule("native")])), "no rules are left"),
        (
            tuned(MPI, of("bcast", 4, [Rule("native", 8), Rule("preset_1")])),
            "none was measured from 0 bytes on",
        ),
    ],
)
def test_what_cannot_be_written_is_said(wrong: Tuned, complaint: str) -> None:
    for write in (tuning_file, adjust_settings):
        with pytest.raises(InputError, match=complaint):
            write(wrong)


def test_what_makes_intel_mpi_take_a_preset() -> None:
    assert forced({"reduce_scatter": "preset_3", "bcast": "preset_0"}) == {
        "I_MPI_ADJUST_REDUCE_SCATTER_BLOCK": "3",
        "I_MPI_ADJUST_BCAST": "0",
    }
    assert len(algorithms("allreduce", Where(4))) == 33
    assert algorithms("reduce_scatter", Where(4)) == [f"preset_{n}" for n in (0, 1, 3, 4)]


@pytest.mark.parametrize(
    ("name", "chooses"),
    [
        ("I_MPI_ADJUST_BCAST", True),
        ("I_MPI_ADJUST_ALLREDUCE_LIST", True),
        ("I_MPI_TUNING", True),
        ("I_MPI_ADJUST_IBCAST", False),  # nonblocking
        ("I_MPI_TUNING_BIN_DUMP", False),
    ],
)
def test_which_variables_choose_for_the_user(name: str, chooses: bool) -> None:
    assert OWN.chooses(name, "1") == chooses
