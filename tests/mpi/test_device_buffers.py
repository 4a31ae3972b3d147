"""Buffers in a GPU's memory: the MPI's on all ranks, and untouched by the host.

The GPU is a stand-in (standin/cuda.c) whose memory kills whoever touches it but a GPU-aware MPI,
which is a stand-in, too (standin/aware_mpi.c).
"""

import json
from pathlib import Path

import pytest
from mpi_runs import Ended, Mpi

from stretto import native

# On any machine it is Stretto that would run what it may.
OURS = {"STRETTO_PROGRESS_THREAD": "on"} | {
    f"STRETTO_SELECTION_{collective}": algorithm
    for algorithm, collectives in {
        "linear": ["GATHER", "SCATTER", "ALLTOALL", "REDUCE_SCATTER", "SCAN"],
        "binomial": ["BCAST", "REDUCE"],
        "ring": ["ALLGATHER"],
        "recursive_doubling": ["ALLREDUCE"],
        "dissemination": ["BARRIER"],
    }.items()
    for collective in collectives
}
# Of which at least one rank has a buffer on the device where `first` or `last` has.
ALL_RANKS = """
    allreduce in_place allgather alltoall alltoallv alltoallw reduce_scatter scan bcast bottom
    gather gatherv scatter reduce
""".split()  # noqa: SIM905
NEVER_OURS = ["groups", "nonblocking", "persistent"]
SAID = "this job may hand MPI buffers in a GPU's memory"
STOPPED = "run it with STRETTO_DEVICE_BUFFERS=on on all ranks"


def device_buffers(
    mpi: Mpi, when: str, where: str, *cases: str, under: Path | None = None, **env: str
) -> Ended:
    """The program on a GPU-aware MPI, with its runtime loaded early or late."""
    libcuda = mpi.build / "tests" / "standin" / "libcuda.so.1"
    preloaded = ":".join(map(str, filter(None, (under, mpi.standin("aware")))))
    env = {**OURS, "LD_PRELOAD": preloaded, **env}
    arguments = (libcuda, when, where, *cases)
    return mpi.run(mpi.program("device_buffers"), *arguments, ranks=3, env=env, timeout_s=60)


def under_stretto(mpi: Mpi, when: str, where: str, *cases: str, **env: str) -> Ended:
    return device_buffers(mpi, when, where, *cases, under=native.drop_in(mpi.abi), **env)


def all_passed(ended: Ended, cases: list[str]) -> bool:
    return ended.ok and ended.stdout.split() == [word for case in cases for word in (case, "ok")]


def calls(folder: Path, rank: int = 0) -> tuple[dict[str, int], dict[str, int]]:
    """Of a rank: the calls that Stretto ran, and those that it left for device buffers."""
    told = json.loads((folder / f"rank-{rank}.json").read_text())
    ours = {row["call"]: row["calls"] for row in told["handled"]}
    left = {
        row["call"]: row["calls"] for row in told["passed"] if row["reason"] == "device buffers"
    }
    return ours, left


@pytest.mark.parametrize("where", ["first", "none"])
def test_program_passes_on_the_mpi_alone(mpi: Mpi, where: str) -> None:
    cases = [*ALL_RANKS, *NEVER_OURS, "parts", "nothing"]
    ended = device_buffers(mpi, "early", where, *cases)
    assert all_passed(ended, cases), ended.stdout + ended.stderr


@pytest.mark.parametrize("case", ["allreduce", "gather", "alltoallv", "nonblocking"])
def test_what_is_not_left_to_the_mpi_is_killed(mpi: Mpi, case: str) -> None:
    ended = under_stretto(mpi, "early", "first", case, STRETTO_DEVICE_BUFFERS="off")
    assert not ended.ok
    assert "ok" not in ended.stdout


