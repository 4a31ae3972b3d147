"""That the libraries carry no MPI with them, and show the program their face alone."""

import re
import subprocess
from pathlib import Path

import pytest

from stretto import native
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi

NEEDED_AT_MOST = re.compile(r"(libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so\.\d+")
OF_AN_MPI = re.compile(r"P?MPIX?_|ompi_|opal_|MPIR_|MPL_")
OF_A_MODE = re.compile(r"P?MPI_\w+")
EXPORTS = {
    "libstretto-accelerate-": re.compile(r"P?MPI_\w+|stretto_\w+"),
    "libstretto-calibrate-": re.compile(r"P?MPI_Init(_thread)?"),
    "libstretto-profile-": re.compile(r"P?MPI_\w+|abort"),
    "libstretto-whatif-": re.compile(r"P?MPIX?_\w+|clock_(gettime|nanosleep)|gettimeofday|time"),
    **{f"libstretto-{abi}.so": re.compile(r"stretto_\w+") for abi in Abi},
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


def test_a_library_brings_no_locales(library: Path) -> None:
    # One C++ stream in it, and it carries half a megabyte of them and initializes them when loaded.
    assert [line for line in output("nm", library).splitlines() if "St6locale" in line] == []


def test_a_library_exports_its_face_alone(library: Path) -> None:
    of_it = (face for prefix, face in EXPORTS.items() if library.name.startswith(prefix))
    face = next(of_it, OF_A_MODE)
    exported = symbols(library, "defined")
    assert exported
    assert [name for name in exported if not face.fullmatch(name)] == []
