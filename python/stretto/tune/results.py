"""All that was measured, launch by launch, and the rules that come of it."""

from collections import defaultdict
from collections.abc import Callable

from stretto.data.contests import NATIVE, ContestPlan, Contests, Way
from stretto.tune.contenders import USUAL
from stretto.tune.decide import evidence, rules_from, winner
from stretto.tune.rules import CollectiveRules, Evidence, Rule

_Group = tuple[str, int, int]  # collective, ranks, hosts
_Sizes = dict[int, dict[Way, dict[str, list[float]]]]  # rounds by size, way and pattern


class Results:
    """Rounds of several launches count together."""

    def __init__(self) -> None:
        self._times: dict[_Group, _Sizes] = {}
        self._uneven: set[_Group] = set()

    def add(self, plan: ContestPlan, measured: Contests) -> None:
        """What a launch found of its plan."""
        for contest, found in zip(plan.contests, measured.cases, strict=True):
            group = (contest.collective, measured.ranks, measured.hosts)
            if not measured.is_even:
                self._uneven.add(group)
            of_size = self._times.setdefault(group, {}).setdefault(contest.bytes, {})
            for pattern, by_way in zip(contest.patterns, found.times, strict=True):
                for way, times in zip(contest.ways, by_way, strict=True):
                    of_way = of_size.setdefault(way, defaultdict(list))
                    of_way[pattern.name] += times

    def rules(self) -> list[CollectiveRules]:
        """Of each collective among so many ranks, with all evidence."""
        return [
            CollectiveRules(
                *group,
                rule=_rules(sizes, lambda way: not way.of_mpi),
                mpi_rule=_rules(sizes, lambda way: way.algorithm == NATIVE)
                if any(way.of_mpi for by_way in sizes.values() for way in by_way)
                else [],
                measured=_evidence(sizes),
                even=group not in self._uneven,
            )
            for group, sizes in self._times.items()
        ]


def _rules(sizes: _Sizes, may_win: Callable[[Way], bool]) -> list[Rule]:
    winners = {
        size: winner({way: times for way, times in by_way.items() if may_win(way)}, USUAL)
        for size, by_way in sizes.items()
    }
    return rules_from(winners)


def _evidence(sizes: _Sizes) -> list[Evidence]:
    return [
        evidence(size, pattern, way, times)
        for size, by_way in sizes.items()
        for way, of_pattern in by_way.items()
        for pattern, times in of_pattern.items()
    ]
