"""The C interface on the site, from the header and from the table that its collectives come from.

`.. c-header:: include/stretto/stretto.h` is what that declares, under its comments;
`.. c-collectives:: stretto` is stretto_x for each collective MPI_X, `mpi4` what mpi4.h declares.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes
from generate import api
from generate.table import Function, every_form, functions
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.rst import escape

ROOT = Path(__file__).parents[2]

# A comment, a declaration that ends with a semicolon, or a constant. Guards, includes and what is
# for C++ alone match nothing.
_PART = re.compile(
    r"^/\*(?P<comment>.*?)\*/$|^(?P<declared>(?!extern)\w[^;{}#]*;)$|^#define (?P<constant>\w+) .",
    re.DOTALL | re.MULTILINE,
)
_TYPE = re.compile(r"typedef .*?(\w+);", re.DOTALL)


def text_of(comment: str) -> str:
    """A comment's paragraphs, without the asterisks of its lines; `x` is code."""
    words = re.sub(r"^ \*(?: |$)", "", comment, flags=re.MULTILINE).strip()
    parts = words.split("`")
    return "".join(f"``{part}``" if i % 2 else escape(part) for i, part in enumerate(parts))


def entry(kind: str, signatures: Iterable[str], text: str) -> str:
    """One entry of Sphinx's domain of C, for all of the signatures."""
    head = f".. c:{kind}:: "
    names = f"\n{' ' * len(head)}".join(" ".join(each.split()) for each in signatures)
    body = "".join(f"   {line}\n" for line in text.splitlines())
    return f"{head}{names}\n\n{body}\n"


def of_header(text: str) -> Iterator[str]:
    """Entries of a header: what follows a comment without another between is said in it."""
    comment, functions_of_it = "", []

    def said() -> Iterator[str]:
        if functions_of_it:
            yield entry("function", functions_of_it, comment)
        elif comment:
            yield f"{comment}\n\n"

    for part in _PART.finditer(text):
        if part["comment"] is not None:
            yield from said()
            comment, functions_of_it = text_of(part["comment"]), []
        elif part["constant"]:
            if part["constant"].endswith("_H"):
                continue
            yield entry("macro", [part["constant"]], "")
        elif kind := _TYPE.match(part["declared"]):
            yield entry("type", [kind[1]], comment)
            comment = ""
        else:
            functions_of_it.append(part["declared"].removesuffix(";"))
    yield from said()


def of_collectives(which: str) -> Iterator[str]:
    """An entry for each collective, all of its forms in it, or of MPI-4's functions."""
    for function in filter(lambda each: each.is_collective, functions()):
        forms = list(every_form(function))
        if which == "mpi4":
            forms = [form for form in forms if form.form == "persistent"]
        if forms:
            yield entry("function", [declaration(which, form) for form in forms], "")


def declaration(which: str, form: Function) -> str:
    """How a form of a collective is called."""
    if which == "mpi4":
        text = api.prototype(f"MPI_{form.name}", form)
    else:
        text = api.prototype(f"stretto_{form.name.lower()}", api.ours(form))
    return text.removesuffix(";")


class CHeader(SphinxDirective):
    """`.. c-header:: FILE`"""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = ROOT / self.arguments[0]
        self.env.note_dependency(path)
        return self.parse_text_to_nodes("".join(of_header(path.read_text(encoding="utf-8"))))


class CCollectives(SphinxDirective):
    """`.. c-collectives:: stretto` or `mpi4`"""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("".join(of_collectives(self.arguments[0])))


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx asks every extension."""
    app.add_directive("c-header", CHeader)
    app.add_directive("c-collectives", CCollectives)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
