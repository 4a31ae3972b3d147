"""Structs as the lines of a TOML file that people read and write."""

import json
from typing import TypeVar

import msgspec

from stretto.data.json_bytes import escape_lone_bytes
from stretto.errors import InputError

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def struct_of(text: bytes, kind: type[_Struct], where: str) -> _Struct:
    """What the text of a file says. Raises InputError, which begins with `where`."""
    try:
        return msgspec.toml.decode(text, type=kind)
    except RecursionError as error:
        raise InputError(f"{where}: arrays or tables within each other, too many") from error
    except ValueError as error:  # of msgspec, of UTF-8, and of integers of too many digits
        raise InputError(f"{where}: {error}") from error


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
    return f"{value:.6g}" if isinstance(value, float) else str(value)
