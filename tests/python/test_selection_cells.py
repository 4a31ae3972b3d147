"""What selection chooses is seldom far from the best there is: a part of `make selection`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "selection_cells.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows(text: str) -> dict[str, list[str]]:
    """Of the table, by collective."""
    lines = text.partition("\nhosts of ")[0].splitlines()[2:]
    return {words[0]: words[1:] for words in map(str.split, lines) if words[1].isdigit()}


def short_on_full_hosts(text: str) -> dict[str, list[str]]:
    """Cells, and in how many of them what is chosen is fast, by collective."""
    lines = text.partition("\nhosts of ")[2].splitlines()[1:]
    return {words[0]: words[1:] for words in map(str.split, lines)}


def test_few_cells_are_far_from_the_best() -> None:
    ran = run("--most-ranks", "33", "--growth", "64", "--worst", "0")
    assert ran.returncode in (0, 3), ran.stderr
    table = rows(ran.stdout)
    assert len(table) == 16, ran.stdout  # collectives, five of them with blocks that differ, too
    for name, (cells, over, to_best, to_classic, *_) in table.items():
        assert int(over) <= 0.04 * int(cells) + 1, name
        assert float(to_best) <= 2, name
        assert float(to_classic) <= 2, name


def test_between_hosts_of_many_ranks_what_they_share_is_sent_once() -> None:
    options = ("--full-hosts", "--ranks-a-host", "64", "--most-ranks", "200", "--growth", "16")
    ran = run(*options, "--machine", "ethernet-10g", "--most-steps", "40000", "--worst", "0")
    assert ran.returncode in (0, 3), ran.stderr
    table = short_on_full_hosts(ran.stdout)
    # Other collectives' classics send little more than two levels do (decision 35).
    for name, fewest in (("allgather", 4), ("reduce_scatter", 6)):
        cells, fast, near = map(int, table[name][:3])
        assert cells == 8
        assert fast >= fewest, ran.stdout
        assert near >= 7, ran.stdout


def test_a_kept_bar_is_exit_code_0_and_unknown_machines_are_2() -> None:
    assert run("--collective", "scatter", "--most-ranks", "8").returncode == 0
    assert run("--machine", "nowhere").returncode == 2
