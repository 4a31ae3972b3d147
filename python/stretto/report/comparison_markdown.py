"""A comparison as Markdown, for notes and merge requests: the tables that the terminal shows."""

import shlex
from collections.abc import Iterator

from stretto.report.comparison import Result, SideTimes
from stretto.report.markdown import plain_words, table_lines
from stretto.report.plain_table import PlainTable
from stretto.report.words import calls, interval, seconds

_SPREAD = ("min", "median", "max")


def markdown_of(result: Result) -> str:
    """Times of both sides, calls where Stretto was in them, the verdict and what to doubt."""
    return "\n".join(_lines(result)) + "\n"


def plain_tables(result: Result) -> list[PlainTable]:
    """Its times and, where Stretto was in them, its calls, every row with all its names."""
    times = PlainTable("times", ["time", "side", *_SPREAD, "of the median"], [*_times(result)])
    counters = result.counters
    if not counters or not (counters.handled or counters.passed):
        return [times]
    handled = [(each.call, each.algorithm, each.calls) for each in counters.handled]
    passed = [(each.call, f"the MPI: {each.reason}", each.calls) for each in counters.passed]
    launches = result.stretto_launches
    rows = [[call, by, calls(count / launches)] for call, by, count in (*handled, *passed)]
    heads = ["call", "by", "calls a launch, all ranks together"]
    return [times, PlainTable("calls", heads, rows)]


def _lines(result: Result) -> Iterator[str]:
    plan = result.record.plan
    where = f" on rig {plan.rig}" if plan.rig else ""
    yield f"### {plain_words(plan.name)}: {plan.ranks} ranks{where}, {plan.runs} runs a side"
    # Markdown's own signs are nothing within this, but for what ends it.
    command = shlex.join(plan.program).replace("`", "'").replace("\n", " ")
    yield f"\n`{command}` on {plain_words(result.mpi)}"
    for table in plain_tables(result):
        yield ""
        yield from table_lines(table.heads, table.rows)
    yield f"\n**{plain_words(result.verdict.text)}**\n"
    yield f"{result.answers}: {plain_words(result.answers_detail)}"
    for doubt in result.warnings:
        yield f"\nWarning: {plain_words(doubt.text)}"


def _times(result: Result) -> Iterator[list[str]]:
    for what, times in (("own time", result.own), ("wall time", result.wall)):
        if times is not None:
            yield from _rows(what, times)


def _rows(what: str, times: SideTimes) -> Iterator[list[str]]:
    for side, spread in (("native", times.native), ("stretto", times.stretto)):
        yield [what, side, *map(seconds, (spread.minimum, spread.median, spread.maximum)), ""]
    spread = times.ratio.spread
    figures = (spread.minimum, spread.median, spread.maximum)
    yield [what, "native/stretto", *(f"{each:.2f}x" for each in figures), interval(times.ratio)]
