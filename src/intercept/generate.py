"""Writes the drop-in's MPI entry points from functions.txt.

Usage: python3 generate.py OUTDIR

Each function is defined as MPI_X and, by alias, as PMPI_X: Fortran in Open MPI enters
through PMPI_X, so one C definition serves every language. The real one is looked up in
the MPI the process has loaded. While the drop-in is not active (before MPI_Init, after
MPI_Finalize, or when the MPI is of another ABI), an entry point only forwards. It then
does not know what its arguments are (a handle is an int in one ABI and a pointer in
another), so it takes and hands on machine words.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The members of Call in their order, and the standard parameters that set them under
# another name.
CALL_MEMBERS = (  # noqa: SIM905
    "sendbuf sendcount sendcounts senddispls sendtype sendtypes "
    "recvbuf recvcount recvcounts recvdispls recvtype recvtypes op root comm"
).split()
OTHER_NAMES = {
    "buffer": "recvbuf",
    "count": "recvcount",
    "datatype": "recvtype",
    "sdispls": "senddispls",
    "rdispls": "recvdispls",
}
# Functions that are not named as their collective is: those of blocks of one size, and
# those of blocks that differ in size.
EVEN = {"reduce_scatter_block": "reduce_scatter"}
UNEVEN = {
    "reduce_scatter": "reduce_scatter",
    "gatherv": "gather",
    "scatterv": "scatter",
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
}
ROLES = ("collective", "attach", "track", "hook")


@dataclass(frozen=True)
class Function:
    """One line of the table."""

    role: str
    name: str  # without MPI_
    types: tuple[str, ...]  # of its parameters, arrays as pointers
    arguments: tuple[str, ...]  # their names

    @property
    def plain_name(self) -> str:
        """That of the form with int counts."""
        return self.name.removesuffix("_c")

    @property
    def forwarded(self) -> str:
        return ", ".join(self.arguments)

    @property
    def parameters(self) -> str:
        pairs = zip(self.types, self.arguments, strict=True)
        return ", ".join(f"{type_} {name}" for type_, name in pairs)


def parse(line: str) -> Function:
    """Read one line of functions.txt. Raises ValueError naming the line."""
    match = re.fullmatch(r"(\w+)\s+int MPI_(\w+)\((.*)\)", line)
    if match is None or match[1] not in ROLES:
        raise ValueError(f"functions.txt: cannot read: {line}")
    role, name, parameters = match.groups()
    declared = [] if parameters == "void" else parameters.split(",")
    split = [re.fullmatch(r"\s*(.*?)(\w+)(\[\])?", text) for text in declared]
    if None in split:
        raise ValueError(f"functions.txt: cannot read the parameters: {line}")
    found = [part for part in split if part is not None]
    types = tuple(part[1].strip() + ("*" if part[3] else "") for part in found)
    return Function(role, name, types, tuple(part[2] for part in found))


def large_count_form(function: Function) -> Function | None:
    """MPI_X_c of an MPI_X that counts elements (MPI 4.0): its counts are wider."""
    counts = [name.endswith("count") for name in function.arguments]
    # Those with counts and displacements a rank pass to the MPI.
    narrow = any(name.endswith(("counts", "displs")) for name in function.arguments)
    if function.role not in ("collective", "track") or narrow or not any(counts):
        return None
    types = tuple(
        "MPI_Count" if is_count else type_
        for type_, is_count in zip(function.types, counts, strict=True)
    )
    return replace(function, name=function.name + "_c", types=types)


def collective_body(function: Function, index: int, real: str) -> str:
    """The end of a collective's wrapper: its parameters described as a Call."""
    nonblocking = function.name.startswith("I")
    name = (function.plain_name[1:] if nonblocking else function.plain_name).lower()
    collective = f"Collective::{(EVEN | UNEVEN).get(name, name)}"
    is_nonblocking = "true" if nonblocking else "false"
    request = "request" if nonblocking else "nullptr"
    displs = "senddispls" if "sendcounts" in function.arguments else "recvdispls"
    members = {(OTHER_NAMES | {"displs": displs}).get(a, a): a for a in function.arguments}
    fields = [f".collective = {collective}", f".nonblocking = {is_nonblocking}"]
    if name in UNEVEN:
        fields.append(".uneven = true")
    fields += [f".{m} = {members[m]}" for m in CALL_MEMBERS if m in members]
    call = ", ".join(fields)
    return (
        f"  if (goes_native({index}, {collective}, {is_nonblocking}, comm)) {{\n"
        f"    return real({function.forwarded});\n"
        "  }\n"
        f"  return on_collective({index}, {{{call}}}, {request}, {real});\n"
    )


