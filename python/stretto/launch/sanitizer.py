"""Programs built with AddressSanitizer, whose runtime wants to be the first library of all."""

from collections.abc import Iterable

# gcc's, and clang's with -shared-libasan; a runtime that is linked statically asks for nothing.
_SONAMES = ("libasan.so", "libclang_rt.asan")
OPTIONS = "ASAN_OPTIONS"
_ANY_ORDER = "verify_asan_link_order=0"


def needs_asan(libraries: Iterable[str]) -> bool:
    """Whether a program with these libraries has the runtime as one of them."""
    return any(soname.startswith(_SONAMES) for soname in libraries)


def without_check(theirs: str) -> dict[str, str]:
    """Options of the runtime under which it may come after Stretto, besides `theirs`.

    To preload the runtime before Stretto would hand it to all programs that ranks start, too.
    """
    return {OPTIONS: f"{theirs}:{_ANY_ORDER}" if theirs else _ANY_ORDER}
