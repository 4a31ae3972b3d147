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
        "short_exchange_s": found.pace,
        "is_crowded": found.is_crowded,
        "waiting_share": found.waiting_share,
        "efficiencies": found.efficiencies,
        "blocked_s": found.blocked_s,
        "flags": found.flags,
        "unmodelled_s": found.unmodelled_s,
        "sites": [
            {
                "where": tables.words(site, lines),
                "function": site.function,
                "calls": site.calls,
                "bytes": site.bytes,
                "waiting_s": site.waiting_s,
                "transfer_s": site.transfer_s,
            }
            for site in found.sites
        ],
        "verdict": tables.verdict(found, lines),
    }
