"""Files of rows that ranks write, each a struct of C++."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stretto.errors import InputError


def read_rows(path: Path, row: np.dtype[Any], known: Mapping[str, int]) -> NDArray[Any]:
    """A file of rows; `known` says below what the numbers in a column must be.

    Raises InputError where it is damaged.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if len(raw) % row.itemsize:
        raise InputError(f"{path} is cut off at byte {len(raw)}")
    rows = np.frombuffer(raw, dtype=row)
    for name, count in known.items():
        wrong = np.flatnonzero((rows[name] < 0) | (rows[name] >= count))
        if wrong.size:
            at = int(wrong[0]) * row.itemsize
            raise InputError(f"{path} is damaged: an unknown {name} at byte {at}")
    return rows
