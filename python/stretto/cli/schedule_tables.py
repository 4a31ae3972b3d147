"""Schedules as tables for a terminal."""

from collections.abc import Iterator

from rich.table import Table

from stretto.data.schedules import Algorithm, Cost, Proof, Schedule, Step


def algorithms(known: list[Algorithm]) -> Table:
    """One line an algorithm."""
    table = _table(
        "collective", "algorithm", "rank order", "segments", "radix", "blocks", "by hosts"
    )
    for each in known:
        order = "kept" if each.keeps_rank_order else "not kept: commutative operations only"
        segments = "--segment" if each.uses_segment else ""
        radix = "--radix" if each.uses_radix else ""
        blocks = "of any sizes" if each.single_blocks else ""
        hosts = "--layout" if each.uses_layout else ""
        table.add_row(each.collective, each.algorithm, order, segments, radix, blocks, hosts)
    return table


def proofs(results: list[Proof]) -> Table:
    """One line an algorithm; the faults' words are too long for a table."""
    table = _table("collective", "algorithm")
    table.add_column("cases proven", justify="right")
    table.add_column("verdict")
    for each in results:
        verdict = "[green]proven[/green]" if each.fault is None else "[red]wrong[/red]"
        table.add_row(each.collective, each.algorithm, f"{each.cases:,}", verdict)
    return table


def steps(schedule: Schedule, rank: int | None, most: int) -> tuple[Table, int]:
    """The steps of one rank or all, at most so many; and how many were left out."""
    table = _table("rank", "step", "does", "after steps", "time")
    rows = list(_rows(schedule, rank))
    for row in rows[:most]:
        table.add_row(*row)
    return table, max(0, len(rows) - most)


def title(schedule: Schedule) -> str:
    """What is shown, in one line."""
    parts = [f"{schedule.collective} {schedule.algorithm}: {_many(schedule.size, 'rank')}"]
    parts.append(_many(schedule.count, "element"))
    if schedule.segment:
        parts.append(f"segments of {schedule.segment:,}")
    if schedule.root:
        parts.append(f"root {schedule.root}")
    if schedule.in_place:
        parts.append("in place")
    return ", ".join(parts)


def costs(cost: Cost, element_bytes: int) -> list[str]:
    """What it costs, a line each."""
    per_rank = [
        f"sends {_many(cost.max_messages, 'message')} of {_many(cost.max_sent, 'element')}",
        f"receives {cost.max_received:,}",
        f"reduces {cost.max_reduced:,}",
        f"needs {cost.max_scratch:,} of scratch",
    ]
    in_all = [
        _many(cost.messages, "message"),
        f"{_many(cost.elements, 'element')} moved",
        _many(cost.rounds, "round"),
    ]
    by_level = [
        f"{each.level} {_many(each.messages, 'message')}, {each.elements * element_bytes:,} bytes"
        for each in cost.levels
    ]
    return [
        f"critical path  {cost.critical_path}   (a message, an element moved, one reduced)",
        f"in all         {', '.join(in_all)}",
        f"busiest rank   {', '.join(per_rank)}",
        *([f"by level       {'; '.join(by_level)}"] if by_level else []),
    ]


def _rows(schedule: Schedule, only: int | None) -> Iterator[tuple[str, ...]]:
    for rank, own in enumerate(schedule.ranks):
        if only is not None and rank != only:
            continue
        for number, step in enumerate(own.steps):
            after = ", ".join(map(str, step.waits))
            yield str(rank), str(number), step.words, after, _when(step)


def _when(step: Step) -> str:
    if step.start == step.end:
        return f"{step.start:.4g}"
    return f"{step.start:.4g} to {step.end:.4g}"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _table(*columns: str) -> Table:
    table = Table()
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
