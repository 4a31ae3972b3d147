"""Structs that people write as TOML."""

import msgspec
import pytest

from stretto.data.toml_text import struct_of, whole_file
from stretto.errors import InputError


class Cores(msgspec.Struct):
    cores: int


class Number(msgspec.Struct, forbid_unknown_fields=True):
    number: int


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


@pytest.mark.parametrize("last", ["[end]  # mine", "[ end ]", "[end]\n# mine"])
def test_the_end_may_be_written_otherwise(last: str) -> None:
    text = whole_file(["number = 1"]).replace("[end]\n", f"{last}\n")
    assert last in text
    assert struct_of(text.encode(), Number, "here").number == 1


@pytest.mark.parametrize("more", ["number = 2", "[more]\nnumber = 2"])
def test_what_follows_the_end_is_said(more: str) -> None:
    text = whole_file(["number = 1"]) + more + "\n"
    with pytest.raises(InputError, match=r"here: \[end\] is not its last line"):
        struct_of(text.encode(), Number, "here")


def test_an_end_without_a_number_of_the_format_is_taken() -> None:
    assert struct_of(b"number = 1\n[end]\n", Number, "here").number == 1
