"""stretto simulate, on the real native tool."""

import json
import re
from pathlib import Path

import pytest

from stretto.cli.main import run_command

BARRIER = ["simulate", "barrier", "--machine", "loggopsim", "--bytes", "8"]


def answers(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    assert run_command([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, list)
    return found


def test_every_algorithm_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "allreduce", "-n", "64", "--bytes", "64K", "--machine", "ethernet-10g"]
    assert run_command(words) == 0
    shown = capsys.readouterr().out
    for name in ("rabenseifner", "recursive_doubling", "ring", "64 ranks", "10 Gbit Ethernet"):
        assert name in shown
    assert "reduce_exchange_bcast" not in shown  # for intercommunicators


# LogGOPSim's published time is 88,672 ns on 65,536 ranks: 16 rounds of 5,542.
def test_the_scaling_curve_is_of_powers_of_two(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*BARRIER, "--algorithm", "dissemination", "-n", "100"]
    found = answers(words, capsys)
    assert [each["ranks"] for each in found] == [2, 4, 8, 16, 32, 64, 100]
    assert [each["end_ns"] for each in found] == [5542 * i for i in (1, 2, 3, 4, 5, 6, 7)]
    assert len(answers([*words, "--no-scaling"], capsys)) == 1


def test_both_engines_agree(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "allgather", "--algorithm", "ring", "-n", "50", "--bytes", "1K"]
    words += ["--machine", "loggopsim", "--no-scaling"]
    (fast,) = answers([*words, "--path", "rounds"], capsys)
    (slow,) = answers([*words, "--path", "events"], capsys)
    assert (fast["path"], slow["path"]) == ("rounds", "events")
    assert fast["end_ns"] == slow["end_ns"] == 49 * (1500 + 2500 + 1500 + 1023 * 6)


def test_a_late_rank_and_noise_cost_time(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*BARRIER, "--algorithm", "dissemination", "-n", "64", "--no-scaling"]
    (alone,) = answers(words, capsys)
    (late,) = answers([*words, "--arrivals", "last:1ms"], capsys)
    # What came before it did waits for it, and it receives one after the other.
    assert alone["end_ns"] + 1e6 <= late["end_ns"] <= 2 * alone["end_ns"] + 1e6
    (noisy,) = answers([*words, "--noise", "20us:5us"], capsys)
    assert noisy["end_ns"] > alone["end_ns"]


def test_the_curve_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "curve.svg"
    assert run_command([*BARRIER, "-n", "16", "--plot", str(picture)]) == 0
    assert "<svg" in picture.read_text()
    assert "curve.svg" in "".join(capsys.readouterr().err.split())


def test_a_full_disk_is_no_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "curve.svg"
    picture.symlink_to("/dev/full")
    assert run_command([*BARRIER, "-n", "16", "--plot", str(picture)]) == 5
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith(f"--plot {picture}: No space left on device")


def test_ranks_are_on_a_log2_axis(tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    assert run_command([*BARRIER, "-n", "64", "--plot", str(picture)]) == 0
    drawn = re.findall(r"<!-- ([\d,]+) -->", picture.read_text())
    assert {"2", "4", "8", "16", "32", "64"} <= set(drawn)


def test_what_is_too_large_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "alltoall", "--bytes", "8", "-n", "8192", "--machine", "loggopsim"]
    assert run_command([*words, "--no-scaling", "--path", "events", "--algorithm", "linear"]) == 2
    assert "linear on 8,192 ranks: more than 64 million steps" in capsys.readouterr().err
    words = ["simulate", "allgather", *words[2:], "--noise", "1ms:1us", "--no-scaling"]
    assert run_command(words) == 0
    told = capsys.readouterr()
    assert "recursive_doubling" in told.out
    assert "left out: ring on 8,192 ranks: more than 64 million steps" in told.err


def test_what_would_take_minutes_to_build_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "alltoall", "--bytes", "8", "-n", "1048576", "--no-scaling"]
    assert run_command([*words, "--algorithm", "pairwise"]) == 2
    assert "pairwise on 1,048,576 ranks: more than 2,000 million" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nope"], "unknown collective 'nope'"),
        (["bcast", "--algorithm", "nope"], "unknown algorithm 'nope' for bcast: all, binomial"),
        (["bcast", "--machine", "nope"], "machines that come with Stretto: cluster-2006"),
        (["bcast", "--arrivals", "late:1ms"], "PATTERN one of first, last"),
        (["bcast", "--arrivals", "last"], "write PATTERN:TIME"),
        (["bcast", "--arrivals", "last:1"], "'1' is no time"),
        (["bcast", "--noise", "1ms"], "write PERIOD:TIME"),
        (["bcast", "--noise", "1ms:2ms"], "must be shorter"),
        (["bcast", "--bytes", "12"], "no whole number of 8-byte elements"),
        (["bcast", "--bytes", "many"], "'many' is no size"),
        (["bcast", "-n", "4", "--root", "4"], "the ranks are 0 to 3"),
        (["bcast", "-n", "4", "--path", "fast"], "--path is any, events or rounds"),
        (["bcast", "-n", "4", "--path", "rounds", "--no-scaling"], "not round-structured"),
        (["bcast", "-n", "4", "--ppn", "24"], "--ppn 24"),
        (["bcast", "-n", "4", "--plot", "/nowhere/a.svg"], "/nowhere is not a folder"),
        (["bcast", "-n", "4", "--plot", "a.nope"], "ends in .svg, .png, .pdf"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["simulate", *words]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert complaint in said[-1]
