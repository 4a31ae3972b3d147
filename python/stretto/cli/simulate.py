"""stretto simulate: the library's schedules in virtual time, on any machine and any scale."""

from pathlib import Path

from rich.progress import track

from stretto.cli import simulate_tables as tables
from stretto.cli.answers_shown import record_of
from stretto.cli.consoles import err, note, out
from stretto.cli.json_text import as_text
from stretto.cli.narrow import show_table
from stretto.cli.options import AsJson, KeepIn, bytes_of, elements_of
from stretto.cli.plain_tables import plain_table
from stretto.cli.run_folders import make_folder
from stretto.cli.simulate_options import (
    AlgorithmOrAllOption,
    ArrivalPatternOption,
    CollectiveOption,
    ElementBytesOption,
    EngineOption,
    MachineFileOption,
    ManyRanksOption,
    NoiseOption,
    PlotOption,
    RadixOption,
    RanksPerHostOption,
    RootOption,
    ScalingOption,
    SeedOption,
    SegmentOption,
    SizeOption,
    arrivals_of,
    noise_of,
)
from stretto.cli.table_export import ExportCsv, ExportMarkdown, export_tables
from stretto.data.answer_record import store_simulated, write_answer
from stretto.data.schedules import Algorithm, Simulated
from stretto.errors import InputError
from stretto.launch.cores import usable_cores
from stretto.model.machine import Machine, read_machine
from stretto.native.schedules import Unsuited, algorithms
from stretto.native.simulations import Case, Conditions, simulate_all


