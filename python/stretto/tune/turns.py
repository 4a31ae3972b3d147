"""The launches in which an MPI's own algorithms are measured: which are forced together."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from stretto.data.contests import NATIVE, ContestPlan, Contests, Way
from stretto.tune.settings import OwnSettings, Settings, Where, version_in


def turns(
    plan: ContestPlan, seen: Contests, own: OwnSettings, settings: Settings
) -> Iterator[tuple[ContestPlan, dict[str, str]]]:
    """The plan's calls by the MPI's own algorithms, and what forces those: a launch for the first
    of each collective, one for the second, and so on, for one stage after the other.

    `seen` says where the ranks are, and `settings` what the user has set.
    """
    where = Where(seen.ranks, seen.hosts, version_in(seen.mpi), seen.is_even, settings)
    known = {each.collective: own.algorithms(each.collective, where) for each in plan.contests}
    for forced in _together(known, own):
        contests = [
            replace(each, ways=[Way(NATIVE, of_mpi=forced[each.collective])])
            for each in plan.contests
            if each.collective in forced
        ]
        yield ContestPlan(plan.rounds, contests), own.forced(forced)


def _together(known: Mapping[str, list[str]], own: OwnSettings) -> Iterator[dict[str, str]]:
    """The algorithms of a launch, by collective."""
    for stage in sorted({own.stage(name, each) for name, names in known.items() for each in names}):
        left = {
            name: [each for each in names if own.stage(name, each) == stage]
            for name, names in known.items()
        }
        for turn in range(max(map(len, left.values()))):
            yield {name: names[turn] for name, names in left.items() if turn < len(names)}
