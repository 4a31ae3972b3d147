"""What there is to work with on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass

from stretto import native
from stretto.data.provenance import versions
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.cores import usable_cores, usable_cpus
from stretto.launch.knobs import Setting, settings, unknown_settings
from stretto.launch.registry import known_launchers
from stretto.launch.schedules import known_algorithms


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
    serves: list[str]


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
    """Look at everything once."""
    launchers = known_launchers()
    algorithms = _algorithms()
    known = settings(algorithms, environment)
    return Survey(
        launchers=[FoundLauncher(each.name, str(each.path), each.abi) for each in launchers],
        variants=[
            Variant(abi, _library(abi), [each.name for each in launchers if each.abi is abi])
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
