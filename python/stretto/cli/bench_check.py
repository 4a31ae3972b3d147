"""stretto bench check: is a run worse than one before it?"""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from stretto.cli.bench_compare import named_words, run_words
from stretto.cli.bench_repeat import Output, run_again
from stretto.cli.consoles import err, note, out
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.output import print_plain_json
from stretto.data.bench_folder import BenchFolder
from stretto.errors import InputError
from stretto.report import bench_check
from stretto.report.bench import summarise
from stretto.report.bench_check import Checked, CheckResult
from stretto.report.cell_words import cell_words
from stretto.report.words import seconds

EXIT_WORSE = 3


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
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE", help="A run folder.")],
    run: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="Another one; otherwise BASELINE's plan is run now."),
    ] = None,
    least: Least = "5%",
    output: Output = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    as_json: AsJson = False,
) -> None:
    """Exit with 3 where RUN is worse than BASELINE, with a line for each that is, else with 0.

    Worse is what takes longer by the rank test, corrected for all that is checked, beyond its
    interval, and by 5 % at least.

    Example: stretto bench check ci/baseline --least 10%
    """
    share = share_of(least)
    if run is not None and (output or launcher or launcher_args):
        raise InputError(f"--output and --launcher are for a new run, and {run} is one already")
    before = summarise(BenchFolder(baseline))
    if run is None:
        after, run = run_again(baseline, before, output, launcher, launcher_args)
        note(f"Run folder: {run}")
    else:
        after = summarise(BenchFolder(run))
    found = bench_check.check(before, after, share)
    if as_json:
        sides = [run_words(baseline, before), run_words(run, after)]
        print_plain_json({"sides": sides, **_plain(found)})
    else:
        _show(found)
    if found.worse:
        raise typer.Exit(EXIT_WORSE)


def _plain(found: CheckResult) -> dict[str, object]:
    return {
        "worse": [_words(each) for each in found.worse],
        "checked": [
            msgspec.to_builtins(each) | {"worse": each.is_worse(found.least)}
            for each in found.checked
        ],
        "least": found.least,
        "missing": found.missing,
        "warnings": found.warnings,
    }


def _show(found: CheckResult) -> None:
    for each in found.worse:
        out.print(_words(each), style="red", markup=False, soft_wrap=True)
    if not found.worse:
        least = f"{100 * found.least:g} %"
        out.print(
            f"Of {len(found.checked)} checked nothing is worse by {least} beyond its interval"
        )
    if found.missing:
        err.print(f"Not in the run: {named_words(found.missing)}", markup=False, soft_wrap=True)
    for warning in found.warnings:
        err.print(f"Warning: {warning}", style="yellow", markup=False, soft_wrap=True)


def _words(each: Checked) -> str:
    row = each.row
    what = " ".join(filter(None, (row.cell.name, cell_words(row.cell))))
    times = f"{seconds(each.before * 1e-9)}, now {seconds(each.after * 1e-9)}"
    factor = f"{each.factor:.2f}x [{each.interval.low:.2f}, {each.interval.high:.2f}]"
    return f"{what}, {row.rank_class}, {row.implementation}: {times}, {factor}"
