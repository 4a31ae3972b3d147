"""What a compiler needs for a program that calls Stretto by name."""

from stretto import native
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.program import Program
from stretto.launch.registry import choose_launcher


def abi_of(launcher: str | None) -> Abi:
    """That of the launcher, or of the first that is found. Raises EnvironmentUnusable."""
    return choose_launcher(Program(("stretto info",), None), launcher).abi


def compiler_flags() -> list[str]:
    """Where `stretto/stretto.h` is and what it includes. Raises EnvironmentUnusable without."""
    folders = native.include_dirs()
    if not any((folder / "stretto" / "stretto.h").is_file() for folder in folders):
        listed = " or ".join(map(str, folders))
        raise EnvironmentUnusable(f"there is no stretto/stretto.h in {listed}")
    return [f"-I{folder}" for folder in folders]


def linker_flags(abi: Abi) -> list[str]:
    """The library for an ABI, where it is, also as the program runs."""
    folder = native.c_library(abi).parent
    return [f"-L{folder}", f"-Wl,-rpath,{folder}", f"-lstretto-{abi}"]
