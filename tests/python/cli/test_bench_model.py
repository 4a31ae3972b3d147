"""stretto bench model, over a run folder that is made up."""

import json
from pathlib import Path

import pytest
from bench_runs import make_run

from stretto.cli.consoles import out
from stretto.cli.main import run_command
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_predictions import kept_predictions

Captured = pytest.CaptureFixture[str]

CELLS = [BenchCell(0, "bcast", bytes=1024), BenchCell(1, "bcast", bytes=1024, tests=5)]
WAYS = ["native", "stretto:bcast=binomial"]

MACHINE = """
name = "desk [one]"
[[level]]
name = "host"
[[level.message]]
latency_ns = 100
send_overhead_ns = 10
recv_overhead_ns = 10
gap_ns = 10
gap_ns_per_byte = 1
[[collective]]
name = "bcast"
bytes = 8
ranks = 4
time_ns = 4000
[[collective]]
name = "bcast"
bytes = 1048576
ranks = 4
time_ns = 4000
"""


@pytest.fixture
def machine(tmp_path: Path) -> str:
    path = tmp_path / "machine.toml"
    path.write_text(MACHINE)
    return str(path)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Non-root ranks took 3 µs, the root 1 µs."""

    def takes(_way: str, _cell: BenchCell, _launch: int, rank: int) -> float:
        return 3 if rank else 1

    return make_run(tmp_path / "run", takes, cells=CELLS, ways=WAYS, ranks=4, launches=1)


def test_rows_are_beside_what_is_predicted(run: Path, machine: str, capsys: Captured) -> None:
    assert run_command(["bench", "model", str(run), "--machine", machine, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    rows = {(each["implementation"], each["rank_class"]): each for each in answer["rows"]}
    native = rows["native", "non-root"]
    assert (native["measured_ns"], native["ns"]) == (3000, pytest.approx(4000))
    assert native["residual"] == pytest.approx(-0.25)
    # All gaps are 1 ns/B, and 1,024 bytes must come.
    assert native["floor_ns"] == pytest.approx(1024, rel=0.02)
    # Two messages follow each other: overheads, latency and 1,023 more bytes each.
    binomial = rows["stretto:bcast=binomial", "non-root"]
    assert binomial["ns"] == pytest.approx(2 * (100 + 20 + 1023), rel=0.05)
    assert binomial["by"] == "binomial"
    assert answer["left_out"] == {"work beside the operation": 4}
    assert len(answer["curves"]) == 2


def test_it_says_what_is_off(
    run: Path, machine: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out, "width", 200)
    table = tmp_path / "table.csv"
    words = ["bench", "model", str(run), "--machine", machine, "--export-csv", str(table)]
    assert run_command(words) == 0
    shown = capsys.readouterr()
    assert "beside the model of desk [one]" in shown.out
    assert "1.00 KiB, root ranks, by native: 1.00 µs measured" in shown.out
    assert "of 4 rows are within 25% of what is predicted" in shown.out
    assert "without a prediction: 4 rows, work beside the operation" in shown.err
    assert ",-0.25," in table.read_text()
    assert kept_predictions(run) is None


def warnings_of(run: Path, machine: str, capsys: Captured) -> list[str]:
    assert run_command(["bench", "model", str(run), "--machine", machine, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["warnings"]
    assert isinstance(found, list)
    return found


def test_what_else_differs_is_said(run: Path, machine: str, capsys: Captured) -> None:
    assert warnings_of(run, machine, capsys) == []
    text = Path(machine).read_text().replace("ranks = 4", "ranks = 2")
    text = text.replace("[[level]]", 'source = "measured with Some MPI 1.0.1, 2 ranks"\n[[level]]')
    Path(machine).write_text(text)
    record = run / "bench.json"
    record.write_text(record.read_text().replace('"crowded":false', '"crowded":true'))
    crowded, other, ranks = warnings_of(run, machine, capsys)
    assert "ranks shared cores" in crowded
    assert other.endswith(
        "measured with Some MPI 1.0.1, 2 ranks, and the run was with Some MPI 1.0"
    )
    assert ranks.endswith("measured on 2 ranks, and the run had 4: calibrate with as many")


def test_predictions_are_kept_where_asked(run: Path, machine: str) -> None:
    assert run_command(["bench", "model", str(run), "--machine", machine, "--keep"]) == 0
    kept = kept_predictions(run)
    assert kept is not None
    assert kept.by_row()[0, "non-root", "native"].ns == pytest.approx(4000)


def test_a_folder_of_something_else_is_refused(
    tmp_path: Path, machine: str, capsys: Captured
) -> None:
    assert run_command(["bench", "model", str(tmp_path), "--machine", machine]) == 2
    assert "is no run folder of stretto bench" in capsys.readouterr().err
