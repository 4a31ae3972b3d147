"""stretto report: runs made earlier, in one page."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from stretto.cli.answers_shown import answer_of
from stretto.cli.bench_imported import ShownImport
from stretto.cli.bench_report import InFiles, ShownBench, refuse_replacing, write_files
from stretto.cli.bench_searched import ShownSearch
from stretto.cli.consoles import note
from stretto.data.answer_record import is_answer
from stretto.data.bench_folder import is_bench
from stretto.data.bench_series import is_series
from stretto.data.importers.registry import read_imported
from stretto.data.places import places_of
from stretto.data.profile_record import is_profile, read_record
from stretto.data.profile_traces import read_trace
from stretto.data.profiles import read_profile
from stretto.data.run_folder import RunFolder
from stretto.data.symbols import lines_of
from stretto.errors import InputError
from stretto.report import comparison, profile
from stretto.report.page import refuse_if_not_ours, write_report
from stretto.report.profile_section import ProfileSection, section, shown_ranks
from stretto.report.timeline import timeline


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Run folders, and files that bench import takes."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the report goes.")
    ] = Path("report.html"),
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the plots of benchmarks as SVG, PNG and PDF, and their tables as CSV, "
            "Parquet and Markdown, into this folder, too.",
        ),
    ] = None,
) -> None:
    """Write one report over several run folders: of bench, bench cliffs and calls, compare,
    profile, whatif, replay, calibrate and simulate.

    Curves of what other suites printed are in the plots of runs on as many ranks, too.

    Example: stretto report stretto-runs/transpose-1 stretto-runs/jacobi3d-1 -o report.html
    """
    refuse_if_not_ours(output)
    drawn = (is_bench, is_series, Path.is_file)
    if plots is not None and not any(each(run) for run in runs for each in drawn):
        raise InputError(f"--plots {plots}: it is for runs of stretto bench, and none is one")
    files = [read_imported(run) for run in runs if run.is_file()]
    profiles = [_profile(run) for run in runs if is_profile(run)]
    answers = [answer_of(run) for run in runs if is_answer(run)]
    benches = [ShownBench.of(run, files) for run in runs if is_bench(run)]
    searches = [ShownSearch.of(run) for run in runs if is_series(run)]
    sizes = {each.result.record.plan.ranks for each in benches}
    ranks = sizes.pop() if len(sizes) == 1 else None
    imports = [ShownImport(each, ranks) for each in files]
    known = (is_profile, is_answer, is_bench, is_series, Path.is_file)
    others = [run for run in runs if not any(each(run) for each in known)]
    compared = [comparison.summarise(RunFolder(run)) for run in others]
    in_files: list[InFiles] = [*benches, *searches, *imports]
    if plots is not None:
        refuse_replacing(in_files, plots, runs)
    write_report(
        compared,
        output,
        profiles,
        answers,
        [each.section() for each in benches],
        [*(each.section() for each in searches), *(each.section() for each in imports)],
    )
    note(f"Report: {output}")
    if plots is not None:
        write_files(in_files, plots)


def _profile(run: Path) -> ProfileSection:
    record = read_record(run)
    recorded = read_profile(run, record.ranks, unfinished=True)
    summary = profile.summarise(recorded)
    if not record.places:  # it runs still, or its stretto was killed with it
        record = replace(record, places=places_of(lines_of(summary.places)))
    picture = timeline(
        recorded,
        lambda rank: read_trace(run, rank),
        [rank.rank for rank in shown_ranks(summary)],
    )
    return section(record, summary, picture)
