"""A profile as it fits a terminal, and what it says to do next."""

import re
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from stretto.cli.profile_json import plain
from stretto.cli.profile_tables import matrix, page
from stretto.cli.profile_trace import trace_line, traced_by_default
from stretto.data.places import Address, Line
from stretto.data.profiles import Caller, ClockReading, Profile, RankProfile, Traced
from stretto.report.comm_names import CommName
from stretto.report.matrix import Pair
from stretto.report.profile import CallSiteTotal, OverlapTotal, ProfileSummary, RankTotal
from stretto.report.profile_words import call_site_words, next_step
from stretto.report.words import percents

FILE = "/src/a_file_with_quite_a_long_name_as_they_come_in_simulation_codes.cpp"


def site(number: int, kind: str = "completion", **changes: object) -> CallSiteTotal:
    comm = CommName("communicator 1", "2 ranks")
    made = CallSiteTotal("MPI_Waitall", kind, Address("/bin/app", number), "main", comm)
    made.calls, made.bytes, made.time_s, made.ranks = 1_000_000, 10**9, 1.0 / (1 + number), 2
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def summary(sites: list[CallSiteTotal], mpi_s: float = 5.0) -> ProfileSummary:
    ranks = [RankTotal(0, 10.0, mpi_s), RankTotal(1, 10.0, mpi_s)]
    return ProfileSummary("Open MPI", ranks, sites, {f"MPI_Collective_{n}": 1e6 for n in range(5)})


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("count", [1, 9, 30])
def test_a_page_has_at_most_25_lines(width: int, count: int) -> None:
    overlap = OverlapTotal(started=10, completed=10, achieved_s=1, lost_s=1, hideable_s=0.5)
    sites = [site(number, overlap=overlap) for number in range(count)]
    lines = {Address("/bin/app", number): Line("main", FILE, number + 1) for number in range(30)}
    console = Console(width=width)
    parts = page(summary(sites), lines, console)
    assert sum(len(console.render_lines(part)) for part in parts) <= 25
    text = "\n".join(
        "".join(segment.text for segment in line).rstrip()
        for part in parts
        for line in console.render_lines(part)
    )
    assert "2 ranks, 10.0 s: 50.0 % of it in MPI" in text
    assert "next: Waitall" in text
    # The call site that takes longest is there, with its requests where there is room.
    assert text.count("Waitall") >= 2
    if width == 200:
        assert ("more call sites: --json" in text) == (count > 9)


def test_a_long_name_is_shortened_in_its_middle_and_whole_in_json() -> None:
    name = "gmx::" + "Template<int, double>::" * 9 + "last(float)"
    sites = [site(number, symbol=name) for number in range(5)]
    parts = page(summary(sites), {}, Console(width=100))
    console = Console(width=400)
    with console.capture() as said:
        for part in parts:
            console.print(part, markup=False)
    text = said.get()
    assert name not in text
    assert "app gmx::Template<int, ..." in text
    assert "::last(float) on communicator 1" in text
    assert text.count("gmx::") == 5 + 1  # all call sites, and the next step
    first = plain(summary(sites), {})["sites"]
    assert isinstance(first, list)
    assert first[0]["symbol"] == name


def test_waits_for_messages_name_side_and_rank() -> None:
    parts = {"late_sender_s": 3.0, "late_receiver_s": 0.5, "waiting_s": 3.5, "transfer_s": 0.4}
    found = summary(
        [
            site(0, time_s=4.0, overhead_s=0.1, awaited_s=Counter({3: 2.8, 1: 0.7}), **parts),
            site(1, time_s=0.1),
        ]
    )
    console = Console(width=120)
    with console.capture() as said:
        for part in page(found, {}, console):
            console.print(part, markup=False)
    (row,) = re.findall(r"waiting for messages at.*\n(.*)", said.get())
    assert row.split(" 1  ")[1].split() == [
        "15.0",
        "%",
        "2.5",
        "%",
        "2.0",
        "%",
        "rank",
        "3,",
        "80",
        "%",
    ]
    assert "until messages are sent (rank 3, 80 %)" in next_step(found, {})
    first = plain(found, {})["sites"]
    assert isinstance(first, list)
    assert first[0]["waited_for"] == [{"rank": 3, "time_s": 2.8}, {"rank": 1, "time_s": 0.7}]
    assert plain(found, {})["late_messages_share"] == 3.5 / 20
    found.call_sites[0].late_sender_s, found.call_sites[0].late_receiver_s = 0.5, 3.0
    assert "until receives are posted (rank 3, 80 %)" in next_step(found, {})


def test_the_matrix_shows_the_heaviest_pairs_and_says_what_it_leaves_out() -> None:
    found = summary([site(0)])
    console = Console(width=100)
    assert matrix(found, console) == ["no rank sent a message to another"]
    found.pairs.extend(Pair(n, n + 1, 10, 1000 - n) for n in range(30))
    with console.capture() as said:
        for part in matrix(found, console):
            console.print(part, markup=False)
    rows = said.get().splitlines()
    assert rows[1].split() == ["0", "to", "1", "10", "1000", "B", "3.4", "%"]
    assert rows[-1] == "not shown: 10 lighter pairs: --json"
    assert plain(found, {})["pairs"] == 30


