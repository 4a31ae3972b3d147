"""How verbs show their results: tables for people, JSON for programs."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from stretto.cli.consoles import err, out
from stretto.cli.narrow import show_table
from stretto.data.counters import Counters
from stretto.launch.survey import Survey, Variant
from stretto.report.answers import Answers
from stretto.report.comparison import Result, SideTimes
from stretto.report.doubts import Doubt
from stretto.report.words import calls, interval, seconds


@contextmanager
def launches_bar(
    name: str, total: int, warmup: int = 0, *, transient: bool = False
) -> Iterator[Callable[[], None]]:
    """A progress bar; what it yields marks one launch as done.

    Of the launches the first `warmup` are not counted, which it says meanwhile.
    """
    done = 0

    def described() -> str:
        return f"{name}, warming up" if done < warmup else name

    def advance() -> None:
        nonlocal done
        done += 1
        bar.update(task, advance=1, description=described())

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    more = (TextColumn("launches"), TimeElapsedColumn())
    with Progress(*columns, *more, console=err, transient=transient) as bar:
        task = bar.add_task(described(), total=total)
        yield advance


def print_plain_json(value: Any) -> None:
    """Anything made of plain types and paths."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_json(result: Result) -> None:
    """The whole result; every sample is in it."""
    fields = msgspec.to_builtins(replace(result, warnings=[]))
    print_plain_json(fields | {"warnings": [warning.text for warning in result.warnings]})


def print_result(result: Result) -> None:
    """One table of times, one of calls, then the answers and what to doubt."""
    show_table(_times_table(result), out)
    if result.counters and (result.counters.handled or result.counters.passed):
        show_table(_calls_table(result, result.counters), out)
    out.print(result.verdict.text, style="bold")
    good = result.answers is Answers.SAME
    style = "green" if good else "red" if result.answers is Answers.DIFFERENT else "yellow"
    out.print(f"{result.answers}: {result.answers_detail}", style=style, markup=False)
    print_doubts(result.warnings)


def print_doubts(doubts: Iterable[Doubt]) -> None:
    """A warning each."""
    for doubt in doubts:
        err.print(f"Warning: {doubt.text}", style="yellow", markup=False, soft_wrap=True)


def print_info(survey: Survey) -> None:
    """Everything found: variants line by line, settings in a table."""
    out.print("Variants of the drop-in, and the MPIs found here that each serves:")
    for variant in survey.variants:
        for line in _variant_lines(variant):
            out.print("  " + line, markup=False, soft_wrap=True)
    show_table(settings_table(survey), out)
    for name in survey.unknown_settings:
        err.print(f"Warning: nothing reads {name}; misspelt?", style="yellow", soft_wrap=True)
    cpus = ",".join(map(str, survey.cpus))
    out.print(f"Cores: {survey.cores} (CPUs {cpus} may be used)")
    out.print("Versions: " + ", ".join(f"{name} {it}" for name, it in survey.versions.items()))


def settings_table(survey: Survey) -> Table:
    """What each is and where that comes from."""
    knobs = _table("Settings", "variable", "value", "from", "meaning")
    for setting in survey.settings:
        knobs.add_row(setting.knob.name, setting.value, setting.source, setting.knob.meaning)
    return knobs


def _variant_lines(variant: Variant) -> Iterator[str]:
    state = "" if variant.path else "not built; "
    for mpi in variant.serves or ["no MPI of this interface found here"]:
        yield f"{variant.abi:8} {state}{mpi}"


def _times_table(result: Result) -> Table:
    plan = result.record.plan
    where = f" on rig {plan.rig}" if plan.rig else ""
    table = _table(f"{plan.name}: {plan.ranks} ranks{where}, {plan.runs} runs a side", "", "")
    for heading in ("min", "median", "max"):
        table.add_column(heading, justify="right")
    table.add_column("of the median")
    for what, times in (("own time", result.own), ("wall time", result.wall)):
        if times is not None:
            _add_times(table, what, times)
    return table


def _add_times(table: Table, what: str, times: SideTimes) -> None:
    for side, spread in (("native", times.native), ("stretto", times.stretto)):
        figures = (spread.minimum, spread.median, spread.maximum)
        table.add_row(what, side, *map(seconds, figures))
        what = ""
    ratio = times.ratio.spread
    figures = (ratio.minimum, ratio.median, ratio.maximum)
    table.add_row(
        "", "native/stretto", *(f"{each:.2f}x" for each in figures), interval(times.ratio)
    )
    table.add_section()


def _calls_table(result: Result, counters: Counters) -> Table:
    table = _table("Calls a launch, all ranks together", "call", "by")
    table.add_column("calls", justify="right")
    launches = result.stretto_launches
    for done in counters.handled:
        table.add_row(done.call, done.algorithm, calls(done.calls / launches))
    table.add_section()
    for passed in counters.passed:
        reason = f"the MPI: {passed.reason}"
        table.add_row(passed.call, reason, calls(passed.calls / launches), style="dim")
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for position, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=position == 0)
    return table
