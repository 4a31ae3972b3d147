"""Simulated collectives as tables for a terminal."""

from collections.abc import Iterator, Mapping

from rich.table import Table

from stretto.data.schedules import Simulated
from stretto.report.words import seconds, significant

_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def tables(ranks: int, curves: Mapping[str, list[Simulated]]) -> Iterator[tuple[str, Table]]:
    """With their titles: all algorithms on so many ranks, and how they scale if that is known."""
    largest = [each for points in curves.values() for each in points if each.ranks == ranks]
    if largest:
        yield f"on {ranks:,} ranks", comparison(largest)
    if any(each.ranks != ranks for points in curves.values() for each in points):
        yield "by number of ranks", scaling({name: p for name, p in curves.items() if p})


def comparison(results: list[Simulated]) -> Table:
    """Every algorithm's time, the fastest first, its ratio to that, and a bar."""
    table = Table()
    table.add_column("algorithm", overflow="fold")
    for column in ("time", "ratio", "messages"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    results = sorted(results, key=lambda each: each.end_ns)
    fastest, slowest = results[0].end_ns, results[-1].end_ns
    for each in results:
        table.add_row(
            each.algorithm,
            seconds(each.end_ns * 1e-9),
            f"{significant(each.end_ns / fastest)}x" if fastest else "",
            f"{each.messages:,}",
            _bar(each.end_ns / slowest if slowest else 0),
        )
    return table


def scaling(curves: dict[str, list[Simulated]]) -> Table:
    """Times over the number of ranks, an algorithm a column; the fastest of each row stands out."""
    table = Table()
    table.add_column("ranks", justify="right")
    for algorithm in curves:
        table.add_column(algorithm, justify="right")
    at = {(name, each.ranks): each for name, points in curves.items() for each in points}
    for ranks in sorted({each.ranks for points in curves.values() for each in points}):
        row = [at.get((name, ranks)) for name in curves]
        fastest = min(each.end_ns for each in row if each)
        cells = [_cell(each, fastest) for each in row]
        table.add_row(f"{ranks:,}", *cells)
    return table


def _cell(simulated: Simulated | None, fastest: float) -> str:
    if simulated is None:
        return "-"
    text = seconds(simulated.end_ns * 1e-9)
    return f"[bold green]{text}[/]" if simulated.end_ns == fastest else text


def _bar(share: float) -> str:
    eighths = max(1, round(share * _BAR * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
