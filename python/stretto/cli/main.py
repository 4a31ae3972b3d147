"""The `stretto` command: its verbs, and how whatever goes wrong is reported in one line."""

import errno
import gc
import os
import re
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from stretto.cli.standard_streams import (
    open_closed_streams,
    refused_output,
    take_any_output,
)
from stretto.cli.verbs import add_verbs
from stretto.data.provenance import versions
from stretto.errors import EnvironmentUnusable, InputError, StrettoError, reason

# What a system refuses that is full, read-only or another's; any other refusal is our bug.
_OF_THE_MACHINE = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EEXIST,
    errno.EFBIG,
    errno.EIO,
    errno.EISDIR,
    errno.ELOOP,
    errno.EMFILE,
    errno.ENAMETOOLONG,
    errno.ENFILE,
    errno.ENOENT,
    errno.ENOMEM,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
    errno.ESTALE,
}
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
# What a word of a command line would do to the terminal that an error names it on.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


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
    take_any_output()
    threading.excepthook = _thread_failed
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


@contextmanager
def _loading() -> Iterator[None]:
    """While modules are imported nothing is garbage, and numpy begins no threads.

    Its OpenBLAS would begin one for each core but one, each of which spins for 70 ms at first; no
    large matrices are multiplied here, and cores are for programs, which do not get the setting.
    That of scipy, which few commands load, and later, begins them.
    """
    is_ours = _BLAS_THREADS not in os.environ
    collects = gc.isenabled()
    os.environ.setdefault(_BLAS_THREADS, "1")
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if is_ours:
            os.environ.pop(_BLAS_THREADS, None)


def run_command(arguments: list[str], loaded: Callable[[], None] = lambda: None) -> int:
    """Run one command line; its exit code, with one line said where that is not 0.

    `loaded` is called when all is imported: polars takes SIGINT over and restarts system calls,
    so that a Ctrl-C would wait for the launch it shall end.
    """
    try:
        with _loading():
            app = application(arguments)
        loaded()
        code = app(arguments, prog_name="stretto", standalone_mode=False)
        sys.stdout.flush()  # the interpreter would do that at its end, and complain in its words
        return code if isinstance(code, int) else 0
    except StrettoError as error:
        return _complain(arguments, str(error), error.exit_code)
    except typer.TyperException as error:
        return _complain(arguments, error.format_message(), InputError.exit_code)
    except OSError as error:
        return _refused(arguments, error)
    except Exception as bug:  # noqa: BLE001 - users get a line, we get the file
        return _admit(arguments, bug)


def _refused(arguments: list[str], error: OSError) -> int:
    """What to do where the system refused something."""
    if output := refused_output():
        words = f"standard output cannot be written: {reason(output)}"
    elif error.errno in _OF_THE_MACHINE:
        words = f"{error.filename}: {reason(error)}" if error.filename else reason(error)
    else:
        return _admit(arguments, error)
    return _complain(arguments, words, EnvironmentUnusable.exit_code)


def _admit(arguments: list[str], bug: Exception) -> int:
    words = f"a bug of ours: {bug!r}; please report it with {_trace_file()}"
    return _complain(arguments, words, StrettoError.exit_code)


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    # What draws progress into a file on a full disk, say: there is no place for words either.
    if not isinstance(failure.exc_value, OSError):
        threading.__excepthook__(failure)


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
    line = _CONTROL.sub(lambda it: f"\\x{ord(it[0]):02x}", " ".join(words.split()))
    try:
        print(f"{' '.join(['stretto', verb]).strip()}: {line}", file=sys.stderr)
    except OSError:
        # The interpreter would try again at its end, and replace our exit code by its own.
        refused_output()
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    return code


def _terminate(number: int, _frame: FrameType | None) -> None:
    # As an exception, so that what is being run is stopped on the way out.
    sys.exit(128 + number)


def _go_on(_number: int, _frame: FrameType | None) -> None:
    """Take no notice, and hand nothing down, as SIG_IGN would."""
