"""A tool as others have them: it wraps every MPI_X, counts the calls, and calls PMPI_X.

Usage: python3 counting.py FILE, with src in PYTHONPATH

The tests run it beside Stretto. In MPI_Finalize each rank writes a line `MPI_Send 3` for each
function that was called into the file rank-N of the folder that COUNTED_CALLS names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from generate.entry import is_newer
from generate.table import Function, every_form, functions, parse

# Beside those that Stretto takes part in, some that Stretto itself calls.
OTHERS = """
communicator local int MPI_Comm_rank(MPI_Comm comm, int* rank)
communicator local int MPI_Comm_size(MPI_Comm comm, int* size)
communicator local int MPI_Comm_group(MPI_Comm comm, MPI_Group* group)
communicator local int MPI_Comm_test_inter(MPI_Comm comm, int* flag)
communicator local int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag)
communicator local int MPI_Group_free(MPI_Group* group)
datatype local int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent)
request local int MPI_Grequest_complete(MPI_Request request)
"""
HEAD = """\
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = %d };
static long calls[FUNCTIONS];
static const char* const names[FUNCTIONS] = {%s};

static int control[2];

int MPI_Pcontrol(const int level, ...) {
  va_list rest;
  va_start(rest, level);
  control[0] = level;
  control[1] = va_arg(rest, int);
  va_end(rest);
  return MPI_SUCCESS;
}

static void tell(int rank) {
  char path[4096];
  snprintf(path, sizeof path, "%%s/rank-%%d", getenv("COUNTED_CALLS"), rank);
  FILE* file = fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "MPI_Pcontrol(%%d,%%d) 1\\n", control[0], control[1]);
  for (int i = 0; i < FUNCTIONS; ++i) {
    if (calls[i] > 0) fprintf(file, "%%s %%ld\\n", names[i], calls[i]);
  }
  fclose(file);
}
"""
WRAPPER = """
int MPI_{name}({parameters}) {{
  ++calls[{index}];
{before}  return PMPI_{name}({arguments});
}}
"""
FINALIZE = """  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tell(rank);
"""


def wrapped(table: Iterable[Function]) -> list[Function]:
    """What every MPI has."""
    return [
        form
        for each in table
        for form in every_form(each)
        if not is_newer(form) and not form.name.startswith("Isendrecv")
    ]


def source() -> str:
    table = [*functions(), *map(parse, OTHERS.strip().splitlines())]
    every = wrapped(table)
    names = ", ".join(f'"MPI_{each.name}"' for each in every)
    return HEAD % (len(every), names) + "".join(
        WRAPPER.format(
            name=each.name,
            parameters=each.parameters or "void",
            index=index,
            before=FINALIZE if each.name == "Finalize" else "",
            arguments=each.forwarded,
        )
        for index, each in enumerate(every)
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(source(), encoding="utf-8")
