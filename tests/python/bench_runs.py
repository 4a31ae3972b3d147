"""Run folders of stretto bench, of made-up times."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
import polars as pl

from stretto.data.bench_folder import BenchFolder, BenchRecord, Launched, LaunchedBy
from stretto.data.bench_plan import COMPUTE, BenchCell, BenchPlan, Form, Settings
from stretto.data.bench_rows import SCHEMA, CellState, LaunchFacts
from stretto.data.provenance import Provenance, collect

# What a rank takes in a launch, in us: of the implementation, cell, launch and rank.
Takes = Callable[[str, BenchCell, int, int], float]

BCAST = BenchCell(0, "bcast", bytes=8)
REDUCED = BenchCell(1, "allreduce", bytes=64)
ALONE = BenchCell(0, "allreduce", Form.NONBLOCKING, bytes=64)
ALONE_NS = 10_000
REPETITIONS = 3


def steady(_way: str, _cell: BenchCell, launch: int, _rank: int) -> float:
    """As on a calm machine."""
    return 10 + 0.01 * launch


def all_samples(run: Path) -> pl.DataFrame:
    """Of all launches of a run that is complete."""
    return pl.read_parquet(run / "samples.parquet")


class AtOnce(BenchFolder):
    """A run whose samples come as if all were of one launch."""

    def samples_by_launch(self, cells: Collection[int] | None = None) -> Iterator[pl.DataFrame]:
        samples = all_samples(self.path)
        yield samples if cells is None else samples.filter(pl.col("cell").is_in([*cells]))


def slower(by: float, of: BenchCell) -> Takes:
    """One cell takes longer."""
    return lambda way, cell, launch, rank: (
        steady(way, cell, launch, rank) * (by if cell.bytes == of.bytes else 1)
    )


@cache
def _provenance() -> Provenance:
    return collect(argv=["stretto", "bench"])


def make_run(
    path: Path,
    takes: Takes = steady,
    *,
    cells: Sequence[BenchCell] = (BCAST, REDUCED),
    ways: Sequence[str] = ("native",),
    launches: int = 8,
    ranks: int = 2,
    states: Sequence[CellState] = (),
    started_at: str = "2026-01-02T00:00:00.000+00:00",
    git: str | None = None,
    name: str = "bench",
) -> Path:
    """A run that is complete; `states` are those of every launch."""
    path.mkdir(parents=True)
    plan = BenchPlan(name, [*ways], ranks, launches, 1, Settings(), [*cells], "an MPI")
    facts = LaunchFacts("Some MPI 1.0", ranks, 1, False, "shared", 0, 0, 0, [0] * ranks)
    launched = [
        Launched(launch, way, facts, [*states]) for launch in range(launches) for way in ways
    ]
    provenance = msgspec.structs.replace(
        _provenance(), started_at=started_at, git=git, load_before=0.0
    )
    record = BenchRecord(plan, provenance, {}, LaunchedBy("mpirun", [], "libmpi.so"), launched)
    (path / "bench.json").write_bytes(msgspec.json.encode(record))
    rows = [
        {
            "launch": launch,
            "implementation": way,
            "cell": cell.number,
            "rank": rank,
            "repetition": repetition,
            "root": cell.root,
            "warmup": False,
            "valid": True,
            "wrong": False,
            "enter_ns": 0,
            "leave_ns": round(1000 * takes(way, cell, launch, rank)),
        }
        for launch in range(launches)
        for way in ways
        for cell in cells
        for rank in range(ranks)
        for repetition in range(REPETITIONS)
    ]
    frame = pl.DataFrame(rows, schema={name: SCHEMA[name] for name in rows[0]})
    missing = [pl.lit(None, SCHEMA[name]).alias(name) for name in SCHEMA if name not in rows[0]]
    frame.with_columns(missing).select(SCHEMA.names()).write_parquet(path / "samples.parquet")
    return path


def planned(
    path: Path, work_ns: int, hidden: float, factor: float = 0.5, launches: int = 8, tests: int = 0
) -> Path:
    """A run with so much work, of which the share `hidden` of the shorter takes no time."""
    beside = msgspec.structs.replace(
        ALONE,
        number=1,
        compute_ns=work_ns,
        after_ns=work_ns,
        tests=tests,
        compute_factor=factor,
    )

    def takes(_way: str, cell: BenchCell, launch: int, _rank: int) -> float:
        usual = 1 + 0.001 * launch
        if cell.operation == COMPUTE:
            return 1e-3 * work_ns * usual
        if not cell.compute_ns:
            return 1e-3 * ALONE_NS * usual
        shorter = min(ALONE_NS, work_ns)
        return 1e-3 * (ALONE_NS + work_ns - hidden * shorter) * usual

    cells = [ALONE, beside, BenchCell(2, COMPUTE, compute_ns=work_ns)]
    return make_run(path, takes, cells=cells, launches=launches)
