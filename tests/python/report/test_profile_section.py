"""A profile's run folder as the report shows it."""

from pathlib import Path

import msgspec
import pytest
from recorded import IRECV, Page, profiled, rank

from stretto.cli.main import run_command
from stretto.data.places import Address, Line
from stretto.data.profile_record import read_record
from stretto.data.profiles import read_profile
from stretto.errors import InputError
from stretto.report.profile import summarise
from stretto.report.profile_section import ProfileSection, section


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


def test_shares_add_up_and_no_row_is_missing_silently(tmp_path: Path) -> None:
    starts = [msgspec.structs.replace(IRECV, offset=n, time_ns=3) for n in range(150)]
    ranks = [msgspec.structs.replace(rank(number, 450), call_sites=starts) for number in range(2)]
    found = shown(profiled(tmp_path / "run", ranks, {}))
    assert (len(found.overlaps), found.overlaps_left_out) == (100, 50)
    assert (len(found.call_sites), found.call_sites_left_out) == (100, 50)
    # All time is in these, and what the table leaves out is said.
    shares = [row.figures[3] for row in found.call_sites] + [found.time_left_out]
    assert sum(float(each.split()[0]) for each in shares) == pytest.approx(100, abs=0.1 + 1e-9)


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
    for damaged in (b'{"name": 1}', b'{"name": "\xff"}'):
        (folder / "profile.json").write_bytes(damaged)
        with pytest.raises(InputError, match=r"profile\.json cannot be read"):
            read_record(folder)
