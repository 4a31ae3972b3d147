"""The errors a user can cause or meet; each knows its exit code."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# A name that cannot be one of a file, whatever the machine has room for.
_WRONG_NAMES = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
    errno.ELOOP,
}


class StrettoError(Exception):
    """One line for the user: what happened, why, what to do."""

    exit_code = 1


class InputError(StrettoError):
    """What was asked for is wrong."""

    exit_code = 2


class EnvironmentUnusable(StrettoError):
    """This machine lacks something."""

    exit_code = 5


class ApplicationFailed(StrettoError):
    """The user's program crashed, hung or exited non-zero."""

    exit_code = 4


def reason(error: OSError) -> str:
    """Why the system refused: "No space left on device"."""
    return error.strerror or str(error)


def unwritable(option: str, error: OSError) -> StrettoError:
    """What to raise where the file that an option names cannot be written.

    InputError where the name is wrong, EnvironmentUnusable where the machine is full, say.
    """
    kind = InputError if error.errno in _WRONG_NAMES else EnvironmentUnusable
    return kind(f"{option}: {reason(error)}")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What the system refuses in here is said with where: that file, or else `path`."""
    try:
        yield
    except OSError as error:
        raise unwritable(str(error.filename or path), error) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What is done in here writes to `path`. Raises EnvironmentUnusable where that cannot be.

    The system names a file that cannot be opened, but not one that no more can be written to.
    """
    try:
        yield
    except OSError as error:
        raise EnvironmentUnusable(f"{path} cannot be written: {reason(error)}") from error
