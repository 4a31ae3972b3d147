"""stretto bench plans: those that come along."""

import msgspec
from rich.table import Table

from stretto.cli.bench_options import shipped_plans
from stretto.cli.consoles import out
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson
from stretto.cli.output import print_plain_json


def plans(as_json: AsJson = False) -> None:
    """List the plans that come along, one for each of the field's puzzles.

    Example: stretto bench plans
    """
    if as_json:
        print_plain_json(msgspec.to_builtins(shipped_plans()))
        return
    table = Table(title="Plans", title_justify="left", title_style="bold")
    table.add_column("plan", no_wrap=True)
    table.add_column("about", overflow="fold")
    for name, spec in shipped_plans().items():
        table.add_row(name, spec.about)
    show_table(table, out)
