"""Virtual time on real programs: known times are met, and the verbs say what they should."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mpi_runs import EVERY_MPI, MPIS, Mpi

from stretto import native
from stretto.data.virtual_times import read_times
from stretto.launch.environment import CALIBRATION_TIME, SCENARIOS, WHATIF
from stretto.model.machine import read_machine

STRETTO = Path(sys.executable).with_name("stretto")

# Computing costs nothing, so virtual time is the model's alone: o of the sender, o of the
# receiver, L, and G by the byte; g is 0.
SEND, RECV, LATENCY = 100, 200, 1000
EXACT = f"""
scenario exact
computing 0
collective barrier 0
collective bcast 0
collective reduce 0
collective allreduce 0
collective scan 0
collective allgather 0
collective gather 0
collective neighbor_allgather 0
machine test
copy 0 0
reduce 0 0
level 0 0 0 host
message 0 {LATENCY} {SEND} {RECV} 0 0 1
"""
SHORT, LONG, MANY = 1000, 2000, 200


def sent(start: float, bytes_: int) -> float:
    """When a message arrives whose send begins at `start`."""
    return start + SEND + LATENCY + bytes_ - 1


def known_times(ranks: int) -> dict[str, list[float]]:
    """What each phase of known_times.c takes each rank, ns."""
    hop = sent(0, SHORT) + RECV
    second = sent(SHORT - 1, LONG)  # the port is busy with the first until then
    zero = [0.0] * (ranks - 2)
    late = 2 * hop
    passed_on = sent(0, SHORT) + RECV + SEND  # rank 1 has received and sent
    times = {
        "chain": [ranks * hop, *(hop * r + SEND for r in range(1, ranks))],
        "fan_in": [sent(0, SHORT) + (ranks - 2) * (SHORT - 1) + RECV, *[SEND] * (ranks - 1)],
        "last_first": [second + 2 * RECV, SHORT - 1 + SEND, *zero],
        "together": [second + RECV, SHORT - 1 + SEND, *zero],
        "one_by_one": [second + RECV, SHORT - 1 + SEND, *zero],
        "persistent": [sent(2 * (SHORT - 1), SHORT) + RECV, 2 * (SHORT - 1) + SEND, *zero],
        "shift": [hop] * ranks,
        "probe": [hop, SEND, *zero],
        "matched_probe": [hop, SEND, *zero],
        "test_loop": [late, passed_on, *zero],
        "probe_loop": [late, passed_on, *zero],
        "burst": [sent((MANY - 1) * SEND, 1) + MANY * RECV, MANY * SEND, *zero],
        "to_oneself": [hop] * ranks,
        "late_bcast_from_last": [late, passed_on, *zero],
        "late_bcast_from_first": [late] * ranks,
        "late_reduce": [late, passed_on, *zero],
        "late_allreduce": [late] * ranks,
        "late_scan": [late] * ranks,
        "late_iallreduce": [late] * ranks,
        "on_split": [hop, SEND, *zero],
    }
    times["late_reduce"][-1] = late
    times["answers_meanwhile"] = [hop, SEND, *zero]
    times["early_root"] = [SEND, hop, *zero]
    if ranks == 2:
        times["wildcard_first"] = [0.0, 0.0]
    else:
        mine = sent(SEND, SHORT) + RECV  # the other one came before it
        times["wildcard_first"] = [mine + RECV, 2 * SEND, *[SEND] * (ranks - 2)]
    return times | neighbors_and_persistent(ranks)


def neighbors_and_persistent(ranks: int) -> dict[str, list[float]]:
    """The same, of what goes to the ranks before and behind, and of what is started again."""
    zero = [0.0] * (ranks - 2)
    late = 2 * (sent(0, SHORT) + RECV)
    passed_on = sent(0, SHORT) + RECV + SEND
    both_sent = SHORT - 1 + SEND
    exchange = sent(SHORT - 1, SHORT) + RECV
    # Rank 1 receives both at once when it has the other message.
    behind = sent(both_sent, SHORT) + RECV + SHORT - 1 + RECV
    # Ranks 0 and 1 are late; whoever is next to one waits for it.
    waits = [late, late] if ranks == 2 else [late, late, passed_on, *[0.0] * (ranks - 4), late]
    hop = sent(0, SHORT) + RECV
    reduced = [SEND, hop, *zero]
    reduced[-1] = hop
    return {
        "ring_exchange": [exchange] * ranks,
        "ring_meanwhile": [exchange, behind, *[exchange] * (ranks - 2)],
        "late_ring_allgather": waits,
        "late_ring_iallgather": waits,
        "ring_many": [SEND + exchange + RECV] * ranks,  # what it sent itself is received last
        "answers_neighbor": [0.0] * ranks,
        "persistent_allreduce": [late] * ranks,
        "persistent_any_order": reduced,
        "persistent_ring": [2 * exchange] * ranks,
        "idup_seen": [hop, SEND, *zero],
        "on_idup": [sent(LONG - 1, SHORT) + 2 * RECV, LONG - 1 + SEND, *zero],
    }


def run_in_virtual_time(
    mpi: Mpi, program: str, ranks: int, folder: Path, scenarios: str, *arguments: str
) -> list[str]:
    """What the program says, line by line."""
    file = folder / "scenarios.txt"
    file.write_text(scenarios)
    environment = {
        "LD_PRELOAD": str(native.drop_in(mpi.abi, "whatif")),
        WHATIF: str(folder),
        SCENARIOS: str(file),
    }
    ended = mpi.run(mpi.program(program), *arguments, ranks=ranks, env=environment)
    assert ended.ok, ended.stderr
    return ended.stdout.splitlines()


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", EVERY_MPI)
def test_known_times_are_met(name: str, ranks: int, tmp_path: Path) -> None:
    assert_met(known_times(ranks), EVERY_MPI[name], tmp_path, EXACT)


def test_a_malloc_may_read_clocks(mpi: Mpi, tmp_path: Path) -> None:
    """As those do that give memory back after a while, before anything of ours is there."""
    said = run_in_virtual_time(mpi, "stamped_malloc", 2, tmp_path, EXACT)
    assert said == ["stamped malloc ok"] * 2


def test_with_overlap_a_neighbourhood_collective_goes_on_meanwhile(tmp_path: Path) -> None:
    ranks = 4
    exchange = sent(SHORT - 1, SHORT) + RECV
    overlapped = {"ring_meanwhile": [exchange] * ranks}  # with the other message before its end
    scenario = EXACT.replace("computing 0", "computing 0\noverlap perfect")
    assert_met(known_times(ranks) | overlapped, next(iter(MPIS.values())), tmp_path, scenario)


def assert_met(expected: dict[str, list[float]], mpi: Mpi, folder: Path, scenario: str) -> None:
    ranks = len(expected["chain"])
    said = run_in_virtual_time(mpi, "known_times", ranks, folder, scenario)
    found: dict[str, list[float]] = {}
    for line in said:
        phase, _, ns = line.split()
        found.setdefault(phase, []).append(float(ns))
    assert found.keys() == expected.keys()
    for phase, times in expected.items():
        assert found[phase] == pytest.approx(times, abs=1.0), phase


# Programs that check what they get, in every language and with every kind of call.
CHECKED = [
    "dropin", "dropin_uneven", "dropin_groups", "threads_dropin",
    "large_types", "fortran_mpifh", "fortran_f08",
]  # fmt: skip
SIM = "scenario sim\nmachine any\nlevel 0 0 0 host\nmessage 0 1000 100 200 0 0 1\n"


@pytest.mark.parametrize("program", CHECKED)
@pytest.mark.parametrize("abi", ["openmpi", "mpich"])
def test_programs_get_what_they_get_in_real_time(abi: str, program: str, tmp_path: Path) -> None:
    if abi not in MPIS:
        pytest.skip(f"no MPI of the {abi} ABI")
    run_in_virtual_time(MPIS[abi], program, 3, tmp_path, SIM)


# On rings of one rank and of two, too. Open MPI 4.1 alone gets both wrong: its nonblocking calls on
# such rings, and its persistent ones, which read a datatype that was freed.
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("program", ["dropin_neighbors", "dropin_persistent"])
def test_neighbours_and_persistent_collectives_are_followed(
    program: str, ranks: int, tmp_path: Path
) -> None:
    if "mpich" not in MPIS:
        pytest.skip("no MPI of the mpich ABI")
    run_in_virtual_time(MPIS["mpich"], program, ranks, tmp_path, SIM)
    assert [each.flags.not_followed for each in read_times(tmp_path, ranks)] == [0] * ranks


# In virtual time they are nonblocking ones, but where those of Open MPI are wrong. Intel MPI itself
# gets both wrong.
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("name", [name for name in EVERY_MPI if "Intel" not in name])
def test_blocking_neighbours_get_what_is_theirs(name: str, ranks: int, tmp_path: Path) -> None:
    run_in_virtual_time(EVERY_MPI[name], "dropin_neighbors", ranks, tmp_path, SIM, "blocking")


@pytest.mark.parametrize("abi", ["openmpi", "mpich"])
def test_of_a_program_with_threads_the_longest_counts(abi: str, tmp_path: Path) -> None:
    if abi not in MPIS:
        pytest.skip(f"no MPI of the {abi} ABI")
    said = run_in_virtual_time(MPIS[abi], "openmp", 2, tmp_path, SIM)
    if said == ["no OpenMP"]:
        pytest.skip("the compiler that built the programs has no OpenMP")
    assert said == ["openmp ok"]


@pytest.mark.parametrize("name", EVERY_MPI)
def test_neighbours_exchange_a_message_as_they_begin(name: str, tmp_path: Path) -> None:
    """Where ranks wait for cores there may be too few of them to tell: so more than one try."""
    for attempt in range(40):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        run_in_virtual_time(EVERY_MPI[name], "idle", 3, folder, SIM, "0.1")
        first, second, alone = read_times(folder, 3)
        assert first.modelled_exchange_ns == second.modelled_exchange_ns == 100 + 1007 + 200
        assert alone.modelled_exchange_ns is None
        assert alone.exchange_ns is None
        if first.exchange_ns and second.exchange_ns:
            break
    assert first.exchange_ns is not None
    assert second.exchange_ns is not None


# A second for each 1,000 pages; allreduce of 512 KiB takes 1 s, or 3.
MEMORY = SIM.replace(
    "machine any", "measured allreduce 524288 2 1e9 1 3e9\nmachine any\npage_fault 1e6"
)


# Open MPI 4.1 also with the sender, not the receiver, copying: as other MPIs do on some processors.
@pytest.mark.parametrize(
    ("name", "flags"),
    [
        *((name, "") for name in EVERY_MPI),
        *((name, "3") for name in EVERY_MPI if name.startswith("Open MPI 4")),
    ],
)
def test_where_the_data_are_counts(
    name: str, flags: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if flags:
        monkeypatch.setenv("OMPI_MCA_btl_vader_flags", flags)
    said = run_in_virtual_time(EVERY_MPI[name], "memory", 2, tmp_path, MEMORY)
    found = {what: float(s) for what, s in map(str.split, said)}

    def counted(what: str) -> float:
        """At a millisecond a page; Stretto's own few may be among them."""
        return pytest.approx(found[f"pages_{what}"] / 1000, rel=0.1, abs=0.05)

    # Whatever the MPI does by itself, an operation of the program's touches what it touches.
    assert found["pages_combined"] >= 64
    assert found["combined"] - found["combined_again"] == counted("combined")
    # Of messages as many as the MPI leaves to the receiver: by the processor all, some or none.
    for message in ("fresh", "touched", "nothing"):
        assert found[message] == counted(message)
    assert found["warm"] == pytest.approx(1, rel=0.1)
    assert found["cold"] == pytest.approx(3, rel=0.1)
    assert found["from_cold"] == pytest.approx(3, rel=0.1)


