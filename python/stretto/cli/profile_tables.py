"""A profile as it fits a terminal."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stretto.launch.symbols import Address, Line
from stretto.report.profile import Place, SiteTotal, Summary
from stretto.report.words import percent, seconds, size

_MOST_LINES = 25
_MOST_SITES = 9
_MOST_STARTS = 3
_WORTH_NAMING = 0.02  # of all time


def page(summary: Summary, lines: Mapping[Address, Line], console: Console) -> list[str | Table]:
    """All of it, the next step last: as many call sites as go into 25 lines there."""
    below: list[str | Table] = [overlap(summary, lines)] if summary.overlap.started else []
    below += [counts(summary), next_step(summary, lines)]
    parts: list[str | Table] = []
    for most in range(_MOST_SITES, 0, -1):
        table, left_out = sites(summary, lines, most)
        more: list[str | Table] = [f"{left_out} more call sites: --json"] if left_out else []
        parts = [*headline(summary), table, *more, *below]
        if sum(len(console.render_lines(part)) for part in parts) <= _MOST_LINES:
            break
    return parts


def headline(summary: Summary) -> list[str]:
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
        f"computing: {seconds(computing[0].computing_s)} (rank {computing[0].rank}) to "
        f"{seconds(computing[-1].computing_s)} (rank {computing[-1].rank}), the longest "
        f"{percent(summary.imbalance)} above the mean"
    )
    return [words, spread]


def sites(summary: Summary, lines: Mapping[Address, Line], most: int) -> tuple[Table, int]:
    """The call sites that took longest, and how many were left out."""
    table = Table(box=None, pad_edge=False)
    table.add_column("call site", overflow="fold")
    for column in ("calls", "bytes", "of time", "waiting", "transfer", "overhead"):
        table.add_column(column, justify="right", no_wrap=True)
    whole = sum(rank.wall_s for rank in summary.ranks)
    shown = [site for site in summary.sites if site.calls][:most]
    for site in shown:
        split = (site.waiting_s, site.transfer_s, site.overhead_s)
        parts = ["" if part is None else percent(_share(part, whole)) for part in split]
        table.add_row(
            site_words(site, lines),
            f"{site.calls:,}",
            size(site.bytes / site.calls),
            percent(_share(site.time_s, whole)),
            *parts,
        )
    return table, len(summary.sites) - len(shown)


def overlap(summary: Summary, lines: Mapping[Address, Line]) -> Table:
    """The nonblocking calls whose requests were waited for longest."""
    table = Table(box=None, pad_edge=False)
    table.add_column("overlap of what starts at", overflow="fold")
    for column in ("requests", "computing", "waiting", "overlapped", "hideable"):
        table.add_column(column, justify="right", no_wrap=True)
    starts = [(site, site.overlap) for site in summary.sites if site.overlap]
    starts.sort(key=lambda start: -start[1].lost_s)
    for site, total in starts[:_MOST_STARTS]:
        table.add_row(
            site_words(site, lines),
            f"{total.started:,}",
            seconds(total.achieved_s),
            seconds(total.lost_s),
            percent(total.achieved),
            seconds(total.hideable_s),
        )
    return table


def site_words(site: SiteTotal, lines: Mapping[Address, Line]) -> str:
    """A call and where it is: "Allreduce fft.c:212"."""
    name = site.function.removeprefix("MPI_")
    comm = f" on {site.comm.partition(' (')[0]}" if site.comm not in ("", "world") else ""
    return f"{name} {place_words(site.place, site.symbol, lines)}{comm}"


def place_words(place: Place, symbol: str, lines: Mapping[Address, Line]) -> str:
    """Where a call is, as well as that is known."""
    line = lines.get(Address(*place), Line())
    if line.file:
        return f"{Path(line.file).name}:{line.number}"
    path, address = place
    return f"{Path(path).name} {line.function or symbol or hex(address)}".strip()


def counts(summary: Summary) -> str:
    """How many collectives a rank called, as the mean over the ranks."""
    words = [
        f"{name.removeprefix('MPI_')} {number:,.10g}" for name, number in summary.calls.items()
    ]
    return "collectives used, a rank: " + (", ".join(words) or "none")


def next_step(summary: Summary, lines: Mapping[Address, Line]) -> str:
    """The next thing to do."""
    whole = sum(rank.wall_s for rank in summary.ranks)
    if summary.mpi_share < _WORTH_NAMING:
        return "next: nothing to gain in MPI; look at the computation"
    first = summary.sites[0]
    where = site_words(first, lines)
    share = percent(_share(first.time_s, whole))
    if first.waiting_s is not None and first.waiting_s > first.time_s / 2:
        return (
            f"next: {where} takes {share}, most of it waiting for late ranks: "
            "balance the work before it, no faster collective removes that"
        )
    if first.kind == "collective":
        return (
            f"next: {where} takes {share}: try `stretto compare`, or start it early "
            "as a nonblocking collective and compute meanwhile"
        )
    if first.kind == "completion" and _is_hideable(summary):
        return (
            f"next: {where} takes {share}, though there was computing enough to hide most of it: "
            "the messages did not move meanwhile, or come late; try `stretto compare`"
        )
    if first.kind == "completion":
        return (
            f"next: {where} takes {share}: its messages are not there yet; "
            "start them earlier, or compute between start and wait"
        )
    return f"next: {where} takes {share}: the first to look at"


def _is_hideable(summary: Summary) -> bool:
    return summary.overlap.hideable_s > summary.overlap.lost_s / 2


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
