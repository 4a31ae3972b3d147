"""Runs that are recorded, and replayed without the program."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import EVERY_MPI, Mpi

from stretto import native
from stretto.cli.main import run_command
from stretto.data.traces import About, write_trace
from stretto.data.virtual_times import read_times
from stretto.launch.environment import RECORD, SCENARIOS, WHATIF
from stretto.model.machine import read_machine, toml_of
from stretto.model.scenarios import placed, usual_scenarios
from stretto.native.network_tolerance import TraceOnMachine, times_on
from stretto.native.replay import replay as run_again

STRETTO = Path(sys.executable).with_name("stretto")
MACHINE = "ethernet-10g"
FIRST = next(iter(EVERY_MPI), "")
WITH_MPI_4 = next((name for name, mpi in EVERY_MPI.items() if mpi.abi == "mpich"), "")


def scenarios() -> str:
    names = ["allreduce", "alltoall", "bcast", "reduce", "barrier", "scan", "gather"]
    usual = usual_scenarios(read_machine(MACHINE), names)
    return "".join(each.for_the_library() for each in usual)


def record(mpi: Mpi, program: Path, ranks: int, folder: Path, *arguments: str) -> Path:
    """The trace of a run in virtual time; its ranks' own reports stay in the folder."""
    file = folder / "scenarios.txt"
    file.write_text(scenarios())
    ended = mpi.run(
        program, *arguments, ranks=ranks,
        env={
            "LD_PRELOAD": str(native.drop_in(mpi.abi, "whatif")),
            WHATIF: str(folder), RECORD: str(folder), SCENARIOS: str(file),
        },
    )  # fmt: skip
    assert ended.ok, ended.stderr
    about = About([str(program)], ranks, "", toml_of(read_machine(MACHINE)), file.read_text())
    trace = folder / "a.trace"
    write_trace(trace, about, folder)
    return trace


def stretto(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STRETTO, *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )


