"""stretto profile of programs that do not come to MPI_Finalize: what was recorded is shown."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mpi_runs import HANGS_AFTER_S, Mpi
from profiles import STRETTO, sites

KINDS = ("json", "collectives", "messages", "channels")


def words(mpi: Mpi, folder: Path, how: str, *options: str) -> list[str]:
    launcher = ["--launcher", str(mpi.launcher.path), "--output", str(folder)]
    return [
        *map(str, [STRETTO, "profile", "--json", *launcher, *options]),
        str(mpi.program("unfinished")),
        how,
    ]


def ended(mpi: Mpi, folder: Path, how: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words(mpi, folder, how, *options), capture_output=True, text=True,
        timeout=HANGS_AFTER_S, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def attached(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [STRETTO, "profile", "--json", "--attach", folder]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def allreduces(said: str) -> int:
    (site,) = sites(json.loads(said), "MPI_Allreduce")
    return site["calls"]


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("aborts", "MPI_Abort"),
        ("crashes", "SIGSEGV"),
        ("overflows", "SIGSEGV"),
        ("gives up", "SIGABRT"),
        ("exits", "exit"),
        ("terminated", "SIGTERM"),
    ],
)
def test_what_was_recorded_until_the_end_is_shown(
    mpi: Mpi, how: str, why: str, tmp_path: Path
) -> None:
    answer = ended(mpi, tmp_path / "run", how)
    assert answer.returncode == 4, answer.stderr
    found = json.loads(answer.stdout)
    assert "not all ranks came to MPI_Finalize: the record goes to " in found["unfinished"]
    assert f"{why} ended rank" in found["unfinished"]
    assert 1 in [rank["rank"] for rank in found["ranks"]]
    assert allreduces(answer.stdout) == 100 * len(found["ranks"])  # Hydra kills the others


@pytest.mark.parametrize("how", ["handles", "stays"])
def test_the_programs_own_handler_is_called(mpi: Mpi, how: str, tmp_path: Path) -> None:
    answer = ended(mpi, tmp_path / "run", how)
    assert answer.returncode == 4, answer.stderr
    assert "5" in answer.stderr.splitlines()[-1]  # its exit code
    assert not (tmp_path / "run/rank-1.snapshot").exists()


@pytest.mark.parametrize("how", ["finalizes", "relies"])
def test_nothing_of_it_is_left_where_all_finalize(mpi: Mpi, tmp_path: Path, how: str) -> None:
    answer = ended(mpi, tmp_path / "run", how, "--every", "1s")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["unfinished"] is None
    files = {each.name for each in (tmp_path / "run").iterdir()}
    ranks = {f"rank-{n}.{kind}" for n in (0, 1) for kind in KINDS}
    assert files == {"profile.json", *ranks}


def test_a_hang_shows_where(mpi: Mpi, tmp_path: Path) -> None:
    answer = ended(mpi, tmp_path / "run", "hangs", "--every", "1s", "--timeout", "5")
    assert answer.returncode == 4, answer.stderr
    found = json.loads(answer.stdout)
    assert "rank 0 was in MPI_Barrier then, for " in found["unfinished"]
    (barrier,) = sites(found, "MPI_Barrier")
    assert barrier["calls"] == 1
    assert Path(barrier["file"]).name == "unfinished.c"


def test_snapshots_are_shown_while_it_runs_and_outlive_it(mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    running = subprocess.Popen(
        words(mpi, folder, "hangs", "--every", "1s"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + HANGS_AFTER_S
    while len(list(folder.glob("rank-*.snapshot"))) < 2:
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    meanwhile = attached(folder)
    assert meanwhile.returncode == 0, meanwhile.stderr
    assert allreduces(meanwhile.stdout) == 200
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert allreduces(attached(folder).stdout) == 200
    page = tmp_path / "page.html"
    subprocess.run([STRETTO, "report", folder, "-o", page], check=True, timeout=60)
    assert "not all ranks came to MPI_Finalize" in page.read_text()


def test_attaching_to_what_has_no_record_says_so(tmp_path: Path) -> None:
    answer = attached(tmp_path)
    assert answer.returncode == 2
    assert "it is no run folder of stretto profile" in answer.stderr
