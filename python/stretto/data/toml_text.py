"""Structs as the lines of a TOML file that people read and write.

A file that Stretto writes begins with the number of its format and ends with the table [end]: TOML
itself does not tell a file that was cut off behind a whole table from one that ends there. What
people write by themselves, and what Stretto wrote before there was a number, has neither.
"""

import json
import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from stretto.data.json_bytes import escape_lone_bytes
from stretto.errors import InputError

_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_FORMAT = 2
_END = "[end]"
_LAST_LINE = re.compile(rb"\[\s*end\s*\]\s*(?:#.*)?")


def whole_file(lines: Sequence[str], *, about: Sequence[str] = ()) -> str:
    """The text of a file of these lines, behind comments that say what it is.

    struct_of knows it for one that was cut off wherever that happens.
    """
    head = [*about, f"format = {_FORMAT}  # a file that does not end with {_END} was cut off"]
    return "\n".join([*head, *lines, "", _END]) + "\n"


def struct_of(text: bytes, kind: type[_Struct], where: str) -> _Struct:
    """What the text of a file says. Raises InputError, which begins with `where`."""
    try:
        said = msgspec.toml.decode(text)
        _require_whole(text, said, where)
        return msgspec.convert(said, kind, str_keys=True)
    except RecursionError as error:
        raise InputError(f"{where}: arrays or tables within each other, too many") from error
    except ValueError as error:  # of msgspec, of UTF-8, and of integers of too many digits
        raise InputError(f"{where}: {error}") from error


def _require_whole(text: bytes, said: dict[str, object], where: str) -> None:
    """Takes the number of the format, and the end, out of what a file says. Raises InputError."""
    if "format" not in said:
        if said.get("end") == {}:
            del said["end"]  # somebody took the number out
        return
    number = said.pop("format")
    if number != _FORMAT:
        words = f"it is of format {number}, and this Stretto reads {_FORMAT}"
        raise InputError(f"{where}: {words}: a newer one wrote it, or the number is wrong")
    lines = [line.strip() for line in text.splitlines()]
    last = next((line for line in reversed(lines) if line and not line.startswith(b"#")), b"")
    end = said.pop("end", None)
    if end is not None and (end != {} or not _LAST_LINE.fullmatch(last)):
        words = f"{_END} is not its last line, and says that the file is whole up to there"
        raise InputError(f"{where}: {words}; move what follows it before it")
    if end is None:
        words = f"the file was cut off: it does not end with {_END}"
        raise InputError(f"{where}: {words}; take a whole copy of it, or write it anew")


def facts(part: msgspec.Struct) -> list[str]:
    """One line each; what is as it is anyway is left out."""
    defaults = dict(zip(part.__struct_fields__[::-1], part.__struct_defaults__[::-1], strict=False))
    values = {name: getattr(part, name) for name in part.__struct_fields__}
    return [
        f"{name} = {written(value)}"
        for name, value in values.items()
        if isinstance(value, (str, int, float)) and value != defaults.get(name)
    ]


def written(value: str | float) -> str:
    """As TOML has it."""
    if isinstance(value, str):
        # TOML takes JSON's strings but for one character, which JSON leaves as it is.
        text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        return escape_lone_bytes(text)
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
