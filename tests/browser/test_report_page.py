"""The report as a browser shows it: drawn, without errors, and without asking for anything."""

from pathlib import Path
from typing import Any

import pytest
from benched import benched, keep_model
from headless_browser import Loaded, load, unusable

from stretto.cli.main import run_command

pytestmark = [
    pytest.mark.skipif(unusable() is not None, reason=str(unusable())),
    pytest.mark.xdist_group("browser"),
]
MOST_BYTES = 2_000_000
# Of everything that is to be seen. Details are opened: what is closed is drawn nowhere.
MEASURE = """(() => {
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  const colour = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (text) => {
    const [r, g, b] = colour(text).map((it) => it / 255)
      .map((it) => it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [less, more] = [light(one), light(other)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  };
  const card = getComputedStyle(document.querySelector(".card")).backgroundColor;
  const style = (name, property) =>
    [...document.querySelectorAll(name)].map((each) => getComputedStyle(each)[property]);
  const least = (colours) => Math.min(...colours.map((each) => contrast(each, card)));
  const box = (each) => each.getBoundingClientRect();
  return {
    plots: [...document.querySelectorAll(".bench .plot > svg")].map((svg) => ({
      label: svg.getAttribute("aria-label"),
      lines: [...svg.querySelectorAll("path.line")].map((each) => box(each).width),
      bands: [...svg.querySelectorAll("path.band")].map((each) => box(each).height),
      marks: [...svg.querySelectorAll(".mark path, circle")].map((each) => box(each).width),
      outside: [...svg.querySelectorAll("path, circle, text")].map((each) => box(each))
        .filter((each) => each.left < 0 || each.right > innerWidth + 1).length,
    })),
    delays: document.querySelectorAll("table.delays td").length,
    overflow: document.documentElement.scrollWidth - innerWidth,
    page: style("body", "backgroundColor")[0],
    marks: least([0, 1, 2, 3, 4, 5].map((number) => {
      const mark = document.createElement("i");
      mark.className = `series-${number}`;
      mark.style.color = "var(--mark)";
      document.body.append(mark);
      return getComputedStyle(mark).color;
    })),
    words: least([...style(".card, .quiet", "color"), ...style("svg text", "fill")]),
    nameless: document.querySelectorAll(
      ".bench th:not([scope]), [tabindex]:not([aria-label]), svg[role]:not([aria-label])").length,
    reached: [...document.querySelectorAll("summary, [tabindex]")]
      .filter((each) => each.tabIndex !== 0).length,
  };
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    run = benched(folder / "bench-1")
    keep_model(run)
    assert run_command(["report", str(run), "-o", str(folder / "page.html")]) == 0
    return folder / "page.html"


@pytest.fixture(scope="module", params=[(1280, False), (400, True)], ids=["wide", "narrow-dark"])
def loaded(page: Path, request: pytest.FixtureRequest) -> Loaded:
    width, is_dark = request.param
    return load(page, width=width, is_dark=is_dark, measure=MEASURE)


def plot_of(loaded: Loaded, start: str) -> Any:
    (found,) = [each for each in loaded.measured["plots"] if each["label"].startswith(start)]
    return found


def test_nothing_is_wrong_and_nothing_asked_for(loaded: Loaded) -> None:
    assert (loaded.console, loaded.requests) == ([], [])


def test_plots_are_drawn(loaded: Loaded) -> None:
    bcast, overlap = (plot_of(loaded, start) for start in ("bcast, ", "iallreduce of 4.00"))
    assert len(bcast["lines"]) == 4 + 3  # two predictions and a floor
    assert len(bcast["bands"]) == 2  # of the root there is one rank
    assert len(overlap["lines"]) == 5
    for plot in (bcast, overlap):
        assert min(plot["lines"]) > 100
        assert min(plot["bands"]) > 0
    for plot in loaded.measured["plots"]:
        assert plot["marks"]
        assert 5 < min(plot["marks"]) <= max(plot["marks"]) < 20
    assert loaded.measured["delays"] == 4 * 16


def test_nothing_reaches_beyond_the_screen(loaded: Loaded) -> None:
    assert loaded.measured["overflow"] <= 0
    assert [each["outside"] for each in loaded.measured["plots"]] == [0] * len(
        loaded.measured["plots"]
    )


def test_colours_stand_out(loaded: Loaded) -> None:
    """By so much as WCAG 2.2 asks for, 1.4.3 and 1.4.11."""
    assert loaded.measured["marks"] >= 3
    assert loaded.measured["words"] >= 4.5


def test_keys_reach_all_and_all_has_a_name(loaded: Loaded) -> None:
    assert (loaded.measured["reached"], loaded.measured["nameless"]) == (0, 0)


def test_dark_is_another_colour_than_light(page: Path) -> None:
    light, dark = (load(page, is_dark=it, measure=MEASURE).measured["page"] for it in (False, True))
    assert light != dark


def test_the_page_is_small(page: Path) -> None:
    assert page.stat().st_size < MOST_BYTES


def test_what_a_page_does_wrong_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    picture = '<img src="http://example.com/a.png">'
    page.write_text(f"<!doctype html><body>{picture}<script>missing()</script></body>")
    loaded = load(page, measure="[1, 2]")
    assert loaded.requests == ["http://example.com/a.png"]
    assert len(loaded.console) == 1
    assert "missing is not defined" in loaded.console[0]
    assert loaded.measured == [1, 2]
