"""What the native tool says of a trace that it has run again."""

import msgspec

from stretto.data.virtual_times import RankTimes


class Scaling(msgspec.Struct, frozen=True):
    """What a trace was found to be, and what it was made (src/replay/pattern.hpp)."""

    recorded_grid: list[int]
    grid: list[int]
    periodic: bool
    uses_grid: bool  # messages or collectives go along it; else it means nothing
    alike: int  # ranks of the trace that do what another one does
    computing_spread: float  # by how much they differ, as a share
    bytes_spread: float


class Replay(msgspec.Struct, frozen=True):
    """All ranks, in their order."""

    scaling: Scaling | None
    ranks: list[RankTimes]


class _Run(msgspec.Struct, frozen=True):
    scaling: Scaling | None


def read_replay(text: bytes) -> Replay:
    """From the tool's lines: the run's, then one of each rank."""
    first, *ranks = text.splitlines()
    run = msgspec.json.decode(first, type=_Run)
    return Replay(run.scaling, [msgspec.json.decode(line, type=RankTimes) for line in ranks])


def written_replay(replay: Replay) -> bytes:
    """As `read_replay` reads it."""
    lines = [_Run(replay.scaling), *replay.ranks]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
