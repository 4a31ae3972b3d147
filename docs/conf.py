"""How `make docs` builds the site: of the Markdown as it is, its links included.

The source folder is the repository's root, so a link that works where the files are read
(`../src/README.md`) works on the site, too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the list of pages is tested where there is no Sphinx, too
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("python", "src", "docs/extensions")]

project = "Stretto"
author = "the authors of Stretto"
html_title = "Stretto"
extensions = ["myst_parser", "sphinx.ext.autodoc", "c_interface"]

root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "apps/README.md",
    "src/README.md",
    "tests/README.md",
    "docs/*.md",
    "docs/decisions/*.md",
]
exclude_patterns = ["**/.*", "build", "dist", "**/__pycache__"]

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False

# As GitHub names the anchors of headings.
myst_heading_anchors = 6

# Without these every link that leads nowhere would do so silently; -W makes them errors.
nitpicky = True
nitpick_ignore_regex = [
    ("c:identifier", r"MPI_\w+"),  # the standard has them
    # Annotations name what other packages and pages without an entry have; no text links to it.
    ("py:(class|obj)", r".*"),
]
linkcheck_timeout = 5
linkcheck_retries = 1

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"


def setup(app: Sphinx) -> None:
    """Have the site begin where browsers and servers look for its beginning."""
    app.connect("build-finished", write_front_page)


def write_front_page(app: Sphinx, error: Exception | None) -> None:
    """Lead from the output's own index.html to that of the pages."""
    if error is None and app.builder.name == "html":
        page = f'<meta http-equiv="refresh" content="0; url={root_doc}.html">\n'
        (Path(app.outdir) / "index.html").write_text(f"<!doctype html>\n{page}", encoding="utf-8")
