"""Stretto inside of Slurm's allocations: a controller, munge, a daemon a rig host."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from mpi_runs import MPIS, Mpi
from slurm_cluster import STARTS_WITHIN_S, Cluster, unusable

from stretto.data.bench_folder import BenchFolder
from stretto.launch.base import Abi
from stretto.launch.rig import parse_rig

STRETTO = Path(sys.executable).with_name("stretto")
# How srun connects the ranks of each MPI.
CONNECTED = {Abi.OPENMPI: "--mpi=pmix", Abi.MPICH: "--mpi=pmi2"}
FOREVER = ("32", "1000000")  # of jacobi3d
ALONE = ("-N2", "--ntasks-per-node=1", "-Q")

pytestmark = [
    pytest.mark.skipif(unusable() is not None, reason=unusable() or ""),
    pytest.mark.xdist_group("rig"),
    pytest.mark.long,
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(parse_rig("4x4@1gbit")) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def timed_out(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a job says whose time is over; Slurm looks every half a minute, while tests run."""
    said = tmp_path_factory.mktemp("limit") / "said"
    mpi = MPIS["mpich"] if "mpich" in MPIS else next(iter(MPIS.values()))
    words = ["run", "-n", "2", *by_srun(mpi), str(mpi.app("jacobi3d")), *FOREVER]
    script = said.with_name("job.sh")
    quoted = " ".join(f"'{word}'" for word in map(str, [STRETTO, *words]))
    # Slurm sends its SIGTERM to the script, too.
    script.write_text(f"#!/bin/sh\ntrap : TERM\n{quoted}\necho ended with $?\n")
    options = ["--parsable", "--time=1", *ALONE[:2], f"--output={said}"]
    submitted = cluster.run("sbatch", *options, script)
    job = submitted.stdout.strip()
    assert job.isdigit(), submitted.stderr
    wait_until(lambda: f"{job}.0" in cluster.run("squeue", "-h", "-s").stdout, "its step runs")
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=0")
    return said


def by_srun(mpi: Mpi, more: str = "") -> list[str]:
    return ["--launcher", "srun", "--launcher-args", f"{CONNECTED[mpi.abi]} {more}".strip()]


def allocated(cluster: Cluster, nodes: int, *words: object) -> subprocess.CompletedProcess[str]:
    """A command inside of an allocation of its own, to its end."""
    return cluster.run("salloc", "-Q", f"-N{nodes}", "--ntasks-per-node=1", *words)


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + STARTS_WITHIN_S
    while not condition():
        assert time.monotonic() < deadline, f"not after {STARTS_WITHIN_S} s: {what}"
        time.sleep(0.05)


