"""Files that are written whole: a full disk or a kill leaves what was there, or all of the new."""

import errno
import os
import secrets
import sys
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

    A link stays one, and a file keeps its rights, its owner and its group; one that may not be
    written is not. What is no file, as a pipe, what has several names or is another user's, what
    has attributes or an access control list that a new file would not have, and a file that cannot
    be replaced, in a folder that is another's, are written in place; what this command prints into,
    as /dev/stdout, gets it after what was printed.
    """
    if (stream := _printed_into(path)) is not None:
        _print_into(stream, content)
        return
    if path.exists() and not _is_replaceable(path):
        path.write_bytes(content)
        return
    there = Path(os.path.realpath(path))
    # Another command may write it at the same time, of another host, too: it is the one's or the
    # other's, whole.
    partial = there.with_name(f".{there.name[:_NAME_SHARE]}.{secrets.token_hex(4)}{PARTIAL}")
    before = there.stat() if there.exists() else None
    try:
        # Nobody reads of it meanwhile who may not read the file.
        _write(partial, content, 0o666 if before is None else 0o600)
        if before is not None:
            _make_alike(partial, there, before)
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


def _make_alike(partial: Path, there: Path, before: os.stat_result) -> None:
    """Give it the group and the rights of the file. Raises PermissionError where it cannot take its
    place as the same."""
    if partial.stat().st_gid != before.st_gid:
        try:
            os.chown(partial, -1, before.st_gid)
        except OSError as error:  # a container may not know the group
            raise PermissionError(errno.EPERM, f"its group stays: {error}") from None
    partial.chmod(before.st_mode)
    if _attributes(there) != _attributes(partial):
        raise PermissionError(errno.EPERM, "it has attributes of its own")


def _attributes(path: Path) -> dict[str, bytes]:
    """A user's, and access control lists; others are a file system's own, of each file."""
    try:
        names = [each for each in os.listxattr(path) if each.startswith("user.") or "acl" in each]
        return {name: os.getxattr(path, name) for name in names}
    except OSError:  # this file system has none
        return {}


def _printed_into(path: Path) -> int | None:
    """The descriptor of what this command prints, where that goes into this file."""
    if path.is_file():
        for stream in (1, 2):
            with suppress(OSError):  # it may be closed
                if os.path.samestat(path.stat(), os.fstat(stream)):
                    return stream
    return None


def _print_into(stream: int, content: bytes) -> None:
    for each in (sys.stdout, sys.stderr):
        if each is not None and not each.closed:
            each.flush()
    with os.fdopen(os.dup(stream), "wb") as file:
        file.write(content)


def _write(path: Path, content: bytes, mode: int) -> None:
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _remove(partial: Path) -> None:
    with suppress(OSError):  # a disk that is read-only says so of what is not there, too
        partial.unlink()
