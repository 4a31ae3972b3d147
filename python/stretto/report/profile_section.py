"""A profile as the report shows it: what goes into each bar, table and tile."""

from collections.abc import Iterator
from dataclasses import dataclass

from stretto.data.places import Line, Lines
from stretto.data.profile_record import ProfileRecord
from stretto.report import profile_words
from stretto.report.bars import Part, Row, Tile, part_of
from stretto.report.matrix import MatrixPicture, matrix_picture
from stretto.report.profile import (
    CallSiteTotal,
    ProfileSummary,
    RankTotal,
    waiting_for_messages,
)
from stretto.report.timeline import Timeline
from stretto.report.words import percent, percents, seconds, share, size

_MOST_SITES = 100
_MOST_RANKS = 64


@dataclass(frozen=True)
class ProfileSection:
    """Everything the page shows of one profile."""

    record: ProfileRecord
    mpi: str
    headline: str
    next_step: str
    tiles: list[Tile]
    ranks: list[Row]
    ranks_left_out: int
    call_sites: list[Row]
    call_sites_left_out: int
    time_left_out: str  # the share of all ranks' time that these took
    messages: list[Row]  # call sites that waited for the other side of messages
    messages_left_out: int
    overlaps: list[Row]
    overlaps_left_out: int
    sizes: list[tuple[str, list[Row]]]  # calls by size of each site that moves anything
    timeline: Timeline | None  # None: no trace was asked for
    matrix: MatrixPicture | None  # None: nobody sends messages

    @property
    def name(self) -> str:
        return self.record.name


def section(
    record: ProfileRecord, summary: ProfileSummary, timeline: Timeline | None = None
) -> ProfileSection:
    """A profile, ready for the page."""
    lines = record.lines
    shown = summary.call_sites[:_MOST_SITES]
    others = summary.call_sites[len(shown) :]
    whole = sum(rank.wall_s for rank in summary.ranks)
    ranks = shown_ranks(summary)
    starts = sorted(
        (site for site in summary.call_sites if site.overlap),
        key=lambda site: -(site.overlap.lost_s if site.overlap else 0),
    )
    waits = waiting_for_messages(summary)
    return ProfileSection(
        record=record,
        mpi=summary.mpi,
        headline="; ".join(filter(None, [profile_words.headline(summary)[0], summary.unfinished])),
        next_step=profile_words.next_step(summary, lines),
        tiles=list(_tiles(summary)),
        ranks=_rank_rows(ranks),
        ranks_left_out=len(summary.ranks) - len(ranks),
        call_sites=_site_rows(shown, summary, lines),
        call_sites_left_out=len(others),
        time_left_out=percent(share(sum(site.time_s for site in others), whole)),
        messages=_message_rows(waits[:_MOST_SITES], whole, lines),
        messages_left_out=max(0, len(waits) - _MOST_SITES),
        overlaps=_overlap_rows(starts[:_MOST_SITES], lines),
        overlaps_left_out=max(0, len(starts) - _MOST_SITES),
        sizes=[
            (profile_words.call_site_words(site, lines), _size_rows(site))
            for site in shown
            if site.bytes
        ],
        timeline=timeline,
        matrix=matrix_picture(summary.pairs, record.ranks),
    )


def _tiles(summary: ProfileSummary) -> Iterator[Tile]:
    yield Tile("in MPI", percent(summary.mpi_share), "of all ranks' time")
    yield Tile("in blocking collectives", percent(summary.collectives_share), "of all ranks' time")
    yield Tile("waiting there for late ranks", percent(summary.waiting_share), "of all ranks' time")
    if summary.late_messages_share:
        late = percent(summary.late_messages_share)
        yield Tile("waiting for messages to begin", late, "on the other side, of all ranks' time")
    yield Tile("imbalance", percent(summary.imbalance), "longest computing above the mean")
    if summary.overlap.started:
        lost = f"{seconds(summary.overlap.lost_s)} of waiting, of all ranks"
        yield Tile("nonblocking calls overlapped", percent(summary.overlap.achieved), lost)


