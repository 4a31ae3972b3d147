"""What `stretto calibrate` measured: the file that its library writes."""

from pathlib import Path

import msgspec

from stretto.errors import ApplicationFailed


class Quartiles(msgspec.Struct, frozen=True, array_like=True):
    """Nanoseconds: what it takes and the quartiles around it.

    That is the median; of collectives the mean, as programs pay for what disturbs their calls.
    """

    typical: float
    low: float
    high: float


class MessageTimes(msgspec.Struct, frozen=True):
    """Of messages of one size between two ranks (src/bench/messages.hpp)."""

    bytes: int
    one_way: Quartiles
    exchange: Quartiles
    send: Quartiles
    recv: Quartiles
    gap: Quartiles
    # A send ends only when its receiver has answered; older run folders do not say.
    rendezvous: bool = False


class LevelTimes(msgspec.Struct, frozen=True):
    """Of two ranks that are so near: in one core complex, on one host, or on two."""

    name: str
    holds: int  # ranks, or groups of the level before; 0 in the last: all
    messages: list[MessageTimes]


class CollectiveTime(msgspec.Struct, frozen=True):
    """Of the MPI's own collective; bytes are one rank's block's or the vector's. Of so many calls
    in a row, each with the next rank as its root; `cold` where the data are in no cache."""

    name: str
    bytes: int
    calls: int
    time: Quartiles
    cold: Quartiles | None = None


class WorkTime(msgspec.Struct, frozen=True):
    """Of copying so many bytes, and of adding so many bytes of doubles."""

    bytes: int
    copy: Quartiles
    reduce: Quartiles


class Calibration(msgspec.Struct, frozen=True):
    """All of one run."""

    mpi: str
    ranks: int  # that measured collectives: those that have a core
    hosts: int
    # More ranks than cores: the times are not the machine's.
    oversubscribed: bool = msgspec.field(name="crowded")
    levels: list[LevelTimes]
    collectives: list[CollectiveTime]
    work: list[WorkTime]
    page_fault: Quartiles  # the first touch of a page of memory


def read_calibration(path: Path) -> Calibration:
    """The file as rank 0 wrote it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Calibration)
    except FileNotFoundError:
        raise ApplicationFailed(
            "the program wrote no calibration: it never came to MPI_Init"
        ) from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApplicationFailed(f"{path} is damaged: {error}") from error
