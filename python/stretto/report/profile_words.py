"""A profile in words."""

from pathlib import Path

from stretto.data.places import Address, Line, Lines
from stretto.data.profiles import Caller
from stretto.report.profile import CallSiteTotal, ProfileSummary
from stretto.report.words import percent, seconds, share, shortened

_WORTH_NAMING = 0.02  # of all time
_MOST_CALLERS = 3  # that a table names


def headline(summary: ProfileSummary) -> list[str]:
    """What it is all about, in lines."""
    ranks = len(summary.ranks)
    words = (
        f"{ranks} rank{'' if ranks == 1 else 's'}, {seconds(summary.wall_s)}: "
        f"{percent(summary.mpi_share)} of it in MPI, "
        f"{percent(summary.collectives_share)} in blocking collectives, "
        f"{percent(summary.waiting_share)} waiting there for late ranks"
    )
    computing = sorted(summary.ranks, key=lambda rank: rank.computing_s)
    spread = (
        f"computing {percent(summary.computing_share)}: "
        f"{seconds(computing[0].computing_s)} (rank {computing[0].rank}) to "
        f"{seconds(computing[-1].computing_s)} (rank {computing[-1].rank}), longest "
        f"{percent(summary.imbalance)} above mean"
    )
    return [words, spread, *([summary.unfinished] if summary.unfinished else [])]


def call_site_words(site: CallSiteTotal, lines: Lines, most: int | None = None) -> str:
    """A call and where it is: "Allreduce fft.c:212"; `most` as for `place_words`.

    Where it is known who called there: "Allreduce main:40 <- solve:12 <- mp_sum mp.f90:212".
    """
    name = site.function.removeprefix("MPI_")
    comm = f" on {site.comm.name}" if site.comm is not None and not site.comm.is_world else ""
    path = ""
    if site.callers:
        names = [_function_words(each, lines, most) for each in reversed(site.callers)]
        if most is not None and len(names) > _MOST_CALLERS:
            names[1 : 2 - _MOST_CALLERS] = ["..."]
        line = lines.get(site.place, Line())
        # Else its function is in the words of its place.
        own = shortened(line.function or site.symbol, most or 10_000) if line.file else ""
        path = " <- ".join([*names, own]) + (" " if own else "")
    return f"{name} {path}{place_words(site.place, site.symbol, lines, most)}{comm}"


def _function_words(caller: Caller, lines: Lines, most: int | None) -> str:
    """The function that called, and in which line: "solve:12"; or an address."""
    line = lines.get(caller.place, Line())
    function = line.function or caller.symbol
    if not function:
        return place_words(caller.place, "", lines, most)
    name = function if most is None else shortened(function, most)
    return f"{name}:{line.number}" if line.number else name


def place_words(place: Address, symbol: str, lines: Lines, most: int | None = None) -> str:
    """Where a call is, as well as that is known, a function by at most so many characters."""
    line = lines.get(place, Line())
    if line.file:
        return f"{Path(line.file).name}:{line.number}"
    name, function = Path(place.object).name, line.function or symbol
    if most is not None:
        function = shortened(function, most)
    return f"{name} {function}" if function else f"{name}+{place.offset:#x}"


def awaited_words(site: CallSiteTotal) -> str:
    """Which rank was waited for longest, and for how much of it all: "rank 2, 93 %"."""
    if (most := site.most_awaited) is None:
        return ""
    return f"rank {most[0]}, {100 * share(most[1], site.awaited_s.total()):.0f} %"


def counts(summary: ProfileSummary) -> str:
    """How many collectives a rank called, as the mean over the ranks."""
    words = [
        f"{name.removeprefix('MPI_')} {number:,.10g}" for name, number in summary.calls.items()
    ]
    return "collectives used, a rank: " + (", ".join(words) or "none")


def next_step(summary: ProfileSummary, lines: Lines, most: int | None = None) -> str:
    """The next thing to do; `most` as for `place_words`."""
    whole = sum(rank.wall_s for rank in summary.ranks)
    if summary.mpi_share < _WORTH_NAMING:
        return "nothing to gain in MPI; look at the computation"
    first = summary.call_sites[0]
    where = call_site_words(first, lines, most)
    part = percent(share(first.time_s, whole))
    if _is_unbalanced(summary):
        return (
            f"{_longest(summary)}: balance the work, most of the time in MPI is waiting for that; "
            f"{where} takes {part}"
        )
    if first.waiting_s is not None and first.waiting_s > first.time_s / 2:
        if first.late_sender_s is not None:
            return f"{where} takes {part}, {_late_side(first)}"
        return (
            f"{where} takes {part}, most of it waiting for late ranks{_most_for(first)}: "
            "balance the work before it, no faster collective removes that"
        )
    if first.kind == "collective":
        return (
            f"{where} takes {part}: try `stretto compare`, or start it early "
            "as a nonblocking collective and compute meanwhile"
        )
    if first.kind == "completion" and _is_hideable(summary):
        return (
            f"{where} takes {part}, though there was computing enough to hide most of it: "
            "the messages did not move meanwhile, or come late; try `stretto compare`"
        )
    if first.kind == "completion":
        return (
            f"{where} takes {part}: its messages are not there yet; "
            "start them earlier, or compute between start and wait"
        )
    return f"{where} takes {part}: the first to look at"


def _late_side(site: CallSiteTotal) -> str:
    """What to do where most of a call is waiting for messages to begin on the other side."""
    late_sender, late_receiver = site.late_sender_s or 0.0, site.late_receiver_s or 0.0
    if late_sender >= late_receiver:
        return (
            f"most of it waiting until messages are sent{_most_for(site)}: "
            "let them be sent earlier, or balance the work before"
        )
    return (
        f"most of it waiting until receives are posted{_most_for(site)}: "
        "post them earlier, or balance the work before"
    )


def _most_for(site: CallSiteTotal) -> str:
    words = awaited_words(site)
    return f" ({words})" if words else ""


def _is_unbalanced(summary: ProfileSummary) -> bool:
    """Whether what the longest computes beyond the mean is most of the time in MPI."""
    computing = [rank.computing_s for rank in summary.ranks]
    excess = len(computing) * max(computing) - sum(computing)
    whole = sum(rank.wall_s for rank in summary.ranks)
    return share(excess, whole) > max(summary.mpi_share / 2, _WORTH_NAMING)


def _longest(summary: ProfileSummary) -> str:
    """Who computes longest, and how the others compare."""
    longest = max(summary.ranks, key=lambda rank: rank.computing_s)
    others = [rank.computing_s for rank in summary.ranks if rank is not longest]
    mean = sum(others) / len(others)
    times = f"{longest.computing_s / mean:.1f} times the mean of the others" if mean else "alone"
    return f"rank {longest.rank} computes {seconds(longest.computing_s)}, {times}"


def _is_hideable(summary: ProfileSummary) -> bool:
    return summary.overlap.hideable_s > summary.overlap.lost_s / 2
