"""A profile as it fits a terminal."""

from rich.console import Console
from rich.table import Table

from stretto.cli.narrow import listed
from stretto.cli.plain_tables import plain_table
from stretto.data.places import Lines
from stretto.report.plain_table import PlainTable
from stretto.report.profile import ProfileSummary, waiting_for_messages
from stretto.report.profile_words import (
    awaited_words,
    call_site_words,
    counts,
    headline,
    next_step,
)
from stretto.report.words import percent, percents, seconds, share, size

_MOST_LINES = 25
# Of a function, in characters: names of C++ would leave no room for others. --json has all.
MOST_OF_A_NAME = 40
_MOST_CALL_SITES = 9
_MOST_PAIRS = 20
_SITES_A_START = 3  # so many call sites are shown for one of those that start requests


def page(summary: ProfileSummary, lines: Lines, console: Console) -> list[str | Table]:
    """All of it, the next step last: as many call sites as go into 25 lines there."""
    parts: list[str | Table] = []
    for most in range(_MOST_CALL_SITES, 0, -1):
        starts = -(-most // _SITES_A_START)
        parts = [*headline(summary), call_sites(summary, lines, most)]
        if words := _left_out(summary, most, starts):
            parts.append(words)
        if waiting_for_messages(summary):
            parts.append(messages(summary, lines, starts))
        if summary.overlap.started:
            parts.append(overlap(summary, lines, starts))
        parts = [_fitting(part, console.width) for part in parts]
        parts += [counts(summary), f"next: {next_step(summary, lines, MOST_OF_A_NAME)}"]
        if sum(len(console.render_lines(part)) for part in parts) <= _MOST_LINES:
            break
    return parts


def _fitting(part: str | Table, width: int) -> str | Table:
    return part if isinstance(part, str) else listed(part, width) or part


def _left_out(summary: ProfileSummary, most: int, most_starts: int) -> str:
    """What the two tables have no row for, in words; empty if nothing."""
    whole = sum(rank.wall_s for rank in summary.ranks)
    sites = [site for site in summary.call_sites if site.calls][most:]
    starts = sum(1 for site in summary.call_sites if site.overlap) - most_starts
    words = [f"{starts} that start requests"] if starts > 0 else []
    if (waits := len(waiting_for_messages(summary)) - most_starts) > 0:
        words.append(f"{waits} that wait for messages")
    if sites:
        time = percent(share(sum(site.time_s for site in sites), whole))
        words.append(f"with {time} of time {len(sites)} more call sites")
    return f"not shown: {'; '.join(words)}: --json" if words else ""


def whole(summary: ProfileSummary, lines: Lines) -> list[PlainTable]:
    """All tables with all their rows, and with whole names."""
    every = len(summary.call_sites)
    found = [plain_table(call_sites(summary, lines, every, None), "call sites")]
    if waiting_for_messages(summary):
        found.append(plain_table(messages(summary, lines, every, None), "messages"))
    if summary.pairs:
        found.append(plain_table(pairs(summary, len(summary.pairs)), "matrix"))
    if summary.overlap.started:
        found.append(plain_table(overlap(summary, lines, every, None), "overlap"))
    return found


def call_sites(
    summary: ProfileSummary, lines: Lines, most: int, most_of_a_name: int | None = MOST_OF_A_NAME
) -> Table:
    """The call sites that took longest."""
    table = Table(box=None, pad_edge=False)
    table.add_column("call site", overflow="fold")
    for column in ("calls", "bytes", "of time", "waiting", "transfer", "overhead"):
        table.add_column(column, justify="right", no_wrap=True)
    whole = sum(rank.wall_s for rank in summary.ranks)
    shown = [site for site in summary.call_sites if site.calls][:most]
    times = percents([site.time_s for site in shown], whole)
    for site, time in zip(shown, times, strict=True):
        split = (site.waiting_s, site.transfer_s, site.overhead_s)
        known = [part for part in split if part is not None]
        parts = percents(known, whole) if len(known) == len(split) else [""] * len(split)
        table.add_row(
            call_site_words(site, lines, most_of_a_name),
            f"{site.calls:,}",
            size(site.bytes / site.calls),
            time,
            *parts,
        )
    return table


def messages(
    summary: ProfileSummary, lines: Lines, most: int, most_of_a_name: int | None = MOST_OF_A_NAME
) -> Table:
    """The calls that waited longest for the other side of messages; shares of all time."""
    table = Table(box=None, pad_edge=False)
    table.add_column("waiting for messages at", overflow="fold")
    for column in ("late sender", "late receiver", "transfer", "most for"):
        table.add_column(column, justify="right", no_wrap=True)
    whole = sum(rank.wall_s for rank in summary.ranks)
    for site in waiting_for_messages(summary)[:most]:
        parts = (site.late_sender_s, site.late_receiver_s, (site.transfer_s or 0.0))
        shares = percents([part or 0.0 for part in parts], whole)
        table.add_row(call_site_words(site, lines, most_of_a_name), *shares, awaited_words(site))
    return table


def matrix(summary: ProfileSummary, console: Console) -> list[str | Table]:
    """Who sends how much to whom: the heaviest pairs of ranks."""
    if not summary.pairs and summary.unfinished:
        return ["who sends to whom is on record only of ranks that come to MPI_Finalize"]
    if not summary.pairs:
        return ["no rank sent a message to another"]
    left_out = len(summary.pairs) - _MOST_PAIRS
    words = f"not shown: {left_out:,} lighter pairs: --json" if left_out > 0 else ""
    table = pairs(summary, _MOST_PAIRS)
    return [part for part in (_fitting(table, console.width), words) if part]


def pairs(summary: ProfileSummary, most: int) -> Table:
    """The heaviest pairs of ranks."""
    table = Table(box=None, pad_edge=False)
    one_sided = any(pair.accesses for pair in summary.pairs)
    columns = ["messages", "bytes", "of all bytes"]
    columns += ["accesses", "bytes of those"] if one_sided else []
    table.add_column("from rank to rank")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    whole = sum(pair.all_bytes for pair in summary.pairs)
    for pair in summary.pairs[:most]:
        row = [f"{pair.messages:,}", size(pair.bytes), percent(share(pair.all_bytes, whole))]
        row += [f"{pair.accesses:,}", size(pair.accessed_bytes)] if one_sided else []
        table.add_row(f"{pair.source} to {pair.dest}", *row)
    return table


def overlap(
    summary: ProfileSummary, lines: Lines, most: int, most_of_a_name: int | None = MOST_OF_A_NAME
) -> Table:
    """The nonblocking calls whose requests were waited for longest."""
    table = Table(box=None, pad_edge=False)
    table.add_column("overlap of what starts at", overflow="fold")
    for column in ("requests", "computing", "waiting", "overlapped", "hideable"):
        table.add_column(column, justify="right", no_wrap=True)
    starts = [(site, site.overlap) for site in summary.call_sites if site.overlap]
    starts.sort(key=lambda start: -start[1].lost_s)
    for site, total in starts[:most]:
        table.add_row(
            call_site_words(site, lines, most_of_a_name),
            f"{total.started:,}",
            seconds(total.achieved_s),
            seconds(total.lost_s),
            percent(total.achieved),
            seconds(total.hideable_s),
        )
    return table
