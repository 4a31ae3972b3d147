"""Where the compiled parts are found, and that the libraries carry no MPI with them."""

import re
import subprocess
from pathlib import Path

import pytest

from stretto import native
from stretto.errors import EnvironmentUnusable

NEEDED_AT_MOST = re.compile(r"(libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so\.\d+")
OF_AN_MPI = re.compile(r"P?MPIX?_|ompi_|opal_|MPIR_|MPL_")
EXPORTS = {
    "libstretto-accelerate-": re.compile(r"P?MPI_\w+|stretto_\w+"),
    "libstretto-profile-": re.compile(r"P?MPI_\w+"),
    "libstretto-calibrate-": re.compile(r"P?MPI_Init(_thread)?"),
    "libstretto-whatif-": re.compile(r"P?MPIX?_\w+|clock_(gettime|nanosleep)|gettimeofday|time"),
    "libstretto-": re.compile(r"stretto_\w+"),
}


def built_libraries() -> list[Path]:
    try:
        return sorted((native.native_dir() / "lib").glob("libstretto-*.so"))
    except EnvironmentUnusable:
        return []


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(library: Path, which: str) -> list[str]:
    listed = output("nm", "--dynamic", f"--{which}-only", library).splitlines()
    return [line.split()[-1].partition("@")[0] for line in listed]


@pytest.fixture(params=built_libraries(), ids=lambda path: path.name)
def library(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_libraries_are_built() -> None:
    assert built_libraries()


def test_a_library_leaves_the_mpi_to_run_time(library: Path) -> None:
    assert [name for name in symbols(library, "undefined") if OF_AN_MPI.match(name)] == []


def test_a_library_needs_the_c_library_alone(library: Path) -> None:
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", library))
    assert needed
    assert [name for name in needed if not NEEDED_AT_MOST.fullmatch(name)] == []


def test_a_library_exports_its_face_alone(library: Path) -> None:
    face = next(face for prefix, face in EXPORTS.items() if library.name.startswith(prefix))
    exported = symbols(library, "defined")
    assert exported
    assert [name for name in exported if not face.fullmatch(name)] == []


def test_the_folder_named_is_the_folder_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(native.VARIABLE, str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    tool = tmp_path / "bin" / "stretto-schedule"
    library = tmp_path / "lib" / "libstretto-accelerate-mpich.so"
    with pytest.raises(EnvironmentUnusable, match="no variant for the mpich ABI"):
        native.drop_in("mpich")
    with pytest.raises(EnvironmentUnusable, match="make build"):
        native.schedule_tool()
    tool.touch()
    library.touch()
    assert (native.drop_in("mpich"), native.schedule_tool()) == (library, tool)


def test_a_folder_named_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(native.VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(EnvironmentUnusable, match="gone is not a folder"):
        native.native_dir()
