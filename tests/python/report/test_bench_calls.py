"""What launches of first calls say nothing of."""

from pathlib import Path

import msgspec
from bench_runs import make_run

from stretto.cli.bench_calls_shown import _lost_table
from stretto.cli.plain_tables import plain_table
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import BenchCell
from stretto.data.bench_rows import CellState
from stretto.report.bench_calls import lost_calls

CELLS = [BenchCell(0, "bcast", bytes=8), BenchCell(1, "bcast", bytes=8), BenchCell(2, "comm_dup")]
FOLLOWED = "what was to come before it in its process ended that"
HUNG = [
    CellState(0, "timeout"),
    CellState(1, "skipped", FOLLOWED),
    CellState(2, "skipped", FOLLOWED),
]


def test_what_hung_and_what_was_to_follow_it_is_counted_and_named(tmp_path: Path) -> None:
    run = BenchFolder(make_run(tmp_path / "run", cells=CELLS, launches=3))
    record = run.record()
    assert lost_calls(record) == []
    launches = [*record.launches]
    launches[0] = msgspec.structs.replace(launches[0], states=[CellState(0, "done"), *HUNG[1:]])
    launches[2] = msgspec.structs.replace(launches[2], states=HUNG)
    lost = lost_calls(msgspec.structs.replace(record, launches=launches))
    assert plain_table(_lost_table(lost)).rows == [
        ["bcast", "8 B", "native", "on a fresh communicator", "2 of 3", f"skipped: {FOLLOWED}"],
        ["comm_dup", "0 B", "native", "making one", "2 of 3", f"skipped: {FOLLOWED}"],
        ["bcast", "8 B", "native", "in a fresh process", "1 of 3", "timeout"],
    ]
