"""The index of docs/decisions is complete, and its links lead to what they name."""

import re
from pathlib import Path

DECISIONS = Path(__file__).resolve().parents[2] / "docs" / "decisions"
ENTRY = re.compile(r"^\| \[(\d+)\]\(([^)]+)\) \| (.+) \|$", re.MULTILINE)


def test_each_decision_has_one_line_in_its_order() -> None:
    entries = ENTRY.findall((DECISIONS / "README.md").read_text(encoding="utf-8"))
    decisions = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))
    assert decisions
    assert [name for _, name, _ in entries] == decisions
    assert [int(number) for number, _, _ in entries] == [int(name[:4]) for name in decisions]
    assert all(question.endswith("?") for _, _, question in entries)


def test_the_readme_leads_to_the_index() -> None:
    readme = (DECISIONS.parents[1] / "README.md").read_text(encoding="utf-8")
    assert "(docs/decisions/README.md)" in readme
