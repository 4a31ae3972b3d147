"""stretto bench check: is a run of bench, compare or profile worse than one before it?"""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from stretto.cli.bench_compare import named_words, run_words
from stretto.cli.bench_repeat import Output, run_again
from stretto.cli.consoles import err, note, out
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.output import print_plain_json
from stretto.cli.profile_check import check_folders
from stretto.cli.run_kinds import Kind, common_kind, kind_of
from stretto.data.bench_folder import BenchFolder
from stretto.data.run_folder import RunFolder
from stretto.errors import InputError
from stretto.report import bench_check, comparison
from stretto.report.bench import BenchRow, summarise
from stretto.report.cell_words import cell_words
from stretto.report.comparison_check import SideTime, check_comparisons
from stretto.report.profile_check import Spent
from stretto.report.words import seconds
from stretto.report.worse import Checked, CheckResult

EXIT_WORSE = 3

Row = BenchRow | SideTime | Spent
Result = CheckResult[BenchRow] | CheckResult[SideTime] | CheckResult[Spent]


def share_of(text: str) -> float:
    """A share: "5%" or "0.05". Raises InputError."""
    number, is_percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        share = float(number) / (100 if is_percent else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < float("inf"):
        raise InputError(f"--least {text}: write a share, as 5% or 0.05")
    return share


Least = Annotated[
    str, typer.Option("--least", metavar="SHARE", help="By less nothing is worse; 0.05 is 5%.")
]


def check(
    baseline: Annotated[
        Path,
        typer.Argument(
            metavar="BASELINE",
            help="A run folder of bench or compare, or a folder of several of profile.",
        ),
    ],
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN",
            help="Another one; otherwise BASELINE's plan is run now, where it is of bench.",
        ),
    ] = None,
    least: Least = "5%",
    output: Output = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    as_json: AsJson = False,
) -> None:
    """Exit with 3 where RUN is worse than BASELINE, with a line for each that is, else with 0.

    Worse is what takes longer by the rank test over launches, corrected for all that is checked,
    beyond its interval, and by 5 % at least. Of bench that is each operation, of compare the
    program on each side, of profile MPI functions by who calls them. Worse is also what bench
    measured before, and what now hangs, fails, is wrong, skipped or invalid.

    Example: stretto bench check ci/baseline --least 10%
    """
    share = share_of(least)
    if run is not None and (output or launcher or launcher_args):
        raise InputError(f"--output and --launcher are for a new run, and {run} is one already")
    sides, found = (
        _against_a_new_run(baseline, share, output, launcher, launcher_args)
        if run is None
        else _against(baseline, run, share)
    )
    if as_json:
        print_plain_json({"sides": sides, **_plain(found)})
    else:
        _show(found)
    if not found.passes:
        raise typer.Exit(EXIT_WORSE)


def _against_a_new_run(
    baseline: Path, least: float, output: Path | None, launcher: str | None, launcher_args: str
) -> tuple[list[str], Result]:
    if (kind := kind_of(baseline)) is not Kind.BENCH:
        raise InputError(
            f"{baseline} is of {kind}, which is not run again from here: name RUN, too"
        )
    before = summarise(BenchFolder(baseline))
    after, run = run_again(baseline, before, output, launcher, launcher_args)
    note(f"Run folder: {run}")
    sides = [run_words(baseline, before), run_words(run, after)]
    return sides, bench_check.check(before, after, least)


def _against(baseline: Path, run: Path, least: float) -> tuple[list[str], Result]:
    """What the sides are, and what came of it."""
    match common_kind(baseline, run):
        case Kind.BENCH:
            before, after = (summarise(BenchFolder(each)) for each in (baseline, run))
            sides = [run_words(baseline, before), run_words(run, after)]
            return sides, bench_check.check(before, after, least)
        case Kind.COMPARE:
            old, new = (comparison.summarise(RunFolder(each)) for each in (baseline, run))
            sides = [_comparison_words(baseline, old), _comparison_words(run, new)]
            return sides, check_comparisons(old, new, least)
        case Kind.PROFILE:
            return check_folders(baseline, run, least)


def _comparison_words(path: Path, result: comparison.Result) -> str:
    plan, when = result.record.plan, result.record.provenance.started_at[:10]
    pairs = result.best[1].ratio.spread.count
    return f"{path}, {plan.name}, {plan.ranks} ranks, {pairs} pairs of launches, {when}"


def _plain(found: Result) -> dict[str, object]:
    return {
        "worse": [_words(each) for each in found.worse],
        "lost": found.lost,
        "checked": [
            msgspec.to_builtins(each) | {"worse": each.is_worse(found.least)}
            for each in found.checked
        ],
        "least": found.least,
        "missing": found.missing,
        "warnings": found.warnings,
    }


def _show(found: Result) -> None:
    for each in found.worse:
        out.print(_words(each), style="red", markup=False, soft_wrap=True)
    for line in found.lost:
        out.print(line, style="red", markup=False, soft_wrap=True)
    if found.passes:
        least = f"{100 * found.least:g} %"
        out.print(
            f"Of {len(found.checked)} checked nothing is worse by {least} beyond its interval"
        )
    if found.missing:
        err.print(f"Not in the run: {named_words(found.missing)}", markup=False, soft_wrap=True)
    for warning in found.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)


def _words(each: Checked[BenchRow] | Checked[SideTime] | Checked[Spent]) -> str:
    low, high = each.interval.low, each.interval.high
    if each.factor is None:
        points = f"{100 * (each.shift or 0):.0f} points [{100 * low:.0f}, {100 * high:.0f}] less"
        was = f"{each.before:.0%} hidden behind the longer, now {each.after:.0%}"
        return f"{_what(each.row)}: {was}, {points}"
    times = f"{seconds(each.before * 1e-9)}, now {seconds(each.after * 1e-9)}"
    factor = f"{each.factor:.2f}x [{low:.2f}, {high:.2f}]"
    return f"{_what(each.row)}: {times}, {factor}"


def _what(row: Row) -> str:
    match row:
        case BenchRow():
            what = " ".join(filter(None, (row.cell.name, cell_words(row.cell))))
            return f"{what}, {row.rank_class}, {row.implementation}"
        case SideTime():
            return f"{row.program}, {row.side}, {row.what}"
        case Spent():
            return f"{row.where}, {row.what}"
