"""Which addresses lie in a function, by the sizes in the symbol tables of an ELF file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, and SHT_DYNSYM, which is left where a file is stripped
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
_BYTE_ORDERS = {b"\x7fELF\x02\x01": "<", b"\x7fELF\x02\x02": ">"}  # of 64 bits


def lie_in_functions(path: Path, addresses: Sequence[int]) -> list[bool]:
    """Of each address, whether a function's symbol says that it reaches so far.

    None does where the file is no ELF file of 64 bits, is damaged or cannot be read.
    """
    try:
        begins, ends = _functions(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError):
        return [False] * len(addresses)
    order = np.argsort(begins, kind="stable")
    # A function may lie in another: how far any reaches that begins there or before.
    reached = np.maximum.accumulate(ends[order])
    before = np.searchsorted(begins[order], np.array(addresses, np.uint64), side="right")
    return [
        count > 0 and int(reached[count - 1]) > address
        for count, address in zip(before.tolist(), addresses, strict=True)
    ]


def _functions(content: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where the functions of an ELF file begin and end. Raises ValueError where it is none."""
    order = _BYTE_ORDERS.get(content[:6].tobytes())
    if order is None:
        raise ValueError("no ELF file of 64 bits")
    header = _rows(content, _layout(64, sections=f"{order}u8@40", count=f"{order}u2@60"), 0, 1)[0]
    section = _layout(64, type=f"{order}u4@4", offset=f"{order}u8@24", size=f"{order}u8@32")
    symbol = _layout(
        24, info="u1@4", section=f"{order}u2@6", value=f"{order}u8@8", size=f"{order}u8@16"
    )
    begins, ends = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
    for each in _rows(content, section, int(header["sections"]), int(header["count"])):
        if each["type"] not in _SYMBOL_TABLES:
            continue
        count = int(each["size"]) // symbol.itemsize
        rows = _rows(content, symbol, int(each["offset"]), count)
        own = rows[np.isin(rows["info"] & 15, _FUNCTIONS) & (rows["section"] != 0)]
        begins.append(own["value"].astype(np.uint64))
        ends.append((own["value"] + own["size"]).astype(np.uint64))
    return np.concatenate(begins), np.concatenate(ends)


def _layout(size: int, /, **fields: str) -> np.dtype[Any]:
    """Of so many bytes, each field a "format@offset"."""
    formats, offsets = zip(*(field.split("@") for field in fields.values()), strict=True)
    return np.dtype(
        {
            "names": list(fields),
            "formats": list(formats),
            "offsets": [int(offset) for offset in offsets],
            "itemsize": size,
        }
    )


def _rows(content: NDArray[Any], row: np.dtype[Any], offset: int, count: int) -> NDArray[Any]:
    """So many rows from there on. Raises ValueError where the file ends before."""
    part = content[offset : offset + count * row.itemsize]
    if part.size != count * row.itemsize:
        raise ValueError("the file is cut off")
    return part.view(row)
