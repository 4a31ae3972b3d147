"""What collectives cost, call site by call site, in runs in virtual time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stretto.data.places import Address
from stretto.data.virtual_times import CollectiveCallSite, RankTimes

_NS = 1e-9


@dataclass(frozen=True)
class CollectiveTotal:
    """All ranks' calls of a collective at one place, as they are; seconds a run, of all ranks."""

    function: str
    place: Address
    symbol: str
    calls: float
    bytes: float  # a call
    waiting_s: float
    transfer_s: float
    is_source: bool = False  # its place is a line of a source file


def collective_totals(runs: Sequence[Iterable[RankTimes]]) -> list[CollectiveTotal]:
    """Means over the runs; the most to gain first."""
    by_place: dict[tuple[str, str, int], list[CollectiveCallSite]] = {}
    for run in runs:
        for rank in run:
            for site in rank.call_sites:
                by_place.setdefault(site.place, []).append(site)
    totals = [_total(sites, len(runs)) for sites in by_place.values()]
    return sorted(totals, key=lambda total: -total.transfer_s)


def waiting_share(runs: Sequence[Iterable[RankTimes]]) -> float:
    """Of the time in collectives: waiting, which stays if they are free."""
    sites = [site for run in runs for rank in run for site in rank.call_sites]
    waiting = sum(site.waiting_ns for site in sites)
    whole = waiting + sum(site.transfer_ns for site in sites)
    return waiting / whole if whole else 0.0


def _total(sites: Sequence[CollectiveCallSite], runs: int) -> CollectiveTotal:
    first = sites[0]
    calls = sum(site.calls for site in sites)
    return CollectiveTotal(
        function=first.function,
        place=Address(first.object, first.offset),
        symbol=first.symbol,
        calls=calls / runs,
        bytes=sum(site.bytes for site in sites) / calls if calls else 0.0,
        waiting_s=sum(_NS * site.waiting_ns for site in sites) / runs,
        transfer_s=sum(_NS * site.transfer_ns for site in sites) / runs,
        is_source=first.is_source,
    )