def whatif(
    mpi: Mpi, program: Path, folder: Path, *options: str, arguments: Sequence[str] = ()
) -> dict[str, Any]:
    words = ["whatif", "--json", "--output", str(folder / "run"), *options]
    launcher = ["--launcher", str(mpi.launcher.path)]
    answer = subprocess.run(
        [STRETTO, *words, *launcher, program, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("abi", ["openmpi", "mpich"])
def test_whatif_measures_the_machine_and_asks_all_scenarios(abi: str, tmp_path: Path) -> None:
    if abi not in MPIS:
        pytest.skip(f"no MPI of the {abi} ABI")
    mpi = MPIS[abi]
    slow = "slow:network.latency=50us,network.bandwidth=100Mbit,hosts=2"
    found = whatif(mpi, mpi.app("jacobi3d"), tmp_path, "-n", "2", "--runs", "1", "--scenario", slow)
    times = {name: each["median"] for name, each in found["scenarios_s"].items()}
    assert set(times) == {"sim", "zero", "no communication", "slow"}
    assert times["no communication"] <= times["zero"] <= times["sim"] < times["slow"]
    shares = found["efficiencies"]
    assert all(0 < shares[name] <= 1.0001 for name in shares)
    assert any("Allreduce jacobi3d.c" in site["where"] for site in found["sites"])
    # What was measured is a machine that can be used again.
    machine = tmp_path / "run" / "machine.toml"
    assert read_machine(str(machine)).collective
    assert (tmp_path / "run" / "normal-0" / "stdout.txt").read_text().startswith("checksum")


def test_more_ranks_than_cores_and_a_program_that_lives_by_alltoall(tmp_path: Path) -> None:
    mpi = next(iter(MPIS.values()))
    found = whatif(
        mpi, mpi.app("alltoall"), tmp_path, "-n", "16", "--runs", "1", "--machine",
        "loggopsim", "--scenario", "half:alltoall=0.5x", "--show", "zero",
        arguments=("65536", "10"),
    )  # fmt: skip
    assert found["gain"]["median"] > 0.9
    times = {name: each["median"] for name, each in found["scenarios_s"].items()}
    assert times["zero"] < times["half"] < times["sim"]
    assert found["sites"][0]["function"] == "MPI_Alltoall"


def test_launches_that_find_what_another_left_have_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi = next(iter(MPIS.values()))
    monkeypatch.chdir(tmp_path)
    options = ["-n", "2", "--machine", "loggopsim", "--runs"]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    found = whatif(
        mpi, mpi.program("once"), tmp_path / "a", *options, "2", arguments=("made", "0.8")
    )
    assert found["verdict"].startswith("no verdict: launches of the program did not do the same: ")
    assert "normal-0 took" in found["verdict"]
    assert "--fresh-dir" in found["verdict"]
    assert "scenarios_s" not in found
    assert found["launches_s"].keys() == {"normal-0", "normal-1", "virtual-0", "virtual-1"}
    (tmp_path / "made").rmdir()
    fresh = whatif(
        mpi, mpi.program("once"), tmp_path / "b", *options, "1", "--fresh-dir",
        arguments=("made", "0.1"),
    )  # fmt: skip
    assert "sim" in fresh["scenarios_s"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scenario", "x"], "--scenario x is not NAME:SETTING"),
        (["--scenario", "x:warp=9"], "unknown setting warp"),
        (["--show", "nothing"], "--show nothing"),
        (["--machine", "no-such"], "--machine no-such"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: list[str], words: str) -> None:
    mpi = next(iter(MPIS.values()))
    answer = subprocess.run(
        [STRETTO, "whatif", *options, mpi.app("jacobi3d")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert answer.returncode == 2
    assert words in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_calibrate_writes_a_machine_that_simulate_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CALIBRATION_TIME)  # all of it, once
    mpi = next(iter(MPIS.values()))
    file = tmp_path / "machine.toml"
    words = ["calibrate", "-o", str(file), "--launcher", str(mpi.launcher.path)]
    answer = subprocess.run(
        [STRETTO, *words, mpi.app("jacobi3d")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "level 'host'" in answer.stdout
    messages = read_machine(str(file)).level[-1].message
    assert not messages[0].rendezvous
    assert messages[-1].rendezvous  # of 4 MiB
    simulated = subprocess.run(
        [STRETTO, "simulate", "allreduce", "-n", "8", "--machine", str(file), "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert simulated.returncode == 0, simulated.stderr
