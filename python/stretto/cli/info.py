"""stretto info: what Stretto finds on this machine, and how it is set."""

import os
from dataclasses import asdict

from stretto.cli.options import AsJson
from stretto.cli.output import print_info, print_plain_json, settings_table
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.launch.survey import survey


def info(
    export_csv: ExportCsv = None, export_markdown: ExportMarkdown = None, as_json: AsJson = False
) -> None:
    """Show the MPIs found, the variants built, the cores and every setting.

    Example: stretto info
    """
    found = survey(os.environ)
    export_tables([plain_table(settings_table(found))], export_csv, export_markdown)
    if as_json:
        print_plain_json(asdict(found))
    else:
        print_info(found)
