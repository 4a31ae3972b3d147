"""stretto bench guidelines: what takes longer than others that could do its work."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from stretto.cli.bench_check import Least, share_of
from stretto.cli.consoles import err, out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_plan import name_of
from stretto.report.bench import summarise
from stretto.report.bench_guidelines import GuidelineResult, check_guidelines, remedy
from stretto.report.words import seconds, size
from stretto.stats.summary import median

_MOST_NAMED = 3


def guidelines(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    least: Least = "5%",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Check a run against self-consistent performance guidelines: a gather should not take longer
    than an allgather, nor a broadcast than a scatter and an allgather.

    There are 23 such mock-ups of 9 operations; and more should not take less, nor longer than the
    same in pieces. Those whose parts were measured are checked: the plan guidelines has them.

    Example: stretto bench --plan guidelines -n 4 -o g && stretto bench guidelines g
    """
    share = share_of(least)
    found = check_guidelines(summarise(BenchFolder(folder)), share)
    table = guideline_table(found)
    export_tables([plain_table(table)], export_csv, export_markdown)
    if as_json:
        print_plain_json(_plain(found))
        return
    if found.violated:
        show_table(table, out)
    out.print(guideline_sentence(found), style="bold", markup=False, soft_wrap=True)
    for warning in found.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)


def guideline_table(found: GuidelineResult) -> Table:
    """Those that are violated, the worst first."""
    table = Table(title="Violated guidelines", title_justify="left", title_style="bold")
    table.add_column("guideline", overflow="fold")
    table.add_column("bytes", no_wrap=True)
    table.add_column("by", overflow="fold")
    for heading in ("takes", "instead of"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("times as long", no_wrap=True)
    table.add_column("remedy", overflow="fold")
    for (implementation, form), verdict in found.violated:
        test, interval = verdict.test, verdict.interval
        table.add_row(
            test.guideline,
            size(test.bytes),
            implementation if form == "blocking" else f"{implementation}, {form}",
            seconds(median(test.took) * 1e-9),
            seconds(median(test.mock_up) * 1e-9),
            f"{verdict.factor:.2f}x [{interval.low:.2f}, {interval.high:.2f}]",
            remedy(test, form),
        )
    return table


def guideline_sentence(found: GuidelineResult) -> str:
    """How many were checked, were violated and could not be checked, and why."""
    number = len(found.violated)
    violated = f"{number} are" if number > 1 else "1 is" if number else "none is"
    least = f"{100 * found.least:g} %"
    words = f"Of {len(found.checked)} checked {violated} violated by {least} or more"
    if found.unchecked:
        which = Counter(each.guideline for _, each in found.unchecked)
        first = ", ".join(f"{each} ({times})" for each, times in which.most_common(_MOST_NAMED))
        rest = ", ..." if len(which) > _MOST_NAMED else ""
        words += f"; {len(found.unchecked)} not for want of measurements: {first}{rest}"
    return words


def _plain(found: GuidelineResult) -> dict[str, Any]:
    return {
        "checked": [
            {
                "implementation": implementation,
                "name": name_of(verdict.test.operation, form),
                **msgspec.to_builtins(verdict),
                "violated": verdict.is_violated(found.least),
                "remedy": remedy(verdict.test, form),
            }
            for (implementation, form), verdict in found.checked
        ],
        "unchecked": [
            {"implementation": implementation, "form": form, **msgspec.to_builtins(each)}
            for (implementation, form), each in found.unchecked
        ],
        "least": found.least,
        "warnings": found.warnings,
    }
