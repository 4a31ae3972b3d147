"""stretto schedule: the library's algorithms listed, shown, costed and proven."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track

from stretto.cli import schedule_tables as tables
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson, elements_of
from stretto.cli.plain_tables import plain_table
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.schedules import Algorithm, Proof, Schedule
from stretto.data.whole_file import put_whole
from stretto.errors import InputError, unwritable
from stretto.launch.cores import usable_cores
from stretto.native.schedules import algorithms, build, prove
from stretto.report.plain_table import PlainTable
from stretto.report.schedule_drawing import draw

app = typer.Typer(help="The schedules of the library: list, show and verify them.")

_FAULT_FOUND = 3
_ROOM = 14  # lines of a terminal that the steps leave to the costs and the prompt
_FEWEST_ROWS = 16

AnyCollective = Annotated[
    str | None, typer.Argument(metavar="COLLECTIVE", help="Only this one: bcast, allreduce, ...")
]
OneAlgorithm = Annotated[str | None, typer.Option("--algorithm", help="Only this algorithm.")]


@app.command(name="list")
def list_(
    collective: AnyCollective = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """List the algorithms and what each can do.

    Example: stretto schedule list allreduce
    """
    known = algorithms(collective)
    export_tables(
        [plain_table(tables.algorithms(known), "algorithms")], export_csv, export_markdown
    )
    if as_json:
        _print_json(known)
    else:
        show_table(tables.algorithms(known), out)


@app.command()
def show(
    collective: Annotated[str, typer.Argument(help="bcast, allreduce, ...")],
    algorithm: Annotated[str, typer.Option(help="`stretto schedule list` names them.")],
    ranks: Annotated[
        int, typer.Option("--ranks", "-n", "-np", min=1, help="Ranks taking part.")
    ] = 8,
    size: Annotated[
        str,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="The vector's, or one rank's block in gather, scatter, allgather, alltoall.",
        ),
    ] = "1M",
    element_bytes: Annotated[int, typer.Option(min=1, help="One element's size.")] = 8,
    segment: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What a pipelined algorithm moves at once."),
    ] = None,
    radix: Annotated[int | None, typer.Option(min=2, help="A k-nomial tree's fan-out.")] = None,
    root: Annotated[int | None, typer.Option(min=0, help="A rooted collective's root.")] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="With MPI_IN_PLACE.")] = False,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="LEVELS",
            help="Ranks that share a host, or more: host=4; host=3+1; 'core complex=2,host=8'.",
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option(help="How ranks come to these: in-order, round-robin, shuffled."),
    ] = None,
    rank: Annotated[int | None, typer.Option(min=0, help="Print this rank's steps only.")] = None,
    every_step: Annotated[bool, typer.Option("--all", help="Print every step.")] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it there.")] = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Print every rank's steps and what they cost; draw them with --svg.

    Example: stretto schedule show allreduce --algorithm ring -n 8 --bytes 1M --svg ring.svg

    Example: stretto schedule show bcast --algorithm two_level -n 8 --layout host=4
    """
    if rank is not None and rank >= ranks:
        raise InputError(f"--rank {rank}: the ranks are 0 to {ranks - 1}")
    shape = {
        "--ranks": ranks,
        "--count": elements_of("--bytes", size, element_bytes),
        "--segment": segment and elements_of("--segment", segment, element_bytes),
        "--radix": radix,
        "--root": root,
        "--layout": layout,
        "--placement": placement,
    }
    schedule = build(collective, algorithm, _options(shape) + ["--in-place"] * in_place)
    export_tables(_every_step(schedule, rank), export_csv, export_markdown)
    if as_json:
        _print_json(schedule)
    else:
        _print_schedule(schedule, rank, every_step or rank is not None)
        for line in tables.costs(schedule.cost, element_bytes):
            out.print(line, markup=False, soft_wrap=True)
    if svg is not None:
        _write(svg, draw(schedule))


@app.command()
def verify(
    collective: AnyCollective = None,
    algorithm: OneAlgorithm = None,
    max_ranks: Annotated[
        int, typer.Option(min=1, max=129, help="The largest communicator to try.")
    ] = 129,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Prove the algorithms right for every size and root; exit code 3 where one is not.

    Example: stretto schedule verify allgather
    """
    chosen = _chosen(collective, algorithm)
    proving = prove(chosen, max_ranks, usable_cores())
    done = list(track(proving, "proving", total=len(chosen), console=err))
    proofs = _in_order(chosen, done)
    faults = [proof.fault for proof in proofs if proof.fault is not None]
    export_tables([plain_table(tables.proofs(proofs), "proofs")], export_csv, export_markdown)
    if as_json:
        _print_json(proofs)
    else:
        show_table(tables.proofs(proofs), out)
    for fault in faults:
        err.print(fault, style="red", markup=False, soft_wrap=True)
    if faults:
        raise typer.Exit(_FAULT_FOUND)


def _chosen(collective: str | None, algorithm: str | None) -> list[Algorithm]:
    if algorithm is None:
        return algorithms(collective)
    if collective is None:
        raise InputError("--algorithm needs a collective before it")
    known = algorithms(collective)
    chosen = [each for each in known if each.algorithm == algorithm]
    if not chosen:
        names = ", ".join(each.algorithm for each in known)
        raise InputError(f"unknown algorithm '{algorithm}' for {collective}: {names}")
    return chosen


def _in_order(chosen: list[Algorithm], done: list[Proof]) -> list[Proof]:
    proof_of = {(proof.collective, proof.algorithm): proof for proof in done}
    return [proof_of[each.collective, each.algorithm] for each in chosen]


def _options(values: dict[str, Any]) -> list[str]:
    given = {name: value for name, value in values.items() if value is not None}
    return [word for name, value in given.items() for word in (name, str(value))]


def _print_schedule(schedule: Schedule, rank: int | None, whole: bool) -> None:
    most = max(_FEWEST_ROWS, out.height - _ROOM)
    table, left_out = tables.steps(schedule, rank, most=sys.maxsize if whole else most)
    out.print(tables.title(schedule), style="bold", markup=False)
    show_table(table, out)
    if left_out:
        out.print(f"{left_out:,} more steps: --rank R for one rank's, --all for every one")


def _every_step(schedule: Schedule, rank: int | None) -> Iterator[PlainTable]:
    yield plain_table(tables.steps(schedule, rank, most=sys.maxsize)[0], "steps")


def _print_json(value: Any) -> None:
    print(as_text(value))


def _write(path: Path, picture: str) -> None:
    try:
        put_whole(path, picture.encode())
    except OSError as error:
        raise unwritable(f"--svg {path}", error) from error
    note(f"Drawn in {path}")
