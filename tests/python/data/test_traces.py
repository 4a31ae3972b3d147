"""A trace's file from the parts that ranks wrote."""

import struct
import zlib
from pathlib import Path

import pytest

from stretto.data.traces import About, refuse_if_there, write_trace
from stretto.errors import ApplicationFailed, InputError

ABOUT = About(["./a.out", "1"], 2, "1.0", 'name = "m"\n', "scenario sim\n")


def chunk(tag: bytes, content: bytes) -> bytes:
    head = struct.pack("<cI", tag, len(content)) + content
    return head + struct.pack("<I", zlib.crc32(head))


WHOLE = chunk(b"R", b"abc") + chunk(b"D", b"x" * 1000) + chunk(b"E", b"")


def parts(folder: Path, *contents: bytes) -> Path:
    for rank, content in enumerate(contents):
        (folder / f"rank-{rank}.trace").write_bytes(content)
    return folder


def test_parts_stand_behind_each_other(tmp_path: Path) -> None:
    trace = tmp_path / "a.trace"
    size = write_trace(trace, ABOUT, parts(tmp_path, WHOLE, WHOLE + b""))
    content = trace.read_bytes()
    assert size == len(content)
    assert content.startswith(b"stretto trace 5\nA")
    assert content.endswith(WHOLE + WHOLE)
    assert b'"program":["./a.out","1"],"ranks":2' in content
    assert not list(tmp_path.glob("rank-*"))  # they are in the file


@pytest.mark.parametrize("part", [b"", WHOLE[:-1], WHOLE[:20], chunk(b"R", b"abc"), WHOLE + b"\0"])
def test_a_part_that_is_cut_off_makes_no_trace(tmp_path: Path, part: bytes) -> None:
    with pytest.raises(ApplicationFailed, match=r"rank-1\.trace is not complete"):
        write_trace(tmp_path / "a.trace", ABOUT, parts(tmp_path, WHOLE, part))
    assert not (tmp_path / "a.trace").exists()
    assert (tmp_path / "rank-0.trace").exists()


def test_a_part_that_is_missing_makes_no_trace(tmp_path: Path) -> None:
    with pytest.raises(ApplicationFailed, match="rank-1"):
        write_trace(tmp_path / "a.trace", ABOUT, parts(tmp_path, WHOLE))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.trace").write_text("mine")
    with pytest.raises(InputError, match="there is a file of that name"):
        refuse_if_there(tmp_path / "a.trace")
    with pytest.raises(InputError, match="no folder"):
        refuse_if_there(tmp_path / "none" / "a.trace")
    refuse_if_there(tmp_path / "b.trace")


def test_a_full_disk_is_told_in_a_line(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full/none")
    with pytest.raises(InputError, match=r"^--record "):
        write_trace(full, ABOUT, parts(tmp_path, WHOLE, WHOLE))
