"""How much of a collective is waiting for late ranks: from when every rank entered and left it."""

import polars as pl

# Whose arrival a rank needs before a collective can end on it (MPI 4.1, 6.1 and its sections).
ALL, ROOT, TO_ROOT, LOWER = "all", "root", "to root", "lower"
NEEDS = {
    "Barrier": ALL,
    "Allreduce": ALL,
    "Allgather": ALL,
    "Allgatherv": ALL,
    "Alltoall": ALL,
    "Alltoallv": ALL,
    "Alltoallw": ALL,
    "Reduce_scatter": ALL,
    "Reduce_scatter_block": ALL,
    "Bcast": ROOT,
    "Scatter": ROOT,
    "Scatterv": ROOT,
    "Reduce": TO_ROOT,
    "Gather": TO_ROOT,
    "Gatherv": TO_ROOT,
    "Scan": LOWER,
    "Exscan": LOWER,
}

_ONE = ("comm", "number")


def split(collectives: pl.DataFrame) -> pl.DataFrame:
    """Waiting and the rest of each call, ns, beside the calls whose ranks are all there.

    `collectives` has a row a call: comm (any type), number, rank and size (of the communicator),
    enter and leave (ns, of one clock), function (a key of NEEDS), root (a rank, or -1), and any
    other columns, which are kept. A call waits from its own arrival to the last one it needs;
    `awaited` is the rank whose that was.
    """
    whole = collectives.filter(pl.len().over(_ONE) == pl.col("size")).sort("rank")
    needs = pl.col("function").replace_strict(NEEDS, default=None, return_dtype=pl.String)
    enter = pl.col("enter")
    of_root = enter.filter(pl.col("rank") == pl.col("root")).first().over(_ONE)
    last = enter.max().over(_ONE)
    lower = enter.cum_max().over(_ONE)
    last_rank = pl.col("rank").get(enter.arg_max()).over(_ONE)
    lower_rank = pl.when(enter == lower).then(pl.col("rank")).forward_fill().over(_ONE)
    needed = (
        pl.when(needs == ALL)
        .then(last)
        .when(needs == ROOT)
        .then(of_root)
        .when((needs == TO_ROOT) & (pl.col("rank") == pl.col("root")))
        .then(last)
        .when(needs == LOWER)
        .then(lower)
        .otherwise(enter)
    )
    awaited = (
        pl.when(needs == ROOT)
        .then(pl.col("root"))
        .when(needs == LOWER)
        .then(lower_rank)
        .otherwise(last_rank)
    )
    time = pl.col("leave") - enter
    waiting = pl.max_horizontal(0, pl.min_horizontal(needed - enter, time))
    return whole.with_columns(time=time, waiting=waiting, awaited=awaited).with_columns(
        rest=pl.col("time") - pl.col("waiting")
    )
