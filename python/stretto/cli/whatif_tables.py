"""What-if answers as they fit a terminal."""

from rich.table import Table

from stretto.cli.consoles import out
from stretto.cli.narrow import show_table
from stretto.cli.plain_tables import plain_table
from stretto.cli.profile_tables import MOST_OF_A_NAME
from stretto.data.places import Lines
from stretto.data.virtual_times import SIM
from stretto.report.collective_totals import CollectiveTotal
from stretto.report.plain_table import PlainTable
from stretto.report.profile_words import place_words
from stretto.report.spread import Spread
from stretto.report.whatif import Answer
from stretto.report.words import percent, seconds, size

_MOST_CALL_SITES = 6
_MOST_UNMODELLED = 4
_WORTH_SAYING = 0.01  # a share of the time

_FLAGS = {
    "wildcards": "receives from any source: in the order of this machine",
    "polls": "tests and probes that came too early: waits, not counted as computing",
    "clock_reads": "readings of the clock: the program was shown simulated time, not real time",
    "other_threads": "calls of further threads: their computing is not counted",
    "not_followed": "calls that virtual time knows nothing of: real time",
    "late_tokens": "waits for a core of 0.1 s: a rank kept one without an MPI call, or in one",
}


def show(answer: Answer, lines: Lines) -> None:
    """All of it."""
    show_table(scenarios(answer), out)
    for line in summary(answer):
        out.print(line, markup=False, soft_wrap=True)
    if answer.call_sites:
        show_table(call_sites(answer, lines), out)
        if words := left_out(answer):
            out.print(words, markup=False, soft_wrap=True)
    out.print(verdict(answer, lines, MOST_OF_A_NAME), markup=False, soft_wrap=True, style="bold")


def scenarios(answer: Answer) -> Table:
    """Minimum, median and maximum of each, and how the median compares with "sim"."""
    table = Table(box=None, pad_edge=False)
    table.add_column("scenario", overflow="fold")
    for column in ("min", "median", "max", "of sim"):
        table.add_column(column, justify="right", no_wrap=True)
    whole = answer.scenarios[SIM].median
    real: dict[str, Spread] = {"normal": answer.normal} if answer.normal else {}
    rows = real | answer.scenarios
    for name, times in rows.items():
        shown = (times.least, times.median, times.most)
        table.add_row(name, *(seconds(time) for time in shown), percent(times.median / whole))
    return table


def whole(answer: Answer, lines: Lines) -> list[PlainTable]:
    """Both tables with all their rows, and with whole names."""
    found = [plain_table(scenarios(answer), "scenarios")]
    if answer.call_sites:
        every = call_sites(answer, lines, len(answer.call_sites), None)
        found.append(plain_table(every, "collectives"))
    return found


def call_sites(
    answer: Answer,
    lines: Lines,
    most: int = _MOST_CALL_SITES,
    most_of_a_name: int | None = MOST_OF_A_NAME,
) -> Table:
    """Where collectives cost most."""
    table = Table(box=None, pad_edge=False)
    table.add_column("collective", overflow="fold")
    for column in ("calls", "bytes", "waiting", "transfer"):
        table.add_column(column, justify="right", no_wrap=True)
    time = answer.scenarios[SIM].median * answer.ranks
    for total in answer.call_sites[:most]:
        table.add_row(
            words(total, lines, most_of_a_name),
            f"{total.calls:,.0f}",
            size(total.bytes),
            percent(total.waiting_s / time),
            percent(total.transfer_s / time),
        )
    return table


def left_out(answer: Answer) -> str:
    """What the table of collectives has no row for, in words; empty if nothing."""
    others = answer.call_sites[_MOST_CALL_SITES:]
    if not others:
        return ""
    time = answer.scenarios[SIM].median * answer.ranks
    waiting, transfer = (
        percent(sum(parts) / time)
        for parts in zip(*((total.waiting_s, total.transfer_s) for total in others), strict=True)
    )
    return f"not shown: {len(others)} more, {waiting} waiting and {transfer} transfer: --json"


def words(total: CollectiveTotal, lines: Lines, most: int | None = None) -> str:
    """A collective and where it is called, "Alltoall fft.c:212"; `most` as for `place_words`."""
    where = place_words(total.place, total.symbol, lines, most)
    return f"{total.function.removeprefix('MPI_')} {where}"


def summary(answer: Answer) -> list[str]:
    """What else there is to know, in lines."""
    gain, shares = answer.gain, answer.efficiencies
    saved = (
        f"free collectives would save {percent(gain.median)} "
        f"({percent(gain.least)} to {percent(gain.most)}); of the time in them "
        f"{percent(answer.waiting_share)} is waiting, which stays"
    )
    efficiency = (
        f"efficiency {percent(shares.parallel)} = load balance {percent(shares.load_balance)} x "
        f"serialisation {percent(shares.serialisation)} x transfer {percent(shares.transfer)}"
    )
    lines = [saved, efficiency]
    if answer.is_oversubscribed:
        lines.append(
            "ranks share cores here: normal is this machine's time, sim that of one with a core "
            "for each rank"
        )
    elif answer.normal:
        lines.append(f"sim is {percent(answer.gap)} from normal")
    if answer.short_exchange and answer.short_exchange.differs:
        real, calibrated = answer.short_exchange.real, answer.short_exchange.calibrated
        lines.append(
            f"an exchange of 8 bytes took {seconds(real.least)} to {seconds(real.most)} as the "
            f"real runs began, {seconds(calibrated)} in calibration: the machine's cores are "
            "nearer or farther apart at times, or shared"
        )
    if answer.blocked_s >= _WORTH_SAYING * answer.scenarios[SIM].median:
        lines.append(
            f"a rank sleeps or waits for devices {seconds(answer.blocked_s)}: counts as computing"
        )
    if answer.unmodelled_s:
        whole = answer.scenarios[SIM].median
        most = [f"{name} {percent(s / whole)}" for name, s in answer.unmodelled_s.items()]
        lines.append(
            f"{percent(sum(answer.unmodelled_s.values()) / whole)} of sim are calls that are not "
            f"modelled, but for waiting: they take what they took here, in all scenarios "
            f"({', '.join(most[:_MOST_UNMODELLED])}{', ...' if most[_MOST_UNMODELLED:] else ''})"
        )
    lines += [
        f"{getattr(answer.flags, name):,} {meaning}"
        for name, meaning in _FLAGS.items()
        if getattr(answer.flags, name)
    ]
    return lines


def verdict(answer: Answer, lines: Lines, most: int | None = None) -> str:
    """The sentence, with where to start."""
    verdict = answer.verdict
    if not verdict.has_gain or not answer.call_sites:
        return verdict.text
    first = answer.call_sites[0]
    return f"{verdict.text}, start with the {size(first.bytes)} {words(first, lines, most)}"