def test_a_long_path_has_dots_where_it_is_shortened_and_is_whole_in_json() -> None:
    callers = tuple(Caller("/bin/app", n, f"f{n}") for n in range(6))
    found = site(10, symbol="mp_sum", callers=callers)
    assert call_site_words(found, {}, 40) == (
        "Waitall f5 <- ... <- f0 <- app mp_sum on communicator 1"
    )
    lines = {
        Address("/bin/app", 10): Line("mp_sum", FILE, 7),
        Address("/bin/app", 0): Line("g", FILE, 9),
    }
    words = call_site_words(found, lines)
    assert words.startswith("Waitall f5 <- f4 <- f3 <- f2 <- f1 <- g:9 <- mp_sum a_file_with")
    first = plain(summary([found]), lines)["sites"]
    assert isinstance(first, list)
    assert [caller["symbol"] for caller in first[0]["callers"]] == [
        "g",
        "f1",
        "f2",
        "f3",
        "f4",
        "f5",
    ]


def test_shares_add_up_and_no_row_is_missing_silently() -> None:
    overlap = OverlapTotal(started=10, completed=10, achieved_s=1, lost_s=1, hideable_s=0.5)
    parts = {"waiting_s": 0.0333, "transfer_s": 0.0333, "overhead_s": 0.0333}
    sites = [site(n, overlap=overlap, time_s=0.0999, **parts) for n in range(30)]
    found = summary(sites, sum(each.time_s for each in sites) / 2)
    console = Console(width=200)
    with console.capture() as said:
        for part in page(found, {}, console):
            console.print(part, markup=False)
    text = said.get()
    (computing,) = re.findall(r"computing (\S+) %", text)
    shown = re.findall(r"1,000,000 +\S+ \S+ +(\S+) % +(\S+) % +(\S+) % +(\S+) %", text)
    starts, rest, left_out = re.findall(
        r"not shown: (\d+) that start requests; with (\S+) % of time (\d+) more call sites", text
    )[0]
    assert len(shown) + int(left_out) == 30
    assert int(starts) == 30 - text.count("50.0 %")  # so much of each that is shown is overlapped
    whole = float(computing) + float(rest) + sum(float(time) for time, *_ in shown)
    assert whole == pytest.approx(100, abs=0.1 + 1e-9)
    for time, *split in shown:
        assert float(time) == pytest.approx(sum(map(float, split)), abs=0.1 + 1e-9)


def test_rounded_shares_add_up() -> None:
    assert percents([1, 1, 1], 3) == ["33.4 %", "33.3 %", "33.3 %"]
    assert percents([], 1) == []
    assert percents([1, 1], 0) == ["0.0 %", "0.0 %"]


@pytest.mark.parametrize(
    ("hideable_s", "words"),
    [(0.9, "computing enough to hide most of it"), (0.1, "compute between start and wait")],
)
def test_what_to_do_about_waiting_depends_on_the_computing(hideable_s: float, words: str) -> None:
    overlap = OverlapTotal(10, 10, achieved_s=1, lost_s=1, hideable_s=hideable_s)
    start = site(7, "point-to-point", overlap=overlap)
    assert words in next_step(summary([site(0), start]), {})


@pytest.mark.parametrize("kind", ["completion", "point-to-point", "collective", "probe"])
@pytest.mark.parametrize(
    ("others_s", "words"), [(1.0, "4.0 times the mean of the others"), (0.0, "alone")]
)
def test_what_waits_for_a_rank_that_computes_longer_is_imbalance(
    kind: str, others_s: float, words: str
) -> None:
    found = summary([site(0, kind)])
    found.ranks[:] = [RankTotal(n, 4.0, 0.0 if n == 2 else 4.0 - others_s) for n in range(4)]
    step = next_step(found, {})
    assert step.startswith(f"rank 2 computes 4.00 s, {words}: balance the work")
    assert "Waitall app main on communicator 1 takes" in step


def test_what_a_little_imbalance_does_not_explain_is_not_called_so() -> None:
    found = summary([site(0)])
    found.ranks[:] = [RankTotal(0, 10.0, 4.0), RankTotal(1, 10.0, 6.0)]
    assert "start them earlier" in next_step(found, {})


def test_little_mpi_is_nothing_to_gain() -> None:
    assert "nothing to gain in MPI" in next_step(summary([site(0)], mpi_s=0.1), {})


@pytest.mark.parametrize(
    ("ranks", "calls"), [(1, 100_000), (10, 100_000), (100, 10_000), (3_000_000, 1)]
)
def test_a_trace_is_bounded_for_any_number_of_ranks(ranks: int, calls: int) -> None:
    assert traced_by_default(ranks) == calls


@pytest.mark.parametrize(
    ("traced", "words"),
    [
        ([None, None], "chrome://tracing"),
        ([Traced(40, 40, 9), Traced(30, 30, 30)], "chrome://tracing"),
        (
            [Traced(40, 40, 40), Traced(1000, 50, 50)],
            "of up to 1,000 calls it has the last 50 or more",
        ),
    ],
)
def test_a_cut_trace_says_so(traced: list[Traced | None], words: str) -> None:
    reading = ClockReading(0, 0, 0)
    ranks = [
        RankProfile(n, 2, "Open MPI", "openmpi", "here", 0, 1, 0, (reading, reading), [], [], each)
        for n, each in enumerate(traced)
    ]
    line = trace_line(Path("trace.json.gz"), Profile(ranks, []))
    assert words in line
    assert ("cut" in line) == ("last" in words)
