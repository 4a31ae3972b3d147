"""What several traces of a program say of more ranks: a law for each of its sections."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stretto.data.trace_sections import (
    CallShare,
    EndKind,
    Section,
    SectionEnd,
    TracedCollective,
    TraceSections,
)
from stretto.errors import InputError
from stretto.stats.laws import FEWEST, NOISE, Law, law_of, refitted

_NS = 1e-9
_LITTLE = 0.005  # of the run's time: sections of less are put together, which chance rules alone


@dataclass(frozen=True)
class TracedCall:
    """An end of a section, the same in all traces; of messages there is no place."""

    kind: EndKind
    collective: TracedCollective | None = None

    @property
    def key(self) -> tuple[object, ...]:
        site = self.collective
        return (self.kind, site and (site.function, site.object, site.offset))


@dataclass(frozen=True)
class FoundNoise:
    """How far values are from their law by chance, as a share, and by how many degrees of freedom
    that is known."""

    share: float = NOISE
    freedom: float = math.inf


@dataclass(frozen=True)
class TracedPart:
    """A call, one of its shares, or what is computed between two; its values by number of ranks, of
    a mean rank."""

    is_call: bool
    begin: TracedCall
    end: TracedCall
    phase: TracedCollective | None  # of messages: the last collective before
    seconds: tuple[float, ...]
    longest: tuple[float, ...]  # of the rank that takes longest
    calls: tuple[float, ...]
    bytes: tuple[float, ...]
    noise: FoundNoise
    merged: int = 1  # sections that are too short for laws of their own; their ends say nothing
    in_all: bool = True  # Has every trace any?
    share: CallShare = "all"


@dataclass(frozen=True)
class PartLaws:
    """Laws in the number of ranks: of times in seconds, of calls and of bytes of a mean rank."""

    part: TracedPart
    seconds: Law
    longest: Law
    calls: Law
    bytes: Law


@dataclass(frozen=True)
class PredictedTime:
    """What laws say, with an interval of 95 % as far as the laws hold; in seconds."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class LeftOut:
    """The run on most ranks, predicted from the others; in seconds."""

    ranks: int
    fitted: list[int]
    predicted: PredictedTime
    traced: float
    same_forms: bool  # their forms were chosen with it, its values not used: too few are left
    parts: list[tuple[TracedPart, float, float]]  # predicted, and in the trace

    @property
    def off(self) -> float:
        """As a share of what it was."""
        return self.predicted.value / self.traced - 1


@dataclass(frozen=True)
class Extrapolation:
    """All of it; parts that take longest on `target` ranks first."""

    ranks: list[int]
    target: int
    traced: list[float]  # seconds until the last rank was done, by ranks
    parts: list[PartLaws]
    rest: Law  # what parts leave: how much later the last rank is done than the mean of them
    whole: Law  # of `traced`: what one law alone says
    left_out: LeftOut
    not_in_all: int  # sections that some of the traces have not: they are 0 there
    share_not_in_all: float  # of the time, in the trace where they have most of it

    @property
    def computing(self) -> list[PartLaws]:
        return [each for each in self.parts if not each.part.is_call]

    @property
    def communication(self) -> list[PartLaws]:
        return [each for each in self.parts if each.part.is_call]

    def at(self, ranks: int) -> PredictedTime:
        """Until the last rank is done: all laws together."""
        return together([*(each.seconds for each in self.parts), self.rest], ranks)


def together(laws: Sequence[Law], ranks: int) -> PredictedTime:
    """Their sum; errors of one say nothing of another's, so that their squares add up."""
    value = sum(law.at(ranks) for law in laws)
    reaches = [(law.at(ranks), *law.interval(ranks)) for law in laws]
    below = math.sqrt(sum((said - low) ** 2 for said, low, _ in reaches))
    above = math.sqrt(sum((high - said) ** 2 for said, _, high in reaches))
    return PredictedTime(value, max(value - below, 0.0), value + above)


