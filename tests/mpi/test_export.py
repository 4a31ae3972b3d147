"""What stretto export writes for Intel MPI and MPICH, read by them: which algorithm runs changes at
one byte, and what was not tuned stays as it was. Open MPI's is in test_tune.py."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from mpi_runs import EVERY_MPI

from stretto.data.contests import NATIVE
from stretto.launch.base import Abi
from stretto.launch.yielding import yielding
from stretto.tune import mpich
from stretto.tune.intel import adjust_settings, tuning_file
from stretto.tune.mpich import ch4_table, generic_table
from stretto.tune.mpis import settings_of
from stretto.tune.rules import CollectiveRules, Evidence, Fingerprint, Rule, Tuned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mpi_runs import Mpi

    Settings = Callable[[Path, Tuned], dict[str, str]]

RANKS = 4
SIZE = 1000
LATE_MS = (400, 1600, 6400)  # in the middle of which arrived.c looks; longer where it was hindered

# A collective, two algorithms which that program tells apart, and who has to be late for that.
Case = tuple[str, str, str, int]
INTEL: list[Case] = [
    ("bcast", "preset_1", "preset_7", 1),
    ("reduce", "preset_1", "preset_7", 1),
    ("allreduce", "preset_1", "preset_3", 1),
    ("gather", "preset_2", "preset_3", 2),
    ("scatter", "preset_1", "preset_3", 2),
    ("allgather", "preset_2", "preset_3", 1),
    ("alltoall", "preset_1", "preset_3", 1),
    ("reduce_scatter", "preset_1", "preset_3", 1),
]
MPICH: list[Case] = [
    ("bcast", "binomial", "scatter_ring_allgather", 1),
    ("reduce", NATIVE, "binomial", 1),
    ("allreduce", NATIVE, "ring", 1),
    ("allreduce", "ring", "recursive_doubling", 1),
    ("allgather", "brucks", "ring", 1),
    ("alltoall", "brucks", "pairwise", 1),
    ("reduce_scatter", "recursive_doubling", "pairwise", 1),
]


def an_mpi(product: str) -> Mpi:
    """That one, with the interface that most programs have."""
    of_it = (mpi for mpi in EVERY_MPI.values() if mpi.name.startswith(product))
    found = next((mpi for mpi in of_it if mpi.abi is Abi.MPICH), None)
    if found is None:
        pytest.skip(f"no {product} here")
    return found


@pytest.fixture
def intel_mpi() -> Mpi:
    return an_mpi("Intel MPI")


@pytest.fixture
def an_mpich() -> Mpi:
    return an_mpi(mpich.PRODUCT)


def tuned_for(mpi: Mpi, *collectives: CollectiveRules) -> Tuned:
    return Tuned(Fingerprint(mpi.name, "cpu", 2), list(collectives))


def changing(name: str, first: str, then: str, limit: int) -> CollectiveRules:
    return CollectiveRules(name, RANKS, 1, [Rule(NATIVE)], [Rule(first, limit), Rule(then)])


def seen(mpi: Mpi, name: str, late: int, env: Mapping[str, str], ranks: int = RANKS) -> str:
    """By what an algorithm is known: blocks that have come at half time, or bits of sums."""
    program = mpi.program("arrived")
    env = {**yielding(mpi.abi), **env}
    for late_ms in LATE_MS:
        ended = mpi.run(program, name, SIZE, late, late_ms, ranks=ranks, env=env)
        assert ended.ok, ended.stderr
        said = ended.stdout.strip().splitlines()[-1]
        if said != "hindered":
            return said
    pytest.fail(f"{name}: the ranks did not come to the call together")


def forced(mpi: Mpi, name: str, algorithm: str) -> dict[str, str]:
    own = settings_of(mpi.name)
    assert own is not None
    return {} if algorithm == NATIVE else own.forced({name: algorithm})


def impi_files(folder: Path, tuned: Tuned) -> dict[str, str]:
    (folder / "tuning.json").write_text(tuning_file(tuned))
    return {"I_MPI_TUNING": str(folder / "tuning.json")}


def impi_adjusted(folder: Path, tuned: Tuned) -> dict[str, str]:
    del folder
    return dict(re.findall(r"^export (\w+)='([^']*)'$", adjust_settings(tuned), re.MULTILINE))


def mpich_files(folder: Path, tuned: Tuned) -> dict[str, str]:
    for kind, text in (("", generic_table(tuned)), ("CH4_", ch4_table(tuned))):
        (folder / f"{kind}table.json").write_text(text)
    return {
        f"MPIR_CVAR_{kind}COLL_SELECTION_TUNING_JSON_FILE": str(folder / f"{kind}table.json")
        for kind in ("", "CH4_")
    }


def assert_changes_at_one_byte(mpi: Mpi, folder: Path, case: Case, settings: Settings) -> None:
    name, first, then, late = case
    below, above = (seen(mpi, name, late, forced(mpi, name, each)) for each in (first, then))
    assert below != above
    for limit, expected in ((SIZE + 1, below), (SIZE, below), (SIZE - 1, above)):
        tuned = tuned_for(mpi, changing(name, first, then, limit))
        assert seen(mpi, name, late, settings(folder, tuned)) == expected, limit


@pytest.mark.parametrize("case", INTEL, ids=[each[0] for each in INTEL])
@pytest.mark.parametrize("settings", [impi_files, impi_adjusted])
def test_intel_mpi_obeys_to_the_byte(
    intel_mpi: Mpi, settings: Settings, case: Case, tmp_path: Path
) -> None:
    assert_changes_at_one_byte(intel_mpi, tmp_path, case, settings)


# Collectives in which Intel MPI's own choice is another than preset 0 on some processors, and who
# has to be late.
OWN_CHOICES = [("reduce", 1), ("allreduce", 1), ("gather", 2)]


# Of sizes that Intel MPI's own choice won, for which there is no number, the fastest preset has
# them; other collectives are as they were, and other numbers of ranks have the basic logic.
def test_intel_mpi_takes_presets_where_it_has_no_name_for_its_own_choice(
    intel_mpi: Mpi, tmp_path: Path
) -> None:
    measured = [
        Evidence(SIZE, "none", f"native:{preset}", us, us, us, 3)
        for preset, us in (("preset_1", 2.0), ("preset_7", 1.0))
    ]
    rules = [Rule(NATIVE, SIZE), Rule("preset_1")]
    tuned = tuned_for(
        intel_mpi, CollectiveRules("bcast", RANKS, 1, [Rule(NATIVE)], rules, measured)
    )
    env = impi_files(tmp_path, tuned)
    assert seen(intel_mpi, "bcast", 1, env) == seen(
        intel_mpi, "bcast", 1, forced(intel_mpi, "bcast", "preset_7")
    )
    for name, late in OWN_CHOICES:
        assert seen(intel_mpi, name, late, env) == seen(intel_mpi, name, late, {}), name
    basic = forced(intel_mpi, "bcast", "preset_0")
    assert seen(intel_mpi, "bcast", 1, env, RANKS + 1) == seen(
        intel_mpi, "bcast", 1, basic, RANKS + 1
    )


@pytest.mark.parametrize("case", MPICH, ids=[f"{each[0]} {each[1]}" for each in MPICH])
def test_mpich_obeys_to_the_byte(an_mpich: Mpi, case: Case, tmp_path: Path) -> None:
    assert_changes_at_one_byte(an_mpich, tmp_path, case, mpich_files)


def in_order(table: str | bytes) -> dict[str, Any]:
    """By collective; below, pairs of conditions and what they lead to: the first that holds counts,
    so that their order has a meaning."""
    return dict(json.loads(table, object_pairs_hook=list))


def test_what_is_not_tuned_is_as_mpich_has_it(an_mpich: Mpi) -> None:
    assert an_mpich.libmpi is not None
    tables = [
        in_order(found[0])
        for found in re.finditer(rb'\{"collective=[^\0]*', an_mpich.libmpi.read_bytes())
    ]
    tuned = tuned_for(
        an_mpich, CollectiveRules("bcast", RANKS, 1, [Rule(NATIVE)], [Rule("binomial")])
    )
    for text in (generic_table(tuned), ch4_table(tuned)):
        ours = in_order(text)
        theirs = next(each for each in tables if len(each) == len(ours))
        bcast = dict(dict(ours.pop("collective=bcast"))["comm_type=intra"])
        assert bcast["comm_size=any"] == dict(theirs.pop("collective=bcast"))["comm_type=intra"]
        assert ours == theirs


# What must not be given all operations, or counts: without guards the first aborts.
NARROW = [
    {
        "allreduce": "reduce_scatter_allgather",
        "reduce": "reduce_scatter_gather",
        "reduce_scatter": "pairwise",
    },
    {"allreduce": "ring", "reduce_scatter": "recursive_halving"},
    {"allreduce": "recexch"},
]


@pytest.mark.parametrize("turn", range(len(NARROW)))
def test_guards_keep_programs_right(an_mpich: Mpi, turn: int, tmp_path: Path) -> None:
    rules = [
        CollectiveRules(name, ranks, 1, [Rule(NATIVE)], [Rule(algorithm)])
        for name, algorithm in NARROW[turn].items()
        for ranks in (3, 4)
    ]
    env = {**yielding(an_mpich.abi), **mpich_files(tmp_path, tuned_for(an_mpich, *rules))}
    for ranks in (3, 4):
        ended = an_mpich.run(an_mpich.program("ordered"), ranks=ranks, env=env)
        assert ended.ok, ended.stderr


# Not all ranks are given a scatter's size, nor a gather's where the root is in place.
@pytest.mark.parametrize("name", ["gather", "scatter"])
@pytest.mark.parametrize("size", [SIZE, SIZE + 1])
def test_programs_stay_right_where_ranks_give_different_sizes(
    intel_mpi: Mpi, name: str, size: int, tmp_path: Path
) -> None:
    env = impi_files(tmp_path, tuned_for(intel_mpi, changing(name, "preset_1", "preset_3", SIZE)))
    ended = intel_mpi.run(intel_mpi.program("chosen"), name, size, ranks=RANKS, env=env)
    assert ended.ok, ended.stderr
