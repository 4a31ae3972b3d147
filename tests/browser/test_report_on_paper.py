"""The report on paper: whole, in light colours, and without what can only be clicked."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from benched import SIZES, benched, keep_model
from headless_browser import printed, unusable

from stretto.cli.main import run_command

pytestmark = [
    pytest.mark.skipif(unusable() is not None, reason=str(unusable())),
    pytest.mark.xdist_group("browser"),
]
# 210 mm less margins of 1 cm on either side, at 96 dots an inch.
A4_WIDTH = 718
MEASURE = """(() => {
  const box = (each) => each.getBoundingClientRect();
  const every = (name) => [...document.querySelectorAll(name)];
  const drawn = (each) => each.checkVisibility({
    contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true,
  }) && box(each).height > 0;
  const name = (each) => `${each.tagName}.${each.className}: ${each.textContent.slice(0, 60)}`;
  const style = (each, property) => getComputedStyle(each)[property];
  const inner = every("details").flatMap((each) => [...each.children])
    .filter((each) => each.tagName !== "SUMMARY");
  return {
    width: innerWidth,
    sections: every("section, nav").length,
    details: inner.length,
    hidden: [...every("section, nav, section > *:not(script)"), ...inner]
      .filter((each) => each.textContent.trim() && !drawn(each)).map(name),
    scheme: style(document.documentElement, "colorScheme"),
    page: style(document.body, "backgroundColor"),
    card: style(document.querySelector(".card"), "backgroundColor"),
    ink: style(document.body, "color"),
    wide: every("body *").filter((each) => !each.closest("svg") || each.tagName === "svg"
      || each.tagName === "text")
      .filter((each) => box(each).right > innerWidth + 1 || box(each).left < -1).map(name),
    cut: every("body *").filter((each) => style(each, "overflowX") !== "visible"
      && !each.closest("svg, .stack") && each.scrollWidth > each.clientWidth + 1).map(name),
    controls: every("button, input, select, textarea").filter(drawn).map(name),
    markers: every("summary").filter((each) => style(each, "listStyleType") !== "none").map(name),
  };
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with all that a run may have, a file of another suite, and something to click."""
    folder = tmp_path_factory.mktemp("report")
    run = benched(folder / "bench-1")
    keep_model(run)
    osu = folder / "osu.txt"
    lines = ["# OSU MPI Broadcast Latency Test v7.4", "# Size Avg Latency(us)"]
    osu.write_text("\n".join([*lines, *(f"{size} 1.5" for size in SIZES), ""]))
    # An implementation may have a long name.
    record = run / "bench.json"
    long = "native:LD_PRELOAD=/opt/a/long/path/to/libother.so+UCX_TLS=/scratch/another/long/path"
    record.write_text(record.read_text().replace('"native"', f'"{long}"'))
    samples = pl.read_parquet(run / "samples.parquet")
    renamed = pl.col("implementation").replace("native", long)
    samples.with_columns(renamed).write_parquet(run / "samples.parquet")
    file = folder / "page.html"
    assert run_command(["report", str(run), str(osu), "-o", str(file)]) == 0
    file.write_text(file.read_text().replace("</body>", "<button>Filter</button></body>"))
    return file


@pytest.fixture(scope="module")
def paper(page: Path) -> Any:
    return printed(page, width=A4_WIDTH, measure=MEASURE)


def test_all_sections_are_there_and_what_is_closed_is_opened(paper: Any) -> None:
    assert paper["width"] == A4_WIDTH
    assert paper["sections"] == 3  # contents, the run, the file
    assert paper["details"] > 5
    assert paper["hidden"] == []


def test_colours_are_light_though_the_screen_is_dark(paper: Any) -> None:
    assert paper["scheme"] == "light"
    light = [sum(map(int, paper[name][4:-1].split(","))) for name in ("page", "card", "ink")]
    assert min(light[:2]) > 3 * 240
    assert light[2] < 3 * 64


def test_nothing_is_beyond_the_edge_of_the_paper(paper: Any) -> None:
    assert (paper["wide"], paper["cut"]) == ([], [])


def test_nothing_is_there_to_be_clicked(paper: Any) -> None:
    assert (paper["controls"], paper["markers"]) == ([], [])
