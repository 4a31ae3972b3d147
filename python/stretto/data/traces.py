"""Traces: one file of what each rank wrote, behind what was run."""

import shutil
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from stretto.data.json_bytes import json_bytes
from stretto.errors import ApplicationFailed, InputError, unwritable

# As src/trace/format.hpp has them.
_MAGIC = b"stretto trace 5\n"
_ABOUT = b"A"
_ENDING = b"E"
_HEAD = struct.Struct("<cI")
_SUM = struct.Struct("<I")


class About(msgspec.Struct, frozen=True):
    """What a trace says of the run that it was recorded in."""

    program: list[str]
    ranks: int
    stretto: str  # version
    machine: str  # TOML
    scenarios: str  # the text that the library read


def refuse_if_there(path: Path) -> None:
    """A trace is never written over something else."""
    if path.exists():
        raise InputError(f"--record {path}: there is a file of that name")
    if not path.absolute().parent.is_dir():
        raise InputError(f"--record {path}: there is no folder {path.absolute().parent}")


def write_trace(path: Path, about: About, folder: Path) -> int:
    """Put the ranks' parts in `folder` into one file; its size in bytes.

    Raises ApplicationFailed where a rank did not write its part, InputError where the file cannot
    be written; then there is none.
    """
    parts = [folder / f"rank-{rank}.trace" for rank in range(about.ranks)]
    for part in parts:
        if not _is_whole(part):
            raise ApplicationFailed(f"{part.name} is not complete: there is no trace")
    try:
        file = path.open("xb")
    except OSError as error:
        raise unwritable(f"--record {path}", error) from error
    try:
        with file:
            file.write(_MAGIC + _framed(_ABOUT, json_bytes(about)))
            _append(parts, file)
            size = file.tell()
    except OSError as error:
        path.unlink(missing_ok=True)
        raise unwritable(f"--record {path}", error) from error
    for part in parts:
        part.unlink()
    return size


def _append(parts: Sequence[Path], file: IO[bytes]) -> None:
    for part in parts:
        with part.open("rb") as source:
            shutil.copyfileobj(source, file)


def _framed(tag: bytes, content: bytes) -> bytes:
    chunk = _HEAD.pack(tag, len(content)) + content
    return chunk + _SUM.pack(zlib.crc32(chunk))


def _is_whole(part: Path) -> bool:
    """Does it end as a rank's part does? What is in it is for its reader to judge."""
    try:
        with part.open("rb") as file:
            tag = b""
            while head := file.read(_HEAD.size):
                if len(head) < _HEAD.size:
                    return False
                tag, size = _HEAD.unpack(head)
                file.seek(size, 1)
                if len(file.read(_SUM.size)) < _SUM.size:
                    return False
    except OSError:
        return False
    return tag == _ENDING
