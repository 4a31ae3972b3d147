"""The entry points of the mode calibrate: MPI_Init alone, which does not return."""

from __future__ import annotations

from generate.entry import Wrapper, mode_source, session
from generate.table import Function


def wrap(function: Function) -> Wrapper | None:
    return session(function) if function.kind == "init" else None


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
