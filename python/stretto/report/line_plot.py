"""Measured lines over bytes or times, in their own units: what a page and files draw alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

# Colours beyond so many would not be told apart: the tables have them all.
MOST_COLOURS = 6
OF_TIMES = (
    "the median of launches; whiskers are its interval, bands reach from the fastest rank to the "
    "slowest"
)


@dataclass(frozen=True)
class Reading:
    """A median at x, its interval, and the band from the fastest to the slowest rank."""

    x: float
    median: float
    low: float
    high: float
    least: float
    most: float


class OfModel(StrEnum):
    """What a line is that nobody measured: it has neither marks nor whiskers."""

    PREDICTION = "prediction"  # dotted
    FLOOR = "floor"  # thin


@dataclass(frozen=True)
class PlotLine:
    """Readings that belong together, by x; a line without a colour is there to compare with."""

    name: str
    colour: int | None  # below MOST_COLOURS; marks differ as colours do
    is_dashed: bool
    readings: Sequence[Reading]
    model: OfModel | None = None  # None: it was measured

    @property
    def has_marks(self) -> bool:
        """Each reading is marked, and not only the way between them."""
        return self.colour is not None and self.model is None


@dataclass(frozen=True)
class Jump:
    """Where a line leaves its trend, between two values of x."""

    low: float
    high: float
    label: str  # in the plot
    words: str  # beneath it


@dataclass(frozen=True)
class LinePlot:
    """Lines over each other on common axes."""

    name: str  # of a file
    title: str
    across: str
    upwards: str
    scale: Literal["log", "linear"]  # of both axes
    name_x: Callable[[float], str]
    name_y: Callable[[float], str]
    lines: Sequence[PlotLine]
    jumps: Sequence[Jump] = ()
    left_out: int = 0  # lines that there was no colour for
    explained: str = OF_TIMES  # what lines, whiskers and bands are

    @property
    def words(self) -> str:
        """What there is to see, for who does not see it: the ends of each line, and jumps."""
        return "; ".join([*map(self._ends, self.lines), *(jump.words for jump in self.jumps)])

    def label(self, line: PlotLine, reading: Reading) -> str:
        """A reading in full."""
        low, high, least, most = map(
            self.name_y, (reading.low, reading.high, reading.least, reading.most)
        )
        where = f"{line.name}, {self.name_x(reading.x)}: {self.name_y(reading.median)}"
        ranks = f", ranks {least} to {most}" if reading.least < reading.most else ""
        # Of a single figure there is no interval.
        interval = f", interval {low} to {high}" if reading.low < reading.high else ""
        return f"{where}{interval}{ranks}"

    def _ends(self, line: PlotLine) -> str:
        first, last = line.readings[0], line.readings[-1]
        words = f"{line.name}: {self.name_y(first.median)} at {self.name_x(first.x)}"
        if first is last:
            return words
        return f"{words}, {self.name_y(last.median)} at {self.name_x(last.x)}"
