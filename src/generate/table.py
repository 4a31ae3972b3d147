"""The table of MPI functions: reads functions.txt, and derives the forms of a collective."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

KINDS = (  # noqa: SIM905
    "init finalize environment collective neighborhood message new_request start probe completion "
    "request buffer new_communicator communicator process new_window window epoch one_sided "
    "new_file file datatype op"
).split()
SCOPES = ("local", "nonlocal", "all")

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
# Collectives that are not named as Stretto's: those of blocks of one size, and those of
# blocks that differ in size.
EVEN = {"reduce_scatter_block": "reduce_scatter"}
UNEVEN = {
    "reduce_scatter": "reduce_scatter",
    "gatherv": "gather",
    "scatterv": "scatter",
    "allgatherv": "allgather",
    "alltoallv": "alltoall",
    "alltoallw": "alltoall",
    "neighbor_allgatherv": "neighbor_allgather",
    "neighbor_alltoallv": "neighbor_alltoall",
    "neighbor_alltoallw": "neighbor_alltoall",
}
FORMS = ("blocking", "nonblocking", "persistent")


@dataclass(frozen=True)
class Function:
    """One line of the table, or a form derived from one."""

    kind: str
    scope: str
    name: str  # without MPI_
    types: tuple[str, ...]  # of its parameters, arrays as pointers
    arguments: tuple[str, ...]  # their names
    form: str = "blocking"
    base: str = ""  # of a collective: its blocking form's name in lower case
    is_large: bool = False  # is it MPI_X_c?

    @property
    def is_collective(self) -> bool:
        return self.kind in ("collective", "neighborhood")

    @property
    def plain_name(self) -> str:
        """Its name without the ending of a large count."""
        return self.name.removesuffix("_c") if self.is_large else self.name

    def type_of(self, argument: str) -> str:
        return self.types[self.arguments.index(argument)]

    @property
    def forwarded(self) -> str:
        return ", ".join(self.arguments)

    @property
    def asks_of_many(self) -> bool:
        """Does it ask whether requests are complete, and leave them as they are (MPI 4.1)?"""
        return self.name.startswith("Request_get_status_")

    @property
    def completion(self) -> str:
        """Its parameters as a Completion; empty where it is none."""
        if self.kind != "completion" or self.name.startswith("Request_get_status"):
            return ""
        arguments = ", ".join(("reinterpret_cast<void*>(real)", *self.arguments))
        return f"Completion::{self.name.lower()}({arguments})"

    @property
    def parameters(self) -> str:
        pairs = zip(self.types, self.arguments, strict=True)
        return ", ".join(f"{type_} {name}" for type_, name in pairs)

    @property
    def pointer(self) -> str:
        """The C type of a pointer to it."""
        return f"int (*)({', '.join(self.types)})"

    @property
    def collective(self) -> str:
        """What Stretto calls it."""
        return f"Collective::{(EVEN | UNEVEN).get(self.base, self.base)}"

    @property
    def call(self) -> str:
        """Its parameters as a Call."""
        displs = "senddispls" if "sendcounts" in self.arguments else "recvdispls"
        names = OTHER_NAMES | {"displs": displs}
        members = {names.get(a, a): a for a in self.arguments}
        fields = [f".collective = {self.collective}", f".form = Form::{self.form}"]
        if self.base in UNEVEN:
            fields.append(".uneven = true")
        fields += [f".{m} = {members[m]}" for m in CALL_MEMBERS if m in members]
        return "{" + ", ".join(fields) + "}"


def parse(line: str) -> Function:
    """Read one line of functions.txt. Raises ValueError naming the line."""
    match = re.fullmatch(r"(\w+)\s+(\w+)\s+int MPI_(\w+)\((.*)\)", line)
    if match is None or match[1] not in KINDS or match[2] not in SCOPES:
        raise ValueError(f"functions.txt: cannot read: {line}")
    kind, scope, name, parameters = match.groups()
    declared = [] if parameters == "void" else parameters.split(",")
    split = [re.fullmatch(r"\s*(.*?)(\w+)(\[\])?", text) for text in declared]
    if None in split:
        raise ValueError(f"functions.txt: cannot read the parameters: {line}")
    found = [part for part in split if part is not None]
    types = tuple(part[1].strip() + ("*" if part[3] else "") for part in found)
    function = Function(kind, scope, name, types, tuple(part[2] for part in found))
    if function.is_collective:
        return replace(function, base=name.lower())
    return replace(function, form=form_of(function))


def form_of(function: Function) -> str:
    """Of one that is no collective: blocking unless it makes a request."""
    if function.kind == "new_request":
        return "persistent"
    acts_on_requests = function.kind in ("completion", "request", "start")
    has_one = function.arguments[-1:] == ("request",)
    return "nonblocking" if has_one and not acts_on_requests else "blocking"


def read(table: str) -> list[Function]:
    lines = (line.strip() for line in table.splitlines())
    return [parse(line) for line in lines if line and not line.startswith("#")]


@cache
def functions() -> list[Function]:
    """Those of functions.txt."""
    return read((Path(__file__).parent / "functions.txt").read_text(encoding="utf-8"))


def every_form(blocking: Function) -> Iterator[Function]:
    """A collective, with its nonblocking and persistent form (MPI 4.1, 6.12, 6.13); or another."""
    yield blocking
    if not blocking.is_collective:
        return
    name = blocking.name
    yield replace(
        blocking,
        name="I" + name[0].lower() + name[1:],
        types=(*blocking.types, "MPI_Request*"),
        arguments=(*blocking.arguments, "request"),
        form="nonblocking",
    )
    yield replace(
        blocking,
        name=name + "_init",
        types=(*blocking.types, "MPI_Info", "MPI_Request*"),
        arguments=(*blocking.arguments, "info", "request"),
        form="persistent",
    )


def large_count_form(function: Function) -> Function | None:
    """MPI_X_c of an MPI_X that counts elements (MPI 4.0): its counts are wider."""
    if function.kind in ("completion", "start"):  # these count requests
        return None

    def widened(type_: str, name: str) -> str:
        if name.endswith(("count", "counts")):
            return re.sub(r"\bint\b", "MPI_Count", type_)
        wide = name.endswith(("displs", "disp_unit"))
        return re.sub(r"\bint\b", "MPI_Aint", type_) if wide else type_

    pairs = zip(function.types, function.arguments, strict=True)
    types = tuple(widened(type_, name) for type_, name in pairs)
    if types == function.types:
        return None
    return replace(function, name=function.name + "_c", types=types, is_large=True)
