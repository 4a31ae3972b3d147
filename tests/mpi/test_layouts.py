"""Two-level algorithms on hosts and core complexes that ranks are said to be on."""

import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from mpi_runs import Mpi

from stretto import native
from stretto.native.schedules import algorithms

THREAD = {"STRETTO_PROGRESS_THREAD": "on"}

# Each rank in a namespace with a hostname of its own, which is what hosts are told apart by.
IN_NAMESPACE = ["unshare", "--uts", "sh", "-c"]


def on_hosts(program: Path, hosts: Sequence[int], folder: Path) -> Path:
    """A script that runs the program's ranks on such hosts, by rank."""
    if subprocess.run([*IN_NAMESPACE, "hostname h"], capture_output=True, check=False).returncode:
        pytest.skip("no hostnames can be given here")
    cases = "".join(f"  {rank}) host=host{host} ;;\n" for rank, host in enumerate(hosts))
    start = 'hostname "$0"; exec "$@"'
    script = folder / "on_hosts.sh"
    script.write_text(
        f"#!/bin/sh\ncase ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in\n{cases}esac\n"
        f'exec {shlex.join([*IN_NAMESPACE, start])} $host {shlex.quote(str(program))} "$@"\n'
    )
    script.chmod(0o755)
    return script


def run(mpi: Mpi, command: Sequence[object], hosts: Sequence[int], env: dict[str, str]) -> str:
    """What it says."""
    program, *arguments = command
    ended = mpi.run_under_stretto(str(program), *arguments, ranks=len(hosts), env=THREAD | env)
    assert ended.ok, ended.stdout + ended.stderr
    return ended.stdout


def sent(mpi: Mpi, algorithm: str, folder: Path) -> list[int]:
    """Messages of each rank in a program with allreduces of ranks dealt round two hosts."""
    folder.mkdir()
    hosts = [0, 1, 0, 1]
    env = {
        "STRETTO_SELECTION_ALLREDUCE": algorithm,
        "SENT_MESSAGES": str(folder),
        "LD_PRELOAD": f"{native.drop_in(mpi.abi)}:{mpi.standin('counting')}",
    }
    run(mpi, [on_hosts(mpi.program("wrapped"), hosts, folder), folder / "file"], hosts, env)
    return [int((folder / f"sent-{rank}").read_text()) for rank in range(len(hosts))]


def test_only_one_rank_of_a_host_sends_to_the_other(mpi: Mpi, tmp_path: Path) -> None:
    flat = sent(mpi, "recursive_doubling", tmp_path / "flat")
    two_level = sent(mpi, "two_level", tmp_path / "two_level")
    fewer = [a - b for a, b in zip(flat, two_level, strict=True)]
    # The first rank of each host sends to the other host and to its own. The second sends to the
    # first alone, where it would send to two ranks.
    assert fewer[:2] == [0, 0]
    assert fewer[2] == fewer[3] >= 6


TWO_LEVEL = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce_scatter",
)
FORCED = {f"STRETTO_SELECTION_{each.upper()}": "two_level" for each in TWO_LEVEL}


@pytest.mark.parametrize("program", ["dropin", "dropin_groups", "two_levels"])
@pytest.mark.parametrize(
    "hosts",
    [[0, 1, 1, 0, 2], [0, 0, 0, 1, 1], [2, 1, 0, 1, 2], [0, 0, 0, 1, 2, 2]],
    ids=str,
)
def test_two_level_algorithms_are_right_wherever_ranks_are(
    mpi: Mpi, program: str, hosts: list[int], tmp_path: Path
) -> None:
    script = on_hosts(mpi.program(program), hosts, tmp_path)
    assert " ok" in run(mpi, [script], hosts, FORCED)


def test_all_collectives_with_two_levels_are_forced_here() -> None:
    known = {each.collective for each in algorithms() if each.algorithm == "two_level"}
    assert known == set(TWO_LEVEL)
