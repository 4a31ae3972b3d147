"""Late ranks of stretto bench that are from a file, or from a run of stretto profile."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from recorded import profiled, rank
from stand_ins import executable

from stretto.cli import bench_running
from stretto.cli.main import run_command
from stretto.data.bench_folder import BenchRecord, LaunchedBy, begin
from stretto.data.bench_plan import BenchPlan
from stretto.data.profiles import _INSTANCE, CallSite
from stretto.data.provenance import collect
from stretto.launch.bench import MeasuredMpi

Captured = pytest.CaptureFixture[str]

BCAST = CallSite("MPI_Bcast", "collective", "/bin/app", 16, "main", 0, 3, 24, 600, 200, [(4, 3)])
# By how much rank 1 comes later to each of four calls: earlier once, and twice by half a second.
LATE_NS = [-4000, 6000, 500_000_000, 500_000_000]


@pytest.fixture
def plans(house: Path, monkeypatch: pytest.MonkeyPatch) -> list[BenchPlan]:
    """Those that would be launched, each of which leaves a run that was cut short."""
    executable(house / "native" / "bin" / "stretto-bench-openmpi", "")
    found: list[BenchPlan] = []

    def launched(
        plan: BenchPlan,
        mpi: MeasuredMpi,
        _where: object,
        output: Path,
        *,
        is_part: bool,
        is_new: bool,
    ) -> object:
        assert not is_part
        assert not is_new
        found.append(plan)
        if not output.exists():
            output.mkdir()
            by = LaunchedBy(str(mpi.launcher.path), [*mpi.launcher.extra], mpi.libmpi)
            begin(output, BenchRecord(plan, collect(argv=["stretto"]), {}, by))
        return None, output

    monkeypatch.setattr(bench_running, "launched", launched)
    return found


def profile(folder: Path) -> Path:
    """Of two ranks, which call a broadcast four times."""
    sites = [BCAST]
    run = profiled(folder, [replace(rank(n, 10**9), call_sites=sites) for n in (0, 1)], {})
    for number in (0, 1):
        rows = [
            (10**6 * (call + 1) + late * number, 10**9, call, 0, 0, 0, 0)
            for call, late in enumerate(LATE_NS)
        ]
        (run / f"rank-{number}.collectives").write_bytes(np.array(rows, dtype=_INSTANCE).tobytes())
    return run


def bench(*words: str) -> int:
    return run_command(["bench", *words, "-o", "run"])


def test_ranks_are_as_late_as_in_a_profile(
    house: Path, plans: list[BenchPlan], capsys: Captured
) -> None:
    profile(house / "p")
    assert bench("bcast", "ibcast", "barrier", "--sizes", "8", "--late", "p") == 0
    # Of rank 1 half-way between 6 us and 0.1 s, the most that counts; rank 0 is late once.
    late = {cell.name: cell.delays_ns for cell in plans[0].cells if cell.delays_ns}
    assert late == {"bcast": [0, 50_003_000], "ibcast": [0, 50_003_000]}
    assert "p has no calls of all ranks of barrier: nobody is late there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["bcast", "-n", "3", "--late", "p"], "--late p is a profile of 2 ranks, not of 3"),
        (["barrier", "--late", "p"], "--late p: no blocking call of all ranks in it is barrier"),
        (["bcast", "--late", "bin"], "--late bin is no run of stretto profile"),
        (["bcast", "--late", "nowhere"], "--late nowhere: write each, last"),
    ],
)
def test_what_does_not_fit_is_one_line(
    words: list[str], complaint: str, house: Path, plans: list[BenchPlan], capsys: Captured
) -> None:
    profile(house / "p")
    assert bench(*words) == 2
    said = capsys.readouterr().err.splitlines()
    assert complaint in said[-1]
    assert len(said) == 1
    assert plans == []


def test_a_run_goes_on_without_the_file_but_not_with_another(
    house: Path, plans: list[BenchPlan], capsys: Captured
) -> None:
    words = ["barrier", "--late", "late.txt"]
    file = house / "late.txt"
    file.write_text("0 5\n7 0\n")
    assert bench(*words) == 0
    file.unlink()
    assert bench(*words) == 0
    assert plans[0] == plans[1]
    assert [cell.delays_ns for cell in plans[0].cells] == [[], [0, 5000], [7000, 0]]
    assert bench(*words, "--seed", "9") == 2
    assert "--late late.txt: write each" in capsys.readouterr().err
    file.write_text("0 6")
    assert bench(*words) == 0
    assert [cell.delays_ns for cell in plans[2].cells] == [[], [0, 6000]]


def test_a_plan_may_name_the_file(house: Path, plans: list[BenchPlan]) -> None:
    (house / "late.txt").write_text("1 0")
    (house / "mine.toml").write_text('operations = ["barrier"]\nlate = "late.txt"\n')
    assert bench("--plan", "mine.toml") == 0
    assert [cell.delays_ns for cell in plans[0].cells] == [[], [1000, 0]]


def test_who_of_many_ranks_is_late_in_turn_is_said(
    plans: list[BenchPlan], capsys: Captured
) -> None:
    assert bench("bcast", "--sizes", "8", "-n", "10000", "--late", "each") == 0
    said = capsys.readouterr().err
    assert "of 10000 ranks 16 are late in turn, the others are left out: 0, 1, " in said
    assert len(plans[0].cells) == 17
    assert len(msgspec.json.encode(plans[0])) < 10_000
    assert bench("bcast", "--sizes", "8", "-n", "64", "--late", "each") == 0
    assert "late in turn" not in capsys.readouterr().err
