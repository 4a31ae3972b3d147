"""What a profile says of ranks that have not come to MPI_Finalize."""

from collections.abc import Iterable

from stretto.data.profiles import Profile, RankProfile
from stretto.report.words import seconds

_MOST_RANKS = 8
# A record that ends so much earlier than the longest, as its share, is worth a word.
_EARLIER = 0.9


def unfinished_words(profile: Profile) -> str:
    """Up to when their record goes, and why it ends there; empty where all have finalized."""
    snapshots = [rank for rank in profile.ranks if rank.snapshot is not None]
    missing = set(range(profile.ranks[0].size)) - {rank.rank for rank in profile.ranks}
    if not snapshots and not missing:
        return ""
    words = [f"not all ranks came to MPI_Finalize: the record goes to {_until(profile.ranks)}"]
    reasons = sorted({r.snapshot.why for r in snapshots if r.snapshot and r.snapshot.why})
    ended = [
        f"{why} ended {_ranks(r.rank for r in snapshots if r.snapshot and r.snapshot.why == why)}"
        for why in reasons
    ]
    if ended:
        words.append(", ".join(ended))
    if missing:
        words.append(f"of {_ranks(missing)} there is none")
    if where := _longest_call(snapshots):
        words.append(where)
    return "; ".join(words)


def _until(ranks: list[RankProfile]) -> str:
    longest = max(rank.wall_ns for rank in ranks)
    shortest = min(ranks, key=lambda rank: rank.wall_ns)
    words = f"{seconds(longest * 1e-9)} after MPI_Init"
    if shortest.wall_ns < longest * _EARLIER:
        words += f" (of rank {shortest.rank} to {seconds(shortest.wall_ns * 1e-9)})"
    return words


def _longest_call(snapshots: list[RankProfile]) -> str:
    """The one of all calls that went on which had lasted longest."""
    calls = [(c.time_ns, r.rank, c) for r in snapshots if r.snapshot for c in r.snapshot.open]
    if not calls:
        return ""
    time, rank, call = max(calls, key=lambda each: each[:2])
    return f"rank {rank} was in {call.function} then, for {seconds(time * 1e-9)}"


def _ranks(numbers: Iterable[int]) -> str:
    known = sorted(numbers)
    more = f" and {len(known) - _MOST_RANKS} more" if len(known) > _MOST_RANKS else ""
    words = ", ".join(map(str, known[:_MOST_RANKS]))
    return f"rank{'s' if len(known) > 1 else ''} {words}{more}"
