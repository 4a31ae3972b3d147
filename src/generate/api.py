"""The collectives of stretto.h, and the MPI-4 functions an older mpi.h does not declare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import TextWrapper

from generate.table import Function, forms, large_count_form

WIDTH = 96
KEPT = "\N{NO-BREAK SPACE}"


def declared(types: Iterable[str], names: Iterable[str]) -> str:
    """C parameters, arrays as the standard writes them."""
    arrays = ("counts", "displs", "types")
    return ", ".join(
        f"{type_.removesuffix('*')} {name}[]" if name.endswith(arrays) else f"{type_} {name}"
        for type_, name in zip(types, names, strict=True)
    )


def prototype(name: str, function: Function) -> str:
    parameters = declared(function.types, function.arguments) or "void"
    # A parameter stays in one piece.
    text = f"int {name}({re.sub('(?<!,) ', KEPT, parameters)});"
    wrap = TextWrapper(WIDTH, initial_indent="", subsequent_indent=" " * (len(name) + 5))
    wrap.break_long_words = wrap.break_on_hyphens = False
    return wrap.fill(text).replace(KEPT, " ")


def ours(function: Function) -> Function:
    """With Stretto's request in place of MPI's."""
    types = tuple(t.replace("MPI_Request", "stretto_request") for t in function.types)
    return replace(function, types=types)


def collectives(functions: Iterable[Function]) -> Iterator[Function]:
    for function in functions:
        if function.role == "collective":
            yield from forms(function)


def definition(function: Function) -> str:
    """stretto_x, which describes its parameters as a Call."""
    mine = ours(function)
    # What is the MPI's is called with a request of the MPI's.
    arguments = re.sub(r"\brequest$", "native", function.forwarded)
    native = "" if function.form == "blocking" else "MPI_Request* native"
    request = "" if function.form == "blocking" else "request, "
    return (
        f"int stretto_{function.name.lower()}({mine.parameters}) {{\n"
        f'  static const MpiFunction<{function.pointer}> real("{function.name}");\n'
        f"  return submit({function.call}, {request}\n"
        f"                [=]({native}) {{ return real.get()({arguments}); }});\n"
        "}\n"
    )


def source(functions: Iterable[Function]) -> str:
    """The text of collectives.cpp."""
    all_forms = list(collectives(functions))
    large = filter(None, map(large_count_form, all_forms))
    return (
        '#include "api/submit.hpp"\n\n'
        "using namespace stretto;\n\n"
        'extern "C" {\n\n' + "\n".join(map(definition, all_forms)) + "\n#if MPI_VERSION >= 4\n\n"
        "" + "\n".join(map(definition, large)) + '\n#endif\n\n}  // extern "C"\n'
    )


def header(functions: Iterable[Function]) -> str:
    """The text of stretto/collectives.h, a part of stretto.h."""
    all_forms = list(collectives(functions))
    large = filter(None, map(large_count_form, all_forms))

    def prototypes(of: Iterable[Function]) -> str:
        return "\n".join(prototype(f"stretto_{f.name.lower()}", ours(f)) for f in of)

    return (
        "/* Part of stretto.h. */\n"
        + prototypes(all_forms)
        + "\n#if MPI_VERSION >= 4\n"
        + prototypes(large)
        + "\n#endif\n"
    )


def mpi4(functions: Iterable[Function]) -> str:
    """The text of stretto/mpi4.h."""
    persistent = (f for f in collectives(functions) if f.form == "persistent")
    prototypes = "\n".join(prototype(f"MPI_{f.name}", f) for f in persistent)
    return (
        "/* Persistent collectives (MPI 4.1, 6.13) for an MPI whose mpi.h has none: include it\n"
        " * after mpi.h; link with -lstretto-accelerate-openmpi or run under `stretto run`. */\n"
        "#ifndef STRETTO_MPI4_H\n#define STRETTO_MPI4_H\n\n#include <mpi.h>\n\n"
        '#if MPI_VERSION < 4\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
        f"{prototypes}\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n\n#endif\n"
    )
