"""Reads the cost line of an algorithm's head comment; docs/schedules.md has its grammar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

_LINE = re.compile(
    r"^Cost, p(?P<power> = 2\^k)?(?: > (?P<above>\d+))? ranks(?P<hosts>, h a host)?, n elements: "
    r"(?P<terms>[^.]*)\.$",
    re.MULTILINE,
)
_TOKEN = re.compile(r"\s*(logk|lg|alpha|beta|gamma|\d+|[pnksh()+*/-])")
_COEFFICIENTS = ("alpha", "beta", "gamma")


@dataclass(frozen=True)
class Formula:
    """What a schedule should cost."""

    powers_of_two_only: bool
    above: int  # holds for more ranks than this
    on_hosts: bool  # of so many ranks each, by which the algorithm goes
    terms: str

    @property
    def uses_segments(self) -> bool:
        return "s" in _tokens(self.terms)

    @property
    def uses_radix(self) -> bool:
        return bool({"k", "logk"} & set(_tokens(self.terms)))

    def value(self, **values: int) -> dict[str, Fraction]:
        """The three coefficients for p, n, and k, s or h where they occur."""
        return _Parser(_tokens(self.terms), values).sum_of_terms()


def cost_line(source: str) -> Formula:
    """The formula in an algorithm file; ValueError where there is none to be read."""
    found = _LINE.search("\n".join(_head_comment(source)))
    if found is None:
        raise ValueError("no line '// Cost, p ranks, n elements: ... .'")
    above = int(found["above"] or 1)
    return Formula(found["power"] is not None, above, found["hosts"] is not None, found["terms"])


def ceil_log(base: int, value: int) -> int:
    """The least power that base must be raised to, to reach value."""
    power = 0
    while base**power < value:
        power += 1
    return power


def _head_comment(source: str) -> list[str]:
    lines = source.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [line.removeprefix("//").strip() for line in lines[:end]]


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"cannot read {text[at:]!r}")
        tokens.append(found[1])
        at = found.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[str], values: dict[str, int]) -> None:
        self._tokens = tokens
        self._values = values

    def sum_of_terms(self) -> dict[str, Fraction]:
        total = dict.fromkeys(_COEFFICIENTS, Fraction(0))
        while True:
            factor = self._product() if self._next not in _COEFFICIENTS else Fraction(1)
            total[self._take(*_COEFFICIENTS)] += factor
            if not self._next:
                return total
            self._take("+")

    @property
    def _next(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _take(self, *expected: str) -> str:
        if self._next not in expected:
            raise ValueError(f"expected {' or '.join(expected)}, found {self._next or 'the end'}")
        return self._tokens.pop(0)

    def _sum(self) -> Fraction:
        total = self._product()
        while self._next in ("+", "-"):
            total += self._product() if self._take("+", "-") == "+" else -self._product()
        return total

    def _product(self) -> Fraction:
        product = self._factor()
        while self._next and self._next not in ("+", "-", ")", *_COEFFICIENTS):
            if self._next == "/":
                self._take("/")
                product /= self._factor()
            else:
                if self._next == "*":
                    self._take("*")
                product *= self._factor()
        return product

    def _factor(self) -> Fraction:
        token = self._take(*([self._next] if self._next else ["a factor"]))
        if token == "(":
            inner = self._sum()
            self._take(")")
            return inner
        logs: dict[str, Callable[[int], int]] = {
            "lg": lambda value: ceil_log(2, value),
            "logk": lambda value: ceil_log(self._values["k"], value),
        }
        if token in logs:
            self._take("(")
            inner = self._sum()
            self._take(")")
            return Fraction(logs[token](int(inner)))
        if token.isdigit():
            return Fraction(int(token))
        if token in self._values:
            return Fraction(self._values[token])
        raise ValueError(f"{token!r} stands for nothing here")
