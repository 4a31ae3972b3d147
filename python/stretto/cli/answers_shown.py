"""Run folders of whatif, replay, calibrate and simulate: keeping them, and showing them again."""

import sys
from collections.abc import Sequence
from pathlib import Path

from stretto.cli import extrapolation_tables, simulate_tables, whatif_tables
from stretto.cli import network_tolerance as tolerance
from stretto.cli.calibrate_tables import fitted_tables
from stretto.cli.plain_tables import plain_table
from stretto.data.answer_record import (
    AnswerRecord,
    Verb,
    calibration_of,
    read_answer,
    replay_of,
    simulated_in,
    whatif_times,
)
from stretto.data.network_tolerance import NetworkTolerance, network_tolerance_in
from stretto.data.places import Lines, places_of
from stretto.data.provenance import Provenance, collect
from stretto.data.schedules import Simulated
from stretto.data.trace_sections import ExtrapolatedTraces, traces_in
from stretto.data.virtual_times import RankTimes
from stretto.model.calibrated import machine_of
from stretto.report.answer_section import (
    AnswerSection,
    calibrated_section,
    extrapolated_section,
    simulated_section,
    virtual_section,
    with_tolerance,
)
from stretto.report.extrapolation import extrapolated
from stretto.report.whatif import Run, answer


def record_of(
    verb: Verb,
    name: str,
    ranks: int,
    notes: Sequence[str] = (),
    *,
    runs: int = 1,
    provenance: Provenance | None = None,
    lines: Lines | None = None,
) -> AnswerRecord:
    """What a run folder says of a run just made; `provenance` where a program was in it."""
    return AnswerRecord(
        verb,
        name,
        ranks,
        runs,
        [*notes],
        provenance or collect(argv=sys.argv),
        places_of(lines or {}),
    )


def answer_of(folder: Path) -> AnswerSection:
    """A run folder as the report shows it."""
    record = read_answer(folder)
    borne = network_tolerance_in(folder)
    match record.verb:
        case "whatif":
            return _virtual(record, *whatif_times(folder, record), borne)
        case "replay":
            if (several := traces_in(folder)) is not None:
                return _extrapolated(record, several)
            return _virtual(record, [], [replay_of(folder, record).ranks], borne)
        case "simulate":
            curves = by_algorithm(simulated_in(folder))
            found = [
                plain_table(table, title)
                for title, table in simulate_tables.tables(record.ranks, curves)
            ]
            return simulated_section(record, "by the library's schedules", curves, found)
        case "calibrate":
            calibration = calibration_of(folder)
            fitted = machine_of(calibration, record.name)
            found = [plain_table(table) for table in fitted_tables(fitted)]
            return calibrated_section(record, calibration, found)


def _extrapolated(record: AnswerRecord, several: ExtrapolatedTraces) -> AnswerSection:
    found = extrapolated(several.traces, several.target)
    *lines, verdict = extrapolation_tables.in_words(found)
    shown = extrapolation_tables.whole(found, record.lines)
    return extrapolated_section(record, found, verdict, lines, shown)


def by_algorithm(points: Sequence[Simulated]) -> dict[str, list[Simulated]]:
    """In their order."""
    curves: dict[str, list[Simulated]] = {}
    for point in points:
        curves.setdefault(point.algorithm, []).append(point)
    return curves


def _virtual(
    record: AnswerRecord,
    normal: list[list[RankTimes]],
    virtual: list[list[RankTimes]],
    borne: NetworkTolerance | None,
) -> AnswerSection:
    found = answer(normal, [Run.of(run) for run in virtual])
    verdict = whatif_tables.verdict(found, record.lines)
    section = virtual_section(
        record, virtual[0][0].mpi, found, verdict, whatif_tables.summary(found)
    )
    return section if borne is None else with_tolerance(section, borne, tolerance.whole(borne))
