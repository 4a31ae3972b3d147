"""stretto bench check of runs of stretto compare and stretto profile."""

import json
from pathlib import Path

import pytest
from bench_runs import make_run
from compared import make_comparison
from msgspec.structs import replace
from recorded import IRECV, WAIT, profiled, rank

from stretto.cli.main import run_command
from stretto.data.places import Address, Line
from stretto.data.samples import Side

Captured = pytest.CaptureFixture[str]


def check(*words: object) -> int:
    return run_command(["bench", "check", *map(str, words)])


def make_profiles(folder: Path, *, waits: float = 1, launches: int = 5, moved: int = 0) -> Path:
    """Launches whose waits take so many times as long, of a program whose code moved."""
    folder.mkdir()
    address = Address("/bin/app", 64 + moved)
    for launch in range(launches):
        took = round(200_000 * waits) + 1000 * launch
        site = replace(WAIT, offset=address.offset, time_ns=took)
        ranks = [replace(rank(n, 1_000_000), call_sites=[IRECV, site]) for n in range(2)]
        lines = {address: Line("main", "app.c", 40 + moved)}
        profiled(folder / str(launch), ranks, lines)
    return folder


def test_a_side_of_a_comparison_is_worse(tmp_path: Path, capsys: Captured) -> None:
    before = make_comparison(tmp_path / "before")
    after = make_comparison(tmp_path / "after", slower=Side.STRETTO)
    assert check(before, after) == 3
    said = capsys.readouterr()
    (line,) = said.out.splitlines()
    assert "stretto, its own time: 506 ms, now 756 ms, 1.49x [" in line
    assert said.err == ""
    assert check(before, after, "--least", "60%") == 0
    assert check(after, before) == 0, "what takes less is not worse"


def test_wall_time_where_a_run_has_no_other(tmp_path: Path, capsys: Captured) -> None:
    before = make_comparison(tmp_path / "before", prints_time=False)
    after = make_comparison(tmp_path / "after", slower=Side.NATIVE)
    assert check(before, after, "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert [each["row"]["what"] for each in found["checked"]] == ["wall time"] * 2
    assert [each["worse"] for each in found["checked"]] == [True, False]
    assert "6 pairs of launches" in found["sides"][0]


def test_what_else_differs_is_said(tmp_path: Path, capsys: Captured) -> None:
    before = make_comparison(tmp_path / "before")
    after = make_comparison(tmp_path / "after", pairs=2, rig="lan", load=1e6)
    assert check(before, after) == 0
    rig, busy, few = capsys.readouterr().err.splitlines()
    assert rig == "Warning: the rig is another one: none in the baseline, lan in the run"
    assert "of the run: 1e+06 processes wanted" in busy
    assert "with 2 launches on a side nothing can be shown to be worse among 2" in few


def test_other_ranks_are_refused(tmp_path: Path, capsys: Captured) -> None:
    before = make_comparison(tmp_path / "before", ranks=2)
    assert check(before, make_comparison(tmp_path / "after", ranks=3)) == 2
    assert "the baseline has 2 ranks and the run 3" in capsys.readouterr().err


def test_a_call_of_a_profile_is_worse_wherever_it_moved(tmp_path: Path, capsys: Captured) -> None:
    before = make_profiles(tmp_path / "before")
    after = make_profiles(tmp_path / "after", waits=2, moved=7)
    assert check(before, after) == 3
    said = capsys.readouterr()
    call, total = sorted(said.out.splitlines())
    assert call.startswith("Wait in main, a call: 40.4 µs, now 80.4 µs, 1.99x [")
    assert total.startswith("in MPI, all ranks: 404 µs, now 804 µs, 1.99x [")
    assert said.err == ""
    assert check(before, before) == 0


def test_one_launch_of_a_profile_has_no_interval(tmp_path: Path, capsys: Captured) -> None:
    several, one = make_profiles(tmp_path / "a"), make_profiles(tmp_path / "b", launches=1)
    for words in [(several, one), (one, several), (several / "0", several / "1")]:
        assert check(*words) == 2
        assert "is one launch of stretto profile, of which there is no" in capsys.readouterr().err


def test_profiles_of_something_else_are_refused(tmp_path: Path, capsys: Captured) -> None:
    two, three = make_profiles(tmp_path / "two"), tmp_path / "three"
    for number in range(2):
        ranks = [rank(each, 1000, size=3) for each in range(3)]
        three.mkdir(exist_ok=True)
        profiled(three / str(number), ranks, {})
    assert check(two, three) == 2
    assert "is of <app> on 2 ranks, the run of <app> on 3 ranks" in capsys.readouterr().err
    (three / "0").rename(two / "another")
    assert check(two, two) == 2
    assert "has profiles of several programs: <app> on 2 ranks, <app> on" in capsys.readouterr().err


def test_kinds_that_differ_are_one_line(tmp_path: Path, capsys: Captured) -> None:
    bench = make_run(tmp_path / "bench")
    compare = make_comparison(tmp_path / "compare")
    profiles = make_profiles(tmp_path / "profiles", launches=2)
    for before, after, words in [
        (bench, compare, f"{bench} is of stretto bench and {compare} of stretto compare"),
        (compare, profiles, f"{compare} is of stretto compare and {profiles} of stretto profile"),
        (bench, tmp_path, f"{tmp_path} is no run folder of stretto bench, stretto compare or"),
        (bench, tmp_path / "none", "none is no run folder of stretto bench, stretto compare or"),
    ]:
        assert check(before, after) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line


def test_only_benchmarks_are_run_again(tmp_path: Path, capsys: Captured) -> None:
    assert check(make_comparison(tmp_path / "compare")) == 2
    assert "is not run again from here: name RUN, too" in capsys.readouterr().err
