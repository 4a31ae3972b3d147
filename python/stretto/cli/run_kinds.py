"""Which verb a run folder is of, as far as runs of it can be checked against each other."""

from enum import StrEnum
from pathlib import Path

from stretto.data.bench_folder import is_bench
from stretto.data.profile_record import is_profile
from stretto.data.run_folder import is_comparison
from stretto.errors import InputError


class Kind(StrEnum):
    """Named as its verb."""

    BENCH = "stretto bench"
    COMPARE = "stretto compare"
    PROFILE = "stretto profile"


def profiles_in(folder: Path) -> list[Path]:
    """The folder itself, or the profiles right beneath it, by name."""
    if is_profile(folder):
        return [folder]
    try:
        return sorted(each for each in folder.iterdir() if is_profile(each))
    except OSError:
        return []


def kind_of(folder: Path) -> Kind:
    """Raises InputError where it is of none of them."""
    if is_bench(folder):
        return Kind.BENCH
    if is_comparison(folder):
        return Kind.COMPARE
    if profiles_in(folder):
        return Kind.PROFILE
    raise InputError(f"{folder} is no run folder of {Kind.BENCH}, {Kind.COMPARE} or {Kind.PROFILE}")


def common_kind(baseline: Path, run: Path) -> Kind:
    """Raises InputError where they are of different kinds, or of none."""
    kinds = kind_of(baseline), kind_of(run)
    if kinds[0] is not kinds[1]:
        raise InputError(
            f"{baseline} is of {kinds[0]} and {run} of {kinds[1]}: two of the same verb can be "
            "checked"
        )
    return kinds[0]
