"""What runs in virtual time come to."""

import dataclasses
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.cli.whatif_tables import left_out, summary
from stretto.data.places import Address
from stretto.data.virtual_times import Clock, CollectiveCallSite, Flags, RankTimes
from stretto.errors import ApplicationFailed
from stretto.report.spread import Spread
from stretto.report.whatif import Answer, Efficiencies, Run, answer
from stretto.report.whatif_verdict import Worth, judge

BCAST = CollectiveCallSite("MPI_Bcast", "/bin/app", 64, "main", 2, 3, 30, 1e9, 2e9)
REDUCE = CollectiveCallSite("MPI_Reduce", "/bin/app", 96, "main", 2, 1, 8, 0.5e9, 6e9)


def rank(
    number: int,
    computed_s: float,
    ends: Mapping[str, float],
    sites: list[CollectiveCallSite] | None = None,
) -> RankTimes:
    return RankTimes(
        rank=number,
        size=2,
        mpi="Open MPI",
        host="here",
        wall_ns=1,
        involuntary_switches=0,
        computed_ns=1e9 * computed_s,
        clocks=[Clock(name, 1e9 * end) for name, end in ends.items()],
        flags=Flags(wildcards=1, polls=number),
        call_sites=sites or [],
    )


def run(sim: float = 10, zero: float = 8, ideal: float = 7, computed: float = 5) -> Run:
    """Of two ranks; the second ends last and has all there is to compute but a second."""
    ends = {"sim": sim, "zero": zero, "no communication": ideal}
    early = {name: end - 0.5 for name, end in ends.items()}
    return Run.of([rank(0, 1, early, [BCAST]), rank(1, computed, ends, [BCAST, REDUCE])])


def real(*times: float) -> list[list[RankTimes]]:
    """Runs of two ranks, by the clock on the wall; the second takes longest."""
    return [
        [
            msgspec.structs.replace(rank(i, 0, {}), wall_ns=round(1e9 * s * (i + 1) / 2))
            for i in (0, 1)
        ]
        for s in times
    ]


def judged(gains: list[float], *, normal: float = 10, is_oversubscribed: bool = False) -> Answer:
    """Runs of 10 s of which free collectives take so much off."""
    runs = [run(zero=10 * (1 - gain)) for gain in gains]
    if is_oversubscribed:
        runs = [
            Run(each.ends, [msgspec.structs.replace(r, oversubscribed=True) for r in each.ranks])
            for each in runs
        ]
    return answer(real(*[normal] * len(runs)), runs)


def paced(
    modelled: float | None, exchanges: list[float | None], *, oversubscribed: bool = False
) -> Answer:
    """Real runs as which began an exchange took so many ns; the second rank's is no one's."""
    first, second = run().ranks
    first = msgspec.structs.replace(
        first, modelled_exchange_ns=modelled, oversubscribed=oversubscribed
    )
    normal = [
        [msgspec.structs.replace(each[0], exchange_ns=ns), each[1]]
        for each, ns in zip(real(*[10.0] * len(exchanges)), exchanges, strict=True)
    ]
    return answer(normal, [Run(run().ends, [first, second])] * len(exchanges))


@pytest.mark.parametrize(
    ("exchanges", "differs"),
    [
        ([200.0, 210, 250], False),
        ([270.0, 280, 290], True),  # all slower than in calibration
        ([140.0, 140, 145], True),  # faster
        ([180.0, 200, 450], True),  # now so, now so
    ],
)
def test_a_machine_that_is_not_as_it_was_calibrated(
    exchanges: list[float | None], differs: bool
) -> None:
    exchange = paced(200, exchanges).short_exchange
    assert exchange
    assert exchange.calibrated == pytest.approx(200e-9)
    assert exchange.real.median == pytest.approx((exchanges[1] or 0) * 1e-9)
    assert exchange.differs is differs
    (line,) = [line for line in summary(paced(200, exchanges)) if "exchange" in line] or [""]
    assert ("200 ns in calibration" in line) is differs


def test_no_pace_where_it_was_not_measured() -> None:
    assert paced(None, [200.0]).short_exchange is None
    assert paced(200, [200.0, None]).short_exchange is None
    assert paced(200, [200.0], oversubscribed=True).short_exchange is None
    assert answer([], [run()]).short_exchange is None


def test_a_run_ends_with_its_last_rank() -> None:
    assert run().ends == pytest.approx({"sim": 10, "zero": 8, "no communication": 7})
    mixed = Run.of([rank(0, 1, {"sim": 4, "zero": 1}), rank(1, 1, {"sim": 3, "zero": 2})])
    assert mixed.ends == pytest.approx({"sim": 4, "zero": 2})


