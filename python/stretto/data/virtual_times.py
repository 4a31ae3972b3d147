"""What the runs of `stretto whatif` recorded: a rank-N.json of each rank."""

from pathlib import Path

import msgspec

from stretto.data.rank_files import OfRank
from stretto.errors import ApplicationFailed

# The scenarios that every run has, by name: as it is, with collectives free, with all
# communication free.
SIM, ZERO, NO_COMMUNICATION = "sim", "zero", "no communication"


class Clock(msgspec.Struct, frozen=True):
    """When the rank was done, in one scenario."""

    scenario: str
    end_ns: float


class Flags(msgspec.Struct, frozen=True):
    """What limits how far a prediction can be trusted (src/intercept/whatif/process.hpp)."""

    wildcards: int = 0
    polls: int = 0
    clock_reads: int = 0
    other_threads: int = 0
    not_followed: int = 0
    late_tokens: int = 0


class CollectiveCallSite(msgspec.Struct, frozen=True):
    """One rank's calls of one collective at one place, in the first scenario."""

    function: str
    object: str
    offset: int
    symbol: str
    ranks: int  # of the communicator
    calls: int
    bytes: int
    waiting_ns: float
    transfer_ns: float
    is_source: bool = False  # `object` is a source file and `offset` a line of it

    @property
    def place(self) -> tuple[str, str, int]:
        """The same on all ranks."""
        return self.function, self.object, self.offset


class Unmodelled(msgspec.Struct, frozen=True):
    """One rank's calls of a function that nobody models: all scenarios take what they took."""

    function: str
    calls: int
    ns: int


class RankTimes(OfRank, frozen=True):
    """What one rank wrote as it finalized; in real time there are no clocks and call sites."""

    host: str
    wall_ns: int
    involuntary_switches: int
    # With its neighbour, of 8 bytes, as the program began: as it was, and as calibration found it.
    exchange_ns: float | None = None
    modelled_exchange_ns: float | None = None
    # In real time: how long its thread could have run while others did.
    waited_for_core_ns: int | None = None
    # Its host has fewer cores than ranks.
    oversubscribed: bool = msgspec.field(name="crowded", default=False)
    computed_ns: float = 0.0
    blocked_ns: float = 0.0
    # Of tests and probes that found nothing and what the program did between them, about: waits
    # in virtual time.
    polls_ns: int = 0
    clocks: list[Clock] = msgspec.field(default_factory=list)
    flags: Flags = Flags()
    unmodelled: list[Unmodelled] = msgspec.field(default_factory=list)
    call_sites: list[CollectiveCallSite] = msgspec.field(name="sites", default_factory=list)
    # Of a rank that is replayed: what its clocks showed in the run.
    recorded_ns: list[float] = msgspec.field(default_factory=list)


def read_times(folder: Path, ranks: int) -> list[RankTimes]:
    """Those of all ranks of one run, in their order. Raises ApplicationFailed if one is missing."""
    return [_read(folder / f"rank-{rank}.json") for rank in range(ranks)]


def _read(path: Path) -> RankTimes:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RankTimes)
    except FileNotFoundError:
        raise ApplicationFailed(
            f"{path.stem} wrote no times: it never came to MPI_Finalize, or cannot write to "
            f"{path.parent}"
        ) from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ApplicationFailed(f"{path} is damaged: {error}") from error
