"""How long a collective takes its ranks, by what they are in it: never one mean over all of them.

Samples have a row a repetition of a rank: launch, implementation, cell, rank, repetition, warmup,
enter_ns and leave_ns (of the launch's one clock), valid; and maybe root, where it moves, and group,
where several are measured at once. Cells have a row each: cell, operation (its plain name, whatever
its form) and root (-1 without one). Other columns are passed over.

A repetition counts where it is no warm-up and valid on all ranks, as one that came too late to it
keeps the others.
"""

import polars as pl

from stretto.stats.summary import DEVIATION_OF_MAD

# MPI 4.1, 6.2.2: of these one rank has another part in it than the others.
ROOTED = ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv")
ROOT, NON_ROOT, ALL = "root", "non-root", "all"

# A repetition is an outlier this many standard deviations beyond the median of its rank's, by the
# median absolute deviation (MAD).
OUTLIER_DEVIATIONS = 5
# Of the median: where a coarse clock makes most repetitions alike, their MAD is 0.
_LEAST_DEVIATION = 0.02

_CELL = ["implementation", "cell"]
_LAUNCH = [*_CELL, "launch"]
_CLASS = [*_CELL, "rank_class"]


def of_ranks(samples: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """What each rank took in each launch: a row a (implementation, cell, launch, rank, rank_class).

    A root that moves makes a rank one of both classes. It has duration_ns (the median from entering
    to leaving; null where no repetition counts), repetitions (that count), and outliers: those of
    them beyond median + 5 standard deviations by the MAD, and beyond 10 % at that. Outliers are
    flagged, and count.
    """
    one = [*_LAUNCH, "rank", "rank_class"]
    duration = pl.col("duration_ns")
    median = duration.median().over(one)
    deviation = (duration - median).abs().median().over(one) * DEVIATION_OF_MAD
    reach = OUTLIER_DEVIATIONS * pl.max_horizontal(deviation, _LEAST_DEVIATION * median)
    classed = _with_classes(samples, cells)
    counted = (
        counted_durations(classed)
        .with_columns(outlier=duration > median + reach)
        .group_by(one)
        .agg(
            duration.median(),
            repetitions=pl.len(),
            outliers=pl.col("outlier").sum(),
        )
    )
    return (
        classed.select(one)
        .unique()
        .join(counted, on=one, how="left")
        .with_columns(pl.col("repetitions", "outliers").fill_null(0))
        .sort(one)
    )


def of_launches(ranks: pl.DataFrame) -> pl.DataFrame:
    """Over the ranks of a class, launch by launch: what tests and intervals are made of.

    `ranks` is what `of_ranks` gives. A row a (implementation, cell, rank_class, launch): ranks
    (with a duration), min_ns, median_ns, p95_ns and max_ns, null where no rank has one.
    """
    return ranks.group_by([*_CLASS, "launch"]).agg(_over_ranks()).sort([*_CLASS, "launch"])


def durations_by_root(samples: pl.DataFrame) -> pl.DataFrame:
    """What repetitions take by who is their root, launch by launch.

    A row a (implementation, cell, launch, root), in ns: root_ns, the median on the root; others_ns,
    that on the median one of the other ranks, null where there is none; and slowest_ns, that on the
    rank that it keeps longest.
    """
    one = [*_LAUNCH, "root"]
    of_ranks_ = (
        counted_durations(samples).group_by([*one, "rank"]).agg(pl.col("duration_ns").median())
    )
    time, is_root = pl.col("duration_ns"), pl.col("rank") == pl.col("root")
    return (
        of_ranks_.group_by(one)
        .agg(
            root_ns=time.filter(is_root).median(),
            others_ns=time.filter(~is_root).median(),
            slowest_ns=time.max(),
        )
        .drop_nulls("root_ns")
        .sort(one)
    )


def slowest_of_launches(launches: pl.DataFrame) -> pl.DataFrame:
    """How long an operation keeps the rank that it keeps longest, launch by launch.

    `launches` is what `of_launches` gives. A row a (implementation, cell, launch) with a duration,
    and its duration_ns.
    """
    return (
        launches.filter(pl.col("max_ns").is_not_null())
        .group_by(_LAUNCH)
        .agg(duration_ns=pl.col("max_ns").max())
        .sort(_LAUNCH)
    )


def summary_of(ranks: pl.DataFrame) -> pl.DataFrame:
    """Over the ranks of a class, each with the median of its launches' medians.

    `ranks` is what `of_ranks` gives. A row a (implementation, cell, rank_class): launches (with a
    duration), ranks, min_ns, median_ns, p95_ns, max_ns, repetitions and outliers, in all.
    """
    of_class = ranks.group_by(_CLASS).agg(
        launches=pl.col("launch").filter(pl.col("duration_ns").is_not_null()).n_unique(),
        repetitions=pl.col("repetitions").sum(),
        outliers=pl.col("outliers").sum(),
    )
    over_ranks = (
        ranks.group_by([*_CLASS, "rank"])
        .agg(pl.col("duration_ns").median())
        .group_by(_CLASS)
        .agg(_over_ranks())
    )
    return of_class.join(over_ranks, on=_CLASS).sort(_CLASS)


def entries_of(samples: pl.DataFrame) -> pl.DataFrame:
    """How well ranks entered together: a row a (implementation, cell).

    It has repetitions (of all launches, but for warm-ups), valid (their share that is so on all
    ranks, from 0 to 1), and of these, null without any, skew_median_ns and skew_p95_ns: the skew of
    a repetition is from when its first rank entered to when its last did.
    """
    return entries_over(skews_of(samples))


def skews_of(samples: pl.DataFrame) -> pl.DataFrame:
    """What `entries_over` is worked out from: a row a repetition, but for warm-ups, of all ranks.

    Those of several launches may be worked out one by one, and put together.
    """
    enter = pl.col("enter_ns")
    return (
        _with_validity(samples)
        .filter(~pl.col("warmup"))
        .group_by(_repetition(samples))
        .agg(pl.col("counts").first(), skew_ns=enter.max() - enter.min())
        .select(*_CELL, "counts", "skew_ns")
    )


def entries_over(skews: pl.DataFrame) -> pl.DataFrame:
    """`entries_of` the samples whose repetitions these are."""
    skew = pl.col("skew_ns").filter("counts")
    return (
        skews.group_by(_CELL)
        .agg(
            repetitions=pl.len(),
            valid=pl.col("counts").mean(),
            skew_median_ns=skew.median(),
            skew_p95_ns=skew.quantile(0.95, "linear"),
        )
        .sort(_CELL)
    )


def counted_durations(samples: pl.DataFrame) -> pl.DataFrame:
    """The samples that count, each with its duration_ns."""
    return (
        _with_validity(samples)
        .filter("counts")
        .with_columns(duration_ns=pl.col("leave_ns") - pl.col("enter_ns"))
    )


def _with_validity(samples: pl.DataFrame) -> pl.DataFrame:
    """Beside each sample `counts`: its repetition does."""
    valid = pl.col("valid").all().over(_repetition(samples))
    return samples.with_columns(counts=valid & ~pl.col("warmup"))


def _repetition(samples: pl.DataFrame) -> list[str]:
    """What ranks that begin together have in common."""
    return [*_LAUNCH, *(["group"] if "group" in samples.columns else []), "repetition"]


def _with_classes(samples: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Beside each sample the class of its rank."""
    columns = [*samples.columns, "rank_class"]
    has_roots = "root" in samples.columns
    known = cells.select("cell", "operation", *([] if has_roots else ["root"]))
    return samples.join(known, on="cell").with_columns(rank_class=_rank_class()).select(columns)


def _rank_class() -> pl.Expr:
    rooted = pl.col("operation").is_in(ROOTED) & (pl.col("root") >= 0)
    return (
        pl.when(~rooted)
        .then(pl.lit(ALL))
        .when(pl.col("rank") == pl.col("root"))
        .then(pl.lit(ROOT))
        .otherwise(pl.lit(NON_ROOT))
    )


def _over_ranks() -> list[pl.Expr]:
    duration = pl.col("duration_ns")
    return [
        duration.count().alias("ranks"),
        duration.min().alias("min_ns"),
        duration.median().alias("median_ns"),
        duration.quantile(0.95, "linear").alias("p95_ns"),
        duration.max().alias("max_ns"),
    ]
