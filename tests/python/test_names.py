"""One concept, one name: no two types of python/stretto have the same, and none of src."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "stretto"
SOURCES = ROOT / "src"

# A type at the scope of a namespace: such lines are not indented. No mere declaration of one, and
# no name taken over from another namespace.
CPP_TYPE = re.compile(
    r"^(?:template <[^\n]*>\s+)?"
    r"(?:(?:enum )?(?:class|struct)|enum|union) (?:alignas\([^)\n]*\) )?(?!alignas\b)(\w+)\b"
    r"(?!::|[^\n{;]*;)|"
    r"^(?:template <[^\n]*>\s+)?using (\w+) =|"
    r"^typedef [^;]*?(\w+);",
    re.MULTILINE,
)


def type_names(package: Path) -> Counter[str]:
    """The classes that modules define for others."""
    return Counter(
        node.name
        for path in package.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def cpp_type_names(sources: Path) -> Counter[str]:
    """The types that sources and headers define at the scope of a namespace, a file's own too."""
    return Counter(
        next(name for name in found.groups() if name)
        for suffix in ("hpp", "cpp")
        for path in sources.rglob(f"*.{suffix}")
        for found in CPP_TYPE.finditer(path.read_text(encoding="utf-8"))
    )


def more_than_once(names: Counter[str]) -> list[str]:
    return [name for name, count in names.items() if count > 1]


def test_no_two_types_have_one_name() -> None:
    names = type_names(PACKAGE)
    assert names["Schedule"] == 1
    assert more_than_once(names) == []


def test_no_two_types_of_the_sources_have_one_name() -> None:
    names = cpp_type_names(SOURCES)
    kinds = ("Schedule", "Buffer", "Engine", "Rank", "ShortList", "LargeVector")
    assert [names[each] for each in kinds] == [1] * len(kinds)
    assert more_than_once(names) == []


def test_a_name_that_is_there_twice_is_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Message:\n    pass\n")
    assert type_names(tmp_path) == {"Message": 2}


def test_a_type_of_the_sources_that_is_there_twice_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.hpp").write_text(
        "namespace one {\n\n"
        "class Later;\nusing other::Known;\n"
        "struct Message : Base {\n  struct Part {\n  };\n};\n"
        "enum class Kind : std::uint8_t { send };\n"
        "template <class T>\nclass List {\n};\n"
        "}  // namespace one\n"
    )
    (tmp_path / "other.cpp").write_text(
        "using Message = int;\nusing Kind = int;\ntemplate <class T>\nusing List = T*;\n"
        "class Later {\n};\nclass Known final : public Base {\n  struct Part {\n  };\n};\n"
    )
    twice = {"Message", "Kind", "List"}
    assert cpp_type_names(tmp_path) == {**dict.fromkeys(twice, 2), "Later": 1, "Known": 1}
    assert set(more_than_once(cpp_type_names(tmp_path))) == twice
