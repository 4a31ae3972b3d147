"""The trace of a profile, and what to say of it."""

from pathlib import Path

from stretto.data.places import Address, Lines
from stretto.data.profile_traces import read_trace
from stretto.data.profiles import Profile, RankProfile
from stretto.report.profile_words import place_words
from stretto.report.trace import write_trace

_MOST_A_RANK = 100_000
_MOST_OF_ALL = 1_000_000


def traced_by_default(ranks: int) -> int:
    """How many calls of each rank a trace has where nobody says."""
    return max(1, min(_MOST_A_RANK, _MOST_OF_ALL // ranks))


def write_trace_of(folder: Path, profile: Profile, lines: Lines) -> Path:
    """Write what the ranks kept as a trace, into the run folder."""
    path = folder / "trace.json.gz"
    write_trace(
        profile,
        lambda rank: read_trace(folder, rank),
        lambda site: place_words(Address(site.object, site.offset), site.symbol, lines),
        path,
    )
    return path


def trace_line(path: Path, profile: Profile) -> str:
    """Where the trace is, and what of the calls it has."""
    cut = [rank for rank in profile.ranks if _is_cut(rank)]
    if not cut:
        return f"Trace: {path}, for Perfetto or chrome://tracing"
    kept = min(rank.trace.kept for rank in cut if rank.trace)
    calls = max(rank.trace.calls for rank in cut if rank.trace)
    return (
        f"Trace: {path}, for Perfetto or chrome://tracing; cut: of up to {calls:,} calls it has "
        f"the last {kept:,} or more of each rank, more with --trace-calls"
    )


def _is_cut(rank: RankProfile) -> bool:
    return rank.trace is not None and rank.trace.kept < rank.trace.calls
