import re
from pathlib import Path

import msgspec
import pytest
import stand_ins

from stretto.data.provenance import collect
from stretto.data.run_folder import PROGRESS, Plan, RunFolder, create
from stretto.data.samples import Sample, Side
from stretto.errors import InputError
from stretto.report.answers import Answers, compare_answers
from stretto.report.comparison import Result, summarise
from stretto.report.comparison_markdown import markdown_of
from stretto.report.comparison_verdict import Finding
from stretto.report.doubts import DoubtKind
from stretto.report.page import render, write_report

PLAN = msgspec.structs.replace(stand_ins.PLAN, runs=6)
COUNTERS = """{"rank": 0, "size": 1, "abi": "openmpi", "mpi": "Open MPI v4.1.4, package: Debian",
 "thread_level": "multiple", "hosts": 1, "oversubscribed": false,
 "handled": [{"call": "MPI_Ibcast", "algorithm": "binomial", "calls": 12}], "passed": [],
 "schedules_built": 1, "schedules_reused": 11, "progress_wakeups": 17}"""


def sample(order: int, checksum: str | None = "1f", **changes: object) -> Sample:
    side = Side.STRETTO if order % 2 else Side.NATIVE
    own = 0.5 if side is Side.STRETTO else 1.0
    one = Sample(order, order // 2, side, "2026-01-01", own, own + 1, checksum, 0, False)
    return msgspec.structs.replace(one, **changes)


def finished(
    path: Path, samples: list[Sample], *, counters: str = COUNTERS, plan: Plan = PLAN
) -> RunFolder:
    provenance = collect(
        argv=["stretto", "compare"],
        program=Path("/bin/true"),
        mpi_library=None,
        drop_in=Path("/lib/x.so"),
        native_command=["mpirun"],
        stretto_command=["mpirun", "-x", "LD_PRELOAD=/lib/x.so"],
    )
    quiet = msgspec.structs.replace(provenance, load_before=0.0)
    folder = create(path, plan, quiet)
    for each in samples:
        folder.append(each)
        if each.side is Side.STRETTO and counters:
            place = folder.launch_folder(each.order, each.side) / "counters"
            place.mkdir(parents=True)
            (place / "rank-0.json").write_text(counters)
    folder.finish(0.0)
    return folder


def result(path: Path, **changes: object) -> Result:
    return summarise(finished(path / "run", [sample(order, **changes) for order in range(12)]))


def test_a_clean_comparison_has_no_warnings(tmp_path: Path) -> None:
    found = result(tmp_path)
    assert found.warnings == []
    assert found.answers is Answers.SAME
    assert found.own is not None
    assert found.own.ratio.spread.median == 2
    assert found.wall.native.median == 2
    assert found.best == ("its own time", found.own)
    assert found.counters is not None
    assert found.counters.calls_handled == 6 * 12
    assert found.stretto_launches == 6


def test_it_is_markdown_too(tmp_path: Path) -> None:
    text = markdown_of(result(tmp_path))
    assert "| own time | stretto | 500 ms | 500 ms | 500 ms |  |\n" in text
    assert "| own time | native/stretto | 2.00x | 2.00x | 2.00x | " in text
    assert "| MPI\\_Ibcast | binomial | 12 |\n" in text
    assert "\n**2.00x as fast under Stretto by its own time (" in text
    plan = msgspec.structs.replace(PLAN, name="a|b\n*c*")
    folder = finished(tmp_path / "odd", [sample(order) for order in range(12)], plan=plan)
    assert markdown_of(summarise(folder)).startswith("### a\\|b \\*c\\*: ")


def test_failed_launches_stay_out_of_the_figures(tmp_path: Path) -> None:
    samples = [sample(order) for order in range(12)]
    crash = msgspec.structs.replace(sample(12), exit_code=1, own_time_s=99.0)
    hang = msgspec.structs.replace(sample(14), timed_out=True, own_time_s=99.0)
    found = summarise(finished(tmp_path / "run", [crash, *samples, hang]))
    assert found.own is not None
    assert found.own.native.maximum == 1


def test_without_own_times_wall_time_decides(tmp_path: Path) -> None:
    found = result(tmp_path, own_time_s=None)
    assert found.own is None
    assert found.best == ("wall time", found.wall)
    assert [each.kind for each in found.warnings] == [DoubtKind.NO_OWN_TIME]


def test_an_own_time_that_is_missing_once_is_no_own_time(tmp_path: Path) -> None:
    samples = [sample(order) for order in range(12)]
    samples[3] = msgspec.structs.replace(samples[3], own_time_s=None)
    assert summarise(finished(tmp_path / "run", samples)).own is None


def test_a_drop_in_that_wrote_nothing_is_doubted(tmp_path: Path) -> None:
    samples = [sample(order) for order in range(12)]
    found = summarise(finished(tmp_path / "run", samples, counters=""))
    assert found.counters is None
    assert [each.kind for each in found.warnings] == [DoubtKind.NO_COUNTERS]


@pytest.mark.parametrize(
    ("settings", "kinds"), [({}, [DoubtKind.NOTHING_HANDLED]), ({PROGRESS: "messages"}, [])]
)
def test_a_drop_in_that_did_nothing_is_doubted(
    tmp_path: Path, settings: dict[str, str], kinds: list[DoubtKind]
) -> None:
    """Unless it was to move the program's own messages along."""
    nothing = re.sub('"handled": .*"passed": ', '"handled": [], "passed": ', COUNTERS)
    plan = msgspec.structs.replace(PLAN, settings=settings)
    samples = [sample(order) for order in range(12)]
    found = summarise(finished(tmp_path / "run", samples, counters=nothing, plan=plan))
    assert [each.kind for each in found.warnings] == kinds
    handles = not kinds
    assert (found.verdict.finding is Finding.GAIN) is handles
    assert ("Stretto handled none of the calls" in render([found])) is not handles


@pytest.mark.parametrize(
    ("forced", "kinds"),
    [
        ({"bcast": "ring"}, [DoubtKind.ALGORITHM_UNUSED]),
        ({"bcast": "binomial", "allreduce": "ring", "rules": "file"}, []),
    ],
)
def test_a_forced_algorithm_that_does_not_apply_is_said(
    tmp_path: Path, forced: dict[str, str], kinds: list[DoubtKind]
) -> None:
    plan = msgspec.structs.replace(PLAN, settings=forced)
    samples = [sample(order) for order in range(12)]
    found = summarise(finished(tmp_path / "run", samples, plan=plan))
    assert [each.kind for each in found.warnings] == kinds
    assert not kinds or found.warnings[0].text.startswith("--algorithm bcast=ring does not apply")


def test_wide_spread_is_doubted(tmp_path: Path) -> None:
    samples = [sample(order) for order in range(12)]
    samples[4] = msgspec.structs.replace(samples[4], own_time_s=3.0)
    found = summarise(finished(tmp_path / "run", samples))
    (doubt,) = found.warnings
    assert doubt.kind is DoubtKind.WIDE_SPREAD
    assert "on its own MPI spread by a factor of 3.0" in doubt.text


def test_a_run_that_was_cut_short_is_not_summarised(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", [sample(0), sample(1)])
    (folder.path / "samples.parquet").unlink()
    with pytest.raises(InputError, match="not finished"):
        summarise(folder)


@pytest.mark.parametrize(
    ("native", "stretto", "answers", "words"),
    [
        (["a", "a"], ["a", "a"], Answers.SAME, "checksum a in all 4"),
        (["a", "a"], ["b", "b"], Answers.DIFFERENT, "a on its own MPI, b under Stretto"),
        (["a", "b"], ["a", "b"], Answers.DIFFERENT, "under its own MPI differ"),
        (["a", "a"], ["a", "b"], Answers.DIFFERENT, "under Stretto differ"),
        (["a", "a"], ["a", None], Answers.DIFFERENT, "under Stretto differ"),
        ([None, None], [None, None], Answers.UNKNOWN, "no checksum"),
    ],
)
def test_answers_are_the_same_only_if_every_launch_agrees(
    native: list[str | None], stretto: list[str | None], answers: Answers, words: str
) -> None:
    samples = [sample(2 * i, checksum) for i, checksum in enumerate(native)]
    samples += [sample(2 * i + 1, checksum) for i, checksum in enumerate(stretto)]
    found, detail = compare_answers(samples)
    assert found is answers
    assert words in detail


def test_the_page_shows_figures_provenance_and_every_launch(tmp_path: Path) -> None:
    page = render([result(tmp_path)])
    for words in ("2.00x as fast", "same answers", "MPI_Ibcast", "LD_PRELOAD=/lib/x.so", "Linux"):
        assert words in page
    assert page.count("<title>launch ") == 3 * 12  # own time, wall time, in order


def test_a_report_replaces_a_report_and_nothing_else(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    for _ in range(2):
        write_report([result(tmp_path)], report)
    assert [path.name for path in tmp_path.glob("*report*")] == ["report.html"]
    report.write_text("<title>My thesis</title>")
    with pytest.raises(InputError, match="is not overwritten"):
        write_report([result(tmp_path)], report)
    assert report.read_text() == "<title>My thesis</title>"
