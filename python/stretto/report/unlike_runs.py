"""What makes runs of stretto bench different before anything is measured."""

from collections.abc import Iterator, Sequence

from stretto.data.bench_folder import BenchRecord

# Settings that change what a time means, with what a user calls them; others change how many
# repetitions there are.
_SETTINGS = {
    "synchronisation": "--sync",
    "buffers": "--buffers",
    "skew_ns": "skew in ns",
}


def unlike(records: Sequence[BenchRecord]) -> Iterator[str]:
    """A line for each setting in which some are unlike, as all their times may then be."""
    found = {
        words: [str(getattr(record.plan.settings, name)) for record in records]
        for name, words in _SETTINGS.items()
    }
    found["--rig"] = [record.plan.rig or "none" for record in records]
    for words, values in found.items():
        if len(different := list(dict.fromkeys(values))) > 1:
            yield f"runs are unlike in {words}: {', '.join(different)}; so may their times be"
