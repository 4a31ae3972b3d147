"""Every line of other suites' outputs is a row, a heading, a setting - or counted as unknown."""

import re
from pathlib import Path
from typing import Any

import fuzz_importers
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from imported_files import FILES, imported
from msgspec.structs import replace

from stretto.data.imported import Imported
from stretto.data.importers import osu
from stretto.data.importers.registry import IMPORTERS, Importer, read_imported, recognise
from stretto.errors import InputError

IMB = r" +\d+( +[\d.e+]+)+"

# By file: its format, what lines of data look like in it, and the lines that nobody can know.
LINES_OF_DATA = {
    "osu-5.txt": (
        "osu",
        r"\s*\d[\d.]*( +[\d.]+)*|nprocs: .*",
        [1, 2, 5, 11, 17, 23, 30, 36, 45, 50, 57],
    ),
    "osu-7.txt": ("osu", r"\d+ +[\d.naif]+( +([\d.nai]+|Pass|Fail))*", [1, 2, 21, 33]),
    "imb-mpi1-2021.txt": ("imb", IMB, [189]),
    "imb-mpi1-multi.txt": ("imb", IMB, []),
    "imb-mpi1-4.txt": ("imb", IMB, [1, 2, 62]),
    "imb-nbc-2021.txt": ("imb-nbc", IMB, []),
    "nccl-2.0.txt": ("nccl-tests", r" +\d+ .*", [1, 15]),
    "nccl-2.17.txt": ("nccl-tests", r" +\d+ .*", [1, 2]),
    "nccl-2.17.json": ("nccl-tests", r"\{.*", []),
    "rccl.json": ("nccl-tests", r"\{.*", []),
    "rccl.csv": ("nccl-tests", r"\d.*", [5]),
    "repro-mpi.txt": ("repro-mpi", r" +(\d )? *MPI_\w+ .*", [1, 23]),
    "repro-mpi-summary.txt": ("repro-mpi", r" +MPI_\w+ .*", []),
    "netgauge.txt": ("netgauge", r"n is .*| L=.*|\d+ .*|# acc: .*", [8]),
    "netgauge-file.txt": ("netgauge", r"\d+ .*", [25]),
    "nbcbench.txt": ("nbcbench", r"\d .*", [17]),
    "omb-py.txt": ("omb-py", r"\d.*|.* INFO - \d.*", [1, 14]),
    "mpi4py-demo.txt": ("omb-py", r" +\d+ +[\d.]+", []),
    "skampi.txt": ("skampi", r" *\w+= .*", [15]),
}


@pytest.mark.parametrize("name", LINES_OF_DATA)
def test_no_line_of_data_is_lost(name: str) -> None:
    found = imported(name)
    form, data, unknown = LINES_OF_DATA[name]
    lines = (FILES / name).read_text(encoding="utf-8").split("\n")
    expected = {
        at for at, line in enumerate(lines, 1) if re.fullmatch(data, line) and at not in unknown
    }
    assert found.format == form
    assert {row.line for row in found.rows} == expected
    assert [at for at, _ in found.unknown] == unknown
    assert all(lines[at - 1].rstrip() == text for at, text in found.unknown)


def test_every_file_of_the_folder_is_read() -> None:
    assert {path.name for path in FILES.iterdir()} == set(LINES_OF_DATA)


@pytest.mark.parametrize("name", LINES_OF_DATA)
def test_ends_of_lines_colours_and_launchers_tags_change_nothing(name: str, tmp_path: Path) -> None:
    text = (FILES / name).read_text(encoding="utf-8")
    plain = imported(name)
    for number, changed in enumerate(
        (
            text.replace("\n", "\r\n"),
            re.sub(r"(?m)^(.+)$", "\x1b[32m\\1\x1b[0m", text),
            re.sub(r"(?m)^", "[1,0]<stdout>:", text),
            "\ufeff" + text,
        )
    ):
        path = tmp_path / f"{number}"
        path.write_bytes(changed.encode())
        again = read_imported(path)
        assert repr(again.rows) == repr(plain.rows)  # as nan is not equal to itself
        assert again.settings == plain.settings
        assert len(again.unknown) == len(plain.unknown)


@pytest.mark.parametrize("name", LINES_OF_DATA)
def test_junk_between_the_lines_is_counted_and_loses_nothing(name: str, tmp_path: Path) -> None:
    lines = (FILES / name).read_bytes().split(b"\n")
    junk = b"\xff\x00 WARNING: no route to host, retrying \x1b["
    path = tmp_path / "junk"
    path.write_bytes(b"\n".join(part for line in lines for part in (line, junk)))
    plain, again = imported(name), read_imported(path)
    assert len(again.unknown) == len(plain.unknown) + len(lines)
    assert [row.value for row in again.rows] == pytest.approx(
        [row.value for row in plain.rows], nan_ok=True
    )


@pytest.mark.parametrize("raw", [b"", b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40, b"hello\n"])
def test_what_is_of_no_benchmark_is_refused_in_one_line(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "junk"
    path.write_bytes(raw)
    with pytest.raises(InputError, match="junk is of no benchmark known here: known are OSU"):
        read_imported(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gone cannot be read: No such file"):
        read_imported(tmp_path / "gone")


def test_the_format_that_comes_first_reads_a_file() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in FILES.iterdir()}
    for name, (form, _, _) in LINES_OF_DATA.items():
        for other in texts.values():
            importer = recognise(texts[name] + other)
            assert importer is not None
            assert importer.name == form
    assert {form for form, _, _ in LINES_OF_DATA.values()} == {each.name for each in IMPORTERS}


@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32), importer=st.sampled_from(IMPORTERS))
def test_damaged_files_are_read_or_refused(seed: int, importer: Importer, tmp_path: Path) -> None:
    raw = fuzz_importers.damaged(fuzz_importers.files_of(importer.name), seed)
    assert fuzz_importers.fault_of(raw, tmp_path / "damaged") is None


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (lambda text: text.missing, "AttributeError"),
        (lambda text: osu.read(text + "\nno such line"), "said to be elsewhere"),
        (lambda text: with_unknown(osu.read(text), 3), "understood and unknown"),
    ],
)
def test_a_planted_fault_of_an_importer_is_found(
    broken: Any, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    importer = Importer("osu", "OSU", osu.MARK, broken)
    monkeypatch.setattr("stretto.data.importers.registry.IMPORTERS", [importer])
    text = "# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)\n 1.5"
    assert fault in str(fuzz_importers.fault_of(text.encode(), tmp_path / "text"))


def with_unknown(found: Imported, line: int) -> Imported:
    return replace(found, unknown=[(line, "")])
