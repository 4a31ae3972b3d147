#!/usr/bin/env bash
# Checks the formatting and the style of every source; with --fix, formats them instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly bin=.venv/bin

# Ours: what git has, or would have once added.
sources() { git ls-files --cached --others --exclude-standard --deduplicate -- "$@" | while read -r file; do
  [ ! -f "$file" ] || printf '%s\n' "$file"
done; }

if [ "${1:-}" = --fix ]; then
  sources '*.c' '*.h' '*.cpp' '*.hpp' | xargs -r $bin/clang-format -i
  $bin/ruff check --quiet --select I --fix .
  $bin/ruff format .
  exit
fi

failed=()
check() {
  printf 'lint: %s\n' "$1"
  "${@:2}" || failed+=("$1")
}
format() { sources '*.c' '*.h' '*.cpp' '*.hpp' | xargs -r $bin/clang-format --dry-run -Werror; }

check clang-format format
check "ruff check" $bin/ruff check --quiet .
check "ruff format" $bin/ruff format --quiet --check .
check mypy $bin/mypy
if [ ${#failed[@]} -gt 0 ]; then
  printf 'lint: failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
  exit 1
fi
