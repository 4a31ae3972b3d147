"""stretto info: what Stretto finds on this machine, and how it is set."""

import os
import shlex
from dataclasses import asdict
from typing import Annotated

import typer

from stretto.cli.options import AsJson, LauncherPath
from stretto.cli.output import print_info, print_plain_json, settings_table
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.errors import InputError
from stretto.launch.compiling import abi_of, compiler_flags, linker_flags
from stretto.launch.survey import survey


def info(
    cflags: Annotated[
        bool,
        typer.Option("--cflags", help="Print what compiles a program that includes stretto.h."),
    ] = False,
    libs: Annotated[
        bool,
        typer.Option("--libs", help="Print what links it, for the MPI of the launcher."),
    ] = False,
    launcher: LauncherPath = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Show the MPIs found, the variants built, the cores and every setting.

    Example: stretto info

    Example: mpicc solver.c $(stretto info --cflags --libs)
    """
    if cflags or libs:
        if export_csv or export_markdown:
            raise InputError("--cflags and --libs print no table that could be exported")
        _print_flags(cflags, libs, launcher, as_json)
        return
    if launcher is not None:
        raise InputError("--launcher goes with --libs")
    found = survey(os.environ)
    export_tables([plain_table(settings_table(found))], export_csv, export_markdown)
    if as_json:
        print_plain_json(asdict(found))
    else:
        print_info(found)


def _print_flags(cflags: bool, libs: bool, launcher: str | None, as_json: bool) -> None:
    flags = {
        **({"cflags": compiler_flags()} if cflags else {}),
        **({"libs": linker_flags(abi_of(launcher))} if libs else {}),
    }
    if as_json:
        print_plain_json(flags)
    else:
        print(shlex.join(word for each in flags.values() for word in each))
