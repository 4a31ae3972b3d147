"""How much slower the network may be before the program is, in words and as curves."""

from collections.abc import Iterator

from stretto.data.network_tolerance import Bearable, NetworkTolerance
from stretto.report.curves import CurvesPlot, curves_plot
from stretto.report.words import percent, seconds, significant

_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
_LEAST_SHOWN = 1e-4  # a share of the time: what is below is no curve to see
_MOST_SHOWN = 10.0
_NO_MESSAGE = 0.01


def in_words(found: NetworkTolerance) -> Iterator[str]:
    """What it is of, how it depends on latency, and the sentence."""
    rate = "" if found.bit_per_s is None else f", {bandwidth(found.bit_per_s)}"
    yield f"network tolerance: {found.level} of {seconds(1e-9 * found.latency_ns)} latency{rate}"
    if found.messages_in_a_row < _NO_MESSAGE:
        yield f"no message of its longest path goes over the {found.level}"
    else:
        yield (
            f"added latency counts {significant(found.messages_in_a_row)} times on its longest "
            f"path, while it is little: once for a message over the {found.level}, three times for "
            "one that its receiver answers first"
        )
    yield sentence(found.bears[0], found)


def sentence(each: Bearable, found: NetworkTolerance) -> str:
    """What the program bears before it is so much slower."""
    latency = (
        f"any latency up to {seconds(1e-9 * found.most_latency_ns)}"
        if each.added_latency_ns is None
        else f"{seconds(1e-9 * each.added_latency_ns)} more latency"
    )
    divisor = (
        "any bandwidth"
        if each.bandwidth_divisor is None
        else f"bandwidth divided by {each.bandwidth_divisor:.3g}"
    )
    return f"it bears {latency}, or {divisor}, before it is {percent(each.slower)} slower"


def more(ns: float) -> str:
    return f"+{seconds(1e-9 * ns)}"


def never_bandwidth(found: NetworkTolerance) -> str:
    return f"over {found.most_divisor:,.0f}"


def bandwidth(bit_per_s: float) -> str:
    """Three significant digits in the unit that fits: "187 Mbit/s"."""
    unit = next((each for each in _RATES if bit_per_s >= each[0]), (1.0, "bit/s"))
    return f"{significant(bit_per_s / unit[0])} {unit[1]}"


def tolerance_plots(found: NetworkTolerance) -> list[CurvesPlot]:
    """How much slower it gets with latency that is added, and with bandwidth that is divided."""
    latency = curves_plot(
        "Slower with more latency",
        "latency that is added",
        [("slower by", _shown([(1e-9 * ns, share) for ns, share in found.by_latency]))],
        seconds,
        percent,
    )
    divided = curves_plot(
        "Slower with less bandwidth",
        "what bandwidth is divided by",
        [("slower by", _shown(found.by_bandwidth))],
        lambda divisor: f"{divisor:.3g}",
        percent,
    )
    return [plot for plot in (latency, divided) if plot]


def _shown(curve: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(at, share) for at, share in curve if _LEAST_SHOWN <= share <= _MOST_SHOWN]
