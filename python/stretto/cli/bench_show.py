"""stretto bench show: a run that was made earlier."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli import bench_shown
from stretto.cli.bench_searched import show_search
from stretto.cli.options import AsJson
from stretto.cli.table_export import ExportCsv, ExportMarkdown
from stretto.data.bench_folder import BenchFolder
from stretto.data.bench_series import is_series
from stretto.report.bench import summarise


def show(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Show a run that was made earlier, worked out anew from its samples.

    A folder of stretto bench cliffs or calls is shown as at its end.

    Example: stretto bench show stretto-runs/bench-1
    """
    if is_series(folder):
        show_search(folder, export_csv, export_markdown, as_json=as_json)
        return
    result = summarise(BenchFolder(folder))
    bench_shown.show(result, folder, export_csv, export_markdown, as_json=as_json)
