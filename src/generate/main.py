"""Writes what follows from functions.txt.

Usage: python3 main.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import api
import dropin
import profiling
import supposing
from table import functions


def main() -> None:
    """Write the entry points, the C API's collectives and their headers into OUTDIR."""
    outdir = Path(sys.argv[1])
    table = functions()
    for name, text in {
        "api/collectives.cpp": api.source(table),
        "intercept/wrappers.cpp": dropin.source(table),
        "profile/wrappers.cpp": profiling.source(table),
        "whatif/wrappers.cpp": supposing.source(table),
        "include/stretto/collectives.h": api.header(table),
        "include/stretto/mpi4.h": api.mpi4(table),
    }.items():
        path = outdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = f"/* Written from functions.txt by {Path(__file__).name}. */\n{text}"
        # Untouched where it is the same: what includes it need not be built again.
        if not path.exists() or path.read_text(encoding="utf-8") != written:
            path.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
