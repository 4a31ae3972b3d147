"""What there is to work with on this machine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stretto import native
from stretto.data.provenance import versions
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.cores import usable_cores, usable_cpus
from stretto.launch.knobs import Setting, settings, unknown_settings
from stretto.launch.libmpi import libmpi_beside
from stretto.launch.registry import InstalledLauncher, known_launchers
from stretto.native.schedules import known_algorithms


@dataclass(frozen=True)
class MpiInterface:
    """An MPI with one of its interfaces, which a variant of the drop-in serves."""

    launcher: InstalledLauncher
    abi: Abi
    libmpi: Path | None  # None: not beside the launcher, but where the loader finds it


def mpi_interfaces(launchers: Iterable[InstalledLauncher]) -> list[MpiInterface]:
    """Every interface of every MPI, an MPI's own first.

    A launcher may start programs of more interfaces than its MPI has a library of.
    """
    found = [
        MpiInterface(each, abi, libmpi_beside(each.path, abi))
        for each in launchers
        for abi in each.starts
    ]
    return [each for each in found if each.libmpi or each.abi is each.launcher.abi]


@dataclass(frozen=True)
class FoundLauncher:
    """A launcher, and which variant its programs run under."""

    name: str
    path: str
    abi: str


@dataclass(frozen=True)
class Variant:
    """A build of the drop-in."""

    abi: str
    path: str | None  # of the library; None: not built
    serves: list[str]  # MPIs found here, by their launchers


@dataclass(frozen=True)
class Survey:
    """Everything `stretto info` shows."""

    launchers: list[FoundLauncher]
    variants: list[Variant]
    cpus: list[int]
    cores: int
    algorithms: dict[str, list[str]]
    settings: list[Setting]
    unknown_settings: list[str]
    versions: dict[str, str]


def survey(environment: Mapping[str, str]) -> Survey:
    """Find everything once."""
    launchers = known_launchers()
    found = mpi_interfaces(launchers)
    algorithms = _algorithms()
    known = settings(algorithms, environment)
    return Survey(
        launchers=[FoundLauncher(each.name, str(each.path), each.abi) for each in launchers],
        variants=[
            Variant(abi, _library(abi), [it.launcher.name for it in found if it.abi is abi])
            for abi in Abi
        ],
        cpus=usable_cpus(),
        cores=usable_cores(),
        algorithms=algorithms,
        settings=known,
        unknown_settings=unknown_settings(known, environment) if algorithms else [],
        versions=versions(),
    )


def _library(abi: Abi) -> str | None:
    try:
        return str(native.drop_in(abi))
    except EnvironmentUnusable:
        return None


def _algorithms() -> dict[str, list[str]]:
    """Nothing where the native tool is not built yet: the rest is worth showing all the same."""
    try:
        return known_algorithms()
    except EnvironmentUnusable:
        return {}
