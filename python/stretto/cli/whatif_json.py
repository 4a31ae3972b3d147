"""What-if answers for other programs."""

from stretto.cli import whatif_tables as tables
from stretto.data.places import Lines
from stretto.report.whatif import Answer


def plain(found: Answer, lines: Lines) -> dict[str, object]:
    """Everything; times in seconds."""
    return {
        "ranks": found.ranks,
        "normal_s": found.normal,
        "virtual_wall_s": found.virtual_wall,
        "scenarios_s": found.scenarios,
        "gain": found.gain,
        "gap": found.gap,
        "short_exchange_s": found.short_exchange,
        "is_crowded": found.is_oversubscribed,
        "waiting_share": found.waiting_share,
        "efficiencies": found.efficiencies,
        "blocked_s": found.blocked_s,
        "polls_s": found.polls_s,
        "waited_for_core_s": found.waited_for_core_s,
        "flags": found.flags,
        "unmodelled_s": found.unmodelled_s,
        "sites": [
            {
                "where": tables.words(total, lines),
                "function": total.function,
                "calls": total.calls,
                "bytes": total.bytes,
                "waiting_s": total.waiting_s,
                "transfer_s": total.transfer_s,
            }
            for total in found.call_sites
        ],
        "verdict": tables.verdict(found, lines),
    }
