"""JSON as verbs print it."""

import msgspec


def as_text(answer: object) -> str:
    """For other programs, and so that people can read it, too."""
    return msgspec.json.format(msgspec.json.encode(answer), indent=2).decode()
