"""The user's program: where it is, and which MPI it will load."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.errors import EnvironmentUnusable, InputError
from stretto.launch.base import Abi
from stretto.launch.libmpi import LABELS, SONAMES, Mpi, mpi_among
from stretto.launch.sanitizer import needs_asan

_LDD_LINE = re.compile(r"^\s*(\S+) => (not found|\S+)", re.MULTILINE)
_PYTHON = re.compile(r"(python|pypy)[\d.]*")
_WITH_VALUE = ("-W", "-X")  # options of Python whose value may be a word of its own

# Loads mpi4py's extension, which loads the MPI it has chosen, and finds which that was:
# mpi4py decides by environment, prefix and what the loader finds, so only it knows.
_NO_MPI4PY = 3
_ASK_MPI4PY = f"""
import sys
try:
    import mpi4py
except ModuleNotFoundError:
    sys.exit({_NO_MPI4PY})
mpi4py.rc.initialize = mpi4py.rc.finalize = False
from mpi4py import MPI
for line in open("/proc/self/maps"):
    if "/libmpi" in line:
        print(line.split(maxsplit=5)[5].strip())
"""


@dataclass(frozen=True)
class Program:
    """A program and its arguments, with the MPI it will load where that can be read."""

    argv: tuple[str, ...]
    mpi: Mpi | None
    asan: bool = False  # it is built with AddressSanitizer

    @property
    def name(self) -> str:
        """The program as the user named it, for messages."""
        return self.argv[0]


def inspect(argv: Sequence[str], *, needs_mpi: bool = True) -> Program:
    """Find the program of `argv` and the MPI it needs.

    A shell script shows no MPI, and neither does a binary that loads it at run time;
    the latter is accepted only without `needs_mpi`. The launcher's MPI is then believed.
    """
    path = resolve(argv[0])
    start = _start(path, argv[0])
    if start.startswith(b"#!"):
        libraries, mpi = {}, _script_mpi(start, argv[0])
    else:
        libraries = _libraries(path, argv[0])
        mpi = _binary_mpi(path, argv[0], libraries, needs_mpi)
    if mpi is not None and mpi.path is None:
        raise EnvironmentUnusable(
            f"{argv[0]} needs {mpi.soname} ({LABELS[mpi.abi]}), which the loader does not find; "
            "load its module or add its folder to LD_LIBRARY_PATH"
        )
    # A path stays as it was given: without its "./" it would be looked up on PATH.
    words = (argv[0] if "/" in argv[0] else str(path), *argv[1:])
    return Program(words, mpi, needs_asan(libraries))


def name_of(argv: Sequence[str]) -> str:
    """What to call runs of a command: its file's name; of Python, the script's or the module's."""
    name = Path(argv[0]).name
    if not _is_python(name):
        return name
    words = iter(argv[1:])
    for word in words:
        if word.startswith("-m"):
            module = word[2:] or next(words, name)
            if module == "mpi4py":  # it only runs what follows, so that an error ends all ranks
                return name_of([argv[0], *words])
            return module
        if word in _WITH_VALUE:
            next(words, None)
        elif word == "-c":
            return name
        elif not word.startswith("-"):
            return Path(word).stem or name
    return name


def resolve(name: str) -> Path:
    """The executable file that `name` stands for."""
    if "/" not in name:
        if found := shutil.which(name):
            return Path(found).absolute()
        hint = f"; did you mean ./{name}?" if os.path.isfile(name) else ""  # noqa: PTH113 - any name
        raise InputError(f"{name} is not on PATH{hint}")
    path = Path(name)
    try:
        path.stat()
    except FileNotFoundError:
        raise InputError(f"{name} does not exist") from None
    except OSError as error:  # its name is too long, a folder on the way is closed
        raise InputError(f"{name} cannot be run: {error.strerror}") from None
    if not path.is_file():
        raise InputError(f"{name} is not a file")
    if not os.access(path, os.X_OK):
        raise InputError(f"{name} is not executable; chmod +x {shlex.quote(name)}")
    return path


def _start(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            start = file.read(512)
    except OSError as error:
        raise InputError(
            f"{name} cannot be read, to see which MPI it uses: {error.strerror}"
        ) from None
    if not start.startswith((b"#!", b"\x7fELF")):
        raise InputError(f"{name} is neither an ELF program nor a script that begins with #!")
    return start


def _script_mpi(start: bytes, name: str) -> Mpi | None:
    interpreter = _interpreter(start)
    if shutil.which(interpreter) is None:
        raise InputError(
            f"the first line of {name} names an interpreter that is not there or not executable: "
            f"{interpreter or 'none'}"
        )
    return _ask_mpi4py(interpreter) if _is_python(interpreter) else None


def _binary_mpi(
    path: Path, name: str, libraries: Mapping[str, Path | None], needs_mpi: bool
) -> Mpi | None:
    if mpi := mpi_among(libraries):
        return mpi
    if _is_python(str(path)):
        return _ask_mpi4py(str(path))
    if needs_mpi:
        raise InputError(
            f"{name} does not use MPI (no libmpi among its libraries); "
            "if it loads MPI at run time, name the launcher of that MPI: --launcher mpirun"
        )
    return None


def _libraries(path: Path, name: str) -> dict[str, Path | None]:
    """Every library the loader would load for `path`, in its order, and from where."""
    env = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    answer = subprocess.run(
        ["ldd", str(path.absolute())],
        env=env,
        capture_output=True,
        text=True,
        errors="surrogateescape",  # folders may have any names
        check=False,
    )
    if answer.returncode != 0 or "statically linked" in answer.stdout:
        raise InputError(
            f"{name} is statically linked or not for this machine: "
            "nothing can be preloaded into it; link it with the shared MPI library"
        )
    return parse_ldd(answer.stdout)


def parse_ldd(text: str) -> dict[str, Path | None]:
    """Sonames and paths from ldd's output, in its order."""
    return {
        soname: None if where == "not found" else Path(where)
        for soname, where in _LDD_LINE.findall(text)
    }


def _interpreter(start: bytes) -> str:
    words = start[2:].split(b"\n", 1)[0].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words else ""


def _is_python(interpreter: str) -> bool:
    return _PYTHON.fullmatch(Path(interpreter).name) is not None


def _ask_mpi4py(python: str) -> Mpi:
    try:
        answer = subprocess.run(
            [python, "-c", _ASK_MPI4PY],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
    except OSError as error:
        raise InputError(f"{python} cannot be started: {error.strerror}") from None
    paths = [Path(line) for line in answer.stdout.split("\n")]
    # Memory maps are in no particular order, and the standard ABI may sit on another one.
    loaded = {
        soname: path
        for soname in sorted(SONAMES, key=lambda soname: SONAMES[soname] is not Abi.MPIABI)
        for path in paths
        if path.name.startswith(soname)
    }
    if mpi := mpi_among(loaded):
        return mpi
    if answer.returncode == _NO_MPI4PY:
        raise InputError(
            f"{python} does not use MPI (it has no mpi4py): {python} -m pip install mpi4py"
        )
    said = answer.stderr.strip().rpartition("\n")[2] or "no libmpi was loaded"
    raise EnvironmentUnusable(f"mpi4py of {python} does not load its MPI: {said}")
