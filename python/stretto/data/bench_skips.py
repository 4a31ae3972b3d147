"""What a plan alone says cannot be measured, before anything is launched."""

from stretto.data.bench_plan import (
    COLLECTIVES,
    COMM_SIZES,
    ELEMENT_BYTES,
    MESSAGES,
    REDUCTIONS,
    BenchCell,
)

# As src/bench/suite/blocks.cpp has them.
_IN_PLACE = {each for each in COLLECTIVES if not each.startswith("neighbor")} - {"barrier", "bcast"}
_BITWISE = ("band", "bor")
_WHOLE_NUMBERS = ("int", "long")


def why_not(cell: BenchCell, ranks: int) -> str:
    """Why the program will skip a cell, in its words; empty where only it can tell.

    It says so of what an MPI lacks and of what does not fit, too: src/bench/suite/call_of.cpp.
    """
    if cell.operation in REDUCTIONS and not _combines(cell.op, cell.datatype):
        return f"MPI has no {cell.op} of {cell.datatype}"
    if cell.bytes % ELEMENT_BYTES[cell.datatype]:
        return f"{cell.bytes} B are no whole number of {cell.datatype}"
    if cell.in_place and cell.operation not in _IN_PLACE:
        return "MPI has no MPI_IN_PLACE there"
    if cell.operation in MESSAGES and COMM_SIZES[cell.comm](ranks) < 2:
        return "it takes two ranks"
    return ""


def _combines(op: str, datatype: str) -> bool:
    # MPI_BYTE is no number.
    if datatype == "byte":
        return op in _BITWISE
    return op not in _BITWISE or datatype in _WHOLE_NUMBERS
