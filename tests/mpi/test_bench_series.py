"""Searches of several runs on a real MPI go on where a kill ended them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from stretto.cli.bench_running import launched
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell, BenchPlan, Settings
from stretto.data.bench_rows import read_states
from stretto.errors import EnvironmentUnusable
from stretto.launch.bench import NothingMeasured, find_mpi
from stretto.report.bench_calls import IN_PROCESS, MAKING, ON_COMMUNICATOR, lost_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mpi_runs import Mpi

    from stretto.launch.bench import MeasuredMpi

STRETTO = [sys.executable, "-c", "from stretto.cli.main import main; main()"]
CLIFFS = ["cliffs", "allreduce", "--sizes", "8:128", "--launches", "4", "--no-probes"]
MPIS_SAY = ("Open MPI v", "MPICH Version:")
# On a machine that is not quiet none of few repetitions may begin at the time that was agreed on.
CALLS = ["calls", "barrier", "bcast", "--launches", "2"]

LATE = [0, 20_000_000_000]  # 20 s


def found_mpi(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> MeasuredMpi:
    """As the command finds it."""
    for name, value in mpi.environment.items():
        monkeypatch.setenv(name, value)
    return find_mpi(None, str(mpi.launcher.path), [])


def in_order(
    found: MeasuredMpi, cells: Sequence[BenchCell], way: str = "native", cell_timeout_s: float = 5
) -> BenchPlan:
    """Three launches of one call each, of these cells and of the making of a communicator."""
    return BenchPlan(
        name="calls",
        implementations=[way],
        ranks=2,
        launches=3,
        seed=1,
        settings=Settings(
            budget_ns=1,
            warmup=0,
            at_least=1,
            at_most=1,
            cell_timeout_s=cell_timeout_s,
            synchronisation="barrier",
        ),
        cells=[*cells, BenchCell(len(cells), "comm_dup")],
        launcher=found.launcher.name,
        in_order=True,
    )


def bench(
    mpi: Mpi, folder: Path, words: Sequence[str], **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(mpi, words),
        cwd=folder,
        env={**os.environ, **mpi.environment, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def command(mpi: Mpi, words: Sequence[str]) -> list[str]:
    return [*STRETTO, "bench", *words, "--launcher", str(mpi.launcher.path), "-o", "run", "--json"]


def killed(mpi: Mpi, folder: Path, words: Sequence[str], until: Callable[[], bool]) -> None:
    """Begin, and end it by a kill as soon as it has come so far."""
    running = subprocess.Popen(
        command(mpi, words),
        cwd=folder,
        env={**os.environ, **mpi.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(6000):
        if until() or running.poll() is not None:
            break
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert until()


def shown_again(folder: Path) -> object:
    """What `stretto bench show` says of the folder of a search."""
    ended = subprocess.run(
        [*STRETTO, "bench", "show", "run", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(ended.stdout)


def parts(folder: Path) -> dict[str, int]:
    """Runs that are complete, each with what its samples file is on disk."""
    return {
        path.parent.name: path.stat().st_mtime_ns for path in folder.glob("run/*/samples.parquet")
    }


def cut_short(part: Path, after: int) -> None:
    """As if the kill had come while the cell was measured that follows so many, however many ranks
    ended before it came, or still after their launcher was killed."""
    copy = part.with_name("copy")
    shutil.copytree(part, copy, ignore=shutil.ignore_patterns("*.partial"))
    lines = (copy / "progress").read_text().splitlines(keepends=True)
    (copy / "progress").write_text("".join(lines[: 2 * after + 1]))
    # What ranks still write goes to files that are in no folder any more.
    shutil.rmtree(part)
    copy.rename(part)


def test_a_search_for_cliffs_loses_no_cell_that_was_done(mpi: Mpi, tmp_path: Path) -> None:
    first = tmp_path / "run" / "sizes" / "launches" / "000-0" / "part-000"

    def done() -> set[int]:
        return {state.cell for state in read_states(first) if state.state == "done"}

    killed(mpi, tmp_path, CLIFFS, lambda: len(done()) >= 2)
    cut_short(first, after=2)
    before = done()
    assert len(before) == 2
    ended = bench(mpi, tmp_path, CLIFFS)
    assert ended.returncode == 0, ended.stderr
    assert "Resuming run" in ended.stderr
    parts_after = [part for part in first.parent.glob("part-*") if part != first]
    again = {state.cell for part in parts_after for state in read_states(part)}
    assert done() == before
    assert again == set(range(5)) - before
    # What a kill ends after the last round is told from what all rounds measured.
    (tmp_path / "run" / "cliffs.json").unlink()
    made = parts(tmp_path)
    assert "sizes" in made
    told = bench(mpi, tmp_path, CLIFFS)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == json.loads(ended.stdout)
    assert shown_again(tmp_path) == json.loads(ended.stdout)
    assert parts(tmp_path) == made
    refused = bench(mpi, tmp_path, CLIFFS)
    assert refused.returncode == 2
    assert "run holds what is complete; name another --output" in refused.stderr


def test_first_calls_of_operations_that_were_done_are_not_made_again(
    mpi: Mpi, tmp_path: Path
) -> None:
    second = tmp_path / "run" / "bcast-8"
    killed(mpi, tmp_path, CALLS, (second / "bench.json").exists)
    made = parts(tmp_path)
    assert made.keys() == {"barrier-0"}
    # As if the kill had come after the first cell of a launch.
    shutil.rmtree(second / "launches", ignore_errors=True)
    part = second / "launches" / "000-0" / "part-000"
    part.mkdir(parents=True)
    (part / "progress").write_text("begin 0 \ndone 0 barrier\nbegin 1 \n")
    other = bench(mpi, tmp_path, [*CALLS, "--sizes", "64"])
    assert other.returncode == 2
    assert "run is of another stretto bench calls: sizes was 8, now 64; name" in other.stderr
    variable = bench(mpi, tmp_path, CALLS, OMPI_MCA_coll="^tuned")
    assert variable.returncode == 2
    assert "bench calls: OMPI_MCA_coll was not set, now ^tuned; name" in variable.stderr
    record = tmp_path / "run" / "series.json"
    kept = record.read_text()
    version = json.loads(kept)["mpi"]
    assert version.startswith(MPIS_SAY)
    record.write_text(kept.replace(json.dumps(version), json.dumps("An MPI 1.0")))
    updated = bench(mpi, tmp_path, CALLS)
    assert updated.returncode == 2
    assert f"bench calls: the MPI was An MPI 1.0, now {version}; name" in updated.stderr
    record.write_text(kept)
    ended = bench(mpi, tmp_path, CALLS)
    assert ended.returncode == 0, ended.stderr
    assert "Resuming run" in ended.stderr
    assert made.items() <= parts(tmp_path).items()
    assert shown_again(tmp_path) == json.loads(ended.stdout)
    operations = [each["operation"] for each in json.loads(ended.stdout)["calls"]]
    assert operations == ["barrier", "barrier", "bcast", "bcast"]
    # A call is the first of its process only where that process made it.
    assert [state.cell for state in read_states(part)] == [0, 1, 2]
    assert not part.with_name("part-001").exists()
    launches = {each["launch"][0] for each in BenchFolder(second).samples_by_launch()}
    assert launches == {0, 1}


@pytest.mark.parametrize("file", ["rank-1.rows", "launch.json.partial"])
def test_a_full_disk_is_no_answer_of_a_setting(
    file: str, mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends a search, which measures it when it goes on."""
    found = found_mpi(mpi, monkeypatch)
    plan = BenchPlan(
        name="setting-gather-1",
        implementations=["native"],
        ranks=2,
        launches=1,
        seed=1,
        settings=Settings(budget_ns=1_000_000, cell_timeout_s=5),
        cells=[BenchCell(0, "barrier"), BenchCell(1, "bcast", bytes=8)],
        launcher=found.launcher.name,
    )
    new_part = BenchFolder.new_part

    def on_a_full_disk(folder: BenchFolder, launch: int, way: int) -> Path:
        part = new_part(folder, launch, way)
        (part / file).symlink_to("/dev/full")
        return part

    run = tmp_path / "run"
    with monkeypatch.context() as full:
        full.setattr(BenchFolder, "new_part", on_a_full_disk)
        with pytest.raises(EnvironmentUnusable, match="No space left on device") as ended:
            launched(plan, found, found.launcher, run, is_part=True)
    assert not isinstance(ended.value, NothingMeasured)
    del ended  # with it the claim on the folder
    full_one = run / "launches" / "000-0" / "part-000" / file
    full_one.unlink()
    full_one.touch()
    result, _ = launched(plan, found, found.launcher, run, is_part=True)
    assert {row.cell.number for row in result.rows} == {0, 1}
    assert not result.not_measured


