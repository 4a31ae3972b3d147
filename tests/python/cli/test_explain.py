"""stretto explain, on the real native tool."""

import json
from pathlib import Path

import pytest

from stretto.cli.main import run_command

Captured = pytest.CaptureFixture[str]

RULES = """
[fingerprint]
mpi = "Open MPI 4.1.4"
cpu = "any"
cpus = 2

[[collective]]
name = "allreduce"
ranks = 4
hosts = 1
rule = [
  { up_to_bytes = 2048, algorithm = "native" },
  { algorithm = "ring", segment_bytes = 32768 },
]
measured = [
  { bytes = 65536, pattern = "none", algorithm = "ring", median_us = 12.5, low_us = 12, \
high_us = 13, rounds = 30 },
]
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "tuned.toml"
    path.write_text(RULES)
    return str(path)


def test_it_says_what_runs_why_and_what_else_there_is(capsys: Captured) -> None:
    words = ["explain", "allreduce", "-n", "512", "--bytes", "64k", "--ppn", "16"]
    assert run_command(words) == 0
    shown = capsys.readouterr().out
    assert "allreduce of 64.0 KiB on 512 ranks, 32 hosts of 16:" in shown
    for part in (
        "runs       rabenseifner, about",
        "runner-up  two_level",
        "classic    rabenseifner",
    ):
        assert part in shown
    assert "estimated to be the fastest" in shown


def test_each_basis_has_its_words(capsys: Captured) -> None:
    for words, part in (
        (["-n", "4"], "each rank writes its block once"),
        (["-n", "17"], "on one host"),
        (["-n", "4", "--ppn", "2"], "up to 16 ranks"),
        (["-n", "4", "--ppn", "2", "--crowded"], "ranks share cores"),
        (["-n", "1"], "one rank"),
    ):
        assert run_command(["explain", "allreduce", "--bytes", "8", *words]) == 0
        assert f"because    {part}" in capsys.readouterr().out.replace("Stretto's rules for ", "")


def test_times_are_those_of_the_machine_that_is_named(capsys: Captured) -> None:
    times = []
    for machine in ("ethernet-10g", "infiniband-100g"):
        words = ["explain", "bcast", "-n", "256", "--bytes", "1M", "--machine", machine, "--json"]
        assert run_command(words) == 0
        times.append(json.loads(capsys.readouterr().out)["chosen"]["ns"])
    assert times[0] > 2 * times[1]


def test_rules_decide_and_show_their_evidence(rules: str, capsys: Captured) -> None:
    words = ["explain", "allreduce", "-n", "4", "--rules", rules, "--bytes"]
    assert run_command([*words, "2049"]) == 0
    shown = capsys.readouterr().out
    assert "runs       ring in segments" not in shown  # which one of 2049 bytes does not have
    assert "runs       ring" in shown
    assert "a rule that stretto tune measured" in shown
    assert "ring at 64.0 KiB, arrivals none: 12.5 µs (12.0 to 13.0 µs, 30 rounds)" in shown
    assert run_command([*words, "2048"]) == 0
    assert "the MPI's own (native)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["allreduces"], "unknown collective 'allreduces'"),
        (["neighbor_alltoall"], "name a collective that has several algorithms"),
        (["bcast", "--bytes", "9G"], "--bytes must be a whole number from 0 to 2147483647"),
        (["bcast", "--bytes", "much"], "'much' is no size"),
        (["bcast", "--machine", "nowhere"], "--machine nowhere: No such file"),
        (["bcast", "--rules", "nowhere"], "nowhere: No such file"),
    ],
)
def test_bad_input_is_one_line(words: list[str], complaint: str, capsys: Captured) -> None:
    assert run_command(["explain", *words]) == 2
    said = capsys.readouterr().err.strip()
    assert complaint in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"ring"', '"rings"', "allreduce has no algorithm rings"),
        ("ranks = 4", "ranks = 1", "ranks"),
        ("rule = [", "rules = [", "unknown field `rules`"),
        ("up_to_bytes = 2048, ", "", "the last rule, and no other, has none"),
    ],
)
def test_damaged_rules_are_named(
    rules: str, old: str, new: str, complaint: str, capsys: Captured
) -> None:
    path = Path(rules)
    path.write_text(path.read_text().replace(old, new, 1))
    assert run_command(["explain", "allreduce", "-n", "4", "--rules", rules]) == 2
    assert complaint in capsys.readouterr().err
