"""Writes what follows from functions.txt.

Usage: python3 -m generate OUTDIR PART, in src; PART is `api` or the name of a mode
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from generate import api
from generate.table import functions


def texts(part: str) -> dict[str, str]:
    """What belongs to a part, by its file's name."""
    if part == "api":
        table = functions()
        return {
            "api/collectives.cpp": api.source(table),
            "include/stretto/collectives.h": api.header(table),
            "include/stretto/mpi4.h": api.mpi4(table),
        }
    mode = import_module(f"intercept.{part}.wrappers")
    return {f"intercept/{part}/wrappers.cpp": mode.source()}


def main() -> None:
    """Write the C API's collectives and their headers, or the entry points of a mode."""
    outdir, part = sys.argv[1:]
    for name, text in texts(part).items():
        path = Path(outdir) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = f"/* Written from functions.txt by src/generate. */\n{text}"
        # Untouched where it is the same: what includes it need not be built again.
        if not path.exists() or path.read_text(encoding="utf-8") != written:
            path.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
