"""stretto bench: what collectives cost here, on each rank; its verbs, loaded as asked for."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

# In the order of `stretto bench --help`.
VERBS = (  # noqa: SIM905
    "run show cliffs calls model plans compare check repeat history guidelines import"
).split()


class RunByDefault(TyperGroup):
    """`stretto bench bcast` is `stretto bench run bcast`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in (*VERBS, "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """`stretto bench` with the verb that `arguments`, what follows it, begin with.

    With all of them where they are listed.
    """
    app = typer.Typer(
        cls=RunByDefault,
        help="Measure collectives per rank, with raw samples and honest statistics.\n\n"
        "Without a verb of its own it runs: stretto bench bcast allreduce -n 4",
    )
    first = arguments[0] if arguments else "run"
    asked_for = VERBS if first == "--help" else [first if first in VERBS else "run"]
    for verb in asked_for:
        module = import_module(f"stretto.cli.bench_{verb}")
        app.command(name=verb)(getattr(module, "import_" if verb == "import" else verb))
    return app