def test_the_gain_is_taken_run_by_run() -> None:
    runs = [run(sim=10, zero=8), run(sim=20, zero=18), run(sim=8, zero=4)]
    found = answer(real(12, 10, 14), runs)
    assert found.ranks == 2
    assert found.normal == Spread(10, 12, 14)
    assert found.scenarios["sim"].median == pytest.approx(10)
    assert found.scenarios["zero"].median == pytest.approx(8)
    assert list(found.scenarios) == ["sim", "zero", "no communication"]
    gain = found.gain
    assert (gain.least, gain.median, gain.most) == pytest.approx((0.1, 0.2, 0.5))
    assert gain.half_range == pytest.approx(0.2)
    assert found.gap == pytest.approx(2 / 12)


PM = "\N{PLUS-MINUS SIGN}"


@pytest.mark.parametrize(
    ("gains", "normal", "is_oversubscribed", "worth", "words"),
    [
        ([0.2], 10, False, Worth.WORTH_IT, f"collectives cost 20.0 % {PM} 0.0 %: worth it"),
        (
            [0.19, 0.2, 0.23],
            10,
            False,
            Worth.WORTH_IT,
            f"collectives cost 20.0 % {PM} 2.0 %: worth it",
        ),
        ([0.2], 9.6, False, Worth.WORTH_IT, f"collectives cost 20.0 % {PM} 4.2 %: worth it"),
        ([0.049], 10, False, Worth.HARDLY, f"collectives cost 4.9 % {PM} 0.0 %: hardly worth it"),
        ([0.01], 10.3, False, Worth.NOT, "collectives cost 3.9 % at most: not worth it"),
        ([0.0], 10, False, Worth.NOT, "collectives cost 0.0 % at most: not worth it"),
        ([0.0, 0.01, 0.04], 10, True, Worth.NOT, "collectives cost 3.0 % at most: not worth it"),
        (
            [0.0, 0.1, 0.4],
            10,
            False,
            Worth.UNKNOWN,
            "no verdict: collectives seem to cost 10.0 %, but runs differ by 20.0 %",
        ),
        (
            [0.1],
            8,
            False,
            Worth.UNKNOWN,
            (
                "no verdict: collectives seem to cost 10.0 %, but the prediction differs from the "
                "real runs by 25.0 %"
            ),
        ),
        (
            [0.1],
            5,
            True,
            Worth.UNKNOWN,
            "no verdict: collectives seem to cost 10.0 %, but one run has no spread",
        ),
        (
            [0.0, 0.1, 0.3],
            5,
            True,
            Worth.UNKNOWN,
            "no verdict: collectives seem to cost 10.0 %, but runs differ by 15.0 %",
        ),
    ],
)
def test_the_verdict_claims_no_more_than_is_known(
    gains: list[float], normal: float, is_oversubscribed: bool, worth: Worth, words: str
) -> None:
    verdict = judged(gains, normal=normal, is_oversubscribed=is_oversubscribed).verdict
    assert (verdict.worth, verdict.text) == (worth, words)
    assert verdict.has_gain is (worth in (Worth.WORTH_IT, Worth.HARDLY))


@pytest.mark.parametrize(
    ("normal", "polls_s", "said"),
    [(12, 1.0, True), (12, 0.9, False), (9, 5.0, False), (10.0, 5.0, False)],
)
def test_polls_may_be_what_a_prediction_lacks(normal: float, polls_s: float, said: bool) -> None:
    first, second = run(zero=9).ranks
    second = msgspec.structs.replace(second, polls_ns=round(1e9 * polls_s))
    found = answer(real(normal), [Run(run(zero=9).ends, [first, second])])
    assert found.polls_s == pytest.approx(polls_s)
    words = "by 16.7 %, 2.00 s: 1 tests and probes came too early"
    assert (words in found.verdict.text) is said


def test_a_rank_that_waited_for_its_core_may_be_what_a_prediction_lacks() -> None:
    slow = [
        [msgspec.structs.replace(each, waited_for_core_ns=ns) for each in launch]
        for launch, ns in zip(real(12, 12, 12), (0, round(1.1e9), round(1.5e9)), strict=True)
    ]
    found = answer(slow, [run(zero=9)])
    assert found.waited_for_core_s == pytest.approx(1.1)
    assert "by 16.7 %, 2.00 s: in these a rank waits 1.10 s for its core" in found.verdict.text
    quiet = answer(real(12), [run(zero=9)])
    assert quiet.waited_for_core_s is None  # the kernel does not say
    assert quiet.verdict.text.endswith("by 16.7 %")


def test_runs_that_differ_may_be_why_a_prediction_does() -> None:
    found = answer(real(6, 8, 8.5), [run(zero=9)] * 3)
    assert found.verdict.text.endswith(
        "by 25.0 %, which is no more than real runs differ from each other: 6.00 s to 8.50 s"
    )
    found = answer(real(8, 8, 8), [run(sim=9, zero=8), run(zero=9), run(sim=11.5, zero=10)])
    assert found.verdict.text.endswith("than virtual runs differ from each other: 9.00 s to 11.5 s")


