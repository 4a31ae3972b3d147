"""Structs that people write as TOML."""

import msgspec
import pytest

from stretto.data.toml_text import struct_of
from stretto.errors import InputError


class Cores(msgspec.Struct):
    cores: int


def test_what_a_file_says_becomes_a_struct() -> None:
    assert struct_of(b"cores = 4", Cores, "file") == Cores(4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"cores = ", "Invalid value"),
        (b"cores = 'four'", "Expected `int`"),
        (b"cores = \xff", "can't decode byte"),
        (b"cores = " + b"9" * 5000, "has 5000 digits"),
        (b"cores = " + b"[" * 20_000, "within each other, too many"),
    ],
)
def test_what_is_wrong_is_said(text: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as told:
        struct_of(text, Cores, "file")
    assert str(told.value).startswith("file: ")
    assert "\n" not in str(told.value)
