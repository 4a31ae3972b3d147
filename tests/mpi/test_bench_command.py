"""`stretto bench` as a user gives it, on every MPI: wrong results, hangs, kills and plans."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import polars as pl
from mpi_runs import Mpi

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_rows import read_states
from stretto.stats.guideline_list import GUIDELINES

STRETTO = Path(sys.executable).with_name("stretto")

# Begun behind a barrier all repetitions are valid, however busy the machine is.
BUSY = ("--sync", "barrier")


def stretto(mpi: Mpi, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command as a user gives it."""
    return subprocess.run(
        [STRETTO, "bench", *words, *BUSY, "--launcher", mpi.launcher.path, "-o", "run"],
        cwd=folder,
        env={**os.environ, **mpi.environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_wrong_byte_ends_a_run_with_3_and_is_named(mpi: Mpi, tmp_path: Path) -> None:
    tool = mpi.build / "tests" / mpi.abi / "libcorrupting_tool.so"
    # As many calls as it takes until the tool makes one wrong, however slow they are.
    (tmp_path / "plan.toml").write_text("at_least = 40\n")
    words = ["allreduce", "bcast", "--sizes", "4096", "-n", "3", "--launches", "1", "--json"]
    way = f"native:LD_PRELOAD={tool}"
    ended = stretto(mpi, tmp_path, *words, "--plan", "plan.toml", "--impl", way)
    assert ended.returncode == 3, ended.stderr
    found = json.loads(ended.stdout)
    assert {row["cell"]["operation"] for row in found["rows"]} == {"bcast"}
    ((_, cell, state),) = found["not_measured"]
    assert (cell["operation"], state["state"]) == ("allreduce", "wrong")
    assert state["why"].startswith("rank 1 has a wrong byte 4094 after repetition ")


def test_an_injected_skew_is_in_what_is_recorded_and_shown(mpi: Mpi, tmp_path: Path) -> None:
    """By so much at least as rank 0 was made to wait, less what the other rank came late itself:
    that holds on a busy machine, too."""
    injected_us = 20_000
    words = ["allreduce", "--sizes", "8", "-n", "2", "--launches", "2"]
    ended = stretto(mpi, tmp_path, *words, "--skew", str(injected_us))
    assert ended.returncode == 0, ended.stderr
    assert "entry skew: median " in ended.stdout
    samples = pl.read_parquet(tmp_path / "run" / "samples.parquet").filter(~pl.col("warmup"))
    assert samples["valid"].all()
    key = ["launch", "repetition"]
    first, other = (samples.filter(rank=rank).sort(key) for rank in (0, 1))
    assert (first["enter_ns"] - first["arrived_ns"] >= 1000 * injected_us).all()
    other_came_after = other["enter_ns"] - first["arrived_ns"]
    shown = subprocess.run(
        [STRETTO, "bench", "show", "run", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    (row,) = json.loads(shown.stdout)["rows"]
    assert row["skew_median"] >= (1000 * injected_us - other_came_after).median()
    assert row["skew_p95"] >= row["skew_median"]


def test_the_plan_of_the_guidelines_leaves_none_of_them_unchecked(mpi: Mpi, tmp_path: Path) -> None:
    words = ["-n", "2", "--sizes", "8:32", "--launches", "1", "--seed", "3"]
    ended = stretto(mpi, tmp_path, "--plan", "guidelines", *words)
    assert ended.returncode == 0, ended.stderr
    assert {state.state for state in BenchFolder(tmp_path / "run").record().launches[0].states} == {
        "done"
    }
    checked = subprocess.run(
        [STRETTO, "bench", "guidelines", "run", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(checked.stdout)
    # The middle one has a size that is half of it, and one that is twice as long.
    of_middle = {it["test"]["guideline"] for it in found["checked"] if it["test"]["bytes"] == 16}
    assert {it.words for it in GUIDELINES} <= of_middle
    assert not [it for it in found["unchecked"] if it["bytes"] == 16]


def test_what_hangs_is_a_row_and_the_rest_is_measured(mpi: Mpi, tmp_path: Path) -> None:
    late = ["--late", "0,20000000", "--cell-timeout", "1"]  # 20 s
    ended = stretto(mpi, tmp_path, "barrier", "bcast", "--sizes", "8", "--launches", "2", *late)
    assert ended.returncode == 0, ended.stderr
    record = BenchFolder(tmp_path / "run").record()
    by_state: dict[str, set[str]] = {}
    for launched in record.launches:
        for state in launched.states:
            name = record.plan.cells[state.cell].name
            by_state.setdefault(state.state, set()).add(name)
    assert by_state == {"timeout": {"barrier", "bcast"}, "done": {"barrier", "bcast"}}
    assert "timeout" in ended.stdout


def wait_for_ranks(folder: Path) -> None:
    """Until those have ended whose launcher was killed, and which may still write into `folder`."""
    for _ in range(600):
        lines = []
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                lines.append(process.read_bytes())
        if not any(str(folder).encode() in line for line in lines):
            return
        time.sleep(0.05)
    raise AssertionError(f"ranks still write into {folder}")


def test_a_killed_run_goes_on_and_loses_no_cell_that_was_done(mpi: Mpi, tmp_path: Path) -> None:
    words = ["bcast", "allreduce", "--sizes", "8:8K", "--launches", "2"]
    command = [STRETTO, "bench", *words, *BUSY, "--launcher", mpi.launcher.path, "-o", "run"]
    running = subprocess.Popen(
        list(map(str, command)),
        cwd=tmp_path,
        env={**os.environ, **mpi.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    done: set[int] = set()
    first = tmp_path / "run" / "launches" / "000-0" / "part-000"
    for _ in range(600):
        done = {state.cell for state in read_states(first) if state.state == "done"}
        if len(done) >= 3 or running.poll() is not None:
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert done
    wait_for_ranks(tmp_path)
    done = {state.cell for state in read_states(first) if state.state == "done"}
    # Launches of two MPIs would be one figure.
    facts = first / "launch.json"
    known = json.loads(facts.read_bytes())
    facts.write_text(json.dumps(known | {"mpi": "An MPI 1.0"}))
    for _ in range(2):
        refused = stretto(mpi, tmp_path, *words)
        assert refused.returncode == 2
        assert "holds a run of another MPI: it was An MPI 1.0, now " in refused.stderr
    facts.write_text(json.dumps(known))
    ended = stretto(mpi, tmp_path, *words)
    assert ended.returncode == 0, ended.stderr
    assert "Resuming" in ended.stderr
    again = {state.cell for state in read_states(first.with_name("part-001"))}
    assert not again & done
    samples = pl.concat(BenchFolder(tmp_path / "run").samples_by_launch())
    assert samples.select("launch", "cell").unique().height == 2 * 22
    shown = subprocess.run(
        [STRETTO, "bench", "show", "run", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(json.loads(shown.stdout)["rows"]) == 33  # bcast's roots and others apart


def test_each_root_has_its_figures(mpi: Mpi, tmp_path: Path) -> None:
    words = ["bcast", "allreduce", "-n", "3", "--sizes", "8", "--root", "all", "--launches", "2"]
    ended = stretto(mpi, tmp_path, *words, "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)["by_root"]
    assert {it["operation"] for it in found} == {"bcast"}
    assert sorted(it["root"] for it in found) == [0, 1, 2]
    assert all(0 <= it["root_ns"] <= it["slowest_ns"] for it in found)
    shown = subprocess.run(
        [STRETTO, "bench", "show", "run"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "bcast: by root" in shown.stdout


def test_what_one_half_cannot_do_is_skipped(mpi: Mpi, tmp_path: Path) -> None:
    words = ["pingpong", "bcast", "-n", "3", "--comm", "halves", "--sizes", "8", "--launches", "1"]
    ended = stretto(mpi, tmp_path, *words, "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert {row["cell"]["operation"] for row in found["rows"]} == {"bcast"}
    ((_, cell, state),) = found["not_measured"]
    assert cell["operation"] == "pingpong"
    assert (state["state"], state["why"]) == ("skipped", "it takes two ranks")