def answered(*words: str | Path) -> dict[str, Any]:
    answer = stretto(*words, "--json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert isinstance(found, dict)
    return found


# Every kind of message and probe, on every MPI; requests of all kinds, communicators, threads.
RUNS = [
    *((name, "known_times") for name in EVERY_MPI),
    *((FIRST, each) for each in ("dropin", "dropin_groups", "dropin_uneven")),
    # Open MPI 4.1 itself gets these wrong.
    *((WITH_MPI_4, each) for each in ("dropin_neighbors", "dropin_persistent") if WITH_MPI_4),
]


@pytest.mark.parametrize(("name", "program"), RUNS)
def test_unchanged_it_is_the_run_again(name: str, program: str, tmp_path: Path) -> None:
    mpi = EVERY_MPI[name]
    trace = record(mpi, mpi.program(program), 3, tmp_path)
    run = read_times(tmp_path, 3)
    again = run_again(trace, scenarios(), None, strong=False).ranks
    for was, now in zip(run, again, strict=True):
        assert now.clocks == was.clocks  # to the last bit
        assert now.recorded_ns == [clock.end_ns for clock in was.clocks]
        assert now.computed_ns == was.computed_ns
        assert now.flags == was.flags
        assert sorted(now.call_sites, key=str) == sorted(was.call_sites, key=str)


def test_the_verbs_record_and_replay(tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = tmp_path / "jacobi.trace"
    launcher = ("--launcher", str(mpi.launcher.path), "--output", str(tmp_path / "run"))
    ended = stretto(
        "whatif", "-n", "4", "--runs", "1", "--machine", MACHINE, "--record", trace, *launcher,
        mpi.app("is"), "16", "3",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "Trace: " in ended.stderr
    same = answered("replay", trace)
    assert same["off_ns"] == 0
    assert same["program"][-2:] == ["16", "3"]
    assert any("is.c:" in site["where"] for site in same["sites"])
    times = {name: each["median"] for name, each in same["scenarios_s"].items()}
    assert times["no communication"] <= times["zero"] <= times["sim"]
    # Another scenario, another machine, more ranks.
    faster = answered("replay", trace, "--scenario", "fast:cpu=2x,network.latency=1us")
    assert faster["scenarios_s"]["fast"]["median"] < times["sim"]
    elsewhere = answered("replay", trace, "--machine", "infiniband-100g")
    assert elsewhere["scenarios_s"]["sim"] != same["scenarios_s"]["sim"]
    apart = answered("replay", trace, "--machine", "infiniband-100g", "--hosts", "4")
    assert apart["scenarios_s"]["sim"] != elsewhere["scenarios_s"]["sim"]
    said = stretto("replay", trace, "--machine", "infiniband-100g")
    assert "assumed: ranks are on hosts as in the run; --ppn or --hosts places them" in said.stdout
    more = answered("replay", trace, "--scale", "4x")
    assert (more["ranks"], more["scaling"]["alike"]) == (16, 4)
    shared = answered("replay", trace, "--scale", "4x", "--scaling", "strong")
    assert shared["scenarios_s"]["no communication"]["median"] == pytest.approx(
        times["no communication"] / 4, rel=0.1
    )
    said = stretto("replay", trace, "--scale", "4")
    assert "weak scaling: each rank computes" in said.stdout
    assert "fit: 4 of 4 ranks do what another one does" in said.stdout


def test_a_scaled_trace_is_the_larger_run(tmp_path: Path) -> None:
    """Of a program whose computing costs nothing: times are the model's alone."""
    mpi = EVERY_MPI[FIRST]
    small, large = tmp_path / "small", tmp_path / "large"
    small.mkdir()
    large.mkdir()
    record(mpi, mpi.app("alltoall"), 2, small, "4096", "5")
    record(mpi, mpi.app("alltoall"), 4, large, "4096", "5")
    still = scenarios().replace("computing 1.0", "computing 0.0")
    four = run_again(large / "a.trace", still, None, strong=False)
    two = run_again(small / "a.trace", still, 2, strong=False)
    assert two.scaling is not None
    calls = [[(s.function, s.calls) for s in run.ranks[3].call_sites] for run in (two, four)]
    assert calls[0] == calls[1]


def test_how_much_slower_the_network_may_be(tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = record(mpi, mpi.program("known_times"), 2, tmp_path)
    apart = ("--machine", MACHINE, "--ppn", "1")
    kept = tmp_path / "kept"
    found = answered("replay", trace, *apart, "--network-tolerance", "--output", kept)
    borne = found["network_tolerance"]
    assert (borne["level"], borne["latency_ns"]) == ("network", 12_000.0)
    assert [each["slower"] for each in borne["bears"]] == [0.01, 0.02, 0.05]
    latencies = [each["added_latency_ns"] for each in borne["bears"]]
    assert latencies == sorted(latencies)
    assert borne["messages_in_a_row"] >= 1
    # What is said to make it 1 % slower does.
    machine = read_machine(MACHINE).with_ranks_per_host(1)
    text = "".join(
        each.for_the_library()
        for each in (placed(s, 1, 2) for s in usual_scenarios(machine, ["allreduce"]))
    )
    on = TraceOnMachine(trace, text, machine)
    divisor = borne["bears"][0]["bandwidth_divisor"]
    whole, *slower = times_on(on, [(0.0, 1.0), (latencies[0], 1.0), (0.0, divisor)])
    assert whole == pytest.approx(1e9 * found["scenarios_s"]["sim"]["median"])
    assert slower == [pytest.approx(1.01 * whole, rel=1e-4)] * 2
    # On one host nothing goes over the network.
    said = stretto("replay", trace, "--machine", MACHINE, "--network-tolerance").stdout
    assert "no message of its longest path goes over the network" in said
    assert "it bears any latency up to 1.00 s, or any bandwidth" in said
    page = tmp_path / "page.html"
    assert stretto("report", kept, "-o", page).returncode == 0
    assert "Slower with more latency" in page.read_text()


def test_a_trace_written_as_a_goal_schedule_takes_as_long(tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = record(mpi, mpi.app("is"), 3, tmp_path, "4096", "3")
    goal = tmp_path / "is.goal"
    apart = ("--machine", MACHINE, "--ppn", "1")
    found = answered("replay", trace, *apart, "--export-goal", goal)
    assert goal.read_text().startswith("num_ranks 3\n")
    again = answered("replay", goal, *apart, "--scenario", "fast:cpu=2x", "--hosts", "3")
    sim = found["scenarios_s"]["sim"]["median"]
    assert again["scenarios_s"]["sim"] == pytest.approx(sim, rel=0.002)
    assert again["scenarios_s"]["fast"] < again["scenarios_s"]["sim"]
    assert again["ranks"] == 3
    for words, complaint in [
        ((goal,), "a GOAL schedule says nothing of its machine: --machine FILE"),
        ((goal, *apart, "--scale", "2"), "--scale: it goes with traces"),
        ((goal, *apart, "--scenario", "x:collectives=0"), "a GOAL schedule has no collectives"),
        ((trace, "--export-goal", goal), "there is a file of that name"),
        ((trace, "--export-goal", tmp_path / "no" / "x.goal"), "there is no folder"),
        ((tmp_path / "no.goal", *apart), "no.goal: "),
    ]:
        answer = stretto("replay", *words)
        assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)
        assert complaint in answer.stderr
    goal.write_text("num_ranks 1\nrank 0 {\ncalc x\n}\n")
    answer = stretto("replay", goal, "--machine", MACHINE)
    assert answer.returncode == 2
    assert f"{goal}, line 3: expected a time in ns" in answer.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "x"], "--scale x: write a whole number"),
        (["--scale", "2x"], "--scale: its ranks do not do the same"),
        (["--scenario", "sim:cpu=2x"], "--scenario sim: there is one of that name"),
        (["--machine", "no-such"], "--machine no-such"),
        (["--ppn", "2"], "--ppn: it goes with --machine"),
        (["--machine", MACHINE, "--hosts", "3"], "--hosts 3: 2 ranks"),
        (["--machine", MACHINE, "--ppn", "1", "--hosts", "1"], "--hosts 1: 2 ranks"),
    ],
)
def test_what_cannot_be_replayed_is_refused(options: list[str], words: str, tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = record(mpi, mpi.program("known_times"), 2, tmp_path)
    answer = stretto("replay", trace, *options)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_several_traces_give_laws_and_what_they_say_of_more_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mpi = EVERY_MPI[FIRST]
    traces = {}
    for ranks in (2, 3, 4):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        traces[ranks] = record(mpi, mpi.app("alltoall"), ranks, folder, "4096", "5")
    several = [*map(str, traces.values())]
    kept = str(tmp_path / "kept")
    assert run_command(["replay", *several, "--scale", "64", "--output", kept, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ranks"], found["target"]) == ([2, 3, 4], 64)
    # Sections are all of the time.
    for at, ranks in enumerate(found["ranks"]):
        alone = run_again(traces[ranks], scenarios(), None, strong=False).ranks
        last = 1e-9 * max(rank.clocks[0].end_ns for rank in alone)
        parts = [each["seconds"]["values"][at] for each in found["sections"]]
        assert sum(parts) + found["rest_s"]["values"][at] == pytest.approx(last, rel=1e-9)
        assert found["traced_s"][at] == pytest.approx(last, rel=1e-12)
    parts = [found[each]["value"] for each in ("computing_s", "communication_s")]
    assert sum(parts) <= found["predicted_s"]["value"]
    assert (found["left_out"]["ranks"], found["left_out"]["fitted"]) == (4, [2, 3])
    assert any("Alltoall " in each["section"] for each in found["sections"])
    words = ["--scale", "4x", "--machine", "infiniband-100g"]
    assert run_command(["replay", *reversed(several), *words]) == 0
    said = capsys.readouterr().out
    assert "alltoall: from 2, 3, 4 ranks to 16" in said
    assert "left out of the fit: from 2, 3 ranks " in said
    page = tmp_path / "page.html"
    assert run_command(["report", kept, "-o", str(page)]) == 0
    assert "extrapolated from several traces" in page.read_text()
    # A program of that name, but of other calls.
    folder = tmp_path / "other"
    folder.mkdir()
    other = str(record(mpi, shutil.copy(mpi.app("is"), folder / "alltoall"), 4, folder, "16", "1"))
    capsys.readouterr()
    for options, complaint in [
        (
            [*several[:2], "--scale", "64"],
            "ranks or more, from 2 on; these are on 2, 3",
        ),
        (several, "several traces go with --scale RANKS"),
        ([*several, "--scale", "many"], "--scale many: write a number of ranks"),
        ([*several, "--scale", "1x"], "the traces are on up to"),
        ([*several, several[0], "--scale", "64"], "it is named twice"),
        ([*several, "--scale", "64", "--scaling", "weak"], "--scaling: it goes with one trace"),
        ([*several, other, "--scale", "64"], "have no call site in common"),
        ([*several, str(tmp_path / "no.trace"), "--scale", "64"], "no.trace: cannot be read"),
    ]:
        assert run_command(["replay", *options]) == 2
        said = capsys.readouterr().err
        assert complaint in said
        assert said.count("\n") == 1


def test_a_damaged_trace_is_refused_naming_the_byte(tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = record(mpi, mpi.program("known_times"), 2, tmp_path)
    whole = trace.read_bytes()
    for damaged in (b"", b"a text", whole[: len(whole) // 2], whole[:-1]):
        trace.write_bytes(damaged)
        answer = stretto("replay", trace)
        assert answer.returncode == 2
        assert f"{trace}: byte " in answer.stderr
        assert answer.stderr.count("\n") == 1
    trace.write_bytes(whole[:-20] + b"\0" + whole[-19:])
    assert "byte " in stretto("replay", trace).stderr
    missing = stretto("replay", tmp_path / "no.trace")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)


def test_a_rank_that_dies_leaves_no_trace(tmp_path: Path) -> None:
    mpi = EVERY_MPI[FIRST]
    trace = tmp_path / "a.trace"
    ended = stretto(
        "whatif", "-n", "2", "--runs", "1", "--machine", MACHINE, "--record", trace, "--launcher",
        str(mpi.launcher.path), "--output", str(tmp_path / "run"), "sh", "-c", "exit 3",
    )  # fmt: skip
    assert ended.returncode != 0
    assert not trace.exists()
