import errno
import os
import sys
from pathlib import Path

import pytest
from stand_ins import executable

from stretto.errors import EnvironmentUnusable, InputError
from stretto.launch import program as module
from stretto.launch.base import Abi
from stretto.launch.libmpi import Mpi, libmpi_beside, mpi_among
from stretto.launch.program import inspect, name_of, parse_ldd

LDD = """\
\tlinux-vdso.so.1 (0x00007ff4ccf36000)
\tlibmpi.so.40 => /lib/x86_64-linux-gnu/libmpi.so.40 (0x00007ff4ccde0000)
\tlibgone.so.1 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007ff4ccf38000)
"""


def test_ldd_is_read() -> None:
    assert parse_ldd(LDD) == {
        "libmpi.so.40": Path("/lib/x86_64-linux-gnu/libmpi.so.40"),
        "libgone.so.1": None,
    }


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("./solver.x 3", "solver.x"),
        ("/opt/bin/python3.12 -u -W error runs/solver.py -m x", "solver"),
        ("python3 -X dev -m mysolver.main 3", "mysolver.main"),
        ("python3 -mmysolver 3", "mysolver"),
        ("python -m mpi4py solver.py", "solver"),
        ("python3 -c print(1) solver.py", "python3"),
        ("python3", "python3"),
        ("python3 -m", "python3"),
        ("pythonic solver.py", "pythonic"),
    ],
)
def test_runs_are_called_by_what_is_run(words: str, name: str) -> None:
    assert name_of(words.split()) == name


@pytest.mark.parametrize(
    ("sonames", "abi"),
    [
        (["libc.so.6", "libmpi.so.40"], Abi.OPENMPI),
        (["libmpi.so.12"], Abi.MPICH),
        (["libmpich.so.12"], Abi.MPICH),
        (["libmpi_abi.so.1", "libmpi.so.12"], Abi.MPIABI),
        (["libplugin.so", "libmpi.so.12", "libmpi_abi.so.1"], Abi.MPICH),
    ],
)
def test_the_first_soname_decides_the_abi(sonames: list[str], abi: Abi) -> None:
    mpi = mpi_among(dict.fromkeys(sonames, Path("/lib/x")))
    assert mpi is not None
    assert mpi.abi is abi


def test_no_libmpi_is_no_mpi() -> None:
    assert mpi_among({"libc.so.6": Path("/lib/libc.so.6"), "libmpi.so.99": None}) is None


