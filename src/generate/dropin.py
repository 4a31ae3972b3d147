"""The drop-in's MPI entry points.

Each function is defined as MPI_X and as PMPI_X, which do the same: Fortran in Open MPI
enters through PMPI_X, so one C definition serves every language. Only where another tool
that wraps MPI_X comes after Stretto is MPI_X that tool's, whose PMPI_X is Stretto's. The
real one is looked up in the MPI the process has loaded. While the drop-in is not active
(before MPI_Init, after MPI_Finalize, or when the MPI is of another ABI), an entry point
only forwards. It then does not know what its arguments are (a handle is an int in one ABI
and a pointer in another), so it takes and hands on machine words.
"""

from __future__ import annotations

from collections.abc import Iterable

from table import FORMS, Function, forms, large_count_form

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


def entry(function: Function, body: str, *, always: bool = False, caller: bool = False) -> str:
    """The definition of MPI_X and PMPI_X, which does `body` while its library is active.

    `always` runs the body whether or not; `caller` hands it the address the call came from.
    """
    name = function.name
    count = len(function.types)
    types = ", ".join(function.types)
    words = ", ".join(f"Word w{i}" for i in range(count))
    named = ", ".join(f"w{i}" for i in range(count))
    typed = ", ".join(f"from_word<{type_}>(w{i})" for i, type_ in enumerate(function.types))
    reach, inactive = "reach", "what.real"
    if function.form == "persistent":
        # An MPI may have none, in which case the drop-in provides them while it is active.
        reach = "reach_persistent"
        inactive = f'(what.real != nullptr ? what.real : existing_function("PMPI_{name}"))'
    forward = f"reinterpret_cast<Word (*)({words})>({inactive})"
    when = "" if always else f"  if (!is_active(caller)) return {forward}({named});\n"
    inside = "" if always else "  const Inside inside;\n"
    place = "void* caller" if caller else ""
    here = "caller" if caller else ""
    parameters = ", ".join(filter(None, (f"int (*real)({types})", place, function.parameters)))
    real = f"reinterpret_cast<int (*)({types})>(what.real)"
    passed = ", ".join(filter(None, (real, here, typed)))
    acting = ", ".join(filter(None, ("const Reached& what, [[maybe_unused]] void* caller", words)))
    entered = ", ".join(
        filter(None, (f"reached_{name}()", "__builtin_return_address(0)", f"act_{name}", named))
    )
    return (
        f"static int wrap_{name}({parameters}) {{\n"
        f"{inside}"
        f"{body}"
        "}\n"
        f"[[gnu::always_inline]] static inline const Reached& reached_{name}() {{\n"
        f'  static const Reached reached = {reach}("MPI_{name}");\n'
        "  return reached;\n"
        "}\n"
        f"static Word act_{name}({acting}) {{\n"
        f"{when}"
        f"  return wrap_{name}({passed});\n"
        "}\n"
        f'STRETTO_ENTRY Word enter_{name}({words}) __asm__("MPI_{name}");\n'
        f'STRETTO_ENTRY Word enter_P{name}({words}) __asm__("PMPI_{name}");\n'
        f"Word enter_{name}({words}) {{ return enter({entered}); }}\n"
        f"Word enter_P{name}({words}) {{ return enter_profiled({entered}); }}\n"
    )


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
        '#include "intercept/hooks.hpp"\n\n'
        "namespace stretto::intercept {\n"
        f"const std::array<const char*, kEntryPoints> kEntryPointNames{{{names}}};\n"
        f"static_assert({len(collectives)} == kEntryPoints);\n"
        "}  // namespace stretto::intercept\n\n"
        "using namespace stretto;\n"
        "using namespace stretto::intercept;\n\n"
        'extern "C" {\n\n' + wrappers(all_forms) + "\n"
        # 4.1 has none of these, and a program that looks for them must not find ours.
        "#if !defined(OMPI_MAJOR_VERSION)\n\n" + wrappers(large) + "\n#endif\n\n"
        '}  // extern "C"\n'
    )
