"""Traces' sizes, what replaying takes, and how far extrapolated runs are: a row of bars.py."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table
from whatif_study import APPS, stretto

from stretto import native
from stretto.report.words import percent, seconds, size

MACHINE = "infiniband-100g"
FEWER, MORE = 4, 16


def recorded(app: str, ranks: int, abi: str, folder: str) -> tuple[Path, dict[str, Any]]:
    """The trace of a virtual run, and what the run said."""
    trace = Path(folder, f"{app}-{ranks}.trace")
    program = [str(native.native_dir() / "apps" / abi / app), *APPS[app]]
    words = ["-n", str(ranks), "--runs", "1", "--machine", MACHINE, "--json"]
    answer = stretto(
        "whatif", *words, "--record", str(trace), "--output", f"{folder}/{trace.stem}", *program
    )
    return trace, json.loads(answer.stdout)


def sim(answer: dict[str, Any]) -> float:
    return float(answer["scenarios_s"]["sim"]["median"])


def replays(abi: str) -> Table:
    """On FEWER ranks recorded and replayed; their trace on MORE against a virtual run on as many.

    The applications' problems are of one size, so that is strong scaling; of alltoall the blocks
    are, which is neither.
    """
    table = Table(
        "application", "trace", "run", "replay", "clocks", f"scaled to {MORE}", "virtual run",
        "off by",
        title=f"Replay, {abi}: {FEWER} ranks, machine {MACHINE}",
    )  # fmt: skip
    for app in track(APPS, description="replay", transient=True):
        with tempfile.TemporaryDirectory() as folder:
            trace, run = recorded(app, FEWER, abi, folder)
            begin = time.perf_counter()
            again = json.loads(stretto("replay", "--json", str(trace)).stdout)
            took = time.perf_counter() - begin
            _, larger = recorded(app, MORE, abi, folder)
            scaled = None if app == "alltoall" else attempt(trace)
            table.add_row(
                app,
                size(trace.stat().st_size),
                seconds(run["virtual_wall_s"]["median"]),
                seconds(took),
                "equal" if again["off_ns"] == 0 else f"{again['off_ns']:.0f} ns off",
                "-" if scaled is None else seconds(scaled),
                seconds(sim(larger)),
                "" if scaled is None else percent(abs(scaled / sim(larger) - 1)),
            )
    return table


def attempt(trace: Path) -> float | None:
    """sim on more ranks; None where the trace cannot be scaled."""
    words = ["--scale", str(MORE // FEWER), "--scaling", "strong", "--json"]
    try:
        return sim(json.loads(stretto("replay", str(trace), *words).stdout))
    except SystemExit:
        return None
