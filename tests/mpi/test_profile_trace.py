"""stretto profile --trace: each call by itself, for Perfetto."""

import gzip
import json
import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import MPIS, Mpi
from profiles import one_run_of_each_mpi, profile, run_profile

from stretto.data.profile_traces import read_trace
from stretto.data.profiles import read_profile
from stretto.errors import InputError

RANKS = 3


def calls_of(folder: Path) -> list[dict[str, Any]]:
    """The events of the trace that are calls."""
    with gzip.open(folder / "trace.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert [names[rank].split(" (")[0] for rank in sorted(names)] == ["rank 0", "rank 1", "rank 2"]
    return [event for event in events if event["ph"] == "X"]


def test_every_call_is_in_the_trace_once(mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    found = profile(mpi, "overlapped", RANKS, folder, "--trace")
    calls = calls_of(folder)
    counted = Counter[str]()
    for site in found["sites"]:
        counted[site["function"]] += site["calls"]
    traced = Counter[str]()
    for call in calls:
        traced[call["name"]] += call["args"].get("calls", 1)
    assert traced == counted
    # In vain: polls in a row are one event, but where another rank had the core between two.
    in_vain = [call["args"] for call in calls if call["name"] == "MPI_Iprobe"]
    assert len(in_vain) < 500 * RANKS
    assert sum(args["calls"] for args in in_vain if args.get("calls", 1) > 1) > 500 * RANKS
    lines = {f"{Path(site['file']).name}:{site['line']}" for site in found["sites"]}
    assert {call["args"]["at"] for call in calls} == lines
    barriers = [call["args"] for call in calls if call["name"] == "MPI_Barrier"]
    assert {(args["ranks"], args["bytes"]) for args in barriers} == {(RANKS, 0)}
    receives = [call["args"] for call in calls if call["name"] == "MPI_Recv"]
    assert {args["bytes"] for args in receives} == {1, 8000}
    wall_us = found["wall_s"] * 1e6
    for rank in range(RANKS):
        own = [call for call in calls if call["pid"] == rank]
        assert {call["tid"] for call in own} == {0}
        # One after the other, as they were called; figures have three decimals.
        for before, after in pairwise(own):
            assert before["ts"] + before["dur"] <= after["ts"] + 0.002
        assert own[0]["ts"] >= 0
        assert sum(call["dur"] for call in own) <= wall_us


def test_calls_of_all_ranks_lie_on_one_clock(mpi: Mpi, tmp_path: Path) -> None:
    run_profile(mpi, "overlapped", RANKS, tmp_path / "run", "--trace")
    barriers = [call for call in calls_of(tmp_path / "run") if call["name"] == "MPI_Barrier"]
    of_rank = [[call for call in barriers if call["pid"] == rank] for rank in range(RANKS)]
    # None leaves a barrier before all have come.
    for together in zip(*of_rank, strict=True):
        last = max(call["ts"] for call in together)
        assert min(call["ts"] + call["dur"] for call in together) >= last - 0.002


def test_a_trace_that_is_cut_has_the_last_calls_and_says_so(mpi: Mpi, tmp_path: Path) -> None:
    kept = 40
    answer = run_profile(mpi, "overlapped", RANKS, tmp_path / "run", f"--trace-calls={kept}")
    (line,) = [text for text in answer.stderr.splitlines() if text.startswith("Trace: ")]
    assert re.search(r"has the last \d[\d,]* or more of each rank", line)
    calls = calls_of(tmp_path / "run")
    assert Counter(call["pid"] for call in calls) == dict.fromkeys(range(RANKS), kept)
    whole = read_profile(tmp_path / "run", RANKS)
    for rank in whole.ranks:
        assert rank.trace is not None
        assert rank.trace.calls == sum(site.calls for site in rank.call_sites)
        assert kept == rank.trace.events <= rank.trace.kept < rank.trace.calls
        events = read_trace(tmp_path / "run", rank)
        assert list(events["leave"]) == sorted(events["leave"])
        # The program's last call is one of these.
        assert rank.call_sites[events["site"][-1]].function == "MPI_Test"


def test_nothing_is_traced_unless_asked_for(mpi: Mpi, tmp_path: Path) -> None:
    run_profile(mpi, "overlapped", 2, tmp_path / "run")
    assert list((tmp_path / "run").glob("*trace*")) == []


@pytest.fixture(scope="module", params=one_run_of_each_mpi("overlapped, cut"))
def cut_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profile") / "run"
    run_profile(MPIS[request.param], "overlapped", 2, folder, "--trace-calls=40")
    return folder


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("missing", "rank-1.trace cannot be read"),
        ("cut", "is cut off at byte"),
        ("short", "has 39 events, not the 40 it had"),
        ("calls", r"has [\d-]+ calls, not the"),
        ("site", "an unknown site at byte 0"),
        ("time", "a call at an impossible time at byte 0"),
    ],
)
def test_a_damaged_trace_is_one_line(
    damage: str, words: str, cut_run: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(cut_run, tmp_path / "run")
    path = folder / "rank-1.trace"
    raw = path.read_bytes()
    match damage:
        case "missing":
            path.unlink()
        case "cut":
            path.write_bytes(raw[:-3])
        case "short":
            path.write_bytes(raw[:-40])
        case "calls":
            path.write_bytes(raw[:32] + b"\x7f" * 4 + raw[36:])
        case "site":
            path.write_bytes(raw[:24] + b"\x7f" * 4 + raw[28:])
        case "time":
            path.write_bytes(b"\0" * 8 + raw[8:])
    with pytest.raises(InputError, match=words):
        read_trace(folder, read_profile(folder, 2).ranks[1])
