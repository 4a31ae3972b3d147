"""The shape that every entry point has, whatever its mode does with the call.

Each function is defined as MPI_X and as PMPI_X, which do the same: Fortran in Open MPI
enters through PMPI_X, so one C definition serves every language. Only where another tool
that wraps MPI_X comes after Stretto is MPI_X that tool's, whose PMPI_X is Stretto's. The
real one is looked up in the MPI the process has loaded. While the mode is not active
(before MPI_Init, after MPI_Finalize, or when the MPI is of another ABI), an entry point
only forwards. It then does not know what its arguments are (a handle is an int in one ABI
and a pointer in another), so it takes and hands on machine words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from generate.table import Function, forms

# Not calls of the program's own work: the session's begin and end.
SESSION = ("Init", "Init_thread", "Finalize")
LEFT_OUT = ("Abort", "Query_thread", "Type_free", "Op_free", "Comm_set_errhandler")
# Handles that were made of a communicator, by their parameter's name.
MADE = {"win": "MPI_Win", "fh": "MPI_File"}


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
        # An MPI may have none, in which case the mode provides them while it is active.
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


def all_forms(functions: Iterable[Function]) -> Iterator[Function]:
    for function in functions:
        if function.name in LEFT_OUT:
            continue
        yield from forms(function) if function.role == "collective" else [function]


def is_newer(function: Function) -> bool:
    """Does MPI have it since 4.0?"""
    return function.form == "persistent" or function.name == "Comm_idup_with_info"


def entry_points(
    mode: str,
    older: Sequence[Function],
    newer: Sequence[Function],
    wrapper: Callable[[Function], str],
) -> str:
    """The definitions of all of them, in the namespace of stretto::intercept::<mode>.

    Open MPI 4.1 has none of `newer`, and a program that looks for them must not find ours.
    """
    return (
        "using namespace stretto;\n"
        "using namespace stretto::intercept;\n"
        f"using namespace stretto::intercept::{mode};\n\n"
        'extern "C" {\n\n' + "\n".join(map(wrapper, older)) + "\n"
        "#if !defined(OMPI_MAJOR_VERSION)\n\n" + "\n".join(map(wrapper, newer)) + "\n#endif\n\n"
        '}  // extern "C"\n'
    )


def of_session(function: Function) -> str:
    """The definition of MPI_Init, MPI_Init_thread or MPI_Finalize, which begin and end a session."""
    real = f"real({function.forwarded})"
    if function.name == "Finalize":
        return entry(function, f"  end_session();\n  return {real};\n", always=True)
    return entry(function, f"  return after_init({real}, begin_session);\n", always=True)
