"""Runs that were measured otherwise are compared with a warning."""

from pathlib import Path

import msgspec
from bench_runs import make_run

from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import Settings
from stretto.report.bench import summarise
from stretto.report.bench_check import check
from stretto.report.bench_comparison import compare_runs
from stretto.report.bench_history import read_history


def test_other_settings_are_said(tmp_path: Path) -> None:
    first, second = (BenchFolder(make_run(tmp_path / name)) for name in "ab")
    results = summarise(first), summarise(second)
    assert compare_runs(*results).warnings == []
    record = second.record()
    settings = Settings(buffers="same", budget_ns=1)
    plan = msgspec.structs.replace(record.plan, settings=settings, rig="100us")
    record = msgspec.structs.replace(record, plan=plan)
    (second.path / "bench.json").write_bytes(msgspec.json.encode(record))
    said = [
        f"runs are unlike in {words}; so may their times be"
        for words in ("--buffers: rewritten, same", "--rig: none, 100us")
    ]
    results = summarise(first), summarise(second)
    assert compare_runs(*results).warnings == said
    assert check(*results, 0.05).warnings == said
    assert read_history(tmp_path, 50).warnings == said