def test_a_program_that_does_nothing_is_no_case() -> None:
    with pytest.raises(ApplicationFailed, match="did nothing"):
        answer(real(1), [run(sim=0, zero=0, ideal=0, computed=0)])


def test_five_per_cent_are_worth_it() -> None:
    assert judge(Spread(0.05, 0.05, 0.05), 0.0, has_spread=True).worth is Worth.WORTH_IT


def test_efficiencies_are_the_pop_projects() -> None:
    found = answer(real(10), [run(sim=10, ideal=8, computed=5)]).efficiencies
    assert found.load_balance == pytest.approx(3 / 5)  # of 1 and 5 s
    assert found.serialisation == pytest.approx(5 / 8)
    assert found.transfer == pytest.approx(8 / 10)
    assert Efficiencies(0.5, 0.5, 0.8).parallel == pytest.approx(0.2)


seconds = st.floats(0.1, 1e5)


@given(computed=st.lists(seconds, min_size=1, max_size=8), ideal=seconds, sim=seconds)
def test_efficiencies_multiply_to_the_share_of_computing(
    computed: list[float], ideal: float, sim: float
) -> None:
    ends = {"sim": sim, "zero": sim, "no communication": ideal}
    ranks = [rank(i, each, ends) for i, each in enumerate(computed)]
    found = answer(real(sim), [Run.of(ranks)])
    assert found.efficiencies.parallel == pytest.approx(sum(computed) / len(computed) / sim)


def test_sites_sum_over_the_ranks_and_are_means_of_the_runs() -> None:
    idle = Run.of([rank(0, 1, run().ends), rank(1, 1, run().ends)])
    reduce, bcast = answer(real(10, 10), [run(), idle]).call_sites
    assert (bcast.function, bcast.place, bcast.symbol) == (
        "MPI_Bcast",
        Address("/bin/app", 64),
        "main",
    )
    assert bcast.calls == pytest.approx(2 * 3 / 2)
    assert bcast.bytes == pytest.approx(10)  # a call
    assert bcast.waiting_s == pytest.approx(2 * 1 / 2)
    assert bcast.transfer_s == pytest.approx(2 * 2 / 2)
    # The most to gain comes first.
    assert (reduce.function, reduce.calls, reduce.bytes) == ("MPI_Reduce", 0.5, 8)
    assert (reduce.waiting_s, reduce.transfer_s) == pytest.approx((0.25, 3))


def test_sites_are_one_where_function_object_and_offset_are() -> None:
    others = [
        msgspec.structs.replace(BCAST, offset=65),
        msgspec.structs.replace(BCAST, object="/lib/x.so"),
        msgspec.structs.replace(BCAST, function="MPI_Ibcast"),
    ]
    same = msgspec.structs.replace(BCAST, ranks=4, calls=5)
    whole = Run.of([rank(0, 1, run().ends, [BCAST, same, *others])])
    found = answer(real(10), [whole]).call_sites
    assert sorted(site.calls for site in found) == [3, 3, 3, 8]


def test_a_site_that_is_never_called_has_no_bytes() -> None:
    never = msgspec.structs.replace(BCAST, calls=0, bytes=0)
    whole = Run.of([rank(0, 1, run().ends, [never])])
    assert answer(real(10), [whole]).call_sites[0].bytes == 0


def test_waiting_is_a_share_of_the_time_in_collectives() -> None:
    found = answer(real(10, 10), [run(), run()])
    assert found.waiting_share == pytest.approx(2.5 / 12.5)
    none = Run.of([rank(0, 1, run().ends)])
    assert answer(real(10), [none]).waiting_share == 0


def test_flags_are_those_of_all_ranks_of_one_run() -> None:
    found = answer(real(10, 10), [run(), run()])
    assert found.flags == Flags(wildcards=2, polls=1)


def test_a_program_that_asks_for_the_time_is_said_to_have_got_another() -> None:
    found = answer(real(10, 10), [run(), run()])
    asked = msgspec.structs.replace(found.flags, clock_reads=4)
    lines = summary(dataclasses.replace(found, flags=asked))
    assert "4 readings of the clock: the program was shown simulated time, not real time" in lines


def test_collectives_without_a_row_are_said() -> None:
    sites = [msgspec.structs.replace(BCAST, offset=number) for number in range(8)]
    ends = {"sim": 10.0, "zero": 8.0, "no communication": 7.0}
    found = answer([], [Run.of([rank(number, 5, ends, sites) for number in (0, 1)])])
    # Two of each rank's, of 1 s and 2 s in 10 s.
    assert left_out(found) == "not shown: 2 more, 20.0 % waiting and 40.0 % transfer: --json"
    few = answer([], [Run.of([rank(number, 5, ends, sites[:6]) for number in (0, 1)])])
    assert left_out(few) == ""
