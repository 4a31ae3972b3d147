"""What selection chooses is seldom far from the best there is: a part of `make selection`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "selection_cells.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows(text: str) -> dict[str, list[str]]:
    lines = text.splitlines()[2:]
    return {words[0]: words[1:] for words in map(str.split, lines) if words[1].isdigit()}


def test_few_cells_are_far_from_the_best() -> None:
    ran = run("--most-ranks", "33", "--growth", "64", "--worst", "0")
    assert ran.returncode in (0, 3), ran.stderr
    table = rows(ran.stdout)
    assert len(table) == 16, ran.stdout  # collectives, five of them with blocks that differ, too
    for name, (cells, over, to_best, to_classic, *_) in table.items():
        assert int(over) <= 0.04 * int(cells) + 1, name
        assert float(to_best) <= 2, name
        assert float(to_classic) <= 2, name


def test_a_kept_bar_is_exit_code_0_and_unknown_machines_are_2() -> None:
    assert run("--collective", "scatter", "--most-ranks", "8").returncode == 0
    assert run("--machine", "nowhere").returncode == 2
