"""A machine from measurements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stretto.data.calibration import Calibration, LevelTimes, Quartiles
from stretto.model.fit import Bools, Floats, Measured, Piece, fit, line
from stretto.model.machine import Collective, Compute, Level, Machine

# Behind it a machine's source names the MPI.
MEASURED_WITH = "measured with "


@dataclass(frozen=True)
class Fitted:
    """The machine, and how well its messages' times fit: pieces by level."""

    machine: Machine
    pieces: dict[str, list[Piece]]


def machine_of(calibration: Calibration, name: str) -> Fitted:
    """Fit LogGP parameters per level. Messages are those of exchanges: two ranks that send to
    each other at once, as neighbours and collectives do."""
    pieces = {level.name: fit(_measured(level)) for level in calibration.levels}
    levels = [
        Level(
            name=level.name,
            message=[piece.message for piece in pieces[level.name]],
            holds=level.holds or None,
        )
        for level in calibration.levels
    ]
    machine = Machine(
        name=name,
        level=levels,
        source=f"{MEASURED_WITH}{calibration.mpi}, {calibration.ranks} ranks, "
        f"{calibration.hosts} host{'s' if calibration.hosts > 1 else ''}",
        compute=_compute(calibration),
        collective=[
            Collective(
                each.name,
                each.bytes,
                calibration.ranks,
                each.time.typical,
                each.calls,
                each.cold.typical if each.cold else None,
            )
            for each in calibration.collectives
        ],
    )
    return Fitted(machine, pieces)


def _measured(level: LevelTimes) -> Measured:
    messages = level.messages
    return Measured(
        bytes=np.array([each.bytes for each in messages], dtype=np.float64),
        whole=_typical([each.exchange for each in messages]),
        send=_typical([each.send for each in messages]),
        recv=_typical([each.recv for each in messages]),
        gap=_typical([each.gap for each in messages]),
        rendezvous=_from_one_size_on([each.rendezvous for each in messages]),
    )


def _from_one_size_on(rendezvous: Sequence[bool]) -> Bools:
    """As MPIs have it: a size that was found to be otherwise was disturbed."""
    ends = range(len(rendezvous), -1, -1)
    first = min(ends, key=lambda at: sum(rendezvous[:at]) + rendezvous[at:].count(False))
    return np.arange(len(rendezvous)) >= first


def _typical(samples: Sequence[Quartiles]) -> Floats:
    return np.array([max(each.typical, 1.0) for each in samples])


def _compute(calibration: Calibration) -> Compute:
    size = np.array([each.bytes for each in calibration.work], dtype=np.float64)
    copy, reduce = (
        _typical([getattr(each, what) for each in calibration.work]) for what in ("copy", "reduce")
    )
    copy_ns, copy_per_byte = line(size, copy, copy)
    reduce_ns, reduce_per_byte = line(size, reduce, reduce)
    page_fault_ns = calibration.page_fault.typical
    return Compute(copy_ns, copy_per_byte, reduce_ns, reduce_per_byte, page_fault_ns)
