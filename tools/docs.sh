#!/usr/bin/env bash
# Builds the documentation into build/docs. Whatever Sphinx warns of is an error, so is each link or
# anchor within the site that leads nowhere. Links to elsewhere are only reported: this machine may
# not reach them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly site=build/docs trees=build/docs-trees
sphinx() {
  .venv/bin/python -m sphinx --conf-dir docs --doctree-dir $trees --quiet "$@"
}

# Of a page that is gone nothing shall be left.
rm -rf $site
sphinx --fail-on-warning --nitpicky --builder html . $site

if ! sphinx --builder linkcheck . build/docs-links >build/docs-links.log 2>&1; then
  printf 'docs: of the links to elsewhere these could not be followed from here:\n'
  grep -hE '\[(broken|timeout)\]' build/docs-links/output.txt || cat build/docs-links.log
fi
printf 'docs: to be opened in a browser: %s\n' "$PWD/$site/index.html"
