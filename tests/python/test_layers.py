"""Arrows between the layers point one way: down the lists of the design.

Reads the #include lines of src and the imports of python/stretto.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What each layer may include besides itself.
PURE = {"base"}
BUILDING = PURE | {"topology", "patterns"}
SCHEDULES = BUILDING | {"schedule"}
CHOOSING = SCHEDULES | {"collectives"}
CHOSEN = CHOOSING | {"selection"}
KNOWING_MPI = CHOSEN | {"mpi", "transport"}
RUNNING = KNOWING_MPI | {"transport/mpi"}
CALLED = RUNNING | {"engine"}
WHOLE = CALLED | {"api"}
MAY_INCLUDE = {
    "base": set(),
    "generate": set(),  # Python, run by the build
    "topology": PURE,
    "patterns": PURE,
    "schedule": BUILDING,
    "schedule/tool": CHOSEN | {"model"},  # a program: a reader of everything that knows no MPI
    "collectives": SCHEDULES,
    "selection": CHOOSING,
    "model": CHOSEN,
    "trace": SCHEDULES,
    "replay": CHOSEN | {"model", "trace"},
    "transport": PURE,
    "mpi": CHOSEN | {"transport"},
    "transport/mpi": KNOWING_MPI,
    "engine": RUNNING,
    "api": CALLED,
    "vranks": WHOLE,
    # A program in virtual time asks the model, and one that calibrates is measured by bench.
    "intercept": WHOLE | {"model", "bench", "trace"},
    "bench": WHOLE,
}
MAY_INCLUDE_MPI = {"mpi", "transport/mpi", "engine", "api", "vranks", "intercept", "bench"}

MAY_IMPORT = {
    "errors": set(),
    "stats": {"errors"},
    "data": {"errors", "stats"},
    "native": {"errors", "data", "model"},  # calls our own tools; launch starts programs
    "model": {"errors", "data"},
    "launch": {"errors", "native", "data"},
    "report": {"errors", "stats", "data"},
    "cli": {"errors", "native", "stats", "data", "model", "launch", "report"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# The name of an MPI function where it is defined: at the start of a line, after its type.
MPI_DEFINITION = re.compile(r'^(?:extern "C" )?[\w ]+\bP?MPI_\w+\([^;{]*\)\s*\{', re.MULTILINE)


def layer_of(path: str) -> str:
    """The layer of a path relative to src; the innermost that it lies in."""
    return max(
        (name for name in MAY_INCLUDE if path.startswith(f"{name}/")),
        key=len,
        default=path.partition("/")[0],
    )


def upward_includes(src: Path) -> Iterator[str]:
    for path in sorted([*src.rglob("*.?pp"), *src.rglob("*.in")]):
        name = path.relative_to(src).as_posix()
        layer = layer_of(name)
        allowed = {layer} | MAY_INCLUDE.get(layer, set())
        text = path.read_text()
        for quoted, system in INCLUDE.findall(text):
            if system == "mpi.h" or quoted == "stretto/stretto.h":  # which includes mpi.h
                if layer not in MAY_INCLUDE_MPI:
                    yield f"{name}: {layer} may not include {system or quoted}"
            elif quoted and (src / quoted).exists() and layer_of(quoted) not in allowed:
                yield f"{name}: {layer} may not include {quoted}"
        if layer != "intercept" and (found := MPI_DEFINITION.search(text)):
            yield f"{name}: only intercept may define {found[0].strip(' {')}"


def modules_imported(path: Path) -> Iterator[str]:
    """Full names, as far as the text of one file tells."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides its layer"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def upward_imports(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        layer = name.removesuffix(".py").split("/")[0]
        allowed = {layer, "__init__"} | MAY_IMPORT.get(layer, set())
        for module in modules_imported(path):
            top, _, below = module.partition(".")
            if top == package.name and below and below.split(".")[0] not in allowed:
                yield f"{name}: {layer} may not import {module}"


def test_no_include_points_upward() -> None:
    assert list(upward_includes(ROOT / "src")) == []


def test_no_import_points_upward() -> None:
    assert list(upward_imports(ROOT / "python" / "stretto")) == []


@pytest.mark.parametrize(("tops", "known"), [("src", MAY_INCLUDE), ("python/stretto", MAY_IMPORT)])
def test_every_folder_is_a_known_layer(tops: str, known: dict[str, set[str]]) -> None:
    folders = {path.name for path in (ROOT / tops).iterdir() if path.is_dir()}
    assert folders - {"__pycache__", "_native"} <= set(known)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("schedule/up.hpp", '#include "collectives/algorithm.hpp"\n'),
        ("base/up.hpp", '#  include "topology/topology.hpp"\n'),
        ("model/up.cpp", '#include "engine/engine.hpp"\n'),
        ("collectives/bcast/up.cpp", "#include <mpi.h>\n"),
        ("transport/shm/up.cpp", "#include <mpi.h>\n"),
        ("schedule/tool/up.cpp", '#include "engine/engine.hpp"\n'),
        ("schedule/up.cpp", '#include "schedule/tool/options.hpp"\n'),
        ("api/up.cpp", "int MPI_Barrier(MPI_Comm comm) {\n}\n"),
        ("api/up.cpp", 'extern "C" int PMPI_Bcast(void* buffer,\n    int count) {\n}\n'),
    ],
)
def test_a_planted_upward_include_is_found(tmp_path: Path, file: str, text: str) -> None:
    for target in ("collectives/algorithm", "topology/topology", "engine/engine"):
        plant(tmp_path / f"{target}.hpp", "")
    plant(tmp_path / "schedule/tool/options.hpp", "")
    plant(tmp_path / "engine/allowed.cpp", '#include <mpi.h>\n#include "topology/topology.hpp"\n')
    assert list(upward_includes(tmp_path)) == []
    plant(tmp_path / file, text)
    assert len(list(upward_includes(tmp_path))) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("stats/up.py", "from stretto.launch.base import Abi\n"),
        ("data/up.py", "import stretto.report.page\n"),
        ("launch/up.py", "def late():\n    from stretto.cli import main\n"),
        ("native/up.py", "from stretto import launch\n"),
        ("errors.py", "from stretto import native\n"),
    ],
)
def test_a_planted_upward_import_is_found(tmp_path: Path, file: str, text: str) -> None:
    package = tmp_path / "stretto"
    plant(package / "cli/allowed.py", "from stretto.launch import base\nimport os\n")
    assert list(upward_imports(package)) == []
    plant(package / file, text)
    assert len(list(upward_imports(package))) == 1


def plant(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
