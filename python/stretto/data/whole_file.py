"""Files that are written whole: a full disk or a kill leaves what was there, or all of the new."""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from stretto.errors import writing

PARTIAL = ".partial"
# So much of a file's name is in that of its partial one, which must not be too long for a folder.
_NAME_SHARE = 50
# A folder that takes no new file, or a file that is mounted: only what is there can be written.
_CANNOT_REPLACE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}


def write_whole(path: Path, content: bytes) -> None:
    """`put_whole` for files that no option names. Raises EnvironmentUnusable."""
    with writing(path):
        put_whole(path, content)


def put_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`, all of it or nothing. Raises OSError.

    A link stays one, and a file keeps its rights and its owner; one that may not be written is not.
    What is no file, as /dev/stdout, what has several names or is another user's, and a file that
    cannot be replaced, in a folder that is another's, are written in place.
    """
    if path.exists() and not _is_replaceable(path):
        path.write_bytes(content)
        return
    there = Path(os.path.realpath(path))
    # Another command may write it at the same time, of another host, too: it is the one's or the
    # other's, whole.
    partial = there.with_name(f".{there.name[:_NAME_SHARE]}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        _write(partial, content)
        if there.exists():
            partial.chmod(there.stat().st_mode)
        partial.replace(there)
    except OSError as error:
        _remove(partial)
        if error.errno not in _CANNOT_REPLACE:
            raise
        path.write_bytes(content)
    except BaseException:  # as Ctrl-C
        _remove(partial)
        raise


def _is_replaceable(path: Path) -> bool:
    """Where it is not, writing it says why, or leaves its other names and its owner as they are."""
    if not path.is_file() or not os.access(path, os.W_OK):
        return False
    found = path.stat()
    return found.st_nlink == 1 and found.st_uid == os.geteuid()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _remove(partial: Path) -> None:
    with suppress(OSError):  # a disk that is read-only says so of what is not there, too
        partial.unlink()
