"""stretto bench history: many runs in one page."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from stretto.cli.consoles import err, note, out
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json
from stretto.report.bench_history import BenchHistory, read_history
from stretto.report.history_page import write_history
from stretto.report.page import refuse_if_not_ours


def history(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="What has run folders in it: stretto-runs.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = Path("history.html"),
    last: Annotated[
        int, typer.Option("--last", min=2, help="Of so many runs, the newest; they are in order.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Write a page over all runs in FOLDER: a small line for each operation, size, class of ranks
    and implementation, with what changed from one run to the next.

    It needs nothing else, online or off: a CI can keep it beside its runs.

    Example: stretto bench history ci/runs -o history.html
    """
    refuse_if_not_ours(output)
    found = read_history(folder, last)
    write_history(found, output)
    if as_json:
        print_plain_json(_plain(found))
        return
    newest = sum(point.run == len(found.runs) - 1 for _, point in found.changes)
    out.print(
        f"{len(found.runs)} runs, {len(found.lines)} lines, {len(found.changes)} changes, "
        f"{newest} of them in the newest run",
        markup=False,
        soft_wrap=True,
    )
    for warning in found.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    note(f"History: {output}")


def _plain(found: BenchHistory) -> dict[str, Any]:
    lines: list[dict[str, Any]] = msgspec.to_builtins(found.lines)
    for plain, line in zip(lines, found.lines, strict=True):
        for point, it in zip(plain["points"], line.points, strict=True):
            point["changed"] = it.changed
    runs = [{"folder": str(it.path), "label": it.label, "mpi": it.mpi} for it in found.runs]
    return {"runs": runs, "lines": lines, "warnings": found.warnings}
