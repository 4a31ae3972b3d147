"""A profile's run folder as the report shows it."""

from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from stretto.cli.main import run_command
from stretto.data.places import Address, Line
from stretto.data.profile_record import ProfileRecord, places_of, read_record, write_record
from stretto.data.profiles import CallSite, ClockReading, Comm, Overlap, RankProfile, read_profile
from stretto.data.provenance import collect
from stretto.errors import InputError
from stretto.report.profile import summarise
from stretto.report.profile_section import ProfileSection, section

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


def shown(folder: Path) -> ProfileSection:
    record = read_record(folder)
    return section(record, summarise(read_profile(folder, record.ranks)))


def test_lines_are_those_of_the_run(tmp_path: Path) -> None:
    lines = {Address("/bin/app", 32): Line("main", "/src/app.c", 7)}
    found = shown(profiled(tmp_path / "run", [rank(0, 1000), rank(1, 2000)], lines))
    assert [row.name for row in found.overlaps] == ["Irecv app.c:7"]
    assert [row.name for row in found.call_sites] == ["Wait app main", "Irecv app.c:7"]
    assert found.call_sites[1].detail == "/src/app.c:7 main world"
    assert found.call_sites[0].detail == "/bin/app+0x40 main"


def test_bars_compare_as_their_times_do(tmp_path: Path) -> None:
    found = shown(profiled(tmp_path / "run", [rank(0, 1000), rank(1, 2000)], {}))
    widths = [[(part.kind, part.width) for part in row.parts] for row in found.ranks]
    assert widths == [
        [("computing", 37.5), ("mpi", 12.5)],
        [("computing", 87.5), ("mpi", 12.5)],
    ]
    assert [row.parts[0].width for row in found.call_sites] == [100, 25]
    (overlap,) = found.overlaps
    assert [(part.kind, part.width) for part in overlap.parts] == [
        ("computing", 75),
        ("hideable", 20),
        ("waiting", 5),
    ]
    assert overlap.figures[0] == "10"
    ((name, sizes),) = found.sizes
    assert name == "Irecv app main"
    assert [(row.name, row.figures) for row in sizes] == [
        ("256 B to 512 B", ["4"]),
        ("1.00 KiB to 2.00 KiB", ["6"]),
    ]


def test_of_many_ranks_the_extremes_are_shown(tmp_path: Path) -> None:
    ranks = [rank(number, 1000 + number, size=100) for number in range(100)]
    found = shown(profiled(tmp_path / "run", ranks, {}))
    names = [row.name for row in found.ranks]
    assert (names[0], names[-1], len(names)) == ("rank 0", "rank 99", 64)
    assert "rank 50" not in names
    assert found.ranks_left_out == 36


class Page(HTMLParser):
    """What a page would load, and whether its elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "iframe") or {"src", "href", "data"} & {n for n, _ in attrs}:
            self.loaded.append(tag)
        if tag not in ("meta", "br", "circle", "line"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 2000)], {})
    assert run_command(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text()
    page = Page()
    page.feed(text)
    assert (page.loaded, page.open) == ([], [])
    assert "url(" not in text
    assert "&lt;app&gt;: where its time in MPI goes" in text
    assert "<app>" not in text
    assert "Overlap of what nonblocking calls start" in text
    assert 'class="hideable" style="width: 20.0%"' in text


@pytest.mark.usefixtures("house")
def test_comparisons_and_profiles_make_one_page(house: Path) -> None:
    run_command(["compare", "--runs", "1", "--name", "compared", "--output", "one", "./app"])
    folder = profiled(house / "two", [rank(0, 1000), rank(1, 2000)], {})
    assert run_command(["report", "one", str(folder), "-o", "page.html"]) == 0
    text = (house / "page.html").read_text()
    assert "<title>Stretto: compared, &lt;app&gt;</title>" in text
    assert "What was gained" in text
    assert "where its time in MPI goes" in text


def test_a_damaged_record_is_one_line(tmp_path: Path) -> None:
    folder = profiled(tmp_path / "run", [rank(0, 1000), rank(1, 2000)], {})
    (folder / "profile.json").write_text('{"name": 1}')
    with pytest.raises(InputError, match=r"profile\.json cannot be read"):
        read_record(folder)
