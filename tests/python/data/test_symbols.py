"""Lines and functions of addresses: a function is named only where the address is in it."""

import struct
from pathlib import Path

import pytest
from stand_ins import executable

from stretto.data.function_sizes import lie_in_functions
from stretto.data.places import Address, Line
from stretto.data.symbols import as_written, source_lines

FUNCTION, OBJECT = 2, 1
SYMTAB, DYNSYM = 2, 11


def elf(symbols: list[tuple[int, int, int]], table: int = DYNSYM) -> bytes:
    """A file with one table of symbols: type, address and size of each."""
    rows = b"".join(
        struct.pack("<IBBHQQ", 0, type_, 0, 1, address, size) for type_, address, size in symbols
    )
    header = struct.pack("<6s34xQ12xH2x", b"\x7fELF\x02\x01", 64, 1)
    section = struct.pack("<IIQQQQ24x", 0, table, 0, 0, 128, len(rows))
    return header + section + rows


@pytest.mark.parametrize("table", [SYMTAB, DYNSYM])
def test_an_address_is_in_a_function_that_reaches_so_far(tmp_path: Path, table: int) -> None:
    path = tmp_path / "library"
    path.write_bytes(
        elf([(FUNCTION, 0x1000, 0x100), (FUNCTION, 0x1010, 8), (OBJECT, 0x2000, 64)], table)
    )
    asked = {0xFFF: False, 0x1000: True, 0x1050: True, 0x10FF: True, 0x1100: False, 0x2000: False}
    assert lie_in_functions(path, list(asked)) == list(asked.values())


@pytest.mark.parametrize(
    "content",
    [b"", b"#!/bin/sh", elf([]), elf([(FUNCTION, 0, 8)])[:-1], b"\x7fELF\x01\x01"],
    ids=["empty", "script", "no-symbols", "cut-off", "32-bit"],
)
def test_nothing_is_known_of_other_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "library"
    path.write_bytes(content)
    assert lie_in_functions(path, [4]) == [False]
    assert lie_in_functions(tmp_path / "missing", [4]) == [False]


@pytest.mark.parametrize(
    ("symbol", "written"),
    [
        ("__message_passing_MOD_mp_sum_d", "message_passing::mp_sum_d"),  # gfortran
        ("__halo_MOD_pack.constprop.0", "halo::pack"),
        ("_QMmessage_passingPmp_sum", "message_passing::mp_sum"),  # Flang
        ("_QMhaloFexchangePpack", "halo::pack"),
        ("message_passing_mp_sum_", "message_passing_mp_sum_"),
        ("MAIN__", "MAIN__"),
        ("__MOD_", "__MOD_"),
        ("std::sort<int>(int*)", "std::sort<int>(int*)"),
    ],
)
def test_procedures_of_fortran_modules_are_named_as_they_are_written(
    symbol: str, written: str
) -> None:
    assert as_written(symbol) == written


@pytest.mark.parametrize(
    ("place", "offset", "line"),
    [
        ("??:?", 0x1010, Line("cblas_dgemv")),
        ("??:0", 0x9000, Line()),  # the nearest symbol, though it ended long before
        ("/src/mp.f90:12", 0x9000, Line("cblas_dgemv", "/src/mp.f90", 12)),
    ],
)
def test_the_nearest_symbol_is_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, offset: int, line: Line
) -> None:
    path = tmp_path / "library"
    path.write_bytes(elf([(FUNCTION, 0x1000, 0x100)]))
    executable(tmp_path / "addr2line", f"#!/bin/sh\necho cblas_dgemv\necho '{place}'\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    address = Address(str(path), offset)
    assert source_lines([address]) == {address: line}
