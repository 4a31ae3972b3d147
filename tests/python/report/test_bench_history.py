"""Histories of runs, and their page."""

from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from bench_runs import BCAST, REDUCED, make_run, planned, slower, steady
from msgspec.structs import replace

from stretto.data.bench_folder import BenchFolder
from stretto.errors import InputError
from stretto.report import page_size
from stretto.report.bench_history import SHARE, BenchHistory, _share_points, read_history
from stretto.report.bench_pairs import HiddenInRun
from stretto.report.history_page import HEIGHT, WIDTH, render_history, write_history

DAYS = [f"2026-01-0{day}T03:04:05.678+00:00" for day in range(1, 6)]


def make_history(folder: Path, factors: list[float], launches: int = 8) -> BenchHistory:
    for number, (factor, day) in enumerate(zip(factors, DAYS, strict=False)):
        takes = slower(factor, REDUCED)
        # Names are in the other order than days.
        path = folder / f"run-{9 - number}"
        make_run(path, takes, launches=launches, started_at=day, git=f"v1-{number}<&>")
    return read_history(folder, 50)


def test_a_change_is_where_it_came(tmp_path: Path) -> None:
    found = make_history(tmp_path, [1, 1, 2, 2, 1])
    assert [run.label for run in found.runs][:2] == [
        "2026-01-01 03:04 v1-0<&>",
        "2026-01-02 03:04 v1-1<&>",
    ]
    (_, faster), (line, slowed) = found.changes
    assert (line.name, line.what, line.rank_class) == ("allreduce", "64 B", "all")
    assert (slowed.run, faster.run) == (2, 4)
    assert slowed.factor == pytest.approx(2, rel=0.01)
    assert faster.factor == pytest.approx(0.5, rel=0.01)
    assert len(found.lines) == 3
    assert found.warnings == []


def test_lines_have_gaps_where_a_run_lacks_them(tmp_path: Path) -> None:
    make_run(tmp_path / "a", started_at=DAYS[0])
    make_run(tmp_path / "b", started_at=DAYS[1], cells=[replace(BCAST, number=0)])
    make_run(tmp_path / "c", started_at=DAYS[2])
    found = read_history(tmp_path, 50)
    runs = {line.name: [it.run for it in line.points] for line in found.lines}
    assert runs == {"bcast": [0, 1, 2], "allreduce": [0, 2]}


def test_other_plans_are_other_lines(tmp_path: Path) -> None:
    make_run(tmp_path / "a", started_at=DAYS[0], cells=[REDUCED])
    make_run(tmp_path / "b", started_at=DAYS[1], cells=[REDUCED], name="other")
    make_run(tmp_path / "c", started_at=DAYS[2], cells=[REDUCED], ranks=3)
    found = read_history(tmp_path, 50)
    assert [it.plan for it in found.lines] == ["bench, 2 ranks", "other, 2 ranks", "bench, 3 ranks"]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    for number, day in enumerate(DAYS[:4]):
        make_run(tmp_path / str(number), started_at=day)
    (tmp_path / "1" / "samples.parquet").unlink()
    found = read_history(tmp_path, 2)
    assert [run.path.name for run in found.runs] == ["2", "3"]
    assert found.warnings == ["1 runs are not finished, and left out", "1 older runs are left out"]


def test_a_damaged_run_is_named_and_left_out(tmp_path: Path) -> None:
    for number, day in enumerate(DAYS[:4]):
        make_run(tmp_path / str(number), started_at=day)
    (tmp_path / "1" / "samples.parquet").write_bytes(b"PAR1")
    (tmp_path / "2" / "bench.json").write_bytes(b"{")
    found = read_history(tmp_path, 50)
    assert [run.path.name for run in found.runs] == ["0", "3"]
    assert [str(tmp_path / "2" / "bench.json") in it for it in found.warnings] == [True, False]
    assert str(tmp_path / "1" / "samples.parquet") in found.warnings[1]
    for number in (0, 3):
        (tmp_path / str(number) / "samples.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"has no complete run .* cannot be read"):
        read_history(tmp_path, 50)


def test_too_few_launches_are_said(tmp_path: Path) -> None:
    found = make_history(tmp_path, [1, 3], launches=2)
    assert found.changes == []
    (warning,) = found.warnings
    assert warning.startswith("3 comparisons of so few launches can show no change")


def test_several_mpis_are_said(tmp_path: Path) -> None:
    for number, day in enumerate(DAYS[:2]):
        path = make_run(tmp_path / str(number), started_at=day) / "bench.json"
        path.write_bytes(path.read_bytes().replace(b"Some MPI 1.0", b"Some MPI %d.0" % number))
    (warning,) = read_history(tmp_path, 50).warnings
    assert warning.endswith("may be from one to another: Some MPI 0.0, Some MPI 1.0")


@pytest.mark.parametrize(
    ("share", "said", "lines"),
    [
        (0.95, "only changes have dots", 3),
        (0.5, "only changes have dots, and 2 lines without a change are left out", 1),
    ],
)
def test_a_large_page_shows_less_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, said: str, lines: int
) -> None:
    found = make_history(tmp_path, [1, 1, 2, 2, 2])
    monkeypatch.setattr(page_size, "MOST_BYTES", int(share * len(render_history(found))))
    page = render_history(found)
    assert f"<p>the page would be over 2 MB: {said}" in page
    assert (page.count('class="spark"'), page.count("<circle")) == (lines, 1)
    assert "2.00x" in page


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no complete run of stretto bench"):
        read_history(tmp_path, 50)
    with pytest.raises(InputError, match="is no folder"):
        read_history(tmp_path / "none", 50)


