"""Figures as people read them."""

import math
import re
from collections.abc import Callable, Sequence

from stretto.stats.ratio import Ratio

_SIZES = ((1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 30, "GiB"))
_DOTS = "..."
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def seconds(value: float) -> str:
    """Three significant digits in the unit that fits: "12.3 ms"."""
    scale, unit = next((unit for unit in _UNITS if value >= unit[0]), _UNITS[-1])
    return f"{significant(value / scale)} {unit}"


def significant(value: float) -> str:
    """Three significant digits, never in exponent form."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def calls(count: float) -> str:
    """A number of calls, with a decimal only where an average has one."""
    return f"{count:,.0f}" if count == round(count) else f"{count:,.1f}"


def percent(share: float) -> str:
    """Of a whole: "12.3 %"."""
    return f"{100 * share:.1f} %"


def percents(parts: Sequence[float], whole: float) -> list[str]:
    """Of a whole, as `percent` has them, but so rounded that they add up as the parts do."""
    exact = [1000 * share(part, whole) for part in parts]
    tenths = [math.floor(each) for each in exact]
    by_rest = sorted(range(len(parts)), key=lambda at: tenths[at] - exact[at])
    for at in by_rest[: round(sum(exact)) - sum(tenths)]:
        tenths[at] += 1
    return [percent(each / 1000) for each in tenths]


def share(part: float, whole: float) -> float:
    """Part of a whole; none of nothing."""
    return part / whole if whole else 0.0


def size(bytes_: float) -> str:
    """Three significant digits in the unit that fits: "33.6 MiB"."""
    if bytes_ < 1024:
        return f"{bytes_:.0f} B"
    scale, unit = next(
        (scale, unit) for scale, unit in _SIZES if bytes_ < 1024 * scale or unit == "GiB"
    )
    return f"{significant(bytes_ / scale)} {unit}"


def of_round_values(words: Callable[[float], str]) -> Callable[[float], str]:
    """For ticks, whose zeros say nothing: "2 KiB" where `words` has "2.00 KiB"."""

    def label(value: float) -> str:
        return re.sub(r"^\d+\.\d+", lambda number: f"{float(number[0]):g}", words(value))

    return lambda value: label(value) if value else "0"


def shortened(name: str, most: int) -> str:
    """A name of at most so many characters: what is too long has dots in its middle."""
    if len(name) <= most:
        return name
    kept = most - len(_DOTS)
    return f"{name[: kept - kept // 2]}{_DOTS}{name[len(name) - kept // 2 :]}"


def interval(ratio: Ratio) -> str:
    """That of a ratio's median, with the coverage it has: "96.9 % interval 0.98 to 1.20"."""
    if (found := ratio.interval) is None:
        return "no interval from a single pair"
    return f"{percent(found.coverage)} interval {found.low:.2f} to {found.high:.2f}"
