"""Laws of several traces as they fit a terminal, and what they say of more ranks."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from rich.table import Table

from stretto.cli.consoles import out
from stretto.cli.narrow import show_table
from stretto.cli.plain_tables import plain_table
from stretto.cli.profile_tables import MOST_OF_A_NAME
from stretto.data.places import Lines
from stretto.report.extrapolation import Extrapolation, PartLaws, PredictedTime, together
from stretto.report.law_words import law_words, part_words, reach
from stretto.report.plain_table import PlainTable
from stretto.report.words import calls, percent, seconds, share, size
from stretto.stats.laws import Law

_MOST_PARTS = 10


def show(found: Extrapolation, lines: Lines) -> None:
    """The table, and the sentences."""
    show_table(times(found, lines), out)
    if words := left_out_of_table(found):
        out.print(words, markup=False, soft_wrap=True)
    *before, last = in_words(found)
    for line in before:
        out.print(line, markup=False, soft_wrap=True)
    out.print(last, markup=False, soft_wrap=True, style="bold")


def whole(found: Extrapolation, lines: Lines) -> list[PlainTable]:
    """All of it, with whole names: times, calls and bytes, and the run that was left out."""
    every = len(found.parts)
    return [
        plain_table(times(found, lines, every, None), "laws"),
        plain_table(amounts(found, lines), "calls and bytes"),
        plain_table(check(found, lines), "left out"),
    ]


def times(
    found: Extrapolation,
    lines: Lines,
    most: int = _MOST_PARTS,
    most_of_a_name: int | None = MOST_OF_A_NAME,
) -> Table:
    """Of a mean rank; the last row is until the last rank is done."""
    table = _table([*(f"on {p}" for p in found.ranks), f"on {found.target}", "95 %"])
    for each in found.parts[:most]:
        name = part_words(each.part, lines, most_of_a_name)
        guess = together([each.seconds], found.target)
        _row(table, name, each.seconds, each.part.seconds, guess)
    rest = tuple(found.rest.values)
    _row(
        table,
        "end: until the last rank is done",
        found.rest,
        rest,
        together([found.rest], found.target),
    )
    guess = found.at(found.target)
    shown = [seconds(each) for each in found.traced]
    table.add_row("together", "", "", *shown, seconds(guess.value), reach(guess))
    return table


def amounts(found: Extrapolation, lines: Lines) -> Table:
    """How often a mean rank calls, with how much; and the rank that takes longest."""
    table = _table(["of", *(f"on {p}" for p in found.ranks), f"on {found.target}"])
    for each in found.parts:
        name, part = part_words(each.part, lines), each.part
        rows: list[tuple[str, Law, Sequence[float], Callable[[float], str]]] = [
            ("longest rank", each.longest, part.longest, seconds),
            ("calls" if part.is_call else "times", each.calls, part.calls, calls),
        ]
        if part.is_call:
            rows.append(("bytes", each.bytes, part.bytes, size))
        for what, law, values, words in rows:
            shown = [words(value) for value in (*values, law.at(found.target))]
            table.add_row(name, law_words(law, words), percent(law.error), what, *shown)
    return table


def check(found: Extrapolation, lines: Lines) -> Table:
    """The run on most ranks: what the others said of it, and what it was."""
    table = Table(box=None, pad_edge=False)
    table.add_column("section", overflow="fold")
    for column in (f"predicted on {found.left_out.ranks}", "in the trace", "off"):
        table.add_column(column, justify="right", no_wrap=True)
    for part, predicted, was in found.left_out.parts:
        off = percent(predicted / was - 1) if was else ""
        table.add_row(part_words(part, lines), seconds(predicted), seconds(was), off)
    each = found.left_out
    table.add_row(
        "together", seconds(each.predicted.value), seconds(each.traced), percent(each.off)
    )
    return table


def left_out_of_table(found: Extrapolation) -> str:
    """What the table has no row for, in words; empty if nothing."""
    others = found.parts[_MOST_PARTS:]
    if not others:
        return ""
    part = share(sum(_at(each, found) for each in others), found.at(found.target).value)
    return f"not shown: {len(others)} more, {percent(part)} of the time on {found.target}: --json"


def in_words(found: Extrapolation) -> list[str]:
    """The run that was left out, what it is made of, and the sentence."""
    check, target = found.left_out, found.at(found.target)
    fitted = ", ".join(map(str, check.fitted))
    compared = f"{seconds(check.traced)} in the trace: off by {100 * check.off:+.1f} %"
    forms = (
        "; the laws' forms were chosen with it: there are too few traces"
        if check.same_forms
        else ""
    )
    parts = {
        "computing": sum(_at(each, found) for each in found.computing),
        "communication": sum(_at(each, found) for each in found.communication),
        "waiting for the last rank to end": found.rest.at(found.target),
    }
    shares = ", ".join(f"{name} {percent(share(s, target.value))}" for name, s in parts.items())
    alone = found.whole.at(found.target)
    partial = (
        f"{found.not_in_all} sections, {percent(found.share_not_in_all)} of a trace's time at "
        "most, are not in all traces, and count as 0 s there"
    )
    return [
        *([partial] if found.not_in_all else []),
        (
            f"left out of the fit: from {fitted} ranks {seconds(check.predicted.value)} on "
            f"{check.ranks}, {compared}{forms}"
        ),
        (
            f"one law for the whole time, {law_words(found.whole)}, says {seconds(alone)} on "
            f"{found.target}"
        ),
        (
            f"on {found.target} ranks {seconds(target.value)} ({seconds(target.low)} to "
            f"{seconds(target.high)}, if the laws hold so far): {shares}"
        ),
    ]


def plain(found: Extrapolation, lines: Lines) -> dict[str, object]:
    """Everything for other programs; times in seconds."""
    check = found.left_out
    return {
        "ranks": found.ranks,
        "target": found.target,
        "traced_s": found.traced,
        "predicted_s": asdict(found.at(found.target)),
        "computing_s": asdict(together([e.seconds for e in found.computing], found.target)),
        "communication_s": asdict(together([e.seconds for e in found.communication], found.target)),
        "rest_s": _law(found.rest, found),
        "whole_s": _law(found.whole, found),
        "not_in_all": found.not_in_all,
        "share_not_in_all": found.share_not_in_all,
        "left_out": {
            "ranks": check.ranks,
            "fitted": check.fitted,
            "predicted_s": asdict(check.predicted),
            "traced_s": check.traced,
            "off": check.off,
            "forms_chosen_with_it": check.same_forms,
            "sections": [
                {"section": part_words(part, lines), "predicted_s": predicted, "traced_s": was}
                for part, predicted, was in check.parts
            ],
        },
        "sections": [
            {
                "section": part_words(each.part, lines),
                "is_call": each.part.is_call,
                "share": each.part.share,
                "merged": each.part.merged,
                "seconds": _law(each.seconds, found),
                "longest_rank_s": _law(each.longest, found),
                "calls": _law(each.calls, found),
                "bytes": _law(each.bytes, found),
            }
            for each in found.parts
        ],
    }


def _law(law: Law, found: Extrapolation) -> dict[str, object]:
    low, high = law.interval(found.target)
    return {
        "c0": law.c0,
        "c1": law.c1,
        "exponent": law.form.exponent,
        "logs": law.form.logs,
        "smape": law.error,
        "smape_constant": law.constant_error,
        "noise": law.noise,
        "is_refuted": law.is_refuted,
        "ranks": law.ranks,
        "values": law.values,
        "predicted": law.at(found.target),
        "low": low,
        "high": high,
    }


def _at(each: PartLaws, found: Extrapolation) -> float:
    return each.seconds.at(found.target)


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("section", overflow="fold")
    for column in ("law", "error", *columns):
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _row(table: Table, name: str, law: Law, values: Sequence[float], guess: PredictedTime) -> None:
    shown = [seconds(value) for value in (*values, guess.value)]
    table.add_row(name, law_words(law), percent(law.error), *shown, reach(guess))
