"""A run folder of `stretto bench` as tests need one, the same each time."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from stretto.data.bench_folder import BenchRecord, Launched, LaunchedBy
from stretto.data.bench_plan import COMPUTE, BenchCell, BenchPlan, Form, Settings
from stretto.data.bench_predictions import (
    Predicted,
    Prediction,
    Predictions,
    keep_predictions,
)
from stretto.data.bench_rows import SCHEMA, CellState, LaunchFacts
from stretto.data.provenance import collect

RANKS, LAUNCHES, REPETITIONS = 4, 8, 5
SIZES = [8, 64, 512, 4096, 8192, 16384, 65536]
WAYS = {"native": 1.0, "<stretto>": 0.5}
CLIFF = 3.0  # times as long, from 8 KiB on, with the first of WAYS
DELAY_NS = 100_000
WORK_NS = [5_000, 20_000]
FACTS = LaunchFacts("Open MPI v4.1.4, Debian", RANKS, 1, False, "shared", 0, 0, 0, [0] * RANKS)


def cells() -> list[BenchCell]:
    """Plain ones, with work, with a late rank, on a fresh communicator, and one without data."""
    nonblocking = BenchCell(0, "allreduce", Form.NONBLOCKING, bytes=4096)
    made = [BenchCell(0, "bcast", bytes=size) for size in SIZES]
    made += [nonblocking, BenchCell(0, "barrier"), BenchCell(0, "gather", bytes=64, fresh=True)]
    made += [msgspec.structs.replace(nonblocking, compute_ns=work) for work in WORK_NS]
    for late in range(RANKS):
        delays = [DELAY_NS * (rank == late) for rank in range(RANKS)]
        made.append(msgspec.structs.replace(nonblocking, delays_ns=delays))
    made += [BenchCell(0, COMPUTE, compute_ns=work) for work in WORK_NS]
    made.append(BenchCell(0, "alltoall", bytes=1 << 30))  # which is skipped
    return [msgspec.structs.replace(cell, number=number) for number, cell in enumerate(made)]


def benched(folder: Path) -> Path:
    """Make the run folder, which is complete."""
    folder.mkdir()
    plan = BenchPlan(
        name="bench",
        implementations=[*WAYS],
        ranks=RANKS,
        launches=LAUNCHES,
        seed=1,
        settings=Settings(),
        cells=cells(),
        launcher="Open MPI",
    )
    states = [CellState(cell.number, "done", "barrier") for cell in plan.cells[:-1]]
    states.append(CellState(plan.cells[-1].number, "skipped", "<too much> memory"))
    launches = [Launched(n, way, FACTS, states) for n in range(LAUNCHES) for way in WAYS]
    commands = {way: f"mpirun -n {RANKS} bench-{n}" for n, way in enumerate(WAYS)}
    provenance = collect(argv=["stretto", "bench", "<bcast>"])
    record = BenchRecord(
        plan, provenance, commands, LaunchedBy("mpirun", [], "libmpi.so"), launches
    )
    (folder / "bench.json").write_bytes(msgspec.json.encode(record))
    rows = [*_samples(plan)]
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(folder / "samples.parquet")
    return folder


def keep_model(folder: Path) -> None:
    """Predict of the run's bcast and barrier what made up its times, but for the cliff, and a
    floor of the ranks that receive: 0.25 ns a byte."""
    rows = [
        Prediction(
            cell.number,
            rank_class,
            way,
            Predicted(
                (1000 + 0.5 * cell.bytes) * WAYS[way] * slowest,
                0.25 * cell.bytes * (rank_class != "root"),
                "<binomial>",
            ),
        )
        for cell in cells()
        if cell.operation in ("bcast", "barrier")
        for rank_class, slowest in (("all", 1.3), ("root", 1.0), ("non-root", 1.3))
        for way in WAYS
    ]
    keep_predictions(folder, Predictions("desk <one>", rows))


def _samples(plan: BenchPlan) -> Iterator[dict[str, Any]]:
    noise = random.Random(1)
    for launch in range(LAUNCHES):
        for way in WAYS:
            for cell in plan.cells[:-1]:
                for repetition in range(REPETITIONS):
                    for rank in range(RANKS):
                        yield {
                            "launch": launch,
                            "implementation": way,
                            "cell": cell.number,
                            "rank": rank,
                            "repetition": repetition,
                            "root": 0,
                            "warmup": repetition == 0,
                            "valid": True,
                            "wrong": False,
                            **_times(cell, way, rank, repetition, noise.uniform(0.99, 1.01)),
                        }


def _times(cell: BenchCell, way: str, rank: int, repetition: int, noise: float) -> dict[str, int]:
    """Each rank takes a little longer than the one before; the first call ten times as long."""
    took = (1000 + 0.5 * cell.bytes) * WAYS[way] * (1 + 0.1 * rank) * noise
    if cell.operation == "bcast" and cell.bytes >= 8192 and way == "native":
        took *= CLIFF
    took *= 10 if repetition == 0 else 1
    late = cell.delays_ns[rank] if cell.delays_ns else 0
    waits_for = max(cell.delays_ns, default=0)
    if cell.operation == COMPUTE:
        return {"enter_ns": 0, "started_ns": 0, "leave_ns": round(cell.compute_ns * noise)}
    times = {"arrived_ns": 0, "enter_ns": late, "leave_ns": round(waits_for + took)}
    if cell.form is Form.NONBLOCKING:
        times["started_ns"] = late + 200
    if cell.compute_ns:  # half of the operation is hidden behind it
        times["computed_ns"] = 200 + cell.compute_ns
        times["leave_ns"] = round(200 + cell.compute_ns + took / 2)
    return times
