"""JSON as verbs print it."""

import re

import msgspec

from stretto.data.json_bytes import json_bytes

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def as_text(answer: object) -> str:
    """For other programs, and so that people can read it, too: ASCII, whatever is in it."""
    text = msgspec.json.format(json_bytes(answer), indent=2).decode()
    return text if text.isascii() else _BEYOND_ASCII.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    # JSON has no number for what takes two words of UTF-16, but for each of them.
    words = found[0].encode("utf-16-be")
    return "".join(f"\\u{words[at : at + 2].hex()}" for at in range(0, len(words), 2))
