"""src/README.md names what there is: files and what is in them, layers, modes and verbs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_layers import MAY_IMPORT, STANDS_ON

from stretto.cli.verbs import VERBS

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
MAP = (SRC / "README.md").read_text(encoding="utf-8")

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?")
LINK = re.compile(r"\]\(([^)#]+)\)")
LAYER = re.compile(r"^\| `([\w/]+)` \| .+ \| (nothing|`.+`) \|$", re.MULTILINE)


def codes(text: str) -> list[str]:
    """What stands in backticks, but for whole blocks."""
    return CODE.findall(FENCED.sub("", text))


def found(path: str) -> Path | None:
    """A path that the map names begins in src, or at the root."""
    return next((base / path for base in (SRC, ROOT) if (base / path).exists()), None)


def errors(text: str) -> Iterator[str]:
    """Paths and links that lead nowhere, and names that are not in the file named with them."""
    for code in codes(text):
        path, _, names = code.partition(": ")
        if PATH.fullmatch(path) is None:
            continue
        file = found(path)
        if file is None:
            yield f"there is no {path}"
        elif names:
            words = set(re.findall(r"\w+", file.read_text(encoding="utf-8")))
            yield from (f"{path} has no {name}" for name in names.split(", ") if name not in words)
    for link in LINK.findall(text):
        if not (SRC / link).exists():
            yield f"there is no {link}"


def layers(text: str) -> dict[str, set[str]]:
    """The table of layers: what each stands on."""
    return {layer: set(CODE.findall(on)) for layer, on in LAYER.findall(text)}


def test_what_the_map_names_is_there() -> None:
    assert list(errors(MAP)) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("by `engine/engin.cpp`", "there is no engine/engin.cpp"),
        ("by `engine/passes.cpp: poll, pol`", "engine/passes.cpp has no pol"),
        ("by `python/stretto/cli/verbs.py: VERB`", "python/stretto/cli/verbs.py has no VERB"),
        ("by `intercept/nothing/`", "there is no intercept/nothing/"),
        ("[more](../docs/nothing.md)", "there is no ../docs/nothing.md"),
    ],
)
def test_a_planted_error_is_found(text: str, error: str) -> None:
    assert list(errors(f"{MAP}\n{text}\n")) == [error]


def test_the_layers_are_those_that_the_includes_keep_to() -> None:
    there = [layer for layer in STANDS_ON if (SRC / layer).is_dir()]
    assert layers(MAP) == {layer: set(STANDS_ON[layer]) & set(there) for layer in there}


def test_a_layer_that_is_left_out_or_stands_on_another_is_found() -> None:
    engine = "| `engine` | runs schedules | `mpi`, `base` |\n"
    assert layers(f"| `base` | settings | nothing |\n{engine}") == {
        "base": set(),
        "engine": {"mpi", "base"},
    }


def test_the_picture_has_every_layer() -> None:
    picture = FENCED.findall(MAP)[0]
    assert [layer for layer in layers(MAP) if layer not in picture] == []


def test_every_folder_has_its_place() -> None:
    folders = {path.name for path in SRC.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders <= set(layers(MAP))
    modes = {f"intercept/{path.name}" for path in (SRC / "intercept").iterdir() if path.is_dir()}
    rooms = {room for room in MAY_IMPORT if (ROOT / "python" / "stretto" / room).is_dir()}
    assert (modes | rooms) - {"intercept/__pycache__"} <= set(codes(MAP))


def test_the_verbs_are_known() -> None:
    named = {words[1] for words in map(str.split, codes(MAP)) if words[0] == "stretto"}
    assert {"run", "whatif", "simulate"} <= named <= set(VERBS)


def test_the_readme_leads_to_the_map() -> None:
    assert "(src/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