def marked(mark: str) -> dict[int, list[str]]:
    """The processes, on all hosts, that have it in their environment, and their words."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "cmdline").read_text().split("\0")
        except OSError:
            continue
    return found


@pytest.mark.parametrize(("launcher", "nodes"), [("srun", 2), ("srun", 4), ("its own", 2)])
def test_all_ranks_of_an_allocation_run_stretto(
    cluster: Cluster, mpi: Mpi, launcher: str, nodes: int
) -> None:
    chosen = by_srun(mpi) if launcher == "srun" else ["--launcher", mpi.launcher.path]
    words = ["run", "--verbose", "-n", nodes, *chosen, mpi.program("rig_probe")]
    ended = allocated(cluster, nodes, STRETTO, *words)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    hosts = [line.split()[3] for line in ended.stdout.splitlines() if line.startswith("rank ")]
    assert len(set(hosts)) == len(hosts) == nodes
    assert f"{nodes} ranks on {nodes} hosts" in ended.stderr, ended.stderr


def test_compare_and_profile(cluster: Cluster, mpi: Mpi, tmp_path: Path) -> None:
    program = [mpi.app("jacobi3d"), "16", "5"]
    words = ["--runs", "1", "--report", tmp_path / "page.html", "--output", tmp_path / "pair"]
    ended = allocated(cluster, 2, STRETTO, "compare", *words, *by_srun(mpi), "--json", *program)
    assert ended.returncode == 0, ended.stderr
    ended = allocated(
        cluster, 2, STRETTO, "profile", "--output", tmp_path / "profile", *by_srun(mpi), *program
    )
    assert ended.returncode == 0, ended.stderr
    ranks = [json.loads(each.read_bytes()) for each in (tmp_path / "profile").glob("rank-*.json")]
    assert len({each["host"] for each in ranks} & {*cluster.hosts}) == 2


def test_a_benchmark_runs_on_the_hosts_of_the_allocation(
    cluster: Cluster, mpi: Mpi, tmp_path: Path
) -> None:
    # By a barrier every repetition is valid, however busy the machine is.
    words = ["bench", "barrier", "allreduce", "--sizes", "8", "--quick", "--launches", "1"]
    words += ["--sync", "barrier"]
    chosen = [*by_srun(mpi), "--like", mpi.app("jacobi3d"), "-o", tmp_path / "run"]
    ended = allocated(cluster, 2, STRETTO, *words, *chosen, "--json")
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)["rows"]
    assert {row["cell"]["operation"] for row in rows} == {"barrier", "allreduce"}
    folder = BenchFolder(tmp_path / "run")
    (launch,) = folder.record().launches
    assert [cell.state for cell in launch.states] == ["done", "done"]
    assert (launch.facts.ranks, launch.facts.hosts) == (2, 2)
    # The hosts of a rig have one kernel's clock; which model explains it is found by messages.
    assert launch.facts.clock in ("shared", "constant", "linear")
    shown = cluster.run(STRETTO, "bench", "show", tmp_path / "run")
    assert shown.returncode == ended.returncode, shown.stderr
    assert "barrier: 2 ranks, 1 launch" in shown.stdout
    assert "allreduce: 2 ranks, 1 launch" in shown.stdout
    assert ("clocks of several hosts" in shown.stderr) == (launch.facts.clock != "shared")


def test_whatif_measures_the_hosts_of_the_allocation(cluster: Cluster, tmp_path: Path) -> None:
    mpi = MPIS["mpich"] if "mpich" in MPIS else next(iter(MPIS.values()))
    words = ["whatif", "--runs", "1", "--output", tmp_path / "run", *by_srun(mpi)]
    brief = "STRETTO_CALIBRATE_PERCENT=1"
    ended = allocated(cluster, 2, "env", brief, STRETTO, *words, mpi.app("alltoall"), "1024", "2")
    assert ended.returncode == 0, ended.stderr
    assert "2 hosts" in (tmp_path / "run/machine.toml").read_text()


def test_a_step_that_is_cancelled_ends_with_one_line(cluster: Cluster, mpi: Mpi) -> None:
    mark = f"SLURM_TEST_MARK={uuid.uuid4()}"
    named = by_srun(mpi, "--job-name=mine")
    words = ["run", "-n", "2", *named, mpi.program("dying"), "stops", "blocking"]
    running = cluster.start("env", mark, "salloc", *ALONE, STRETTO, *words)
    assert running.stdout is not None
    assert running.stdout.readline() == "dying: begun\n"
    steps = [line.split() for line in cluster.run("squeue", "-h", "-s").stdout.splitlines()]
    (step,) = [number for number, name, *_ in steps if name == "mine"]
    cluster.run("scancel", step)
    _, said = running.communicate(timeout=STARTS_WITHIN_S)
    assert running.returncode == 4, said
    ours = [line for line in said.splitlines() if line.startswith("stretto")]
    assert len(ours) == 1, said
    assert ours[0].endswith(f"dying failed: its step {step} was cancelled")
    wait_until(lambda: not marked(mark), "all of it has ended")


def test_a_ctrl_c_is_not_said_to_be_slurms(cluster: Cluster) -> None:
    """It says of a step that we end that it was cancelled, as of one that somebody else does."""
    mpi = next(iter(MPIS.values()))
    mark = f"SLURM_TEST_MARK={uuid.uuid4()}"
    words = ["run", "-n", "2", *by_srun(mpi), mpi.program("dying"), "stops", "blocking"]
    running = cluster.start("env", mark, "salloc", *ALONE, STRETTO, *words)
    assert running.stdout is not None
    assert running.stdout.readline() == "dying: begun\n"
    (stretto,) = [pid for pid, words in marked(mark).items() if words[1:3] == [str(STRETTO), "run"]]
    os.kill(stretto, signal.SIGINT)
    _, said = running.communicate(timeout=STARTS_WITHIN_S)
    assert running.returncode == 128 + signal.SIGINT, said
    # Which of both it says depends on whether a rank ends before the other is heard of.
    assert "CANCELLED" in said or "Job step aborted" in said, said
    assert not [line for line in said.splitlines() if line.startswith("stretto")], said
    wait_until(lambda: not marked(mark), "all of it has ended")


def test_no_rank_is_left_where_stretto_is_killed(cluster: Cluster) -> None:
    mpi = next(iter(MPIS.values()))
    mark = f"SLURM_TEST_MARK={uuid.uuid4()}"
    words = ["run", "-n", "2", *by_srun(mpi), mpi.program("dying"), "stops", "blocking"]
    stays = ["sh", "-c", '"$@"; read line', "sh"]  # it is not the allocation's end that ends them
    running = cluster.start("env", mark, "salloc", *ALONE, *stays, STRETTO, *words)
    assert running.stdout is not None
    assert running.stdout.readline() == "dying: begun\n"
    (stretto,) = [pid for pid, words in marked(mark).items() if words[1:3] == [str(STRETTO), "run"]]
    os.kill(stretto, signal.SIGKILL)
    wait_until(
        lambda: not any(f"{mpi.program('dying')}" == words[0] for words in marked(mark).values()),
        "ranks ended",
    )
    assert running.poll() is None
    running.communicate("\n", timeout=STARTS_WITHIN_S)


@pytest.mark.parametrize("what", ["outside", "blocking"])
def test_a_rank_that_dies_ends_the_step(cluster: Cluster, mpi: Mpi, what: str) -> None:
    words = ["run", "-n", "2", *by_srun(mpi), mpi.program("dying"), "exits", what]
    ended = allocated(cluster, 2, "env", "STRETTO_DEATH_SECONDS=1", STRETTO, *words)
    assert ended.returncode == 4
    last = ended.stderr.splitlines()[-1]
    found = re.search(
        r"rank 1( \(process \d+ on host\d\))? exited with code 7(; srun did not end)?", last
    )
    assert found, last
    # Within MPI the other rank may find out that nobody answers, and end the step sooner.
    if what == "outside":
        assert all(found.groups()), last


def test_the_line_says_how_srun_connects_ranks(cluster: Cluster, mpi: Mpi) -> None:
    words = ["run", "-n", "2", "--launcher", "srun", mpi.program("idle"), "0"]
    ended = allocated(cluster, 2, STRETTO, *words)
    assert '--launcher-args "--mpi=pm' in ended.stderr, ended.stderr


def test_a_job_whose_time_is_over_says_so(timed_out: Path) -> None:
    wait_until(lambda: "ended with" in timed_out.read_text(), "the job ended")
    said = timed_out.read_text().splitlines()
    assert said[-1] == "ended with 143"
    (ours,) = [line for line in said if line.startswith("stretto")]
    assert re.fullmatch(
        r"stretto: the program was ended: its (job \d+|step \d+\.0) reached its time limit", ours
    )
