"""What an answer of `stretto whatif` comes to, in one sentence."""

from dataclasses import dataclass
from enum import Enum, auto

from stretto.report.spread import Spread
from stretto.report.words import percent

# A gain that small is not worth the trouble, however well it is known.
NOT_WORTH_IT = 0.05


class Worth(Enum):
    """Whether to make collectives cheaper."""

    WORTH_IT = auto()
    HARDLY = auto()
    NOT = auto()
    UNKNOWN = auto()


@dataclass(frozen=True)
class Verdict:
    """The judgement, and the sentence that gives its reason."""

    worth: Worth
    text: str

    @property
    def has_gain(self) -> bool:
        """Whether there is something to gain, much or little."""
        return self.worth in (Worth.WORTH_IT, Worth.HARDLY)


def judge(gains: Spread, gap: float, *, has_spread: bool, perhaps: str = "") -> Verdict:
    """From the gain of free collectives, and how far predictions are from real runs.

    Both as shares of the time. What the gain may be off by is what runs differ by, or what the
    prediction does; `has_spread`: at least one of them is known. `perhaps`: why the prediction is
    off, as far as that is known.
    """
    gain, error = gains.median, max(gains.half_range, gap)
    seems = f"no verdict: collectives seem to cost {percent(gain)}, but"
    if not has_spread:
        return Verdict(Worth.UNKNOWN, f"{seems} one run has no spread")
    if gain > error:
        cost = f"collectives cost {percent(gain)} \N{PLUS-MINUS SIGN} {percent(error)}"
        if gain >= NOT_WORTH_IT:
            return Verdict(Worth.WORTH_IT, f"{cost}: worth it")
        return Verdict(Worth.HARDLY, f"{cost}: hardly worth it")
    if gain + error < NOT_WORTH_IT:
        at_most = f"collectives cost {percent(gain + error)} at most"
        return Verdict(Worth.NOT, f"{at_most}: not worth it")
    if gains.half_range >= gap:
        return Verdict(Worth.UNKNOWN, f"{seems} runs differ by {percent(error)}")
    off = f"the prediction differs from the real runs by {percent(error)}"
    return Verdict(Worth.UNKNOWN, f"{seems} {off}{f', {perhaps}' if perhaps else ''}")
