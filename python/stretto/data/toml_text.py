"""Structs as the lines of a TOML file that people read."""

import json

import msgspec


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
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
