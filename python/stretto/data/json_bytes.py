"""JSON for files: also of names that are no UTF-8, as a command line may have them."""

import json
import re
from typing import Any

import msgspec

# How Python has bytes of a name that are no UTF-8.
_LONE_BYTE = re.compile("[\udc80-\udcff]")


def json_bytes(value: Any) -> bytes:
    """A structure as JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        return escape_lone_bytes(text).encode()


def indented(value: Any) -> bytes:
    """The same for people, with a last newline."""
    return msgspec.json.format(json_bytes(value), indent=2) + b"\n"


def escape_lone_bytes(text: str) -> str:
    """JSON, or a string of TOML, whose strings say a byte that is no character as \\xff."""
    return _LONE_BYTE.sub(lambda it: rf"\\x{ord(it[0]) - 0xDC00:02x}", text)
