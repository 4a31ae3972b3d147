"""Unmodified programs under the drop-in: right answers, handled by Stretto's algorithms."""

import json
import sys
from pathlib import Path

import pytest
from mpi_runs import Mpi, algorithms_in_turn

from stretto.launch.base import Abi

THREAD = {"STRETTO_PROGRESS_THREAD": "on"}
# The MPI function of a collective with blocks of one size, where it has another name.
EVEN = {"Reduce_scatter": "Reduce_scatter_block"}


def counters(folder: Path) -> dict[str, dict[str, int]]:
    """What rank 0 handled: {call: {algorithm: calls}}."""
    told = json.loads((folder / "rank-0.json").read_text())
    handled: dict[str, dict[str, int]] = {}
    for row in told["handled"]:
        handled.setdefault(row["call"], {})[row["algorithm"]] = row["calls"]
    return handled


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_program_passes_on_the_mpi_alone(mpi: Mpi, ranks: int) -> None:
    ended = mpi.run(mpi.program("dropin"), ranks=ranks)
    assert ended.ok, ended.stdout + ended.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("thread", ["on", "off"])
@pytest.mark.parametrize("program", ["dropin", "dropin_uneven"])
def test_every_call_and_every_way_to_wait(mpi: Mpi, ranks: int, thread: str, program: str) -> None:
    env = {"STRETTO_PROGRESS_THREAD": thread}
    ended = mpi.run_under_stretto(mpi.program(program), ranks=ranks, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert " ok" in ended.stdout


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("program", ["dropin_groups", "dropin_neighbors", "dropin_persistent"])
def test_groups_neighbours_and_persistent_requests(mpi: Mpi, ranks: int, program: str) -> None:
    ended = mpi.run_under_stretto(mpi.program(program), ranks=ranks, env=THREAD)
    assert ended.ok, ended.stdout + ended.stderr
    assert " ok" in ended.stdout


def test_a_program_linked_with_the_dropin_has_persistent_collectives(mpi: Mpi) -> None:
    ended = mpi.run(mpi.program("dropin_persistent"), ranks=2)
    assert ended.ok, ended.stdout + ended.stderr
    assert "persistent ok" in ended.stdout


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("shared_memory", ["on", "off"])
def test_calls_that_are_repeated_with_what_is_made_anew(
    mpi: Mpi, ranks: int, shared_memory: str, tmp_path: Path
) -> None:
    assert mpi.run(mpi.program("repeated"), ranks=ranks).ok
    env = {**THREAD, "STRETTO_SHARED_MEMORY": shared_memory, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    ended = mpi.run_under_stretto(mpi.program("repeated"), ranks=ranks, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "repeated ok" in ended.stdout
    # Each was counted, but those of rank 0 alone and those with a function of a program that has
    # one thread, which are the MPI's.
    calls = {call: sum(of.values()) for call, of in counters(tmp_path).items()}
    assert calls["MPI_Iallreduce"] == 60 * (3 + 12 + 1) - (30 * 3 if ranks == 2 else 0)
    assert calls["MPI_Ibarrier"] == 60


@pytest.mark.parametrize("program", ["dropin", "dropin_uneven"])
def test_what_is_freed_while_pending_completes(mpi: Mpi, program: str) -> None:
    # Whose later rounds are posted after the program has freed the types.
    env = {**THREAD, "STRETTO_SELECTION_ALLTOALL": "pairwise"}
    ended = mpi.run_under_stretto(mpi.program(program), "pending", ranks=5, env=env)
    assert ended.ok, ended.stdout + ended.stderr


def test_ranks_of_several_thread_levels_decide_alike(mpi: Mpi) -> None:
    ended = mpi.run_under_stretto(mpi.program("mixed_levels"), ranks=3, timeout_s=60)
    assert ended.ok, ended.stdout + ended.stderr
    assert "mixed ok" in ended.stdout


def test_types_that_are_empty_or_made_with_large_counts(mpi: Mpi, tmp_path: Path) -> None:
    in_segments = {
        "STRETTO_SELECTION_REDUCE": "chain",
        "STRETTO_SELECTION_SCAN": "linear",
        "STRETTO_SELECTION_ALLREDUCE": "ring",
    }
    env = {**THREAD, **in_segments, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    ended = mpi.run_under_stretto(mpi.program("large_types"), ranks=3, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "types ok" in ended.stdout
    if mpi.abi is not Abi.OPENMPI:  # which has none up to version 5
        assert sum(counters(tmp_path)["MPI_Ibcast"].values()) == 5


def test_a_program_of_the_c_interface_runs_under_the_dropin_too(mpi: Mpi) -> None:
    ended = mpi.run_under_stretto(mpi.program("api_random"), 5, 10, ranks=2)
    assert ended.ok, ended.stdout + ended.stderr


def test_forced_algorithms_handle_the_calls(mpi: Mpi, tmp_path: Path) -> None:
    for turn, forced in enumerate(algorithms_in_turn()):
        handled: dict[str, set[str]] = {}
        for program in ("dropin", "dropin_uneven", "dropin_groups", "dropin_neighbors"):
            folder = tmp_path / f"{program}-{turn}"
            folder.mkdir()
            env = {**forced, **THREAD, "STRETTO_RUN_COUNTERS": str(folder)}
            ended = mpi.run_under_stretto(mpi.program(program), ranks=4, env=env)
            assert ended.ok, f"{forced}\n{ended.stdout}{ended.stderr}"
            for call, algorithms in counters(folder).items():
                handled.setdefault(call, set()).update(algorithms)
        for variable, algorithm in forced.items():
            collective = variable.removeprefix("STRETTO_SELECTION_").capitalize()
            call = EVEN.get(collective, collective)
            # One forced for intercommunicators leaves the others' to the rules, and vice versa.
            assert algorithm in handled[f"MPI_{call}"]


def test_native_can_be_forced(mpi: Mpi, tmp_path: Path) -> None:
    env = {**THREAD, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    env["STRETTO_SELECTION_IALLREDUCE"] = ""  # empty counts as unset
    env["STRETTO_SELECTION_ALLREDUCE"] = "native"
    ended = mpi.run_under_stretto(mpi.program("dropin"), ranks=3, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert not counters(tmp_path).keys() & {"MPI_Allreduce", "MPI_Iallreduce"}


def test_unknown_algorithm_is_one_line_and_exit_code_2(mpi: Mpi) -> None:
    env = {"STRETTO_SELECTION_BCAST": "quantum"}
    ended = mpi.run_under_stretto(mpi.program("dropin"), ranks=1, env=env)
    assert ended.exit_code == 2
    assert "stretto: STRETTO_SELECTION_BCAST=quantum is no algorithm; known: native, " in (
        ended.stderr
    )


@pytest.mark.parametrize("bindings", ["fortran_mpifh", "fortran_f08"])
def test_fortran_programs(mpi: Mpi, bindings: str, tmp_path: Path) -> None:
    env = {**THREAD, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    ended = mpi.run_under_stretto(mpi.program(bindings), ranks=3, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "fortran ok" in ended.stdout
    assert {"MPI_Iallreduce", "MPI_Allreduce"} <= counters(tmp_path).keys()


def test_mpi4py_programs(mpi: Mpi, tmp_path: Path) -> None:
    # mpi4py finds a system's MPI by itself; one that came as a wheel lies beside its launcher.
    libraries = mpi.launcher.path.resolve().parents[1] / "lib"
    library = next(libraries.glob("libmpi.so.12"), "libmpi.so.40")
    env = {**THREAD, "STRETTO_RUN_COUNTERS": str(tmp_path), "MPI4PY_LIBMPI": str(library)}
    program = Path(__file__).with_name("mpi4py_program.py")
    ended = mpi.run_under_stretto(sys.executable, program, ranks=3, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert "mpi4py ok" in ended.stdout
    assert "MPI_Iallreduce" in counters(tmp_path)


def test_verbose_says_what_was_handled_and_what_passed(mpi: Mpi) -> None:
    env = {**THREAD, "STRETTO_VERBOSE": "1", "STRETTO_SELECTION_BCAST": "native"}
    ended = mpi.run_under_stretto(mpi.program("dropin"), ranks=3, env=env)
    lines = [line.split() for line in ended.stderr.splitlines() if line.startswith("stretto:")]
    assert ["MPI_Barrier", "handled", "by", "dissemination"] in [[w[1], *w[3:]] for w in lines]
    passed = [w for w in lines if w[1] == "MPI_Bcast"]
    assert passed
    assert all(w[3:] == ["passed", "to", "the", "MPI:", "asked", "for"] for w in passed)


@pytest.mark.parametrize("thread", ["on", "off"])
def test_nothing_wakes_up_while_nothing_is_pending(mpi: Mpi, thread: str) -> None:
    env = {"STRETTO_PROGRESS_THREAD": thread}
    ended = mpi.run_under_stretto(mpi.program("idle"), 5, ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert int(ended.stdout.split("voluntary_switches")[1].split()[0]) <= 5


def test_a_forced_algorithm_that_does_not_apply_is_said(mpi: Mpi) -> None:
    """One for two groups, of a program that has calls on one."""
    env = {"STRETTO_SELECTION_ALLREDUCE": "reduce_exchange_bcast"}
    ended = mpi.run_under_stretto(mpi.program("dropin"), ranks=2, env={**THREAD, **env})
    assert ended.ok, ended.stdout + ended.stderr
    said = [line for line in ended.stderr.splitlines() if "does not apply" in line]
    assert len(said) == 1, ended.stderr
    assert "the algorithm reduce_exchange_bcast, which was asked for, " in said[0]
