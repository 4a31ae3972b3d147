"""The verbs, loaded as they are asked for: `run` starts programs and needs no tables and plots."""

from collections.abc import Sequence
from importlib import import_module

import typer

from stretto.cli.options import PROGRAM_FOLLOWS

# In the order of `stretto --help`, and whether a program and its own options follow.
VERBS = {
    "bench": False,
    "run": True,
    "compare": True,
    "profile": True,
    "report": False,
    "whatif": True,
    "calibrate": True,
    "tune": True,
    "export": False,
    "replay": False,
    "simulate": False,
    "explain": False,
    "info": False,
    "schedule": False,
}


def add_verbs(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Add to `app` the verb that `arguments` begin with, or all where they begin with none.

    Without arguments with all of their own verbs, too.
    """
    asked_for = [*VERBS]
    if arguments and arguments[0] in VERBS:
        asked_for = [arguments[0]]
    elif [*arguments] == ["--version"]:
        asked_for = []
    for verb in asked_for:
        module = import_module(f"stretto.cli.{verb}")
        if hasattr(module, "app_for"):
            following = [*arguments[arguments.index(verb) + 1 :]] if verb in arguments else []
            app.add_typer(module.app_for(following if arguments else ["--help"]), name=verb)
        elif hasattr(module, "app"):
            app.add_typer(module.app, name=verb)
        else:
            settings = PROGRAM_FOLLOWS if VERBS[verb] else None
            app.command(context_settings=settings)(getattr(module, verb))
