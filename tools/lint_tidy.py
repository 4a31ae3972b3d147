"""clang-tidy on each of our translation units, several at a time.

    lint_tidy.py BUILD_FOLDER

A unit that came out clean is not looked at again until something it reads has changed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = Path(sys.executable).with_name("clang-tidy")
OURS = ("src",)
HEADERS = ("src", "include")


@dataclass(frozen=True)
class Unit:
    """A source file and how the first target that has it compiles it."""

    source: Path
    entry: dict[str, str]  # of the compilation database


def entries(build: Path) -> Iterator[dict[str, str]]:
    """Of the compilation database, as if each file were compiled alone."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        compiled = Path(entry["file"])
        if compiled.parent.name != "Unity":
            yield entry
            continue
        for source in re.findall(r'^#include "(.*)"$', compiled.read_text(), re.MULTILINE):
            command = entry["command"].replace(entry["file"], source)
            # Which files are compiled together changes with every one that is added.
            command = command.replace(entry["output"], f"{source}.o")
            yield {**entry, "file": source, "command": command, "output": f"{source}.o"}


def units(build: Path) -> list[Unit]:
    """Ours among the compilation database's: each file once, whatever the number of MPIs."""
    found: dict[Path, Unit] = {}
    for entry in entries(build):
        source = Path(entry["file"])
        if source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0] in OURS:
            command = re.sub(r" -include \S+/cmake_pch.hxx", "", entry["command"])
            entry["command"] = command.replace("-Wshadow=local", "-Wshadow")  # gcc's alone
            found.setdefault(source, Unit(source, entry))
    return list(found.values())


def digest(parts: Iterable[bytes]) -> str:
    """One name for all of `parts`."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def surroundings() -> bytes:
    """What every unit's verdict rests on besides itself: the rules, the tool, the headers."""
    headers = sorted(path for top in HEADERS for path in (ROOT / top).rglob("*.h*"))
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    rules = (ROOT / ".clang-tidy").read_bytes()
    return digest([version, rules, *(path.read_bytes() for path in headers)]).encode()


def complaints(unit: Unit, marks: Path, common: bytes) -> str:
    """What clang-tidy says of a unit; empty where it is clean."""
    mark = marks / digest([common, unit.entry["command"].encode(), unit.source.read_bytes()])
    if mark.exists():
        return ""
    answer = subprocess.run(
        [TIDY, "--quiet", "-p", marks, unit.source], capture_output=True, text=True, check=False
    )
    if answer.returncode == 0:
        mark.touch()
        return ""
    return answer.stdout or answer.stderr


def main() -> int:
    """Look at everything; 1 if anything was found."""
    build = Path(sys.argv[1]).resolve()
    marks = build / "tidy-clean"
    marks.mkdir(exist_ok=True)
    common = surroundings()
    wanted = units(build)
    # One of its own: clang-tidy looks at a file once for each entry that has it.
    database = json.dumps([unit.entry for unit in wanted])
    (marks / "compile_commands.json").write_text(database)
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda unit: complaints(unit, marks, common), wanted):
            if said:
                bad += 1
                print(said, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
