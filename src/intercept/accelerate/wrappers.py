"""The entry points of the mode accelerate: what Stretto takes part in."""

from __future__ import annotations

from collections.abc import Iterable

from generate.entry import entry
from generate.table import FORMS, Function, forms, large_count_form

# These run before the drop-in is active, and make it so.
ALWAYS_HOOKED = ("Init", "Init_thread")


def collective_body(function: Function, index: int, real: str) -> str:
    """The end of a collective's wrapper: its parameters described as a Call."""
    call = function.call
    if function.form == "persistent":
        return f"  return on_persistent({index}, {call}, request, real != nullptr, {real});\n"
    request = "request" if function.form == "nonblocking" else "nullptr"
    form = f"Form::{function.form}"
    return (
        f"  if (goes_native({index}, {function.collective}, {form}, comm)) {{\n"
        f"    return real({function.forwarded});\n"
        "  }\n"
        f"  return on_collective({index}, {call}, {request}, {real});\n"
    )


def body(function: Function, index: int) -> str:
    """What the wrapper does once the drop-in is active."""
    # By value: parameters whose address is taken would be stored on every call.
    real = f"[=] {{ return real({function.forwarded}); }}"
    match function.role:
        case "collective":
            return collective_body(function, index, real)
        case "attach" if function.name != "Intercomm_create":
            return f"  return on_attach(newcomm, {real});\n"
        case "track":
            return f"  return on_track(count, datatype, request, {real});\n"
    arguments = ", ".join(("real", *function.arguments))
    return f"  return on_{function.name}({arguments});\n"


def wrapper(function: Function, index: int) -> str:
    """What the drop-in defines for one function."""
    return entry(function, body(function, index), always=function.name in ALWAYS_HOOKED)


def source(functions: Iterable[Function]) -> str:
    """The text of wrappers.cpp."""
    all_forms = [
        form
        for function in functions
        if function.role not in ("call", "watch")
        for form in (forms(function) if function.role == "collective" else [function])
    ]
    collectives = [f for f in all_forms if f.role == "collective"]
    index = {(f.base, f.form): number for number, f in enumerate(collectives)}

    def wrappers(of: Iterable[Function]) -> str:
        return "\n".join(wrapper(f, index.get((f.base, f.form), -1)) for f in of)

    large = filter(None, map(large_count_form, all_forms))
    names = ", ".join(f'"MPI_{f.name}"' for f in collectives)
    assert len(FORMS) * len({f.base for f in collectives}) == len(collectives)
    return (
        '#include "intercept/accelerate/hooks.hpp"\n\n'
        "namespace stretto::intercept::accelerate {\n"
        f"const std::array<const char*, kEntryPoints> kEntryPointNames{{{names}}};\n"
        f"static_assert({len(collectives)} == kEntryPoints);\n"
        "}  // namespace stretto::intercept::accelerate\n\n"
        "using namespace stretto;\n"
        "using namespace stretto::intercept;\n"
        "using namespace stretto::intercept::accelerate;\n\n"
        'extern "C" {\n\n' + wrappers(all_forms) + "\n"
        # 4.1 has none of these, and a program that looks for them must not find ours.
        "#if !defined(OMPI_MAJOR_VERSION)\n\n" + wrappers(large) + "\n#endif\n\n"
        '}  // extern "C"\n'
    )
