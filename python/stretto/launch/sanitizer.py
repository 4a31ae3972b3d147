"""Programs built with AddressSanitizer, whose runtime wants to be the first library of all."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# gcc's, and clang's with -shared-libasan; a runtime that is linked statically asks for nothing.
_SONAMES = ("libasan.so", "libclang_rt.asan")
OPTIONS = "ASAN_OPTIONS"
_ANY_ORDER = "verify_asan_link_order=0"


@dataclass(frozen=True)
class AsanRuntime:
    """The library of AddressSanitizer that a program needs."""

    soname: str
    path: Path | None  # None: the loader does not find it

    def preload(self, theirs: str) -> str | None:
        """What is to be preloaded before `theirs` and Stretto; None if there is no way to say it.

        LD_PRELOAD knows no way to write a colon or a space in a path.
        """
        if self.soname in theirs:
            return ""
        if self.path is None or any(mark in str(self.path) for mark in ": "):
            return None
        return str(self.path)


def runtime_among(libraries: Mapping[str, Path | None]) -> AsanRuntime | None:
    """The runtime in a program's libraries."""
    for soname, path in libraries.items():
        if soname.startswith(_SONAMES):
            return AsanRuntime(soname, path)
    return None


def without_check(theirs: str) -> dict[str, str]:
    """Options of the runtime under which it may come after Stretto, besides `theirs`."""
    return {OPTIONS: f"{theirs}:{_ANY_ORDER}" if theirs else _ANY_ORDER}
