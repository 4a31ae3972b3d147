"""What is asked of an MPI library before anything is launched."""

import subprocess
from pathlib import Path

import pytest

from stretto.launch.mpi_version import mpi_version

SAYS = """
int MPI_Get_library_version(char* said, int* length) {
  const char* text = "An  MPI 1.0\\nof today";
  for (*length = 0; (said[*length] = text[*length]) != 0; ++*length) {}
  return 0;
}
"""


def library(folder: Path, source: str) -> str:
    (folder / "mpi.c").write_text(source)
    made = folder / "libmpi.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, folder / "mpi.c"], check=True)
    return str(made)


def test_it_is_what_the_library_says(tmp_path: Path) -> None:
    assert mpi_version(library(tmp_path, SAYS)) == "An MPI 1.0 of today"


@pytest.mark.parametrize("source", ["", "int MPI_Get_library_version() { __builtin_trap(); }"])
def test_one_that_does_not_say_is_not_known(source: str, tmp_path: Path) -> None:
    assert mpi_version(library(tmp_path, source)) == ""


def test_one_that_is_not_here_is_not_known() -> None:
    assert mpi_version("libno-such-mpi.so.1") == ""
