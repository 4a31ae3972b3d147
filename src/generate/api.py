"""The collectives of stretto.h, and the MPI-4 functions an older mpi.h does not declare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import Template
from textwrap import TextWrapper

from generate.table import Function, every_form, large_count_form

WIDTH = 96
KEPT = "\N{NO-BREAK SPACE}"

DEFINITION = Template("""\
int stretto_$ours($parameters) {
  static const MpiFunction<$pointer> real("$name");
  return submit($call, $request
                [=]($native) { return real.get()($arguments); });
}
""")
SOURCE = Template("""\
#include "api/submit.hpp"

using namespace stretto;

extern "C" {

$older
#if MPI_VERSION >= 4

$large
#endif

}  // extern "C"
""")
HEADER = Template("""\
/* Part of stretto.h. */
$older
#if MPI_VERSION >= 4
$large
#endif
""")
MPI4 = Template("""\
/* Persistent collectives (MPI 4.1, 6.13) for an MPI whose mpi.h has none: include it
 * after mpi.h; link with -lstretto-accelerate-openmpi or run under `stretto run`. */
#ifndef STRETTO_MPI4_H
#define STRETTO_MPI4_H

#include <mpi.h>

#if MPI_VERSION < 4
#ifdef __cplusplus
extern "C" {
#endif
$prototypes
#ifdef __cplusplus
}
#endif
#endif

#endif
""")


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
        if function.is_collective:
            yield from every_form(function)


def definition(function: Function) -> str:
    """stretto_x, which describes its parameters as a Call."""
    is_blocking = function.form == "blocking"
    return DEFINITION.substitute(
        ours=function.name.lower(),
        name=function.name,
        parameters=ours(function).parameters,
        pointer=function.pointer,
        call=function.call,
        request="" if is_blocking else "request, ",
        native="" if is_blocking else "MPI_Request* native",
        # What is the MPI's is called with a request of the MPI's.
        arguments=re.sub(r"\brequest$", "native", function.forwarded),
    )


def older_and_large(functions: Iterable[Function]) -> tuple[list[Function], list[Function]]:
    """All forms of the collectives; those of MPI 4.0 that count in MPI_Count."""
    all_forms = list(collectives(functions))
    return all_forms, list(filter(None, map(large_count_form, all_forms)))


def source(functions: Iterable[Function]) -> str:
    """The text of collectives.cpp."""
    older, large = older_and_large(functions)
    return SOURCE.substitute(
        older="\n".join(map(definition, older)), large="\n".join(map(definition, large))
    )


def header(functions: Iterable[Function]) -> str:
    """The text of stretto/collectives.h, a part of stretto.h."""

    def prototypes(of: Iterable[Function]) -> str:
        return "\n".join(prototype(f"stretto_{f.name.lower()}", ours(f)) for f in of)

    older, large = older_and_large(functions)
    return HEADER.substitute(older=prototypes(older), large=prototypes(large))


def mpi4(functions: Iterable[Function]) -> str:
    """The text of stretto/mpi4.h."""
    persistent = (f for f in collectives(functions) if f.form == "persistent")
    return MPI4.substitute(prototypes="\n".join(prototype(f"MPI_{f.name}", f) for f in persistent))
