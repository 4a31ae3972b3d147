"""A benchmark beside what a machine's model says of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stretto.data.bench_predictions import Predicted, Predictions
from stretto.report.bench import BenchRow
from stretto.report.plain_table import PlainTable
from stretto.report.words import seconds, size

# A model that is further off than this share does not explain what was measured.
OFF = 0.25

# A size in bytes, and in ns what is predicted of the slowest rank, and the floor.
Point = tuple[int, float, float]


@dataclass(frozen=True)
class Modelled:
    """A row, and what its slowest rank should take."""

    row: BenchRow
    predicted: Predicted

    @property
    def measured_ns(self) -> float:
        """Of the slowest rank of the class, the median of its launches' medians."""
        return self.row.maximum

    @property
    def residual(self) -> float:
        """Measured over predicted, less 1: 0.5 is half as long again."""
        return self.measured_ns / self.predicted.ns - 1

    @property
    def likeness(self) -> float:
        """The shorter time over the longer one, from 0 to 1."""
        times = self.measured_ns, self.predicted.ns
        return min(times) / max(times)

    @property
    def is_off(self) -> bool:
        """By more than 25 %."""
        return abs(self.residual) > OFF


def modelled(
    rows: Iterable[BenchRow], predictions: Mapping[tuple[int, str, str], Predicted]
) -> list[Modelled]:
    """The rows of which something is predicted, in their order."""
    found = []
    for row in rows:
        predicted = predictions.get((row.cell.number, row.rank_class, row.implementation))
        if predicted is not None and predicted.ns > 0:
            found.append(Modelled(row, predicted))
    return found


@dataclass(frozen=True)
class BesideModel:
    """All rows of a run of which something is predicted, and on which machine."""

    machine: str
    found: list[Modelled]

    @staticmethod
    def of(rows: Iterable[BenchRow], predictions: Predictions) -> "BesideModel":
        return BesideModel(predictions.machine, modelled(rows, predictions.by_row()))

    def of_operation(self, name: str) -> list[Modelled]:
        """As MPI calls it, by size and class of ranks."""
        found = [each for each in self.found if each.row.cell.name == name]
        return sorted(found, key=lambda it: (it.row.cell.number, it.row.rank_class))


def model_table(name: str, beside: BesideModel) -> PlainTable:
    """Each row of an operation with its residual and its floor."""
    return PlainTable(
        f"{name}: the slowest rank's median, beside the model of {beside.machine}",
        [
            *("bytes", "ranks", "by", "measured", "predicted", "residual", "floor"),
            "predicted of",
        ],
        [_cells(each) for each in beside.of_operation(name)],
    )


def _cells(each: Modelled) -> list[str]:
    row, predicted = each.row, each.predicted
    return [
        size(row.cell.bytes) if row.cell.bytes else "",
        row.rank_class,
        row.implementation,
        seconds(each.measured_ns * 1e-9),
        seconds(predicted.ns * 1e-9),
        f"{each.residual:+.0%}",
        seconds(predicted.floor_ns * 1e-9) if predicted.floor_ns else "",
        predicted.by,
    ]


def curves(found: Iterable[Modelled]) -> dict[tuple[str, str], list[Point]]:
    """For plots, by operation as MPI calls it and implementation: of the class that is slowest,
    by size. A barrier's only point is at 0 bytes."""
    points: dict[tuple[str, str], dict[int, Point]] = {}
    for each in found:
        cell, predicted = each.row.cell, each.predicted
        sizes = points.setdefault((cell.name, each.row.implementation), {})
        known = sizes.get(cell.bytes, (cell.bytes, 0.0, 0.0))
        sizes[cell.bytes] = (
            cell.bytes,
            max(known[1], predicted.ns),
            max(known[2], predicted.floor_ns),
        )
    return {key: [sizes[each] for each in sorted(sizes)] for key, sizes in points.items()}


def sentences(found: Iterable[Modelled]) -> Iterator[str]:
    """A line for each row that is off."""
    for each in found:
        if not each.is_off:
            continue
        row = each.row
        of_size = f" of {size(row.cell.bytes)}" if row.cell.bytes else ""
        ranks = "" if row.rank_class == "all" else f", {row.rank_class} ranks"
        than = "longer" if each.residual > 0 else "shorter"
        yield (
            f"{row.cell.name}{of_size}{ranks}, by {row.implementation}: "
            f"{seconds(each.measured_ns * 1e-9)} measured, "
            f"{seconds(each.predicted.ns * 1e-9)} predicted ({each.predicted.by}): "
            f"{abs(each.residual):.0%} {than}"
        )


def summary(found: Sequence[Modelled]) -> str:
    """How much of it the model explains."""
    near = sum(not each.is_off for each in found)
    return f"{near} of {len(found)} rows are within {OFF:.0%} of what is predicted"
