"""stretto simulate: the library's schedules in virtual time, on any machine and any scale."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from stretto.cli import simulate_tables as tables
from stretto.cli.json_text import as_text
from stretto.cli.options import AsJson, bytes_of, nanoseconds_of
from stretto.data.schedules import Algorithm, Simulated
from stretto.errors import InputError
from stretto.launch.cores import usable_cores
from stretto.model.arrivals import PATTERNS, arrivals
from stretto.model.machine import Machine, presets, read_machine
from stretto.native.schedules import Unsuited, algorithms
from stretto.native.schedules import simulate as simulate_one

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_MOST_RANKS = 1 << 24


@dataclass(frozen=True)
class _Setting:
    """What every simulation of one command has in common."""

    bytes_: int
    element_bytes: int
    segment_bytes: int
    radix: int
    root: int
    late: tuple[str, float] | None
    noise: tuple[float, float] | None
    seed: int
    path: str


@dataclass(frozen=True)
class _Case:
    algorithm: Algorithm
    ranks: int


def simulate(
    collective: Annotated[str, typer.Argument(help="bcast, allreduce, ...")],
    algorithm: Annotated[
        str, typer.Option(help="One of `stretto schedule list`, or all of them.")
    ] = "all",
    ranks: Annotated[
        int, typer.Option("--ranks", "-n", min=1, max=_MOST_RANKS, help="Ranks taking part.")
    ] = 1024,
    size: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="The vector's, or one rank's block in gather, scatter, allgather, alltoall and "
            "reduce_scatter; 1M unless given. In a barrier what a signal carries; 0 unless given.",
        ),
    ] = None,
    machine: Annotated[
        str,
        typer.Option(metavar="FILE", help=f"A machine's TOML file, or {', '.join(presets())}."),
    ] = "infiniband-100g",
    ppn: Annotated[
        int | None, typer.Option(min=1, help="Ranks per host, where the machine has another.")
    ] = None,
    element_bytes: Annotated[int, typer.Option(min=1, help="One element's size.")] = 8,
    segment: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What a pipelined algorithm moves at once; 32K or so."),
    ] = None,
    radix: Annotated[int, typer.Option(min=2, help="A k-nomial tree's fan-out.")] = 4,
    root: Annotated[int, typer.Option(min=0, help="A rooted collective's root.")] = 0,
    late: Annotated[
        str | None,
        typer.Option(
            "--arrivals",
            metavar="PATTERN:TIME",
            help=f"How late ranks come, by at most so much: {', '.join(PATTERNS)}; or last:1ms.",
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            metavar="PERIOD:TIME", help="What the system takes of each CPU: 10ms:25us, say."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of random arrivals and of the noise.")] = 1,
    scaling: Annotated[
        bool, typer.Option(help="Simulate fewer ranks too, by powers of two.")
    ] = True,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the scaling curve: .svg, .png, .pdf.")
    ] = None,
    path: Annotated[
        str, typer.Option(metavar="ENGINE", help="any, events or rounds; the answer is the same.")
    ] = "any",
    as_json: AsJson = False,
) -> None:
    """Simulate a collective on any machine and any number of ranks, by the library's schedules.

    Example: stretto simulate allreduce -n 4096 --bytes 64K --machine ethernet-10g --ppn 16
    """
    if plot is not None:
        _check_plot(plot)
    where = read_machine(machine)
    if ppn is not None:
        try:
            where = where.with_ranks_per_host(ppn)
        except InputError as error:
            raise InputError(f"--ppn {ppn}: {error}") from None
    if root >= ranks:
        raise InputError(f"--root {root}: the ranks are 0 to {ranks - 1}")
    setting = _Setting(
        bytes_=bytes_of(size or ("0" if collective == "barrier" else "1M")),
        element_bytes=element_bytes,
        segment_bytes=bytes_of(segment) if segment else 32 * 1024 // element_bytes * element_bytes,
        radix=radix,
        root=root,
        late=_late(late),
        noise=_noise(noise),
        seed=seed,
        path=path,
    )
    _elements("--segment", setting.segment_bytes, setting)
    chosen = _chosen(collective, algorithm)
    cases = [_Case(each, n) for n in _sizes(ranks, root, scaling) for each in chosen]
    done, left_out = _simulate_all(where, setting, cases)
    curves = {each.algorithm: _curve(each, done) for each in chosen}
    if plot is not None:
        from stretto.report.scaling import draw_scaling  # noqa: PLC0415 - see _check_plot

        draw_scaling(plot, _title(collective, setting, where), curves)
        _err.print(f"Drawn in {plot}", markup=False, soft_wrap=True)
    if as_json:
        every = [each for points in curves.values() for each in points]
        print(as_text(every))
    else:
        _print(f"{_title(collective, setting, where)}, {ranks:,} ranks", ranks, curves)
    for words in _left_out(left_out):
        _err.print(f"left out: {words}", markup=False, soft_wrap=True)


def _check_plot(path: Path) -> None:
    """Before the simulations, not after them."""
    # Here, as importing matplotlib would make every command half a second slower.
    from stretto.report.scaling import FORMATS  # noqa: PLC0415

    if path.suffix.removeprefix(".") not in FORMATS:
        raise InputError(f"--plot {path}: a picture's name ends in .{', .'.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: {path.parent} is not a folder")


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


def _late(text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    pattern, colon, time = text.partition(":")
    if pattern not in PATTERNS or not colon:
        words = f"write PATTERN:TIME, PATTERN one of {', '.join(PATTERNS)}"
        raise InputError(f"--arrivals {text}: {words}")
    return pattern, nanoseconds_of(time)


def _noise(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    period, colon, lasts = text.partition(":")
    if not colon:
        raise InputError(f"--noise {text}: write PERIOD:TIME, as 10ms:25us")
    return nanoseconds_of(period), nanoseconds_of(lasts)


def _simulate_all(
    machine: Machine, setting: _Setting, cases: list[_Case]
) -> tuple[dict[_Case, Simulated], dict[_Case, str]]:
    """What could be simulated, and of what could not why."""
    done: dict[_Case, Simulated] = {}
    left_out: dict[_Case, str] = {}
    with _files(machine, setting, cases) as files, ThreadPoolExecutor(usable_cores()) as pool:
        running = {
            pool.submit(
                simulate_one,
                case.algorithm.collective,
                case.algorithm.algorithm,
                _options(setting, case) + files[case.ranks],
            ): case
            for case in cases
        }
        try:
            for future in track(
                as_completed(running), "simulating", total=len(cases), console=_err, transient=True
            ):
                try:
                    done[running[future]] = future.result()
                except Unsuited as unsuited:
                    left_out[running[future]] = str(unsuited)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    if not done:
        raise InputError("; ".join(_left_out(left_out)))
    return done, left_out


@contextmanager
def _files(
    machine: Machine, setting: _Setting, cases: list[_Case]
) -> Iterator[dict[int, list[str]]]:
    """What the native simulator reads: its options that name files, by the number of ranks."""
    with tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        described = Path(folder) / "machine"
        described.write_text(machine.for_the_tool(), encoding="utf-8")
        found = {}
        for ranks in {case.ranks for case in cases}:
            found[ranks] = ["--machine", str(described)]
            if setting.late is not None:
                times = arrivals(*setting.late, ranks, setting.seed)
                file = Path(folder) / f"arrivals-{ranks}"
                file.write_text("\n".join(map(repr, times.tolist())), encoding="utf-8")
                found[ranks] += ["--arrivals", str(file)]
        yield found


def _options(setting: _Setting, case: _Case) -> list[str]:
    is_barrier = case.algorithm.collective == "barrier"
    options = {
        "--ranks": case.ranks,
        "--count": 0 if is_barrier else _elements("--bytes", setting.bytes_, setting),
        "--element-bytes": setting.element_bytes,
        "--signal-bytes": setting.bytes_ if is_barrier else None,
        "--segment": _elements("--segment", setting.segment_bytes, setting)
        if case.algorithm.uses_segment
        else None,
        "--radix": setting.radix if case.algorithm.uses_radix else None,
        "--root": setting.root or None,
        "--noise-period": setting.noise and setting.noise[0],
        "--noise-lasts": setting.noise and setting.noise[1],
        "--seed": setting.seed,
        "--path": setting.path,
    }
    given = {name: value for name, value in options.items() if value is not None}
    return [str(word) for option in given.items() for word in option]


def _elements(option: str, bytes_: int, setting: _Setting) -> int:
    if bytes_ % setting.element_bytes:
        words = f"no whole number of {setting.element_bytes}-byte elements"
        raise InputError(f"{option}: {bytes_} bytes are {words}")
    return bytes_ // setting.element_bytes


def _left_out(cases: dict[_Case, str]) -> list[str]:
    """A line for each algorithm and reason."""
    ranks: dict[tuple[str, str], list[int]] = {}
    for case, why in cases.items():
        ranks.setdefault((case.algorithm.algorithm, why), []).append(case.ranks)
    return [
        f"{algorithm} on {', '.join(f'{n:,}' for n in sorted(those))} ranks: {why}"
        for (algorithm, why), those in ranks.items()
    ]


def _curve(algorithm: Algorithm, done: dict[_Case, Simulated]) -> list[Simulated]:
    points = [result for case, result in done.items() if case.algorithm == algorithm]
    return sorted(points, key=lambda each: each.ranks)


def _title(collective: str, setting: _Setting, machine: Machine) -> str:
    parts = [f"{collective}, {setting.bytes_:,} bytes, on {machine.name}"]
    if setting.late is not None:
        parts.append(f"arrivals {setting.late[0]} up to {setting.late[1] / 1e3:g} µs")
    if setting.noise is not None:
        parts.append(f"noise {setting.noise[1] / 1e3:g} µs every {setting.noise[0] / 1e3:g} µs")
    return ", ".join(parts)


def _print(title: str, ranks: int, curves: dict[str, list[Simulated]]) -> None:
    _out.print(title, style="bold", markup=False)
    largest = [each for points in curves.values() for each in points if each.ranks == ranks]
    if largest:
        _out.print(tables.comparison(largest))
    if any(each.ranks != ranks for points in curves.values() for each in points):
        _out.print(tables.scaling({name: points for name, points in curves.items() if points}))