@pytest.mark.parametrize("where", ["first", "last", "all"])
def test_a_device_buffer_on_any_rank_leaves_the_call_to_the_mpi(
    mpi: Mpi, where: str, tmp_path: Path
) -> None:
    cases = [*ALL_RANKS, *NEVER_OURS, "parts"]
    ended = under_stretto(mpi, "early", where, *cases, STRETTO_RUN_COUNTERS=str(tmp_path))
    assert all_passed(ended, cases), ended.stdout + ended.stderr
    assert ended.stderr.count(SAID) == 1
    for rank in range(3):
        _, left = calls(tmp_path, rank)
        for call in ("Alltoallw", "Gatherv", "Reduce_scatter", "Iallreduce", "Allreduce_init"):
            assert left[f"MPI_{call}"] == 1


def test_calls_without_one_are_strettos_and_say_nothing(mpi: Mpi, tmp_path: Path) -> None:
    ended = under_stretto(mpi, "early", "none", *ALL_RANKS, STRETTO_RUN_COUNTERS=str(tmp_path))
    assert all_passed(ended, ALL_RANKS), ended.stdout + ended.stderr
    assert SAID not in ended.stderr
    ours, left = calls(tmp_path)
    assert not left
    assert ours["MPI_Alltoallw"] == ours["MPI_Gatherv"] == 1


def test_memory_that_host_and_device_share_is_the_hosts(mpi: Mpi, tmp_path: Path) -> None:
    cases = ["allreduce", "alltoallv"]
    ended = under_stretto(mpi, "early", "managed", *cases, STRETTO_RUN_COUNTERS=str(tmp_path))
    assert all_passed(ended, cases), ended.stdout + ended.stderr
    assert calls(tmp_path)[0]["MPI_Alltoallv"] == 1


def test_barriers_stay_strettos(mpi: Mpi, tmp_path: Path) -> None:
    ended = under_stretto(mpi, "early", "first", "nothing", STRETTO_RUN_COUNTERS=str(tmp_path))
    assert all_passed(ended, ["nothing"]), ended.stdout + ended.stderr
    ours, _ = calls(tmp_path)
    assert ours["MPI_Barrier"] == ours["MPI_Ibarrier"] == 1


def test_a_late_runtime_is_noticed_where_it_is_expected(mpi: Mpi) -> None:
    cases = [*ALL_RANKS, *NEVER_OURS]
    ended = under_stretto(mpi, "late", "last", *cases, STRETTO_DEVICE_BUFFERS="on")
    assert all_passed(ended, cases), ended.stdout + ended.stderr


@pytest.mark.parametrize("case", ["allreduce", "scatter", "nonblocking", "persistent", "groups"])
def test_a_late_one_that_nothing_told_of_ends_the_job(mpi: Mpi, case: str) -> None:
    ended = under_stretto(mpi, "late", "first", case, STANDIN_AWARE="0")
    assert ended.exit_code == 5, ended.stdout + ended.stderr
    assert ended.stderr.count(STOPPED) == 1
    assert "stretto: rank 0 gives" in ended.stderr


def test_a_late_one_does_not_matter_to_calls_without_it(mpi: Mpi) -> None:
    cases = [*ALL_RANKS, *NEVER_OURS]
    ended = under_stretto(mpi, "late", "none", *cases, STANDIN_AWARE="0")
    assert all_passed(ended, cases), ended.stdout + ended.stderr


@pytest.mark.parametrize("where", ["first", "last", "none"])
def test_the_c_interface_leaves_them_to_the_mpi_too(mpi: Mpi, where: str) -> None:
    library = native.native_dir() / "lib" / f"libstretto-{mpi.abi}.so"
    ended = device_buffers(mpi, "early", where, "c_interface", under=library)
    assert all_passed(ended, ["c_interface"]), ended.stdout + ended.stderr
    assert ended.stderr.count(SAID) == 1  # of the nonblocking one at least


def test_the_c_interface_is_killed_where_they_are_not(mpi: Mpi) -> None:
    library = native.native_dir() / "lib" / f"libstretto-{mpi.abi}.so"
    env = {"STRETTO_DEVICE_BUFFERS": "off"}
    assert not device_buffers(mpi, "early", "first", "c_interface", under=library, **env).ok
