"""Answers of whatif, replay, calibrate and simulate as the report shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stretto.data.answer_record import AnswerRecord
from stretto.data.calibration import Calibration, Quartiles
from stretto.data.network_tolerance import NetworkTolerance
from stretto.data.schedules import Simulated
from stretto.data.virtual_times import SIM
from stretto.report.bars import Bars, Row, Tile, part_of
from stretto.report.curves import CurvesPlot, curves_plot
from stretto.report.extrapolation import Extrapolation, PartLaws
from stretto.report.network_tolerance import in_words, tolerance_plots
from stretto.report.plain_table import PlainTable
from stretto.report.plots import SpansPlot, spans_plot
from stretto.report.profile_words import place_words
from stretto.report.spread import Spread
from stretto.report.whatif import Answer
from stretto.report.words import percent, seconds, share, size

_MOST_SITES = 100

Figure = SpansPlot | CurvesPlot | Bars


@dataclass(frozen=True)
class AnswerSection:
    """Everything the page shows of one answer."""

    record: AnswerRecord
    title: str
    mpi: str  # nothing, where none was asked
    verdict: str
    lines: list[str]  # what else there is to know
    tiles: list[Tile]
    figures: list[Figure]
    tables: list[PlainTable]

    @property
    def name(self) -> str:
        return self.record.name


def virtual_section(
    record: AnswerRecord, mpi: str, answer: Answer, verdict: str, lines: Sequence[str]
) -> AnswerSection:
    """One of whatif or replay; its verdict and lines are those of the terminal."""
    found = answer.efficiencies
    sim, gain = answer.scenarios[SIM], answer.gain
    tiles = [
        Tile("in virtual time", seconds(sim.median), f"{answer.ranks} ranks, scenario {SIM}"),
        Tile("free collectives would save", percent(gain.median), _reach(gain)),
        Tile("parallel efficiency", percent(found.parallel), "of all ranks' time is computing"),
    ]
    real: dict[str, Spread] = {"normal": answer.normal} if answer.normal else {}
    times = spans_plot(
        "Time of the scenarios", _runs_in_words(answer.runs), real | answer.scenarios, SIM
    )
    figures: list[Figure] = [times, _efficiencies(answer)]
    if answer.call_sites:
        figures.append(_call_sites(record, answer))
    title = "again, from its trace" if record.verb == "replay" else "what its collectives cost"
    return AnswerSection(record, title, mpi, verdict, [*lines], tiles, figures, [])


def with_tolerance(
    section: AnswerSection, found: NetworkTolerance, tables: Sequence[PlainTable]
) -> AnswerSection:
    """The same, with how much slower the network may be."""
    return replace(
        section,
        lines=[*section.lines, *in_words(found)],
        figures=[*section.figures, *tolerance_plots(found)],
        tables=[*section.tables, *tables],
    )


def simulated_section(
    record: AnswerRecord,
    title: str,
    curves: Mapping[str, Sequence[Simulated]],
    tables: Sequence[PlainTable],
) -> AnswerSection:
    """One of simulate: how algorithms scale."""
    fastest_first = sorted(curves.items(), key=lambda each: _last(each[1]))
    plot = curves_plot(
        "Until the last rank is done",
        "ranks",
        [(name, [(p.ranks, 1e-9 * p.end_ns) for p in those]) for name, those in fastest_first],
        lambda ranks: f"{ranks:,.0f}",
        seconds,
    )
    largest = [p for points in curves.values() for p in points if p.ranks == record.ranks]
    best = min(largest, key=lambda point: point.end_ns, default=None)
    verdict = "" if best is None else f"fastest on {best.ranks:,} ranks: {best.algorithm}"
    tiles = [] if best is None else [Tile(best.algorithm, seconds(1e-9 * best.end_ns), verdict)]
    return AnswerSection(record, title, "", verdict, [], tiles, [plot] if plot else [], [*tables])


def extrapolated_section(
    record: AnswerRecord,
    found: Extrapolation,
    verdict: str,
    lines: Sequence[str],
    tables: Sequence[PlainTable],
) -> AnswerSection:
    """One of replay of several traces; its verdict and lines are those of the terminal."""
    ranks = _doubled(found)
    target, check = found.at(found.target), found.left_out

    def of(parts: Sequence[PartLaws]) -> list[tuple[float, float]]:
        return [(p, sum(each.seconds.at(p) for each in parts)) for p in ranks]

    plot = curves_plot(
        "Until the last rank is done",
        "ranks",
        [
            ("in the traces", [*zip(found.ranks, found.traced, strict=True)]),
            ("by the laws", [(p, found.at(p).value) for p in ranks]),
            ("computing, by its laws", of(found.computing)),
            ("communication, by its laws", of(found.communication)),
        ],
        lambda ranks: f"{ranks:,.0f}",
        seconds,
    )
    reach = f"{seconds(target.low)} to {seconds(target.high)}"
    tiles = [
        Tile(f"on {found.target:,} ranks", seconds(target.value), reach),
        Tile(
            f"off on {check.ranks:,} ranks, left out",
            percent(check.off),
            f"{seconds(check.predicted.value)} predicted, {seconds(check.traced)} in the trace",
        ),
    ]
    title = "extrapolated from several traces"
    figures: list[Figure] = [plot] if plot else []
    return AnswerSection(record, title, "", verdict, [*lines], tiles, figures, [*tables])


def _doubled(found: Extrapolation) -> list[int]:
    """Numbers of ranks for curves: those of the traces, and on to what is asked for."""
    shown = [*found.ranks]
    while shown[-1] < found.target:
        shown.append(min(2 * shown[-1], found.target))
    return shown


def calibrated_section(
    record: AnswerRecord, calibration: Calibration, tables: Sequence[PlainTable]
) -> AnswerSection:
    """One of calibrate: what was measured, and in `tables` what was made of it."""
    messages = curves_plot(
        "An exchange of two ranks",
        "bytes of a message",
        [
            (level.name, [(m.bytes, 1e-9 * m.exchange.typical) for m in level.messages])
            for level in calibration.levels
        ],
        size,
        seconds,
    )
    by_name: dict[str, list[tuple[float, float]]] = {}
    for each in calibration.collectives:
        by_name.setdefault(each.name, []).append((each.bytes, 1e-9 * each.time.typical))
    collectives = curves_plot(
        f"Collectives of the MPI, {calibration.ranks} ranks",
        "bytes of a block or vector",
        [*by_name.items()],
        size,
        seconds,
    )
    ranks = f"{calibration.ranks} ranks, {calibration.hosts} host(s)"
    tiles = [
        Tile(
            f"shortest exchange, {level.name}",
            seconds(1e-9 * first.exchange.typical),
            _quartiles(first.exchange),
        )
        for level in calibration.levels
        for first in level.messages[:1]
    ]
    return AnswerSection(
        record,
        "what messages and collectives cost",
        calibration.mpi,
        "",
        [ranks],
        tiles,
        [plot for plot in (messages, collectives) if plot],
        [*tables, _collectives(calibration)],
    )


def _collectives(calibration: Calibration) -> PlainTable:
    """All that were measured; in the picture there is not room for the quartiles."""
    return PlainTable(
        "Collectives of the MPI",
        ["collective", "bytes", "calls in a row", "low", "time", "high"],
        [
            [
                each.name,
                f"{each.bytes:,}",
                str(each.calls),
                *(seconds(1e-9 * ns) for ns in (each.time.low, each.time.typical, each.time.high)),
            ]
            for each in calibration.collectives
        ],
    )


def _quartiles(time: Quartiles) -> str:
    return f"quartiles {seconds(1e-9 * time.low)} to {seconds(1e-9 * time.high)}"


def _last(points: Sequence[Simulated]) -> tuple[int, float]:
    """Those first that were simulated on the most ranks, and of them the fastest."""
    most = max(points, key=lambda point: point.ranks)
    return -most.ranks, most.end_ns


def _reach(spread: Spread) -> str:
    return f"{percent(spread.least)} to {percent(spread.most)} over the runs"


def _runs_in_words(runs: int) -> str:
    if runs == 1:
        return "one run, which has no interval"
    return f"the dot is the median of {runs} runs, the bar reaches from the shortest to the longest"


def _efficiencies(answer: Answer) -> Bars:
    """The POP project's, as bars of at most 100 %."""
    found = answer.efficiencies
    rows = [
        ("parallel efficiency", found.parallel, "the product of the three below"),
        ("load balance", found.load_balance, "mean computing over the longest rank's"),
        (
            "serialisation",
            found.serialisation,
            "left by waiting for what comes before, were messages free",
        ),
        ("transfer", found.transfer, "left by what messages and collectives themselves take"),
    ]
    return Bars(
        "POP efficiencies",
        "Shares of the time that stay computing; their product is what all ranks compute.",
        [],
        "",
        ["efficiency"],
        [
            Row(
                name,
                detail,
                [percent(value)],
                [part_of("efficiency", min(value, 1.0), 1, percent(value))],
            )
            for name, value, detail in rows
        ],
    )


