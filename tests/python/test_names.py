"""One concept, one name: no two types of python/stretto have the same."""

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "stretto"


def type_names(package: Path) -> Counter[str]:
    """The classes that modules define for others."""
    return Counter(
        node.name
        for path in package.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def test_no_two_types_have_one_name() -> None:
    names = type_names(PACKAGE)
    assert names["Schedule"] == 1
    assert [name for name, count in names.items() if count > 1] == []


def test_a_name_that_is_there_twice_is_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Message:\n    pass\n")
    assert type_names(tmp_path) == {"Message": 2}
