"""stretto tune: which way to run each collective here, measured."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.progress import track

from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.launcher_settings import settings_in
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath, ProgramAndArgs, Timeout
from stretto.cli.plain_tables import plain_table
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.cli.tune_options import (
    Collectives,
    FromBench,
    FromProfile,
    LaunchCount,
    NativeAlgorithms,
    Output,
    Patterns,
    RankCounts,
    RoundCount,
    Sizes,
    Subject,
)
from stretto.cli.tune_subjects import subjects_for
from stretto.cli.tune_tables import winners
from stretto.data.contests import Contest, ContestPlan, Contests
from stretto.data.host import this_host
from stretto.data.provenance import now
from stretto.data.schedules import Explanation
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, unwritable
from stretto.launch.base import Launcher
from stretto.launch.environment import SELECTION
from stretto.launch.job import Job, prepare
from stretto.launch.tuning import Tuning
from stretto.native.schedules import explain
from stretto.tune.contenders import contenders
from stretto.tune.mpis import PRODUCTS, settings_of
from stretto.tune.results import Results
from stretto.tune.rules import Fingerprint, Tuned, toml_of
from stretto.tune.settings import OwnSettings, Settings
from stretto.tune.turns import turns


def tune(
    program: ProgramAndArgs,
    ranks: RankCounts = None,
    sizes: Sizes = None,
    collectives: Collectives = None,
    patterns: Patterns = None,
    from_profile: FromProfile = None,
    from_bench: FromBench = None,
    output: Output = Path("tuned.toml"),
    rounds: RoundCount = 15,
    launches: LaunchCount = 3,
    native_algorithms: NativeAlgorithms = False,
    rig: OnRig = None,
    timeout: Timeout = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Measure ways to run collectives with the MPI of PROGRAM, which ends after its MPI_Init, and
    write rules that `stretto run --rules` takes.

    Of each collective and size those of Stretto's algorithms are measured that are estimated at
    1.5 times the fastest or less, three at most, and the MPI's own; in turn, as the program would
    call them. The MPI's own stays unless another is surely faster.

    Example: stretto tune -n 4 --sizes 8,4K,256K --patterns none,last:1ms -o tuned.toml ./jacobi3d

    Example: stretto tune --from-bench stretto-runs/guidelines-1 -o tuned.toml ./jacobi3d
    """
    subjects = subjects_for((ranks, sizes, collectives, patterns), from_profile, from_bench)
    if not output.absolute().parent.is_dir():
        raise InputError(f"--output {output}: {output.absolute().parent} is not a folder")
    _require_writable(output)
    _refuse_forced(os.environ)
    job = prepare(program, launcher, launcher_args)
    settings = (*os.environ.items(), *settings_in(launcher_args))
    own = _own_settings(job.launcher.product, settings) if native_algorithms else None
    results = Results()
    with launcher_on(job.launcher, rig) as where:
        tuning = Tuning(job, where, timeout)
        runs = [
            run
            for subject in subjects
            for seen in [_seen(tuning, subject)]
            for run in _runs(_plan(seen, subject, rounds), seen, own, settings)
        ]
        all_runs = [run for _ in range(launches) for run in runs]
        for count, plan, forced in track(all_runs, "measuring", console=err, transient=True):
            results.add(plan, tuning.measure(count, plan, forced))
    tuned = Tuned(_fingerprint(job, where, rig), results.rules())
    try:
        put_whole(output, toml_of(tuned).encode())
    except OSError as error:
        raise unwritable(f"--output {output}", error) from error
    export_tables([plain_table(winners(tuned))], export_csv, export_markdown)
    if as_json:
        print(as_text(tuned))
    else:
        show_table(winners(tuned), out)
        note(f"Rules: {output}")


def _require_writable(output: Path) -> None:
    """Found out before all is measured. What a file has stays in it until there are rules."""
    is_new = not (output.exists() or output.is_symlink())
    try:
        output.open("ab").close()
    except OSError as error:
        raise unwritable(f"--output {output}", error) from error
    if is_new:
        output.unlink()


def _refuse_forced(environment: Mapping[str, str]) -> None:
    """An algorithm that is forced would be measured in the place of every contender."""
    if forced := next((name for name in environment if name.startswith(SELECTION)), None):
        raise InputError(f"{forced} is set, and would run whatever is measured: unset it")


def _own_settings(mpi: str, settings: Settings) -> OwnSettings:
    """What is known of the MPI's own algorithms. Raises InputError."""
    own = settings_of(mpi)
    if own is None:
        raise InputError(
            f"--native-algorithms: those of {mpi} are not known here, only those of "
            f"{', '.join(PRODUCTS)}"
        )
    if chosen := own.chosen_by(settings):
        raise InputError(f"--native-algorithms: {chosen} is set, and chooses some: unset it")
    return own


def _fingerprint(job: Job, launcher: Launcher, rig: str | None) -> Fingerprint:
    host = this_host()
    return Fingerprint(
        mpi=job.launcher.product,
        cpu=host.cpu,
        cpus=host.cpus,
        launcher=launcher.name,
        rig=rig or "",
        measured=now(),
    )


def _seen(tuning: Tuning, subject: Subject) -> Contests:
    """Where so many ranks are, which are started once for that."""
    seen = tuning.measure(subject.ranks, ContestPlan(1, []), {})
    if seen.crowded:
        note(f"stretto: {seen.ranks} ranks share cores here: their rules are for runs that do, too")
    return seen


def _plan(seen: Contests, subject: Subject, rounds: int) -> ContestPlan:
    """What to measure on these ranks."""
    return ContestPlan(
        rounds,
        [
            Contest(name, size, patterns, contenders(_estimates(seen, name, size)))
            for name, size, patterns in subject.calls
        ],
    )


def _runs(
    plan: ContestPlan, seen: Contests, own: OwnSettings | None, settings: Settings
) -> Iterator[tuple[int, ContestPlan, dict[str, str]]]:
    """The launches of a turn: ranks, what they measure, and settings that force it."""
    yield seen.ranks, plan, {}
    if own is not None:
        for each, forced in turns(plan, seen, own, settings):
            yield seen.ranks, each, forced


def _estimates(seen: Contests, collective: str, size: int) -> Explanation:
    options = {"--ranks": seen.ranks, "--hosts": seen.hosts, "--bytes": size}
    return explain(collective, [str(word) for pair in options.items() for word in pair])