def body(function: Function, index: int) -> str:
    """What the wrapper does once the drop-in is active."""
    # By value: parameters whose address is taken would be stored on every call.
    real = f"[=] {{ return real({function.forwarded}); }}"
    match function.role:
        case "collective":
            return collective_body(function, index, real)
        case "attach":
            return f"  return on_attach(newcomm, {real});\n"
        case "track":
            return f"  return on_track(count, datatype, request, {real});\n"
    arguments = ", ".join(("real", *function.arguments))
    return f"  return on_{function.name}({arguments});\n"


# These run before the drop-in is active, and make it so.
ALWAYS_HOOKED = ("Init", "Init_thread")


def wrapper(function: Function, index: int) -> str:
    """The definition of MPI_X and PMPI_X."""
    name = function.name
    count = len(function.types)
    types = ", ".join(function.types)
    words = ", ".join(f"Word w{i}" for i in range(count))
    named = ", ".join(f"w{i}" for i in range(count))
    typed = ", ".join(f"from_word<{type_}>(w{i})" for i, type_ in enumerate(function.types))
    forward = f"reinterpret_cast<Word (*)({words})>(address)"
    when = "" if name in ALWAYS_HOOKED else f"  if (!is_active()) return {forward}({named});\n"
    inside = "" if name in ALWAYS_HOOKED else "  const Inside inside;\n"
    parameters = ", ".join(filter(None, (f"int (*real)({types})", function.parameters)))
    passed = ", ".join(filter(None, (f"reinterpret_cast<int (*)({types})>(address)", typed)))
    return (
        f"static int wrap_{name}({parameters}) {{\n"
        f"{inside}"
        f"{body(function, index)}"
        "}\n"
        f'STRETTO_ENTRY Word enter_{name}({words}) __asm__("MPI_{name}");\n'
        f'STRETTO_ENTRY Word enter_P{name}({words}) __asm__("PMPI_{name}")\n'
        f'    __attribute__((alias("MPI_{name}")));\n'
        f"Word enter_{name}({words}) {{\n"
        f'  static void* const address = existing_function("PMPI_{name}");\n'
        f"{when}"
        f"  return wrap_{name}({passed});\n"
        "}\n"
    )


def generate(table: str) -> str:
    """The text of wrappers.cpp."""
    lines = (line.strip() for line in table.splitlines())
    functions = [parse(line) for line in lines if line and not line.startswith("#")]
    entry_points = [f.name for f in functions if f.role == "collective"]

    def wrappers(of: list[Function]) -> str:
        return "\n".join(
            wrapper(f, entry_points.index(f.plain_name) if f.role == "collective" else -1)
            for f in of
        )

    large = list(filter(None, map(large_count_form, functions)))
    names = ", ".join(f'"MPI_{name}"' for name in entry_points)
    return (
        "// Written by generate.py from functions.txt.\n\n"
        '#include "intercept/hooks.hpp"\n\n'
        "namespace stretto::intercept {\n"
        f"const std::array<const char*, kEntryPoints> kEntryPointNames{{{names}}};\n"
        f"static_assert({len(entry_points)} == kEntryPoints);\n"
        "}  // namespace stretto::intercept\n\n"
        "using namespace stretto;\n"
        "using namespace stretto::intercept;\n\n"
        'extern "C" {\n\n' + wrappers(functions) + "\n"
        # 4.1 has none of these, and a program that looks for them must not find ours.
        "#if !defined(OMPI_MAJOR_VERSION)\n\n" + wrappers(large) + "\n#endif\n\n"
        '}  // extern "C"\n'
    )


def main() -> None:
    """Write OUTDIR/wrappers.cpp."""
    outdir = Path(sys.argv[1])
    outdir.mkdir(parents=True, exist_ok=True)
    text = generate((HERE / "functions.txt").read_text(encoding="utf-8"))
    (outdir / "wrappers.cpp").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
