"""Run folders of stretto compare, of made-up times."""

from pathlib import Path

import msgspec
import stand_ins

from stretto.data.provenance import collect
from stretto.data.run_folder import create
from stretto.data.samples import Sample, Side

OWN_S = {Side.NATIVE: 1.0, Side.STRETTO: 0.5}


def make_comparison(
    path: Path,
    *,
    slower: Side | None = None,
    prints_time: bool = True,
    pairs: int = 6,
    load: float = 0.0,
    **plan: object,
) -> Path:
    """A complete run; a side that is `slower` takes 1.5 times as long. Starting takes 1 s."""
    made = msgspec.structs.replace(stand_ins.PLAN, runs=pairs, **plan)
    provenance = collect(
        argv=["stretto", "compare"],
        program=Path("/bin/true"),
        mpi_library=None,
        drop_in=Path("/lib/x.so"),
        native_command=["mpirun"],
        stretto_command=["mpirun"],
    )
    folder = create(path, made, msgspec.structs.replace(provenance, load_before=load))
    for order in range(2 * pairs):
        side = Side.STRETTO if order % 2 else Side.NATIVE
        own = OWN_S[side] * (1.5 if side is slower else 1) + 0.001 * order
        folder.append(
            Sample(
                *(order, order // 2, side, "2026-01-01"),
                own if prints_time else None,
                own + 1,
                *("1f", 0, False),
            )
        )
    folder.finish(0.0)
    return path