class _Page(HTMLParser):
    """The elements of a page, and whether all are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.circles: list[dict[str, str | None]] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag != "meta":
            self.open.append(tag)
        if tag == "circle":
            self.circles.append(named)
        self.links += [f"{name}={value}" for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    found = make_history(tmp_path, [1, 1, 2])
    text = render_history(found)
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.links == []
    assert "http" not in text
    assert len(page.circles) == 9
    for circle in page.circles:
        assert 0 <= float(circle["cx"] or -1) <= WIDTH
        assert 0 <= float(circle["cy"] or -1) <= HEIGHT
    assert [it.get("class") for it in page.circles].count("slower") == 1
    assert "v1-2&lt;&amp;&gt;" in text
    assert "<&>" not in text


def test_noise_is_no_mountain(tmp_path: Path) -> None:
    """A percent of its median is little of a line's height."""
    for day in DAYS[:2]:
        by = 1.01 if day == DAYS[1] else 1.0
        make_run(tmp_path / day[:10], slower(by, REDUCED), cells=[REDUCED], started_at=day)
    page = _Page()
    page.feed(render_history(read_history(tmp_path, 50)))
    heights = [float(it["cy"] or 0) for it in page.circles]
    assert abs(heights[0] - heights[1]) < HEIGHT / 10


def test_a_page_is_written_over_and_nothing_else(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "a", steady)
    found = read_history(tmp_path / "runs", 50)
    page = tmp_path / "history.html"
    for _ in range(2):
        write_history(found, page)
    page.write_text("mine")
    with pytest.raises(InputError, match="is not overwritten"):
        write_history(found, page)


def test_work_of_as_many_times_the_operation_is_a_line_of_what_was_hidden(tmp_path: Path) -> None:
    """Of three runs two have other work, and the last hides less of it."""
    for number, (work_ns, hidden) in enumerate([(5_000, 0.5), (6_000, 0.5), (5_500, 0)]):
        run = planned(tmp_path / f"run-{number}", work_ns, hidden)
        record = BenchFolder(run).record()
        dated = replace(record, provenance=replace(record.provenance, started_at=DAYS[number]))
        (run / "bench.json").write_bytes(msgspec.json.encode(dated))
    found = read_history(tmp_path, 50)
    alone, beside = found.lines
    assert (alone.unit, len(alone.points)) == ("ns", 3)
    assert (beside.unit, [it.run for it in beside.points]) == (SHARE, [0, 1, 2])
    assert [it.median for it in beside.points] == pytest.approx([0.5, 0.5, 0], abs=0.002)
    ((line, point),) = found.changes
    assert (line, point.run) == (beside, 2)
    assert point.shift == pytest.approx(-0.5, abs=0.002)
    page = render_history(found)
    assert "-50 points [-50, -50], to 0% hidden" in page
    assert page.count('class="slower"') >= 1


def test_work_of_another_experiment_is_a_line_of_its_own(tmp_path: Path) -> None:
    for number, work_ns in enumerate([30_000, 5_000, 6_000]):
        planned(tmp_path / f"run-{number}", work_ns, 0)
    lines = [(it.unit, it.what) for it in read_history(tmp_path, 50).lines]
    assert lines == [
        ("ns", "64 B"),
        ("ns", "64 B + 30.0 µs work"),
        (SHARE, "64 B + 6.00 µs work"),
    ]


def test_shares_of_work_that_is_far_apart_are_not_compared() -> None:
    times = [0.6, 1.0, 1.9]  # each near the next, the first and the last far from each other
    shares = [0.1 * launch for launch in range(1, 9)]
    for order, tested in (([0, 1, 2], 2), ([0, 2, 1], 1)):
        rows = [(at, HiddenInRun(shares, times[which])) for at, which in enumerate(order)]
        points = [*_share_points(rows)]
        assert [it.run for it in points] == [0, 1, 2]
        assert sum(it.p is not None for it in points) == tested
