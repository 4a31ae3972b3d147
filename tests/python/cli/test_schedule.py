"""The schedule verbs, on the real native tool."""

import json
import re
import sys
from pathlib import Path

import pytest

from stretto.cli.main import run_command

RING = ["schedule", "show", "allreduce", "--algorithm", "ring"]


def test_list_names_what_each_algorithm_can_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["schedule", "list", "allreduce"]) == 0
    shown = capsys.readouterr().out
    assert "ring" in shown
    assert "not kept" in shown
    assert not re.search(r"^\W*bcast", shown, re.MULTILINE)
    # Whole, however narrow the terminal is.
    assert run_command(["schedule", "list", "allreduce", "--json"]) == 0
    names = [each["algorithm"] for each in json.loads(capsys.readouterr().out)]
    assert all(re.search(rf"\b{name}\b", shown) for name in names)


def test_list_as_json_has_every_collective(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["schedule", "list", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert len({each["collective"] for each in known}) == 13


def test_show_prints_steps_and_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*RING, "-n", "8", "--bytes", "1M"]) == 0
    shown = capsys.readouterr().out
    assert "allreduce ring: 8 ranks, 131,072 elements" in shown
    assert "14 alpha + 229,376 beta + 114,688 gamma" in shown
    assert "more steps: --rank R" in shown


def test_show_prints_all_steps_of_the_rank_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*RING, "-n", "3", "--bytes", "24", "--rank", "2"]) == 0
    shown = capsys.readouterr().out
    assert "from rank 1" in shown
    assert "more steps" not in shown


def test_show_draws_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "ring.svg"
    assert run_command([*RING, "-n", "4", "--svg", str(picture)]) == 0
    assert picture.read_text().startswith("<svg")
    assert str(picture) in "".join(capsys.readouterr().err.split())


def test_show_as_json_counts_in_elements(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schedule", "show", "bcast", "--algorithm", "chain", "-n", "3", "--json"]
    options = ["--bytes", "4K", "--element-bytes", "4", "--segment", "1K", "--root", "2"]
    assert run_command([*words, *options]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["count"], shown["segment"], shown["root"]) == (1024, 256, 2)


def test_show_counts_what_goes_between_hosts(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["schedule", "show", "bcast", "--algorithm", "two_level", "-n", "8", "--bytes", "4K"]
    assert run_command([*words, "--layout", "core complex=2,host=3+5"]) == 0
    shown = capsys.readouterr().out
    assert "by level       core complex 1 message, 4,096 bytes; host 5 messages, 20,480" in shown
    assert "network 1 message, 4,096 bytes" in shown


def test_show_as_json_has_the_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*RING, "-n", "4", "--json", "--layout", "host=2"]) == 0
    assert json.loads(capsys.readouterr().out)["layout"] == [
        {"level": "host", "group_of": [0, 0, 1, 1]}
    ]
    dealt = ["--layout", "host=2", "--placement", "round-robin"]
    assert run_command([*RING, "-n", "4", "--json", *dealt]) == 0
    assert json.loads(capsys.readouterr().out)["layout"][0]["group_of"] == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([*RING[:3], "--algorithm", "rong"], "unknown algorithm 'rong' for allreduce: "),
        (["schedule", "show", "allreduse", "--algorithm", "ring"], "unknown collective"),
        ([*RING, "--bytes", "much"], "'much' is no size"),
        ([*RING, "--bytes", "9"], "no whole number of 8-byte elements"),
        ([*RING, "--rank", "8"], "the ranks are 0 to 7"),
        ([*RING, "--root", "0"], "'--root' does not apply to allreduce ring"),
        ([*RING, "--svg", "/nowhere/ring.svg"], "No such file or directory"),
        ([*RING, "--layout", "host"], "--layout host: '' is no number of ranks; write host=4"),
        ([*RING, "--layout", "host=4+0"], "'0' is no number of ranks"),
        ([*RING, "--placement", "random"], "in-order, round-robin or shuffled, not 'random'"),
        ([*RING, "--placement", "shuffled"], "--placement needs a --layout"),
        (["schedule", "verify", "allreduse"], "unknown collective"),
        (["schedule", "verify", "--algorithm", "ring"], "needs a collective"),
        (["schedule", "verify", "bcast", "--algorithm", "ring"], "unknown algorithm 'ring'"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(words) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_verify_proves_a_collective(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["schedule", "verify", "allgather", "--max-ranks", "6", "--json"]) == 0
    proofs = json.loads(capsys.readouterr().out)
    assert {proof["fault"] for proof in proofs} == {None}
    assert min(proof["cases"] for proof in proofs) > 6


# Stands in for a build with a wrong algorithm in it.
FAULTY_TOOL = f"""#!{sys.executable}
import sys
ring = '{{"collective":"allreduce","algorithm":"ring"'
if sys.argv[1] == "list":
    claims = ("keeps_rank_order", "uses_segment", "uses_radix", "single_blocks", "two_groups",
              "uses_layout")
    print(ring + "".join(f',"{{claim}}":false' for claim in claims) + "}}")
else:
    print(ring + ',"cases":7,"fault":"allreduce ring, 2 ranks, rank 1, step 3: wrong"}}')
    sys.exit(3)
"""


def test_a_fault_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = tmp_path / "bin" / "stretto-schedule"
    tool.parent.mkdir()
    tool.write_text(FAULTY_TOOL)
    tool.chmod(0o755)
    monkeypatch.setenv("STRETTO_NATIVE_DIR", str(tmp_path))
    assert run_command(["schedule", "verify"]) == 3
    told = capsys.readouterr()
    assert "allreduce ring, 2 ranks, rank 1, step 3: wrong" in told.err
    assert "wrong" in told.out


@pytest.mark.parametrize("verb", ["list", "show", "verify"])
def test_help_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["schedule", verb, "--help"]) == 0
    assert "Example: stretto schedule" in " ".join(capsys.readouterr().out.split())
