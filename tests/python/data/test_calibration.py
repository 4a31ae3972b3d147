"""The file that the calibration's library wrote."""

from pathlib import Path

import pytest

from stretto.data.calibration import (
    Calibration,
    CollectiveTime,
    Quartiles,
    WorkTime,
    read_calibration,
)
from stretto.errors import ApplicationFailed

WHOLE = b"""{"mpi": "Open MPI v4.1.4", "ranks": 2, "hosts": 1,
 "crowded": false,
 "levels": [{"name": "host", "holds": 4, "messages": [{"bytes": 8, "one_way": [1, 0.5, 2],
   "exchange": [3, 2, 4], "send": [5, 4, 6], "recv": [7, 6, 8], "gap": [9.5, 9, 10],
   "rendezvous": true}]}],
 "collectives": [{"name": "bcast", "bytes": 8, "calls": 8, "time": [500, 400, 600]}],
 "work": [{"bytes": 64, "copy": [10, 9, 11], "reduce": [20, 19, 21]}],
 "page_fault": [1500, 1400, 1600]}"""


def written(folder: Path, text: bytes) -> Path:
    file = folder / "calibration.json"
    file.write_bytes(text)
    return file


def test_a_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = read_calibration(written(tmp_path, WHOLE))
    assert isinstance(found, Calibration)
    assert (found.mpi, found.ranks, found.hosts) == ("Open MPI v4.1.4", 2, 1)
    assert not found.oversubscribed
    assert [(level.name, level.holds) for level in found.levels] == [("host", 4)]
    (message,) = found.levels[0].messages
    assert message.bytes == 8
    assert message.rendezvous
    assert message.one_way == Quartiles(1, 0.5, 2)
    assert message.exchange == Quartiles(typical=3, low=2, high=4)
    assert (message.send.typical, message.recv.typical, message.gap.typical) == (5, 7, 9.5)
    assert found.collectives == [CollectiveTime("bcast", 8, 8, Quartiles(500, 400, 600))]
    assert found.work == [WorkTime(64, Quartiles(10, 9, 11), Quartiles(20, 19, 21))]


def test_a_program_that_wrote_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(
        ApplicationFailed, match=r"^the program wrote no calibration: it never came to MPI_Init$"
    ) as failed:
        read_calibration(tmp_path / "calibration.json")
    assert failed.value.exit_code == 4


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"null",
        b"{}",
        WHOLE + b"]",
        WHOLE.replace(b'"crowded": false', b'"crowded": 0'),
        WHOLE.replace(b"[3, 2, 4]", b"[3, 2]"),
        WHOLE.replace(b"[3, 2, 4]", b"3"),
        WHOLE.replace(b"[3, 2, 4]", b"[inf, 2, 4]"),
        WHOLE.replace(b'"name": "host", ', b""),
        WHOLE.replace(b'"holds": 4, ', b""),
        WHOLE.replace(b'"ranks": 2', b'"ranks": 2.5'),
        WHOLE.replace(b"host", b"h\xffst"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(text: bytes, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ApplicationFailed) as failed:
        read_calibration(file)
    assert str(failed.value).startswith(f"{file} is damaged: ")
    assert "\n" not in str(failed.value)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    for cut in range(len(WHOLE)):
        with pytest.raises(ApplicationFailed, match="is damaged: "):
            read_calibration(written(tmp_path, WHOLE[:cut]))
