"""A comparison as Markdown, for notes and merge requests: the tables that the terminal shows."""

import shlex
from collections.abc import Iterable, Iterator

from stretto.report.comparison import Result, SideTimes
from stretto.report.words import calls, interval, seconds


def markdown_of(result: Result) -> str:
    """Times of both sides, calls where Stretto was in them, the verdict and what to doubt."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    plan = result.record.plan
    where = f" on rig {plan.rig}" if plan.rig else ""
    yield f"### {_text(plan.name)}: {plan.ranks} ranks{where}, {plan.runs} runs a side"
    # Markdown's own signs are nothing within this, but for what ends it.
    command = shlex.join(plan.program).replace("`", "'").replace("\n", " ")
    yield f"\n`{command}` on {_text(result.mpi)}\n"
    yield from _table(("", "", "min", "median", "max", "of the median"), _times(result))
    counters = result.counters
    if counters and (counters.handled or counters.passed):
        launches = result.stretto_launches
        handled = [(each.call, each.algorithm, each.calls) for each in counters.handled]
        passed = [(each.call, f"the MPI: {each.reason}", each.calls) for each in counters.passed]
        rows = [(call, by, calls(count / launches)) for call, by, count in (*handled, *passed)]
        yield ""
        yield from _table(("call", "by", "calls a launch, all ranks together"), rows)
    yield f"\n**{_text(result.verdict.text)}**\n"
    yield f"{result.answers}: {_text(result.answers_detail)}"
    for doubt in result.warnings:
        yield f"\nWarning: {_text(doubt.text)}"


def _times(result: Result) -> Iterator[tuple[str, ...]]:
    for what, times in (("own time", result.own), ("wall time", result.wall)):
        if times is not None:
            yield from _rows(what, times)


def _rows(what: str, times: SideTimes) -> Iterator[tuple[str, ...]]:
    for side, spread in (("native", times.native), ("stretto", times.stretto)):
        yield what, side, *map(seconds, (spread.minimum, spread.median, spread.maximum)), ""
    spread = times.ratio.spread
    figures = (spread.minimum, spread.median, spread.maximum)
    yield what, "native/stretto", *(f"{each:.2f}x" for each in figures), interval(times.ratio)


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(_text, row))} |"


def _text(words: str) -> str:
    """Words that are no more than words in Markdown, and on one line."""
    line = " ".join(words.split())
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#" else sign for sign in line)
