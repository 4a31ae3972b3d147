"""Outputs of other suites that no suite printed: does an importer fail otherwise than said?

For --seconds each format's files of the tests are damaged, by bytes, words and lines, and read
again. A reading shall end with rows or with an InputError, and within --most-s; no line may be both
understood and unknown, and none may be said of a line that is not there. Exit code 3 where one does
not; then its seed is printed, with the command that makes the same text again. Example:

    .venv/bin/python tools/fuzz_importers.py --seconds 60
    .venv/bin/python tools/fuzz_importers.py --format osu --first 1204 --texts 1
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from stretto.data.imported import Imported
from stretto.data.importers.lines import decoded
from stretto.data.importers.registry import IMPORTERS, read_imported, recognise
from stretto.errors import InputError

FILES = Path(__file__).resolve().parents[1] / "tests" / "python" / "data" / "imported"
_WORDS = (
    b"9" * 400, b"9" * 5000, b"1e999", b"-1e-999", b"1e-999999999", b"nan", b"-nan(0x8)", b"inf",
    b"-infinity", b"0x10", b"1_000", b"-0", b"+1", b"18446744073709551616", b"1.2.3", b"---",
    b"N/A", b"\xd9\xa3", b"\xc2\xbd", b"\x00", b"\xff\xfe", b"\x1b[31m", b"(", b"::", b"|", b"-",
    b"{", b"[", b'"', b"[1,0]<stdout>:", b"3: ", b"#", b"# ", b"%s", b"null", b"true",
)  # fmt: skip

_RUNS = (b" ", b"\t", b"\r", b"\x0b", b"9", b".", b"- ", b"# ", b"(", b"a_")


def files_of(name: str) -> list[bytes]:
    """The files of the tests that are of a format."""
    found = []
    for path in sorted(FILES.iterdir()):
        raw = path.read_bytes()
        importer = recognise(decoded(raw))
        if importer is not None and importer.name == name:
            found.append(raw)
    return found


def _bytes(raw: bytes, draw: random.Random) -> bytes:
    """Some bytes are others."""
    changed = bytearray(raw)
    for _ in range(draw.randint(1, 20)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _cut(raw: bytes, draw: random.Random) -> bytes:
    """A piece is missing, perhaps the end."""
    start = draw.randrange(len(raw))
    return raw[:start] + raw[start + draw.choice((1, 7, 80, 1000, len(raw))) :]


def _word(raw: bytes, draw: random.Random) -> bytes:
    """Some words are others."""
    words = raw.split(b" ")
    for _ in range(draw.randint(1, 8)):
        words[draw.randrange(len(words))] = draw.choice(_WORDS)
    return b" ".join(words)


def _lines(raw: bytes, draw: random.Random) -> bytes:
    """A line is joined with the next, again, elsewhere, cut, doubled, or has a long run in it."""
    lines = raw.split(b"\n")
    for _ in range(draw.randint(1, 8)):
        at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
        how = draw.randrange(6)
        if how == 0:
            lines[at : at + 2] = [b"".join(lines[at : at + 2])]
        elif how == 1:
            lines.insert(to, lines[at])
        elif how == 2:
            lines[at], lines[to] = lines[to], lines[at]
        elif how == 3:
            lines[at] = lines[at][: draw.randint(0, len(lines[at]))]
        elif how == 4:
            line, run = lines[at], draw.choice(_RUNS) * draw.choice((1, 40, 60_000))
            to = draw.randint(0, len(line))
            lines[at] = line[:to] + run + line[to:]
        else:
            lines[at] += b" " + lines[at]
    return b"\n".join(lines)


_WAYS = (_bytes, _cut, _word, _lines)


def damaged(files: Sequence[bytes], seed: int) -> bytes:
    """One of the files, or two one after the other, damaged in one to four ways."""
    draw = random.Random(seed)
    raw = draw.choice(files)
    if draw.randrange(8) == 0:
        raw += draw.choice(files)
    for _ in range(draw.randint(1, 4)):
        raw = draw.choice(_WAYS)(raw, draw) or b"\n"
    return raw


def fault_of(raw: bytes, path: Path) -> str | None:
    """What is wrong with how a text is read, or None. Writes it to `path`."""
    path.write_bytes(raw)
    try:
        return _fault_in(read_imported(path), raw)
    except InputError as error:
        return "a message of several lines" if "\n" in str(error) else None
    except Exception:  # noqa: BLE001 - whatever it is, it is what is sought
        return traceback.format_exc()


def _fault_in(found: Imported, raw: bytes) -> str | None:
    many = raw.count(b"\n") + 1 if not raw.startswith((b"\xff\xfe", b"\xfe\xff")) else sys.maxsize
    lines = {row.line for row in found.rows}
    unknown = [at for at, _ in found.unknown]
    if any(not 1 <= at <= many for at in (*lines, *unknown)):
        return f"a line of {many} is said to be elsewhere"
    of_a_document = any(text.startswith("results[") for _, text in found.unknown)
    if not of_a_document and lines & set(unknown):
        return f"understood and unknown: {sorted(lines & set(unknown))}"
    if unknown != sorted(unknown) or (not of_a_document and len(set(unknown)) < len(unknown)):
        return "a line is unknown twice, or before its time"
    return None


def fuzz(name: str, seconds: float, first: int, texts: int, most_s: float) -> tuple[int, str]:
    """How many texts of a format were read, and the fault of the last, or ""."""
    files = files_of(name)
    end = time.monotonic() + seconds
    seed = first
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and seed < first + texts:
            began = time.monotonic()
            fault = fault_of(damaged(files, seed), Path(folder) / "text")
            took = time.monotonic() - began
            if fault is None and took > most_s:
                fault = f"it took {took:.1f} s"
            seed += 1
            if fault is not None:
                return seed - first, f"--format {name} --first {seed - 1} --texts 1\n{fault}"
    return seed - first, ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for each format")
    parser.add_argument("--format", choices=[each.name for each in IMPORTERS], action="append")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first text")
    parser.add_argument("--texts", type=int, default=sys.maxsize, help="how many, at most")
    parser.add_argument("--most-s", type=float, default=10.0, help="that a text may take")
    wish = parser.parse_args()
    failed = False
    for name in wish.format or [each.name for each in IMPORTERS]:
        many, fault = fuzz(name, wish.seconds, wish.first, wish.texts, wish.most_s)
        print(f"{name}: {many} texts, {fault or 'no fault'}", flush=True)
        failed = failed or bool(fault)
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
