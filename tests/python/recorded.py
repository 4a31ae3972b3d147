"""Run folders of profiles as tests need them, and what is looked for in pages over them."""

from html.parser import HTMLParser
from pathlib import Path

import msgspec

from stretto.data.places import Address, Line, places_of
from stretto.data.profile_record import ProfileRecord, write_record
from stretto.data.profiles import CallSite, ClockReading, Comm, Overlap, RankProfile
from stretto.data.provenance import collect

WAIT = CallSite("MPI_Wait", "completion", "/bin/app", 64, "main", -1, 5, 0, 200, 90, [(0, 5)])
IRECV = CallSite(
    *("MPI_Irecv", "point-to-point", "/bin/app", 32, "main", 0, 5, 5000, 50, 20),
    sizes=[(9, 2), (11, 3)],
    overlap=Overlap(started=5, completed=5, computed_ns=300, waited_ns=100, hideable_ns=80),
)


def rank(number: int, wall_ns: int, size: int = 2) -> RankProfile:
    reading = ClockReading(0, 0, 0)
    return RankProfile(
        rank=number,
        size=size,
        abi="openmpi",
        mpi="Open MPI <4>, Debian",
        host="here",
        begin_ns=0,
        end_ns=wall_ns,
        involuntary_switches=0,
        clocks=(reading, reading),
        comms=[Comm("ab", -1, size, number, False, False, 0, 1)],
        call_sites=[IRECV, WAIT],
    )


def profiled(folder: Path, ranks: list[RankProfile], lines: dict[Address, Line]) -> Path:
    """A run folder with what they recorded."""
    folder.mkdir()
    for each in ranks:
        (folder / f"rank-{each.rank}.json").write_bytes(msgspec.json.encode(each))
        (folder / f"rank-{each.rank}.collectives").touch()
    provenance = collect(
        argv=["stretto", "profile", "<app>"],
        program=Path("/bin/true"),
        mpi_library=None,
        drop_in=Path("/lib/x.so"),
        native_command=["mpirun"],
        stretto_command=["mpirun", "-x", "LD_PRELOAD=/lib/x.so"],
    )
    record = ProfileRecord("<app>", len(ranks), "Open MPI", provenance, places_of(lines))
    write_record(record, folder)
    return folder


class Page(HTMLParser):
    """What a page would load, and whether its elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # What leads to a place in the page itself loads nothing.
        inner = [n for n, value in attrs if n == "href" and str(value).startswith("#")]
        named = {"src", "href", "data"} & {n for n, _ in attrs if n not in inner}
        if tag in ("script", "link", "iframe") or named:
            self.loaded.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