def extrapolated(traces: Sequence[TraceSections], target: int) -> Extrapolation:
    """Laws of traces on FEWEST or more different numbers of ranks; those on as many are repetitions
    of a run, of which the median counts. A run on one rank does not: it sends nothing, so that what
    it computes lies between other calls than that of more. Raises InputError."""
    traces = [trace for trace in traces if trace.ranks > 1]
    ranks = sorted({trace.ranks for trace in traces})
    if len(ranks) < FEWEST:
        shown = ", ".join(map(str, ranks)) or "one rank"
        raise InputError(
            f"a law takes traces on {FEWEST} different numbers of ranks or more, from 2 on; these "
            f"are on {shown}"
        )
    was = _medians(traces, ranks, lambda trace: _NS * trace.last_ns)
    if min(was) <= 0:
        raise InputError("a trace has no time in it: there is nothing to be extrapolated")
    sections = _parts(traces, ranks)
    parts = _with_short_ones_together(sections, was)
    rest = _rest(parts, was)
    partial = [each for each in sections if not each.in_all]
    laws = [_laws(part, ranks) for part in parts]
    laws.sort(key=lambda each: -each.seconds.at(target))
    noise = _noise([[_NS * t.last_ns for t in traces if t.ranks == each] for each in ranks])
    rest_law = law_of(ranks, rest, noise.share, noise.freedom)
    return Extrapolation(
        ranks,
        target,
        list(was),
        laws,
        rest_law,
        law_of(ranks, was, noise.share, noise.freedom),
        _left_out(laws, rest_law, ranks, was),
        len(partial),
        max(sum(each.seconds[at] for each in partial) / was[at] for at in range(len(ranks))),
    )


def _rest(parts: Sequence[TracedPart], was: Sequence[float]) -> list[float]:
    """The time until the last rank is done, less that of all parts of a mean rank.

    Of repetitions also what medians leave out: a delay that each run has elsewhere is in the median
    of none of the parts.
    """
    rest = [whole - sum(part.seconds[at] for part in parts) for at, whole in enumerate(was)]
    return [each if each > _NS else 0.0 for each in rest]


def _left_out(
    laws: Sequence[PartLaws], rest: Law, ranks: list[int], was: Sequence[float]
) -> LeftOut:
    *fitted, largest = ranks
    same_forms = len(fitted) < FEWEST

    def without(law: Law) -> Law:
        kept = [(p, value) for p, value in zip(law.ranks, law.values, strict=True) if p != largest]
        at, values = [p for p, _ in kept], [value for _, value in kept]
        if len(kept) < FEWEST:
            return refitted(law, at, values)
        return law_of(at, values, law.noise, law.freedom)

    others = [without(each.seconds) for each in laws]
    parts = [
        (each.part, law.at(largest), each.part.seconds[-1])
        for each, law in zip(laws, others, strict=True)
    ]
    predicted = together([*others, without(rest)], largest)
    return LeftOut(largest, fitted, predicted, was[-1], same_forms, parts)


def _laws(part: TracedPart, ranks: Sequence[int]) -> PartLaws:
    def law(values: Sequence[float], noise: FoundNoise) -> Law:
        return law_of(ranks, values, noise.share, noise.freedom)

    exact = FoundNoise(0.0)

    return PartLaws(
        part,
        law(part.seconds, part.noise),
        law(part.longest, part.noise),
        law(part.calls, exact),
        law(part.bytes, exact),
    )


