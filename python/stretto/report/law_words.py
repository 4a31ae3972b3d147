"""Laws and sections of traces in words."""

from collections.abc import Callable
from fractions import Fraction

from stretto.data.places import Lines
from stretto.report.extrapolation import PredictedTime, TracedCall, TracedPart
from stretto.report.profile_words import place_words
from stretto.report.words import seconds
from stretto.stats.laws import Law, LawForm

_NOTHING = 1e-3  # of the whole, at all that was measured: such a constant is not worth words
_SHARES = {"waiting": "waiting in ", "transfer": "transfer of "}
_KINDS = {"start": "start", "end": "end", "send": "send", "receive": "receive", "probe": "probe"}


def form_words(form: LawForm) -> str:
    """Without its coefficient: "p log2(p)", "p^(3/2)"; nothing of a constant."""
    words = []
    if form.exponent:
        exponent = Fraction(form.exponent).limit_denominator(12)
        whole = exponent.denominator == 1 and exponent > 0
        power = "" if exponent == 1 else f"^{exponent}" if whole else f"^({exponent})"
        words.append("p" + power)
    if form.logs:
        words.append("log2(p)" + ("" if form.logs == 1 else f"^{form.logs}"))
    return " ".join(words)


def law_words(law: Law, of: Callable[[float], str] = seconds) -> str:
    """With its coefficients: "1.20 ms + 310 ns p log2(p)"."""
    if law.is_refuted:
        return "no law"
    if law.form.is_constant:
        return of(law.c0)
    shape = "/ p" if law.form.exponent == -1 and not law.form.logs else form_words(law.form)
    term = f"{of(abs(law.c1))} {shape}"
    # A constant that is little beside what falls is what is left on many ranks.
    little = _NOTHING if law.form.exponent >= 0 else _NOTHING**2
    if abs(law.c0) < little * max(law.values, default=0.0):
        return term if law.c1 >= 0 else f"-{term}"
    if law.c0 < 0:
        return f"{term} - {of(-law.c0)}"
    return f"{of(law.c0)} {'-' if law.c1 < 0 else '+'} {term}"


def reach(predicted: PredictedTime) -> str:
    """How far its interval goes, as shares: "-12 +30 %"."""
    if predicted.value <= 0:
        return f"to {seconds(predicted.high)}" if predicted.high > 0 else ""
    below, above = (
        abs(100 * (end / predicted.value - 1)) for end in (predicted.low, predicted.high)
    )
    return f"-{round(below)} +{round(above)} %"


def part_words(part: TracedPart, lines: Lines, most: int | None = None) -> str:
    """A call and where it is, or the two that something is computed between; `most` as for
    `place_words`."""
    if part.merged > 1 or part.begin == part.end == TracedCall("start"):
        what = "calls" if part.is_call else "stretches of computing"
        return f"{part.merged} short {what}"
    ends = [_call_words(end, lines, most) for end in (part.begin, part.end)]
    words = ends[0] if part.is_call else " to ".join(ends)
    if part.share != "all":
        return f"{_SHARES[part.share]}{words}"
    if part.begin.collective or part.begin.kind == "start":
        return words
    if part.phase is None:
        return f"{words}, before any collective"
    return f"{words}, after {_call_words(TracedCall('collective', part.phase), lines, most)}"


def _call_words(call: TracedCall, lines: Lines, most: int | None) -> str:
    if call.collective is None:
        return _KINDS.get(call.kind, "other calls")
    site = call.collective
    name = site.function.removeprefix("MPI_")
    where = place_words(site.place, site.symbol, lines, most)
    words = f"{name} {where}"
    return f"wait of {words}" if call.kind == "wait" else words
