"""Where the compiled parts are: the drop-in of each ABI and the tools."""

import os
from pathlib import Path

from stretto.errors import EnvironmentUnusable

VARIABLE = "STRETTO_NATIVE_DIR"
_PACKAGE = Path(__file__).resolve().parents[1]


def native_dir() -> Path:
    """The folder that holds lib/ and bin/: the one named, the wheel's, or the checkout's build."""
    if named := os.environ.get(VARIABLE):
        if not Path(named).is_dir():
            raise EnvironmentUnusable(f"{VARIABLE}={named} is not a folder")
        return Path(named).absolute()
    installed = _PACKAGE / "_native"
    built = _PACKAGE.parents[1] / "build" / "release"
    for folder in (installed, built):
        if (folder / "lib").is_dir() or (folder / "bin").is_dir():
            return folder
    raise EnvironmentUnusable(
        f"Stretto's libraries are neither in {installed} nor in {built}: "
        f"run make build in a checkout, or reinstall the wheel, or set {VARIABLE}"
    )


def drop_in(abi: str, mode: str = "accelerate") -> Path:
    """The library to preload into programs of an ABI; `mode` is what it does: profile, ..."""
    return _library(f"{mode}-{abi}", abi)


def c_library(abi: str) -> Path:
    """The library that programs of an ABI link, which call Stretto by name."""
    return _library(abi, abi)


def include_dirs() -> list[Path]:
    """Where the headers are: in an installation, or in the checkout and its build."""
    here = native_dir()
    if (here / "include").is_dir():
        return [here / "include"]
    return [_PACKAGE.parents[1] / "include", here / "generated" / "include"]


def _library(name: str, abi: str) -> Path:
    folder = native_dir() / "lib"
    library = folder / f"libstretto-{name}.so"
    if not library.is_file():
        raise EnvironmentUnusable(
            f"this build has no variant for the {abi} ABI (no {library.name} in {folder}): "
            "install an MPI of that ABI with its mpicc, then build Stretto again"
        )
    return library


def schedule_tool() -> Path:
    """The program that lists, shows and verifies schedules."""
    return _tool("stretto-schedule")


def replay_tool() -> Path:
    """The program that runs traces again."""
    return _tool("stretto-replay")


def bench_program(abi: str) -> Path:
    """The program of `stretto bench` for MPIs of an ABI."""
    return _tool(f"stretto-bench-{abi}")


def _tool(name: str) -> Path:
    tool = native_dir() / "bin" / name
    if not tool.is_file():
        raise EnvironmentUnusable(f"{tool} is missing: build Stretto again with make build")
    return tool
