"""Whether a program waits longer in MPI in some profiles than in those before them.

A profile is one launch, so there must be several of each: what ranks of one launch take depends
on each other, as who comes late has others wait, and says nothing about another launch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto.data.places import Line, Lines
from stretto.errors import InputError
from stretto.report.profile import CallSiteTotal, ProfileSummary
from stretto.report.worse import CheckResult, Pair, checked, too_few

# Call sites with less of the time in MPI, in the baseline and in the run, are not checked: each
# that is asks for more launches.
LEAST_SHARE = 0.01
_A_CALL = "a call"


@dataclass(frozen=True)
class Spent:
    """What is checked of a program: a function where it is called, or all of MPI."""

    where: str
    what: str  # which time


@dataclass(frozen=True)
class ProfiledLaunch:
    """One launch. Times are in ns."""

    times: Mapping[Spent, float]
    totals: Mapping[Spent, float]  # of calls, all of them on all ranks


def profiled_launch(summary: ProfileSummary, lines: Lines) -> ProfiledLaunch:
    """Times of calls are means over all ranks' calls, which is what a profile has."""
    totals: dict[Spent, float] = {}
    calls: dict[Spent, int] = {}
    for site in summary.call_sites:
        spent = Spent(_where(site, lines), _A_CALL)
        totals[spent] = totals.get(spent, 0.0) + 1e9 * site.time_s
        calls[spent] = calls.get(spent, 0) + site.calls
    whole = {
        Spent("wall time", "the longest rank"): 1e9 * summary.wall_s,
        Spent("in MPI", "all ranks"): 1e9 * sum(rank.mpi_s for rank in summary.ranks),
    }
    of_calls = {spent: total / calls[spent] for spent, total in totals.items()}
    return ProfiledLaunch(whole | of_calls, totals)


def check_profiles(
    baseline: Sequence[ProfiledLaunch], run: Sequence[ProfiledLaunch], least: float
) -> CheckResult[Spent]:
    """At least two launches of each; `least` is a share: 0.05 is 5 %.

    Raises InputError where there are fewer.
    """
    for name, launches in (("baseline", baseline), ("run", run)):
        if len(launches) < 2:
            raise InputError(
                f"the {name} is one launch of stretto profile, of which there is no interval: put "
                "several run folders into a folder, of the baseline and of the run, and name those"
            )
    before, after = _by_spent(baseline), _by_spent(run)
    passed_over = _small(baseline) & (_small(run) | (before.keys() - after.keys()))
    pairs: list[Pair[Spent]] = [
        (spent, times, after[spent])
        for spent, times in before.items()
        if spent in after and spent not in passed_over and min(*times, *after[spent]) > 0
    ]
    missing = [each.where for each in before if each not in after and each not in passed_over]
    return CheckResult(checked(pairs), least, missing, [*too_few(pairs)])


def _by_spent(launches: Sequence[ProfiledLaunch]) -> dict[Spent, list[float]]:
    """The times of all launches that have any."""
    found: dict[Spent, list[float]] = {}
    for launch in launches:
        for spent, time in launch.times.items():
            found.setdefault(spent, []).append(time)
    return found


def _small(launches: Sequence[ProfiledLaunch]) -> set[Spent]:
    """The calls that take too little of all that is in MPI."""
    totals: dict[Spent, float] = {}
    for launch in launches:
        for spent, time in launch.totals.items():
            totals[spent] = totals.get(spent, 0.0) + time
    all_of_it = sum(totals.values())
    return {spent for spent, time in totals.items() if time < LEAST_SHARE * all_of_it}


def _where(site: CallSiteTotal, lines: Lines) -> str:
    """A function and who calls it: lines and addresses move from one build to the next."""
    function = lines.get(site.place, Line()).function or site.symbol
    comm = f" on {site.comm}" if site.comm is not None and not site.comm.is_world else ""
    place = function or Path(site.place.object).name
    return f"{site.function.removeprefix('MPI_')} in {place}{comm}"
