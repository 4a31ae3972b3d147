"""What a benchmark measures that rules of stretto tune are for: its names of collectives, and why
there can be no rule."""

from stretto.data.bench_plan import Form

# By the name that a benchmark has for it, which is MPI's: that of stretto tune.
_TUNED = {
    name: name
    for name in (
        *("bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"),
        *("scan", "exscan"),
    )
} | {"reduce_scatter_block": "reduce_scatter"}


def tuned_name(operation: str) -> str | None:
    """What stretto tune calls it; None where it knows no ways to run it."""
    return _TUNED.get(operation)


def why_no_rule(implementation: str, form: str, operation: str) -> str | None:
    """Why no rule changes how it is run there; None where one can."""
    if tuned_name(operation) is None:
        return "stretto tune knows no ways to run it"
    if form != Form.BLOCKING:
        return "rules are for blocking calls"
    if ":" in implementation:
        return f"{implementation} was measured with settings, which stretto tune does not make"
    return None
