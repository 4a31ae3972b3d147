"""scipy takes two seconds to import: no module does so before it is needed."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "stretto"


def imported_at_once(source: str) -> Iterator[str]:
    """The modules that a source imports outside its functions."""
    nodes: list[ast.AST] = [ast.parse(source)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif not isinstance(node, ast.FunctionDef):
            nodes.extend(ast.iter_child_nodes(node))


def test_no_module_imports_scipy_before_it_is_needed() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert any("from scipy." in source for source in sources.values())
    found = [
        str(path)
        for path, source in sources.items()
        if any(name.partition(".")[0] == "scipy" for name in imported_at_once(source))
    ]
    assert found == []


def test_an_import_outside_a_function_is_found() -> None:
    source = "if True:\n    import scipy.stats\n\n\ndef later():\n    from scipy import fft\n"
    assert list(imported_at_once(source)) == ["scipy.stats"]