def shown_ranks(summary: ProfileSummary) -> list[RankTotal]:
    """Those that compute least and most, where there are too many for a page."""
    ranks = summary.ranks
    if len(ranks) <= _MOST_RANKS:
        return ranks
    ordered = sorted(ranks, key=lambda rank: rank.computing_s)
    ends = ordered[: _MOST_RANKS // 2] + ordered[-_MOST_RANKS // 2 :]
    return sorted(ends, key=lambda rank: rank.rank)


def _rank_rows(ranks: list[RankTotal]) -> list[Row]:
    longest = max(rank.wall_s for rank in ranks)
    return [
        Row(
            f"rank {rank.rank}",
            "",
            [seconds(rank.computing_s), seconds(rank.mpi_s), seconds(rank.wall_s)],
            [
                part_of("computing", rank.computing_s, longest),
                # Threads may be in MPI at once, for longer than the rank ran.
                part_of("mpi", rank.wall_s - rank.computing_s, longest),
            ],
        )
        for rank in ranks
    ]


def _site_rows(sites: list[CallSiteTotal], summary: ProfileSummary, lines: Lines) -> list[Row]:
    whole = sum(rank.wall_s for rank in summary.ranks)
    longest = max((site.time_s for site in sites), default=0.0)
    rows = []
    times = percents([site.time_s for site in sites], whole)
    for site, time in zip(sites, times, strict=True):
        split = (site.waiting_s, site.transfer_s, site.overhead_s)
        known = [part for part in split if part is not None]
        is_divided = len(known) == len(split)
        figures = [f"{site.calls:,}", size(site.bytes / site.calls), seconds(site.time_s), time]
        figures += percents(known, whole) if is_divided else [""] * len(split)
        names = ("waiting", "transfer", "overhead")
        parts = [part_of("mpi", site.time_s, longest)]
        if is_divided:
            parts = [part_of(*part, longest) for part in zip(names, known, strict=True)]
        rows.append(_row(site, lines, figures, parts))
    return rows


def _message_rows(sites: list[CallSiteTotal], whole: float, lines: Lines) -> list[Row]:
    longest = max((site.time_s for site in sites), default=0.0)
    rows = []
    for site in sites:
        late = (site.late_sender_s or 0.0, site.late_receiver_s or 0.0)
        rest = site.time_s - sum(late)
        figures = [*percents([*late, rest], whole), profile_words.awaited_words(site)]
        kinds = ("waiting", "late-receiver", "transfer")
        labels = ("late sender", "late receiver", "transfer and overhead")
        parts = [
            part_of(kind, time, longest, f"{label} {seconds(time)}")
            for kind, label, time in zip(kinds, labels, [*late, rest], strict=True)
        ]
        rows.append(_row(site, lines, figures, parts))
    return rows


def _overlap_rows(sites: list[CallSiteTotal], lines: Lines) -> list[Row]:
    rows = []
    for site in sites:
        total = site.overlap
        if total is None:
            continue
        whole = total.achieved_s + total.lost_s
        figures = [f"{total.started:,}", seconds(total.achieved_s), seconds(total.lost_s)]
        figures += [percent(total.achieved), seconds(total.hideable_s)]
        parts = [
            part_of("computing", total.achieved_s, whole),
            part_of("hideable", total.hideable_s, whole),
            part_of("waiting", total.lost_s - total.hideable_s, whole),
        ]
        rows.append(_row(site, lines, figures, parts))
    return rows


def _row(site: CallSiteTotal, lines: Lines, figures: list[str], parts: list[Part]) -> Row:
    return Row(profile_words.call_site_words(site, lines), _detail(site, lines), figures, parts)


def _size_rows(site: CallSiteTotal) -> list[Row]:
    most = max(site.sizes.values())
    return [
        Row(_range(bits), "", [f"{calls:,}"], [part_of("mpi", calls, most, f"{calls:,} calls")])
        for bits, calls in sorted(site.sizes.items())
    ]


def _range(bits: int) -> str:
    """The bytes that so many bits hold, less bits not: "1.00 KiB to 2.00 KiB"."""
    return "0 B" if bits == 0 else f"{size(2 ** (bits - 1))} to {size(2**bits)}"


def _detail(site: CallSiteTotal, lines: Lines) -> str:
    """All there is to know of where it is."""
    line = lines.get(site.place, Line())
    address = f"{site.place.object}+{site.place.offset:#x}"
    where = f"{line.file}:{line.number}" if line.file else address
    comm = "" if site.comm is None else str(site.comm)
    return " ".join(filter(None, (where, line.function or site.symbol, comm)))
