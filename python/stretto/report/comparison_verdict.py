"""What a comparison comes to, in one sentence that claims no more than was measured."""

from dataclasses import dataclass
from enum import StrEnum

from stretto.report.words import interval
from stretto.stats.ratio import ENOUGH_PAIRS, Ratio


class Finding(StrEnum):
    """Which side was faster, or why that is not said."""

    GAIN = "gain"
    LOSS = "loss"
    NO_DIFFERENCE = "no difference shown"
    FEW_PAIRS = "too few pairs"
    NOT_LOADED = "not loaded"
    NOTHING_HANDLED = "nothing handled"


@dataclass(frozen=True)
class ComparisonVerdict:
    """The judgement, and its sentence."""

    finding: Finding
    text: str


def judge_comparison(ratio: Ratio, what: str, *, loaded: bool, handled: bool) -> ComparisonVerdict:
    """From the ratio of the times `what`.

    `loaded`: ranks ran Stretto; `handled`: it did something for them. Otherwise whatever the
    times say is not its doing.
    """
    if not loaded:
        text = "Stretto was not loaded in any rank: both sides are the MPI's"
        return ComparisonVerdict(Finding.NOT_LOADED, text)
    if not handled:
        text = "Stretto handled none of the calls: both sides are the MPI's, whatever the times"
        return ComparisonVerdict(Finding.NOTHING_HANDLED, text)
    middle = f"{ratio.spread.median:.2f}x"
    if ratio.spread.count < ENOUGH_PAIRS:
        runs = f"{ratio.spread.count} pair{'s' * (ratio.spread.count > 1)}"
        text = f"No verdict on {what} from {runs}: {middle} ({interval(ratio)}); "
        return ComparisonVerdict(Finding.FEW_PAIRS, f"{text}it takes --runs {ENOUGH_PAIRS}")
    # A difference that its own figure does not show is none that anybody would notice.
    if not ratio.decided or middle == "1.00x":
        text = f"No difference in {what} shown: {middle} ({interval(ratio)})"
        return ComparisonVerdict(Finding.NO_DIFFERENCE, text)
    is_gain = ratio.spread.median > 1
    comparison = f"{middle} as fast" if is_gain else f"Slower, {middle} as fast,"
    text = f"{comparison} under Stretto by {what} ({interval(ratio)})"
    return ComparisonVerdict(Finding.GAIN if is_gain else Finding.LOSS, text)
