"""The site that `make docs` builds: its pages, and what they have a reader type and import."""

import ast
import importlib
import re
import runpy
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from stretto.cli.main import application

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = DOCS / "index.md"
NO_SPHINX = "Sphinx is not installed: make docs does that"
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.DOTALL | re.MULTILINE)
# In a block of code; a line that ends with a backslash goes on in the next.
_TYPED = re.compile(r"^(?: {4}| {6})?(?:\$ )?(stretto (?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_CODE = re.compile(r"^(`{3,})\w*\n(.*?)^\1$|((?:^ {4,}[^\n]*\n)+)", re.DOTALL | re.MULTILINE)


def configuration() -> dict[str, Any]:
    """What Sphinx reads."""
    return runpy.run_path(str(DOCS / "conf.py"))


def pages() -> set[Path]:
    """What the configuration takes."""
    return {path for each in configuration()["include_patterns"] for path in ROOT.glob(each)}


def in_toctrees() -> list[Path]:
    """The pages that the index leads to, in order."""
    found: list[Path] = []
    for block in _TOCTREE.findall(INDEX.read_text("utf-8")):
        for line in block.split("\n"):
            if line and not line.startswith(":"):
                found += sorted(path.resolve() for path in DOCS.glob(f"{line}.md"))
    return found


def commands(page: Path) -> Iterator[str]:
    """The lines with which it has a reader call stretto."""
    for _, fenced, indented in _CODE.findall(page.read_text("utf-8")):
        yield from (line.replace("\\\n", " ") for line in _TYPED.findall(fenced or indented))


def test_every_page_is_in_a_toctree_once() -> None:
    assert sorted(in_toctrees()) == sorted(pages() - {INDEX})


def test_every_markdown_file_is_a_page() -> None:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert pages() == {ROOT / name for name in files.split("\n") if (ROOT / name).is_file()}


def test_sphinx_finds_the_same_pages() -> None:
    pytest.importorskip("sphinx", reason=NO_SPHINX)
    matching = importlib.import_module("sphinx.util.matching")
    config = configuration()
    found = matching.get_matching_files(
        ROOT, config["include_patterns"], config["exclude_patterns"]
    )
    assert {ROOT / name for name in found} == pages()


def test_the_c_reference_has_every_function_of_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason=NO_SPHINX)
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    interface: Any = importlib.import_module("c_interface")
    header = (ROOT / "include/stretto/stretto.h").read_text("utf-8")
    shown = "".join(interface.of_header(header))
    declared = set(re.findall(r"\b(stretto_\w+)\(", header))
    assert len(declared) > 10
    assert declared <= set(re.findall(r"\b(stretto_\w+)\(", shown))
    collectives = "".join(interface.of_collectives("stretto"))
    assert "int stretto_iallreduce(const void* sendbuf" in collectives
    assert "int MPI_Bcast_init(" in "".join(interface.of_collectives("mpi4"))


PAGES_WITH_COMMANDS = [page for page in sorted(pages()) if [*commands(page)]]


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_what_it_has_a_reader_type_is_a_command(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(line.replace("$SLURM_NTASKS", "4"), comments=True)[1:]
        command = typer.main.get_command(application(words))
        do_nothing(command)
        command.main(words, prog_name="stretto", standalone_mode=False)


def do_nothing(command: Any) -> None:
    """Have a command read its words alone."""
    if subcommands := getattr(command, "commands", None):
        for each in subcommands.values():
            do_nothing(each)
    command.callback = None


def test_a_command_that_is_none_is_found() -> None:
    command = typer.main.get_command(application(["replay"]))
    do_nothing(command)
    with pytest.raises(typer.TyperException, match="No such option"):
        command.main(["replay", "--sideways", "a.trace"], standalone_mode=False)


def test_the_tutorial_has_all_verbs() -> None:
    typed = [line.split()[1] for line in commands(DOCS / "tutorial.md")]
    assert set(typer.main.get_command(application([])).commands) <= set(typed)


def test_the_python_reference_names_what_there_is() -> None:
    text = (DOCS / "python.md").read_text("utf-8")
    modules = re.findall(r"automodule:: (\S+)", text)
    assert "stretto.errors" in modules
    for module in modules:
        importlib.import_module(module)
    for example in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for node in ast.walk(ast.parse(example)):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = vars(importlib.import_module(node.module))
                assert {alias.name for alias in node.names} <= names.keys()