def _call_sites(record: AnswerRecord, answer: Answer) -> Bars:
    """What waits and what transfers, the most to gain first."""
    whole = answer.scenarios[SIM].median * answer.ranks
    shown = answer.call_sites[:_MOST_SITES]
    longest = max(total.waiting_s + total.transfer_s for total in shown)
    rows = []
    for total in shown:
        where = place_words(total.place, total.symbol, record.lines)
        name = f"{total.function.removeprefix('MPI_')} {where}"
        figures = [f"{total.calls:,.0f}", size(total.bytes)]
        figures += [percent(share(part, whole)) for part in (total.waiting_s, total.transfer_s)]
        parts = [
            part_of("waiting", total.waiting_s, longest),
            part_of("transfer", total.transfer_s, longest),
        ]
        rows.append(Row(name, f"{total.place.object}+{total.place.offset:#x}", figures, parts))
    left_out = len(answer.call_sites) - len(shown)
    words = f"of all ranks' time in scenario {SIM}; the most to gain first"
    return Bars(
        "Collectives by call site",
        words + (f"; {left_out} more transfer less: see --json" if left_out else ""),
        [("waiting", "waiting for late ranks"), ("transfer", "transfer")],
        "collective",
        ["calls", "bytes", "waiting", "transfer"],
        rows,
    )
