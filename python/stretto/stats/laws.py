"""Laws in the number of ranks, from what was measured on a few: c0 + c1 p^(i/j) log2(p)^k.

The performance model normal form of Extra-P, with one term: Calotoiu et al., "Using automated
performance modeling to find scalability bugs in complex codes", SC 2013. Its exponents, and those
that it has for strong scaling, which fall. Forms are compared by leave-one-out cross-validation.

Few values fit many forms. So a constant stays one until it is refuted, and the interval of a
prediction holds what all forms say that fit the values about as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# How far values are from their law by chance, as a share, where nobody knows better.
NOISE = 0.05
FEWEST = 3  # values: a form with two coefficients goes through any two
_LEAST_NOISE = 1e-6  # exact values are as exact as their arithmetic
_NOTHING = 1e-100  # less is none: its square has no number
_LEAST_SHARE = 0.02  # of the largest value: so much at least counts as a value's size
_REFUTED = 0.01  # the probability with which a constant is refuted by chance
_INTERVAL = 0.95
_CLEARLY = 0.5  # another form's error must be so much less than the constant's
_LAWFUL = 0.2  # and less than this, or even less: else there is no law to be seen
_AS_GOOD = 1.5  # so many times the least error is as good, if the form is plainer
_NEARLY_AS_GOOD = 4  # the same of a form without a constant, if noise is as large

_GROWING = (
    *((0.0, 1), (0.0, 2)),
    *((i / 4, k) for i in (1, 2, 3, 4) for k in (0, 1, 2)),
    *((i / 3, k) for i in (1, 2) for k in (0, 1, 2)),
    *((4 / 5, 0), (5 / 4, 0), (5 / 4, 1), (4 / 3, 0), (4 / 3, 1)),
    *((3 / 2, 0), (3 / 2, 1), (3 / 2, 2), (5 / 3, 0), (7 / 4, 0)),
    *((2.0, 0), (2.0, 1), (2.0, 2), (9 / 4, 0), (7 / 3, 0), (5 / 2, 0), (5 / 2, 1), (5 / 2, 2)),
    *((8 / 3, 0), (11 / 4, 0), (3.0, 0), (3.0, 1)),
)
_FALLING = (-1 / 4, -1 / 3, -1 / 2, -2 / 3, -3 / 4, -1.0, -4 / 3, -3 / 2, -2.0)
_PLAIN = {(0.0, 1), (0.5, 0), (1.0, 0), (1.0, 1), (2.0, 0), (-0.5, 0), (-2 / 3, 0), (-1.0, 0)}


@dataclass(frozen=True)
class LawForm:
    """p^exponent log2(p)^logs, with a constant or alone; the constant itself is p^0."""

    exponent: float = 0.0
    logs: int = 0
    is_alone: bool = False

    @property
    def is_constant(self) -> bool:
        return self.exponent == 0 and self.logs == 0

    @property
    def is_plain(self) -> bool:
        """One that algorithms have."""
        return self.is_constant or (self.exponent, self.logs) in _PLAIN

    def at(self, ranks: Floats) -> Floats:
        """Of 1 or more ranks."""
        found: Floats = ranks**self.exponent * np.log2(ranks) ** self.logs
        return found


CONSTANT = LawForm()


@dataclass(frozen=True)
class Law:
    """What it was fitted to, and what it says; `c1` is 0 of a constant."""

    form: LawForm
    c0: float
    c1: float
    error: float  # of cross-validation: SMAPE of each value by a fit to the others; 0.1 is 10 %
    constant_error: float  # the same of a constant
    noise: float  # assumed, or found, as a share of a value
    ranks: tuple[float, ...]
    values: tuple[float, ...]
    is_refuted: bool = False  # a constant that the values refute, and no form describes them
    freedom: float = math.inf  # degrees of freedom that the noise was found with

    def at(self, ranks: float) -> float:
        """Never below 0."""
        return max(self.c0 + self.c1 * float(self.form.at(np.array([float(ranks)]))[0]), 0.0)

    def interval(self, ranks: float) -> tuple[float, float]:
        """That of 95 % by the profile likelihood: what plain forms say that fit about as well.

        Where the constant was not refuted, that of the constant alone; where it was and nothing
        describes the values, that of the constant and whatever fits no worse. So on more ranks
        than were measured it misses growth that the noise hides.
        """
        if max(self.values) < _NOTHING:
            return 0.0, 0.0
        data = _Data.of(self.ranks, self.values, self.noise)
        is_sure = self.form.is_constant and not self.is_refuted
        plain = [] if is_sure else [each for each in _usable(data) if each.is_plain]
        forms = [self.form, *plain]
        fits = [fit for form in forms if (fit := data.fit(form)) is not None]
        best = min(fit.off for fit in fits)
        # Values that are further off than the noise show more of it, which is then known by as many
        # values only as the form leaves. The wider is right also of values that fit well, which
        # few do by chance: by the noise alone, intervals of three values held too seldom.
        left = max(len(self.ranks) - 1 - (not self.form.is_constant), 1)
        most = max(_most_off(self.freedom), _most_off(left) * best / left)
        low = high = self.at(ranks)
        for fit in fits:
            room = most - (fit.off - best)
            if room < 0:
                continue
            said, error = fit.said(float(ranks))
            reach = math.sqrt(room) * error
            low, high = min(low, said - reach), max(high, said + reach)
        return max(low, 0.0), high


def law_of(
    ranks: Sequence[float],
    values: Sequence[float],
    noise: float = NOISE,
    freedom: float = math.inf,
) -> Law:
    """The law of values at FEWEST or more different numbers of ranks, none below 0.

    `noise`: how far values are from their law by chance, as a share; `freedom`: the degrees of
    freedom that it was found with, of 1 or more. Raises ValueError.
    """
    if len(set(ranks)) < FEWEST or len(ranks) != len(values):
        raise ValueError(f"a law takes values at {FEWEST} different numbers of ranks")
    data = _Data.of(ranks, values, max(noise, _LEAST_NOISE))
    constant_error = _cross_validated(data, CONSTANT)
    form, error = CONSTANT, constant_error
    is_refuted = _is_refuted(data)
    if is_refuted:
        scored = [(_cross_validated(data, each), each) for each in (*_usable(data), *_alone())]
        least = min((score for score, _ in scored), default=math.inf)
        is_law = least < _LAWFUL or least < _CLEARLY**2 * constant_error
        if is_law and least < _CLEARLY * constant_error:
            error, form = _plainest(scored, least, data.noise)
    law = _law(data, form, error, constant_error)
    return replace(law, is_refuted=is_refuted and form.is_constant, freedom=freedom)


def refitted(law: Law, ranks: Sequence[float], values: Sequence[float]) -> Law:
    """The form of a law with coefficients of other values: of two at least."""
    data = _Data.of(ranks, values, law.noise)
    form = law.form if data.fit(law.form) is not None else CONSTANT
    fitted = _law(data, form, law.error, law.constant_error)
    return replace(fitted, is_refuted=law.is_refuted, freedom=law.freedom)


@dataclass(frozen=True)
class _Fit:
    """Least squares in units of the noise: a line in what the form is at so many ranks."""

    form: LawForm
    c0: float
    c1: float
    off: float  # the sum of squares that is left
    mean: float  # of the form, weighted: where the line is known best
    error: float  # its standard error there
    slope_error: float

    def said(self, ranks: float) -> tuple[float, float]:
        """At so many ranks, and its standard error."""
        if self.form.is_constant:
            return self.c0, self.error
        x = float(self.form.at(np.array([ranks]))[0])
        error = math.hypot(self.error, (x - self.mean) * self.slope_error)
        return self.c0 + self.c1 * x, error


@dataclass(frozen=True)
class _Data:
    ranks: Floats
    values: Floats
    sizes: Floats  # what an error of a value is a share of
    noise: float

    @staticmethod
    def of(ranks: Sequence[float], values: Sequence[float], noise: float) -> "_Data":
        at, found = np.array(ranks, float), np.array(values, float)
        most = float(np.max(np.abs(found)))
        if most < _NOTHING:
            found, most = np.zeros_like(found), 1.0
        return _Data(at, found, np.maximum(np.abs(found), _LEAST_SHARE * most), noise)

    def without(self, one: int) -> "_Data":
        kept = np.arange(len(self.ranks)) != one
        return _Data(self.ranks[kept], self.values[kept], self.sizes[kept], self.noise)

    def fit(self, form: LawForm) -> _Fit | None:
        """None where the form says nothing of these ranks, or would fall below 0 on more.

        In a second pass errors are shares of what the law says: shares of values that happen to be
        small would draw it down.
        """
        x = form.at(self.ranks)
        if not np.all(np.isfinite(x)):
            return None
        first = self._fit(form, x, self.sizes)
        if first is None:
            return None
        said = np.abs(first.c0 + first.c1 * x)
        return self._fit(form, x, np.maximum(said, _LEAST_SHARE * float(np.max(self.sizes))))

    def _fit(self, form: LawForm, x: Floats, sizes: Floats) -> _Fit | None:
        y, weights = self.values, 1 / (self.noise * sizes) ** 2
        whole = float(weights.sum())
        mean, level = float(weights @ x) / whole, float(weights @ y) / whole
        error = 1 / math.sqrt(whole)
        if form.is_constant:
            return _Fit(form, level, 0.0, float(weights @ (y - level) ** 2), 0.0, error, 0.0)
        square = float(weights @ (x - mean) ** 2)
        if square <= 0:
            return None
        c1 = float(weights @ ((x - mean) * (y - level))) / square
        c0, slope_error = level - c1 * mean, 1 / math.sqrt(square)
        if form.exponent >= 0 and c1 < 0:
            return None
        # Of one that falls and would below 0 the best is at the border, where it falls to 0.
        if form.is_alone or (form.exponent < 0 and c0 < 0):
            square = float(weights @ x**2)
            c0, c1 = 0.0, float(weights @ (x * y)) / square
            mean, error, slope_error = 0.0, 0.0, 1 / math.sqrt(square)
        off = float(weights @ (y - c0 - c1 * x) ** 2)
        return _Fit(form, c0, c1, off, mean, error, slope_error)


def _usable(data: _Data) -> list[LawForm]:
    return [form for form in _forms() if data.fit(form) is not None]


@cache
def _forms() -> tuple[LawForm, ...]:
    growing = dict.fromkeys(LawForm(exponent, logs) for exponent, logs in _GROWING)
    falling = [LawForm(exponent) for exponent in _FALLING]
    return (*growing, *falling)


@cache
def _alone() -> tuple[LawForm, ...]:
    return tuple(LawForm(*each, is_alone=True) for each in sorted(_PLAIN))


def _cross_validated(data: _Data, form: LawForm) -> float:
    """SMAPE over all values, each by a fit to the others."""
    errors = []
    for one in range(len(data.ranks)):
        fit = data.without(one).fit(form)
        if fit is None:
            return math.inf
        said, value = fit.said(float(data.ranks[one]))[0], float(data.values[one])
        # Beside a value of 0 any other would be wholly wrong, were it ever so small.
        size = max(abs(said) + abs(value), 2 * _LEAST_SHARE * float(np.max(data.sizes)))
        errors.append(2 * abs(said - value) / size)
    return float(np.mean(errors))


def _is_refuted(data: _Data) -> bool:
    """Whether values differ more from a constant than noise would let them.

    Noise that few values have shown is taken for known here: by F nothing but a constant would
    be left where there is one repetition, and its interval would hold none of the others.
    """
    fit = data.fit(CONSTANT)
    return fit is not None and _chance(fit.off, len(data.ranks) - 1) < _REFUTED


def _chance(off: float, freedom: int) -> float:
    """That a sum of squares is larger, by chi-squared."""
    from scipy.special import gammaincc  # noqa: PLC0415 - only those who extrapolate need it

    return float(gammaincc(freedom / 2, off / 2))


@cache
def _most_off(freedom: float) -> float:
    """How much worse one coefficient may fit: Student's t squared, of so many degrees of freedom.

    Where the noise is known it is chi-squared of one degree: 3.84.
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - only those who extrapolate need it

    return float(stdtrit(freedom, (1 + _INTERVAL) / 2) ** 2)


def _plainest(
    scored: Sequence[tuple[float, LawForm]], least: float, noise: float
) -> tuple[float, LawForm]:
    """Of those that are about as good as the best: one without a constant, for which noise may be
    the reason to be worse, or else a plain one, where there is one; of those the best."""
    most = max(_AS_GOOD * least, least + noise / 4)
    most_alone = max(most, min(noise, _NEARLY_AS_GOOD * least))
    as_good = [each for each in scored if each[0] <= (most_alone if each[1].is_alone else most)]
    return min(as_good, key=lambda each: (not each[1].is_alone, not each[1].is_plain, each[0]))


def _law(data: _Data, form: LawForm, error: float, constant_error: float) -> Law:
    fit = data.fit(form)
    if fit is None:
        raise ValueError("the form does not fit these values")
    return Law(
        form,
        fit.c0,
        fit.c1,
        error,
        constant_error,
        data.noise,
        tuple(data.ranks.tolist()),
        tuple(data.values.tolist()),
    )
