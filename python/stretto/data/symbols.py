"""Where in its source a program's call is, by binutils' addr2line where there is one."""

import re
import shutil
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol

from stretto.data.function_sizes import lie_in_functions
from stretto.data.places import Address, Line, Lines

_TIMEOUT_S = 60.0
# A procedure of a Fortran module, as gfortran and LLVM's Flang name it, Flang's in another, too:
# Fortran's names have no capitals there. What Intel's compilers write, module_mp_procedure_, may
# also be a procedure of that name.
_OF_FORTRAN = tuple(
    re.compile(pattern)
    for pattern in (
        r"__(?P<module>[a-z]\w*?)_MOD_(?P<name>[a-z]\w*)(?:\.[a-z]+\.\d+)*",  # or a copy of it
        r"_QM(?P<module>[a-z][a-z0-9_]*)(?:F[a-z0-9_]+)?P(?P<name>[a-z][a-z0-9_]*)",
    )
)


class _CallSite(Protocol):
    """Where a call is, and whether that is a line of a source file already."""

    @property
    def place(self) -> Address: ...
    @property
    def symbol(self) -> str: ...
    @property
    def is_source(self) -> bool: ...


def lines_of(sites: Collection[_CallSite]) -> Lines:
    """Those of call sites: by debug information, or as Python itself had them."""
    known = {
        site.place: Line(site.symbol, site.place.object, site.place.offset)
        for site in sites
        if site.is_source
    }
    return known | source_lines(site.place for site in sites if site.place not in known)


def source_lines(addresses: Iterable[Address]) -> dict[Address, Line]:
    """The lines of those addresses that have one."""
    tool = shutil.which("addr2line")
    if tool is None:
        return {}
    by_object: dict[str, list[Address]] = {}
    for address in set(addresses):
        by_object.setdefault(address.object, []).append(address)
    found: dict[Address, Line] = {}
    for path, those in by_object.items():
        if Path(path).is_file():
            found |= _ask(tool, path, those)
    return found


def _ask(tool: str, path: str, addresses: list[Address]) -> dict[Address, Line]:
    words = [tool, "--functions", "--demangle", "--exe", path]
    asked = "".join(f"{address.offset:#x}\n" for address in addresses)
    try:
        answer = subprocess.run(
            words,
            input=asked,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    lines = answer.stdout.splitlines()
    if answer.returncode != 0 or len(lines) != 2 * len(addresses):
        return {}
    # Where a program is stripped, addr2line names the exported function before an address,
    # however far that is.
    inside = lie_in_functions(Path(path), [address.offset for address in addresses])
    answers = zip(addresses, lines[::2], lines[1::2], inside, strict=True)
    return {
        address: _line(function, place, is_inside=is_inside)
        for address, function, place, is_inside in answers
    }


def as_written(symbol: str) -> str:
    """module::procedure for a symbol of a Fortran module's procedure; any other as it is."""
    for pattern in _OF_FORTRAN:
        found = pattern.fullmatch(symbol)
        if found:
            return f"{found['module']}::{found['name']}"
    return symbol


def _line(function: str, place: str, *, is_inside: bool) -> Line:
    """What addr2line says, its function where a line or that function's size speaks for it."""
    file, _, digits = place.partition(" (discriminator")[0].rpartition(":")
    number = int(digits) if digits.isdigit() else 0
    return Line(
        function=as_written(function) if function != "??" and (number or is_inside) else "",
        file=file if number else "",  # a file alone is that of a symbol, or "??"
        number=number,
    )
