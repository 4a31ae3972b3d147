"""The entry points of the mode calibrate: MPI_Init alone, which does not return."""

from __future__ import annotations

from collections.abc import Iterable

from generate.entry import entry_points, of_session
from generate.table import Function


def source(functions: Iterable[Function]) -> str:
    """The text of its wrappers.cpp."""
    begins = [function for function in functions if function.name in ("Init", "Init_thread")]
    return (
        '#include "intercept/calibrate/session.hpp"\n'
        '#include "intercept/shared/entry.hpp"\n'
        '#include "intercept/shared/session.hpp"\n\n'
        + entry_points("calibrate", begins, [], of_session)
    )
