"""Arrows between the layers point one way: down the lists of the design.

Reads the #include lines of src and the imports of python/stretto.
"""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The layers of src, lowest first, and those that each stands on: it may include them and all that
# they stand on, whose arrows therefore point up this list.
STANDS_ON = {
    "generate": (),  # Python, run by the build
    "base": (),
    "topology": ("base",),
    "patterns": ("base",),
    "schedule": ("topology", "patterns"),
    "collectives": ("schedule",),
    "selection": ("collectives",),
    "model": ("selection",),
    "trace": ("model",),
    "replay": ("trace",),
    "transport": ("base",),
    "mpi": ("selection", "transport"),
    "transport/shm": ("topology", "transport"),
    "transport/mpi": ("mpi",),
    "engine": ("transport/mpi", "transport/shm"),
    "api": ("engine",),
    "bench": ("api",),
    "vranks": ("api",),
    "intercept": ("generate", "model", "trace", "bench", "vranks"),
    "programs": ("replay",),
}
# Layers of rooms that know nothing of each other, and what all rooms of one may include: a folder
# of the layer, or the files in no folder.
SHARED = {"transport": ".", "intercept": "shared", "programs": "."}


MAY_IMPORT = {
    "errors": set(),
    "stats": {"errors"},
    "data": {"errors", "stats"},
    "native": {"errors", "data", "model"},  # calls our own tools; launch starts programs
    "model": {"errors", "data"},
    "launch": {"errors", "native", "data"},
    "tune": {"errors", "stats", "data"},
    "report": {"errors", "stats", "data"},
    "cli": {"errors", "native", "stats", "data", "model", "launch", "tune", "report"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# The name of an MPI function where it is defined: at the start of a line, after its type.
MPI_DEFINITION = re.compile(r'^(?:extern "C" )?[\w ]+\bP?MPI_\w+\([^;{]*\)\s*\{', re.MULTILINE)


def all_beneath(layer: str) -> set[str]:
    """What a layer stands on, and what that stands on, and so on."""
    return {each for on in STANDS_ON[layer] for each in {on} | all_beneath(on)}


KNOWS_MPI = {layer for layer in STANDS_ON if "mpi" in {layer} | all_beneath(layer)}


def layer_of(path: str) -> str:
    """The layer of a path relative to src; the innermost that it lies in."""
    parts = path.split("/")
    inner = "/".join(parts[:2])
    return inner if inner in STANDS_ON else parts[0]


def room_of(path: str) -> str:
    """The folder of its layer that a path lies in."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "."


def may_include(path: str, other: str) -> bool:
    """May the one file of src include, or import, the other?"""
    top, room = path.partition("/")[0], room_of(path)
    if other.startswith(f"{top}/") and top in SHARED:
        return room_of(other) in (room, SHARED[top])
    layer = layer_of(path)
    return layer_of(other) in {layer} | all_beneath(layer)


def upward_includes(src: Path) -> Iterator[str]:
    for path in sorted([*src.rglob("*.?pp"), *src.rglob("*.in")]):
        name = path.relative_to(src).as_posix()
        layer = layer_of(name)
        text = path.read_text()
        for quoted, system in INCLUDE.findall(text):
            if system == "mpi.h" or quoted == "stretto/stretto.h":  # which includes mpi.h
                if layer not in KNOWS_MPI:
                    yield f"{name}: {layer} may not include {system or quoted}"
            elif quoted and (src / quoted).exists() and not may_include(name, quoted):
                yield f"{name}: {layer} may not include {quoted}"
        if layer != "intercept" and (found := MPI_DEFINITION.search(text)):
            yield f"{name}: only intercept may define {found[0].strip(' {')}"
    for path in sorted(src.rglob("*.py")):
        name = path.relative_to(src).as_posix()
        for module in modules_imported(path):
            imported = module.replace(".", "/")
            is_ours = (src / imported.partition("/")[0]).is_dir()
            if is_ours and not may_include(name, imported):
                yield f"{name}: {layer_of(name)} may not import {module}"


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


def test_the_layers_are_listed_from_the_lowest_up() -> None:
    seen: set[str] = set()
    for layer, on in STANDS_ON.items():
        assert seen.issuperset(on), layer
        seen.add(layer)


def compiled_once() -> set[Path]:
    """The sources of layers that know MPI, of whose objects there are not several."""
    text = (ROOT / "cmake" / "Libraries.cmake").read_text()
    listed = re.search(r"foreach\(name IN ITEMS([^)]+)\)\s+list\(APPEND mpi_free_sources", text)
    assert listed
    named = {ROOT / "src" / f"{name}.cpp" for name in listed[1].split()}
    return named | {*(ROOT / "src/transport/shm").glob("*.cpp")}


def test_what_is_compiled_once_is_the_same_for_every_mpi() -> None:
    seen: set[Path] = set()
    ahead = compiled_once()
    assert len(ahead) > 20
    while ahead:
        path = ahead.pop()
        seen.add(path)
        text = path.read_text()
        # Of an archive only what is referred to is linked.
        assert not re.search(r"STRETTO_(ABI|VERSION)|gnu::(con|de)structor", text), path
        for quoted, system in INCLUDE.findall(text):
            assert system != "mpi.h", path
            if quoted:
                assert (ROOT / "src" / quoted).exists(), f"{path}: {quoted}"
                ahead |= {ROOT / "src" / quoted} - seen


@pytest.mark.parametrize(("tops", "known"), [("src", STANDS_ON), ("python/stretto", MAY_IMPORT)])
def test_every_folder_is_a_known_layer(tops: str, known: Collection[str]) -> None:
    folders = {path.name for path in (ROOT / tops).iterdir() if path.is_dir()}
    # Plans are TOML files: nothing imports them.
    assert folders - {"__pycache__", "_native", "plans"} <= set(known)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("schedule/up.hpp", '#include "collectives/algorithm.hpp"\n'),
        ("base/up.hpp", '#  include "topology/topology.hpp"\n'),
        ("model/up.cpp", '#include "engine/engine.hpp"\n'),
        ("collectives/bcast/up.cpp", "#include <mpi.h>\n"),
        ("transport/shm/up.cpp", "#include <mpi.h>\n"),
        ("transport/shm/up.cpp", '#include "mpi/native.hpp"\n'),
        ("mpi/up.cpp", '#include "model/machine.hpp"\n'),
        ("engine/up.cpp", '#include "trace/trace.hpp"\n'),
        ("api/up.cpp", '#include "intercept/shared/entry.hpp"\n'),
        ("programs/replay/up.cpp", '#include "engine/engine.hpp"\n'),
        ("model/up.cpp", '#include "programs/schedule/options.hpp"\n'),
        ("api/up.cpp", "int MPI_Barrier(MPI_Comm comm) {\n}\n"),
        ("api/up.cpp", 'extern "C" int PMPI_Bcast(void* buffer,\n    int count) {\n}\n'),
        ("generate/up.py", "from intercept.profile.wrappers import wrap\n"),
        # Across, into another room.
        ("intercept/whatif/across.cpp", '#include "intercept/profile/session.hpp"\n'),
        ("intercept/shared/across.cpp", '#include "intercept/profile/session.hpp"\n'),
        ("intercept/whatif/across.py", "from intercept.profile.wrappers import wrap\n"),
        ("transport/shm/across.hpp", '#include "transport/mpi/mpi_transport.hpp"\n'),
        ("transport/across.hpp", '#include "transport/mpi/mpi_transport.hpp"\n'),
        ("programs/replay/across.cpp", '#include "programs/schedule/options.hpp"\n'),
    ],
)
def test_a_planted_upward_include_is_found(tmp_path: Path, file: str, text: str) -> None:
    for target in (
        "collectives/algorithm",
        "topology/topology",
        "engine/engine",
        "mpi/native",
        "model/machine",
        "trace/trace",
        "intercept/shared/entry",
        "intercept/profile/session",
        "transport/transport",
        "transport/mpi/mpi_transport",
        "programs/schedule/options",
    ):
        plant(tmp_path / f"{target}.hpp", "")
    plant(tmp_path / "engine/allowed.cpp", '#include <mpi.h>\n#include "topology/topology.hpp"\n')
    plant(tmp_path / "transport/mpi/allowed.cpp", '#include "transport/transport.hpp"\n')
    plant(tmp_path / "intercept/profile/allowed.cpp", '#include "intercept/shared/entry.hpp"\n')
    plant(tmp_path / "intercept/profile/wrappers.py", "import re\nfrom generate import entry\n")
    plant(tmp_path / "generate/entry.py", "from generate import table\n")
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


def imports_of_tests(tools: Path, tests: Path) -> Iterator[str]:
    """What builders run stands below the tests, which use it, too."""
    theirs = {path.stem for path in tests.rglob("*.py")}
    for path in sorted(tools.glob("*.py")):
        for module in modules_imported(path):
            top = module.partition(".")[0]
            if top in theirs or top == tests.name:
                yield f"{path.name}: tools may not import {module}"


def test_tools_import_nothing_of_the_tests() -> None:
    assert list(imports_of_tests(ROOT / "tools", ROOT / "tests")) == []


@pytest.mark.parametrize("text", ["import modes\n", "def late():\n    from modes import MODES\n"])
def test_a_planted_import_of_a_test_is_found(tmp_path: Path, text: str) -> None:
    plant(tmp_path / "tests/mpi/modes.py", "import runs\n")
    plant(tmp_path / "tools/runs.py", "import os\n")
    assert list(imports_of_tests(tmp_path / "tools", tmp_path / "tests")) == []
    plant(tmp_path / "tools/up.py", text)
    assert len(list(imports_of_tests(tmp_path / "tools", tmp_path / "tests"))) == 1


def plant(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