@pytest.mark.parametrize("folder", ["lib", "lib64", "lib/release", "lib/x86_64-linux-gnu"])
def test_a_library_is_found_beside_its_launcher(tmp_path: Path, folder: str) -> None:
    library = executable(tmp_path / folder / "libmpi_abi.so.1", "")
    launcher = executable(tmp_path / "bin" / "mpiexec", "")
    assert libmpi_beside(launcher, Abi.MPIABI) == library
    assert libmpi_beside(launcher, Abi.MPICH) is None


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text("text")
    (tmp_path / "folder").mkdir()
    executable(tmp_path / "text", "no magic")
    executable(tmp_path / "orphan.py", "#!/not/there/python3")
    executable(tmp_path / "orphan.sh", "#!/usr/bin/env not-there-at-all")
    executable(tmp_path / "nobody", "#!")
    (tmp_path / "broken").mkdir()
    executable(tmp_path / "broken" / "python3", "of no format at all")
    executable(tmp_path / "broken.py", f"#!{tmp_path}/broken/python3")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("not-on-path-at-all", "is not on PATH"),
        ("data", "did you mean ./data"),
        ("./missing", "does not exist"),
        ("./folder", "is not a file"),
        ("./data", "is not executable"),
        ("./text", "neither an ELF program nor a script"),
        ("/bin/ls", "does not use MPI"),
        ("long" * 100, "is not on PATH"),
        ("./" + "long" * 100, "File name too long"),
        ("./data/program", "Not a directory"),
        ("./orphan.py", "orphan.py names an interpreter .* not there.*: /not/there/python3"),
        ("./orphan.sh", "not there.*: not-there-at-all"),
        ("./nobody", "not there.*: none"),
        ("./broken.py", "broken/python3 cannot be started: Exec format error"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_cannot_run_under_stretto_says_why(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        inspect([name])


@pytest.mark.usefixtures("here")
def test_a_program_that_may_not_be_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)  # root may read every file
    with pytest.raises(InputError, match=r"text cannot be read, .*: Permission denied"):
        inspect(["./text"])


def test_libraries_may_lie_in_folders_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.fsencode(tmp_path) + b"/\xe9"
    ldd = executable(tmp_path / "ldd", "")
    ldd.write_bytes(b"#!/bin/sh\necho '\tlibmpi.so.40 => " + folder + b"/libmpi.so.40 (0x7f)'\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    library = Path(os.fsdecode(folder), "libmpi.so.40")
    assert inspect(["/bin/ls"]).mpi == Mpi("libmpi.so.40", library)


@pytest.mark.usefixtures("here")
def test_a_binary_without_libmpi_is_believed_when_its_launcher_is_named() -> None:
    assert inspect(["/bin/ls", "-l"], needs_mpi=False).mpi is None


def test_a_shell_script_shows_no_mpi_and_keeps_its_path(here: Path) -> None:
    executable(here / "job", "#!/bin/sh\n")
    found = inspect(["./job", "4"])
    assert (found.argv, found.mpi) == (("./job", "4"), None)


def needs(monkeypatch: pytest.MonkeyPatch, mpi: Mpi) -> None:
    monkeypatch.setattr(module, "_libraries", lambda *_: {mpi.soname: mpi.path})


def test_a_program_of_the_standard_abi_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    mpi = Mpi("libmpi_abi.so.1", Path("/lib/libmpi_abi.so.1"))
    needs(monkeypatch, mpi)
    assert inspect(["/bin/ls"]).mpi == mpi


def test_a_libmpi_that_is_not_found_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    needs(monkeypatch, Mpi("libmpi.so.12", None))
    with pytest.raises(EnvironmentUnusable, match=r"libmpi\.so\.12 .* does not find"):
        inspect(["/bin/ls"])


def fake_python(folder: Path, said: str, fails: str = "") -> Path:
    """An interpreter that answers as one with (or without) mpi4py would."""
    end = f"echo '{fails}' >&2; exit 1" if fails else "exit 0"
    return executable(folder / "bin" / "python3", f"#!/bin/sh\necho '{said}'\n{end}\n")


def test_a_python_script_uses_the_mpi_that_mpi4py_loads(here: Path) -> None:
    python = fake_python(here, "/opt/mpich/lib/libmpi.so.12.7.2")
    executable(here / "solve.py", f"#!{python}\n")
    assert inspect(["./solve.py"]).mpi == Mpi(
        "libmpi.so.12", Path("/opt/mpich/lib/libmpi.so.12.7.2")
    )


def test_the_standard_abi_may_sit_on_another_mpi_that_python_loads(here: Path) -> None:
    python = fake_python(here, "/opt/a/libmpi.so.12\n/opt/a/libmpi_abi.so.1")
    executable(here / "solve.py", f"#!{python}\n")
    assert inspect(["./solve.py"]).mpi == Mpi("libmpi_abi.so.1", Path("/opt/a/libmpi_abi.so.1"))


def test_env_in_front_of_python_is_seen_through(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_python(here, "/opt/ompi/lib/libmpi.so.40.30.4")
    monkeypatch.setenv("PATH", f"{here / 'bin'}:{os.environ['PATH']}")
    executable(here / "solve.py", "#!/usr/bin/env -S python3 -u\n")
    mpi = inspect(["./solve.py"]).mpi
    assert mpi is not None
    assert mpi.abi is Abi.OPENMPI


def test_python_without_mpi4py_does_not_use_mpi(here: Path) -> None:
    without_packages = f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n'
    python = executable(here / "bin" / "python3", without_packages)
    executable(here / "solve.py", f"#!{python}\n")
    with pytest.raises(InputError, match="has no mpi4py"):
        inspect(["./solve.py"])


def test_mpi4py_that_does_not_load_says_why(here: Path) -> None:
    python = fake_python(here, "", "RuntimeError: cannot load MPI library")
    executable(here / "solve.py", f"#!{python}\n")
    with pytest.raises(EnvironmentUnusable, match="cannot load MPI library"):
        inspect(["./solve.py"])


def test_an_interpreter_given_as_the_program_is_asked_too() -> None:
    pytest.importorskip("mpi4py")
    mpi = inspect([sys.executable, "solve.py"]).mpi
    assert mpi is not None
    assert mpi.path is not None
    assert mpi.path.exists()
