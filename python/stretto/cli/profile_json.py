"""A profile for other programs."""

from dataclasses import asdict

from stretto.data.places import Line, Lines
from stretto.data.profiles import Caller
from stretto.report.profile import CallSiteTotal, OverlapTotal, ProfileSummary

_MOST_RANKS = 16  # that are named
_MOST_PAIRS = 100_000


def plain(summary: ProfileSummary, lines: Lines) -> dict[str, object]:
    """The summary for other programs; times in seconds, of all ranks together."""
    return {
        "mpi": summary.mpi,
        "unfinished": summary.unfinished or None,
        "wall_s": summary.wall_s,
        "mpi_share": summary.mpi_share,
        "collectives_share": summary.collectives_share,
        "waiting_share": summary.waiting_share,
        "late_messages_share": summary.late_messages_share,
        "imbalance": summary.imbalance,
        "ranks": [
            {
                "rank": rank.rank,
                "wall_s": rank.wall_s,
                "mpi_s": rank.mpi_s,
                "computing_s": rank.computing_s,
            }
            for rank in summary.ranks
        ],
        "collectives_a_rank": summary.calls,
        "overlap": _overlap(summary.overlap),
        "sites": [_call_site(site, lines) for site in summary.call_sites],
        # Ranks that sent to each other, the heaviest pairs first.
        "matrix": [asdict(pair) for pair in summary.pairs[:_MOST_PAIRS]],
        "pairs": len(summary.pairs),
    }


def _call_site(site: CallSiteTotal, lines: Lines) -> dict[str, object]:
    line = lines.get(site.place, Line())
    return {
        "function": site.function,
        "kind": site.kind,
        "object": site.place.object,
        "address": None if site.is_source else site.place.offset,
        "symbol": line.function or site.symbol,
        "file": line.file,
        "line": line.number,
        "callers": [_caller(each, lines) for each in site.callers],
        "communicator": "" if site.comm is None else str(site.comm),
        "ranks": site.ranks,
        "calls": site.calls,
        "bytes": site.bytes,
        "time_s": site.time_s,
        "waiting_s": site.waiting_s,
        "transfer_s": site.transfer_s,
        "overhead_s": site.overhead_s,
        "late_sender_s": site.late_sender_s,
        "late_receiver_s": site.late_receiver_s,
        # Of the waiting, for which rank, the longest first.
        "waited_for": [
            {"rank": rank, "time_s": time} for rank, time in site.awaited_s.most_common(_MOST_RANKS)
        ],
        # Calls by the smallest power of two that is larger than their bytes.
        "sizes": {str(1 << bits): n for bits, n in sorted(site.sizes.items())},
        "overlap": None if site.overlap is None else _overlap(site.overlap),
    }


def _caller(caller: Caller, lines: Lines) -> dict[str, object]:
    line = lines.get(caller.place, Line())
    return {
        "object": caller.object,
        "address": None if caller.is_source else caller.offset,
        "symbol": line.function or caller.symbol,
        "file": line.file,
        "line": line.number,
    }


def _overlap(total: OverlapTotal) -> dict[str, object]:
    return {
        "started": total.started,
        "completed": total.completed,
        "achieved_s": total.achieved_s,
        "lost_s": total.lost_s,
        "hideable_s": total.hideable_s,
    }