def _with_short_ones_together(
    parts: Sequence[TracedPart], was: Sequence[float]
) -> list[TracedPart]:
    """Those that are short on any number of ranks, of calls and of computing apart."""
    found: list[TracedPart] = []
    short: dict[bool, list[TracedPart]] = {}
    for part in parts:
        if all(own < _LITTLE * whole for own, whole in zip(part.seconds, was, strict=True)):
            short.setdefault(part.is_call, []).append(part)
        else:
            found.append(part)
    for is_call, those in short.items():
        nowhere = TracedCall("start")

        def sums(
            of: Callable[[TracedPart], tuple[float, ...]], those: list[TracedPart] = those
        ) -> list[float]:
            return [sum(each) for each in zip(*map(of, those), strict=True)]

        found.append(
            TracedPart(
                is_call,
                nowhere,
                nowhere,
                None,
                tuple(sums(lambda part: part.seconds)),
                tuple(sums(lambda part: part.longest)),
                tuple(sums(lambda part: part.calls)),
                tuple(sums(lambda part: part.bytes)),
                max((part.noise for part in those), key=lambda noise: noise.share),
                len({(part.begin.key, part.end.key, part.phase) for part in those}),
            )
        )
    return found


def _parts(traces: Sequence[TraceSections], ranks: Sequence[int]) -> list[TracedPart]:
    """Those that any trace has; what one lacks took it no time."""
    known: dict[tuple[object, ...], tuple[TraceSections, Section]] = {}
    by_trace: list[dict[tuple[object, ...], Section]] = []
    for trace in traces:
        by_trace.append({_key(trace, each): each for each in trace.sections})
        for key, section in by_trace[-1].items():
            known.setdefault(key, (trace, section))
    found = []
    for key, (trace, section) in known.items():

        def values(of: Callable[[Section, int], float], key: object = key) -> list[list[float]]:
            return [
                [
                    of(sections[key], each.ranks) if key in sections else 0.0
                    for each, sections in zip(traces, by_trace, strict=True)
                    if each.ranks == p
                ]
                for p in ranks
            ]

        def count(each: Section, p: int) -> float:
            # The other share of a call counts it.
            return 0.0 if each.share == "waiting" else each.all.count / p

        seconds = values(lambda each, p: _NS * each.all.ns / p)
        found.append(
            TracedPart(
                section.is_call,
                _call(trace, section.begin),
                _call(trace, section.end),
                _site(trace, section.phase),
                _middle(seconds),
                _middle(values(lambda each, _: _NS * each.most.ns)),
                _middle(values(count)),
                _middle(values(lambda each, p: each.all.bytes / p)),
                _noise(seconds),
                in_all=all(key in sections for sections in by_trace),
                share=section.share,
            )
        )
    return found


def _key(trace: TraceSections, section: Section) -> tuple[object, ...]:
    ends = (_call(trace, section.begin), _call(trace, section.end))
    phase = TracedCall("start", _site(trace, section.phase))
    return (section.is_call, section.share, *(end.key for end in ends), phase.key)


def _call(trace: TraceSections, end: SectionEnd) -> TracedCall:
    return TracedCall(end.kind, _site(trace, end.call_site))


def _site(trace: TraceSections, number: int) -> TracedCollective | None:
    return None if number < 0 else trace.call_sites[number]


def _medians(
    traces: Sequence[TraceSections], ranks: Sequence[int], of: Callable[[TraceSections], float]
) -> tuple[float, ...]:
    return _middle([[of(trace) for trace in traces if trace.ranks == p] for p in ranks])


def _middle(values: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(float(np.median(each)) for each in values)


def _noise(values: Sequence[Sequence[float]]) -> FoundNoise:
    """NOISE, as laws leave things out; or what repetitions differ by, if more."""
    squares, freedom, fewest = 0.0, 0, math.inf
    for each in values:
        mean = float(np.mean(each))
        fewest = min(fewest, len(each))
        if len(each) > 1 and mean > 0:
            squares += sum((value / mean - 1) ** 2 for value in each)
            freedom += len(each) - 1
    found = math.sqrt(squares / freedom / fewest) if freedom else 0.0
    return FoundNoise(found, freedom) if found > NOISE else FoundNoise()


def all_calls(trace: TraceSections) -> set[tuple[str, str, int]]:
    """The places of its collectives, by which traces of one program are known."""
    return {(each.function, each.object, each.offset) for each in trace.call_sites}
