"""The entry points of the mode calibrate: MPI_Init alone, which does not return."""

from __future__ import annotations

from dataclasses import replace

from generate.entry import Wrapper, mode_source, session
from generate.table import Function


def wrap(function: Function) -> Wrapper | None:
    begun = session(function) if function.kind == "init" else None
    return begun and replace(begun, body=f"end_at_exit();\n{begun.body}")


def source() -> str:
    """The text of its wrappers.cpp."""
    return mode_source(
        "calibrate",
        [
            "intercept/calibrate/session.hpp",
            "intercept/shared/entry.hpp",
            "intercept/shared/session.hpp",
        ],
        wrap,
    )