def test_what_depends_on_a_call_that_hangs_is_not_measured_by_itself(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_mpi(mpi, monkeypatch)
    cells = [BenchCell(0, "barrier", delays_ns=LATE), BenchCell(1, "barrier")]
    plan = in_order(found, cells, cell_timeout_s=1)
    result, path = launched(plan, found, found.launcher, tmp_path / "run")
    # What has hung twice is not tried a third time.
    tried = path.glob("launches/0*/part-*/plan")
    assert sorted(part.parts[-3] for part in tried) == ["000-0", "001-0"]
    for number, each in enumerate(BenchFolder(path).record().launches):
        states = {state.cell: state.state for state in each.states}
        assert states == {0: "timeout" if number < 2 else "skipped", 1: "skipped", 2: "skipped"}
    assert not result.rows
    assert [(each.first_of, each.state, each.launches) for each in lost_calls(result.record)] == [
        (IN_PROCESS, "timeout", 2),
        (ON_COMMUNICATOR, "skipped", 3),
        (MAKING, "skipped", 3),
        (IN_PROCESS, "skipped", 1),
    ]


def test_what_hangs_once_is_measured_in_the_other_launches(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_mpi(mpi, monkeypatch)
    tool = mpi.build / "tests" / mpi.abi / "libhanging_tool.so"
    cells = [BenchCell(0, "allreduce", bytes=8), BenchCell(1, "barrier")]
    plan = in_order(found, cells, f"native:LD_PRELOAD={tool}+HANGING_ONCE={tmp_path}/hung")
    result, path = launched(plan, found, found.launcher, tmp_path / "run")
    states = Counter(
        (state.cell, state.state)
        for each in BenchFolder(path).record().launches
        for state in each.states
    )
    assert [states[cell, "done"] for cell in range(3)] == [2, 2, 2]
    assert [(each.first_of, each.state, each.launches) for each in lost_calls(result.record)] == [
        (IN_PROCESS, "timeout", 1),
        (ON_COMMUNICATOR, "skipped", 1),
        (MAKING, "skipped", 1),
    ]


def test_what_comes_before_a_call_that_hangs_is_measured(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = found_mpi(mpi, monkeypatch)
    cells = [BenchCell(0, "barrier"), BenchCell(1, "barrier", delays_ns=LATE)]
    plan = in_order(found, cells)
    result, path = launched(plan, found, found.launcher, tmp_path / "run")
    states = [
        [state.state for state in each.states] for each in BenchFolder(path).record().launches
    ]
    hung = ["done", "timeout", "skipped"]
    assert states == [hung, hung, ["done", "skipped", "skipped"]]
    assert ["in 2 of 3 launches" in state.why for _, _, state in result.not_measured] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("verb", ["calls", "cliffs"])
def test_a_wrong_byte_ends_series_with_3_too(mpi: Mpi, tmp_path: Path, verb: str) -> None:
    tool = mpi.build / "tests" / mpi.abi / "libcorrupting_tool.so"
    words = [verb, "allreduce", "-n", "2", "--impl", f"native:LD_PRELOAD={tool}"]
    words += ["--sizes", "4096"] if verb == "calls" else ["--sizes", "8:64", "--no-probes"]
    ended = bench(mpi, tmp_path, [*words, "--launches", "4"])
    assert ended.returncode == 3, ended.stderr
    said = ended.stderr if verb == "cliffs" else ended.stdout
    assert "rank 1 has a wrong byte " in said
    again = subprocess.run(
        [*STRETTO, "bench", "show", "run", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 3
    assert json.loads(again.stdout) == json.loads(ended.stdout)
