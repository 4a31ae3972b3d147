"""The `stretto` command: its verbs, and how whatever goes wrong is reported in one line."""

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from stretto.cli.standard_streams import open_closed_streams
from stretto.cli.verbs import add_verbs
from stretto.data.provenance import versions
from stretto.errors import InputError, StrettoError


def application(arguments: Sequence[str]) -> typer.Typer:
    """What runs the command line `arguments`."""
    app = typer.Typer(
        help="What a program's MPI collectives cost, and how to make them cheaper.",
        add_completion=False,
        rich_markup_mode=None,
    )
    add_verbs(app, arguments)
    app.callback(invoke_without_command=True)(stretto)
    return app


def stretto(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Show what a program's MPI collectives cost, and make them cheaper."""
    if version:
        print(f"stretto {versions().get('stretto', 'from its source tree')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line this process was given."""
    _take_signals()  # first of all: without that a Ctrl-C shows where we are in our sources
    open_closed_streams()
    sys.exit(run_command(sys.argv[1:], _take_signals))


def _take_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _terminate)
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        if signal.getsignal(number) is not signal.SIG_IGN:
            # They are for the program, to which a launch passes them on; before there is one, and
            # after, they must not end us.
            signal.signal(number, _go_on)


def run_command(arguments: list[str], loaded: Callable[[], None] = lambda: None) -> int:
    """Run one command line; its exit code, with one line said where that is not 0.

    `loaded` is called when all is imported: polars takes SIGINT over and restarts system calls,
    so that a Ctrl-C would wait for the launch it shall end.
    """
    try:
        app = application(arguments)
        loaded()
        code = app(arguments, prog_name="stretto", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except StrettoError as error:
        return _complain(arguments, str(error), error.exit_code)
    except typer.TyperException as error:
        return _complain(arguments, error.format_message(), InputError.exit_code)
    except Exception as bug:  # noqa: BLE001 - users get a line, we get the file
        words = f"a bug of ours: {bug!r}; please report it with {_trace_file()}"
        return _complain(arguments, words, StrettoError.exit_code)


def _trace_file() -> str:
    """Where the traceback of what is being handled has been written."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="stretto-bug-", suffix=".txt", delete=False
        ) as file:
            traceback.print_exc(file=file)
    except OSError:
        return "the file that it writes where TMPDIR names a folder that can be written to"
    return file.name


def _complain(arguments: list[str], words: str, code: int) -> int:
    verb = next((word for word in arguments if not word.startswith("-")), "")
    line = " ".join(words.split())
    try:
        print(f"{' '.join(['stretto', verb]).strip()}: {line}", file=sys.stderr)
    except OSError:
        # The interpreter would try again at its end, and replace our exit code by its own.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    return code


def _terminate(number: int, _frame: FrameType | None) -> None:
    # As an exception, so that what is being run is stopped on the way out.
    sys.exit(128 + number)


def _go_on(_number: int, _frame: FrameType | None) -> None:
    """Take no notice, and hand nothing down, as SIG_IGN would."""