def simulate(
    collective: CollectiveOption,
    algorithm: AlgorithmOrAllOption = "all",
    ranks: ManyRanksOption = 1024,
    size: SizeOption = None,
    machine: MachineFileOption = "infiniband-100g",
    ppn: RanksPerHostOption = None,
    element_bytes: ElementBytesOption = 8,
    segment: SegmentOption = None,
    radix: RadixOption = 4,
    root: RootOption = 0,
    late: ArrivalPatternOption = None,
    noise: NoiseOption = None,
    seed: SeedOption = 1,
    scaling: ScalingOption = True,
    plot: PlotOption = None,
    path: EngineOption = "any",
    output: KeepIn = None,
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a collective on any machine and any number of ranks, by the library's schedules.

    Example: stretto simulate allreduce -n 4096 --bytes 64K --machine ethernet-10g --ppn 16
    """
    if plot is not None:
        _check_plot(plot)
    where = _machine(machine, ppn)
    if root >= ranks:
        raise InputError(f"--root {root}: the ranks are 0 to {ranks - 1}")
    is_barrier = collective == "barrier"
    size = size or ("0" if is_barrier else "1M")
    conditions = Conditions(
        element_bytes=element_bytes,
        count=0 if is_barrier else elements_of("--bytes", size, element_bytes),
        signal_bytes=bytes_of(size) if is_barrier else None,
        segment=_segment(segment, element_bytes),
        radix=radix,
        root=root,
        arrivals=arrivals_of(late),
        noise=noise_of(noise),
        seed=seed,
        path=path,
    )
    chosen = _chosen(collective, algorithm)
    cases = [Case(each, n) for n in _sizes(ranks, root, scaling) for each in chosen]
    folder = None if output is None else make_folder(output, "simulate")
    done, left_out = _simulated(where, conditions, cases)
    curves = {each.algorithm: _curve(each, done) for each in chosen}
    title = _title(collective, bytes_of(size), conditions, where)
    words = _left_out(left_out)
    if folder is not None:
        store_simulated([each for points in curves.values() for each in points], folder)
        notes = [f"left out: {each}" for each in words]
        write_answer(record_of("simulate", title, ranks, notes), folder)
    if plot is not None:
        _draw(plot, title, curves)
    found = [plain_table(table, name) for name, table in tables.tables(ranks, curves)]
    export_tables(found, export_csv, export_markdown)
    if as_json:
        print(as_text([each for points in curves.values() for each in points]))
    else:
        _print(f"{title}, {ranks:,} ranks", ranks, curves)
    for each in words:
        note(f"left out: {each}")
    if folder is not None:
        note(f"Run folder: {folder}")


def _check_plot(path: Path) -> None:
    """Before the simulations, not after them."""
    # Here, as importing matplotlib would make every command half a second slower.
    from stretto.report.scaling import FORMATS  # noqa: PLC0415

    if path.suffix.removeprefix(".") not in FORMATS:
        raise InputError(f"--plot {path}: a picture's name ends in .{', .'.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: {path.parent} is not a folder")


def _draw(path: Path, title: str, curves: dict[str, list[Simulated]]) -> None:
    from stretto.report.scaling import draw_scaling  # noqa: PLC0415 - see _check_plot

    draw_scaling(path, title, curves)
    note(f"Drawn in {path}")


def _machine(name: str, ppn: int | None) -> Machine:
    machine = read_machine(name)
    if ppn is None:
        return machine
    try:
        return machine.with_ranks_per_host(ppn)
    except InputError as error:
        raise InputError(f"--ppn {ppn}: {error}") from None


def _segment(text: str | None, element_bytes: int) -> int:
    """In elements."""
    if text is None:
        return 32 * 1024 // element_bytes
    return elements_of("--segment", text, element_bytes)


def _chosen(collective: str, name: str) -> list[Algorithm]:
    known = [each for each in algorithms(collective) if not each.two_groups]
    chosen = [each for each in known if name in ("all", each.algorithm)]
    if not chosen:
        names = ", ".join(each.algorithm for each in known)
        raise InputError(f"unknown algorithm '{name}' for {collective}: all, {names}")
    return chosen


def _sizes(ranks: int, root: int, scaling: bool) -> list[int]:
    powers = [1 << i for i in range(1, ranks.bit_length()) if root < 1 << i < ranks]
    return [*(powers if scaling else []), ranks]


def _simulated(
    machine: Machine, conditions: Conditions, cases: list[Case]
) -> tuple[dict[Case, Simulated], dict[Case, str]]:
    """What could be simulated, and of what could not why."""
    done: dict[Case, Simulated] = {}
    left_out: dict[Case, str] = {}
    running = simulate_all(machine, conditions, cases, usable_cores())
    for case, answer in track(running, "simulating", total=len(cases), console=err, transient=True):
        if isinstance(answer, Unsuited):
            left_out[case] = str(answer)
        else:
            done[case] = answer
    if not done:
        raise InputError("; ".join(_left_out(left_out)))
    return done, left_out


def _left_out(cases: dict[Case, str]) -> list[str]:
    """A line for each algorithm and reason."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for case, why in cases.items():
        ranks.setdefault((case.algorithm.algorithm, why), []).append(case.ranks)
    return [
        f"{algorithm} on {', '.join(f'{n:,}' for n in sorted(those))} ranks: {why}"
        for (algorithm, why), those in ranks.items()
    ]


def _curve(algorithm: Algorithm, done: dict[Case, Simulated]) -> list[Simulated]:
    points = [result for case, result in done.items() if case.algorithm == algorithm]
    return sorted(points, key=lambda each: each.ranks)


def _title(collective: str, bytes_: int, conditions: Conditions, machine: Machine) -> str:
    parts = [f"{collective}, {bytes_:,} bytes, on {machine.name}"]
    if late := conditions.arrivals:
        parts.append(f"arrivals {late.pattern} up to {late.latest_ns / 1e3:g} µs")
    if noise := conditions.noise:
        parts.append(f"noise {noise.lasts_ns / 1e3:g} µs every {noise.period_ns / 1e3:g} µs")
    return ", ".join(parts)


def _print(title: str, ranks: int, curves: dict[str, list[Simulated]]) -> None:
    out.print(title, style="bold", markup=False)
    for _, table in tables.tables(ranks, curves):
        show_table(table, out)
