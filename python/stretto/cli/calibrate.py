"""stretto calibrate: LogGP parameters of this machine, per level of its topology."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.answers_shown import record_of
from stretto.cli.calibrate_tables import fitted_tables
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.narrow import show_table
from stretto.cli.options import (
    AsJson,
    LauncherArgs,
    LauncherPath,
    ProgramAndArgs,
    RankCount,
    Timeout,
)
from stretto.cli.plain_tables import plain_table
from stretto.cli.rigs import OnRig, launcher_on
from stretto.cli.run_folders import make_folder
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.answer_record import store_calibration, write_answer
from stretto.data.calibration import Calibration
from stretto.data.whole_file import put_whole
from stretto.errors import EnvironmentUnusable, InputError, unwritable
from stretto.launch.base import Start
from stretto.launch.calibration import calibrate as measure
from stretto.launch.calibration import calibration_command
from stretto.launch.job import prepare, provenance_of
from stretto.model.calibrated import Fitted, machine_of
from stretto.model.machine import toml_of
from stretto.report.words import seconds, significant


def calibrate(
    program: ProgramAndArgs,
    ranks: RankCount = 2,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The machine, as TOML.")
    ] = Path("machine.toml"),
    name: Annotated[str, typer.Option(help="What the machine is called.")] = "this machine",
    rig: OnRig = None,
    timeout: Timeout = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plain command that measures.")
    ] = False,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    run_folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep what was measured there, for stretto report."),
    ] = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Measure what messages and collectives cost with the MPI of PROGRAM, which ends after its
    MPI_Init, and write a machine that simulate and whatif read.

    Two ranks on one host give the level 'host'; where the launcher puts ranks on several hosts,
    there is a level 'network', too, and where it binds them to cores of several complexes (that
    share a last-level cache each), a level 'core complex'. Give as many ranks as there are cores,
    no more.

    Example: stretto calibrate -n 2 -o laptop.toml ./jacobi3d
    """
    if ranks < 2:
        raise InputError("--ranks 1: a message needs two")
    job = prepare(program, launcher, launcher_args, mode="calibrate")
    if dry_run:
        file = Path("calibration.json")
        print(shlex.join(calibration_command(job, job.launcher, ranks, file)))
        return
    folder = None if run_folder is None else make_folder(run_folder, "calibrate", "--run-folder")
    with launcher_on(job.launcher, rig) as where, err.status("measuring"):
        calibration = measure(job, where, ranks, timeout)
    refuse_if_oversubscribed(calibration, ranks)
    fitted = machine_of(calibration, name)
    try:
        put_whole(output, toml_of(fitted.machine).encode())
    except OSError as error:
        raise unwritable(f"--output {output}", error) from error
    if folder is not None:
        command = calibration_command(job, job.launcher, ranks, Path("calibration.json"))
        native = job.launcher.command(Start(ranks, job.program.argv))
        provenance = provenance_of(job, native, command)
        store_calibration(calibration, folder)
        write_answer(record_of("calibrate", name, ranks, provenance=provenance), folder)
    found = [plain_table(table) for table in fitted_tables(fitted)]
    export_tables(found, export_csv, export_markdown)
    if as_json:
        print(as_text(_plain(fitted)))
    else:
        _print(fitted, calibration)
        note(f"Machine: {output}" + (f"   Run folder: {folder}" if folder else ""))


def refuse_if_oversubscribed(calibration: Calibration, asked: int = 0) -> None:
    """Ranks that share cores do not show what the machine can do.

    `asked`: so many shall have taken part, no fewer for want of cores.
    """
    if calibration.oversubscribed or calibration.ranks < asked:
        ranks = max(calibration.ranks, asked)
        raise EnvironmentUnusable(
            f"{ranks} ranks share cores here, which shows nothing of the machine: "
            "calibrate with fewer ranks, or name a machine"
        )


def _print(fitted: Fitted, calibration: Calibration) -> None:
    out.print(f"{calibration.mpi}: {calibration.ranks} ranks, {calibration.hosts} host(s)")
    for table in fitted_tables(fitted):
        show_table(table, out)
    compute = fitted.machine.compute
    out.print(
        f"copy {significant(compute.copy_ns_per_byte)} ns/B, "
        f"reduce {significant(compute.reduce_ns_per_byte)} ns/B, "
        f"page fault {seconds(compute.page_fault_ns * 1e-9)}; "
        f"{len(fitted.machine.collective)} times of the MPI's own collectives"
    )


def _plain(fitted: Fitted) -> dict[str, object]:
    return {
        "machine": fitted.machine,
        "fit": {
            level: [
                {"from_bytes": each.message.from_bytes, "sizes": each.sizes, "worst": each.worst}
                for each in pieces
            ]
            for level, pieces in fitted.pieces.items()
        },
    }
