#!/usr/bin/env bash
# Runs every test: the native parts' own, then pytest's, several at a time. Says at the end what
# became of both, and fails where one did. How tests share the machine: tests/README.md.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly preset=$1
# Many tests wait for an MPI to start or to end, so there are more of them than cores. But ranks that
# wait take turns with those that work: 251 tests of programs took two cores 108 s with two workers,
# 112 with three, 117 with four and 126 with six.
readonly workers=${STRETTO_TEST_WORKERS:-$(($(nproc) + 1))}

failed=0
run() {
  local name=$1 begin=$SECONDS outcome=passed
  shift
  "$@" || outcome="failed, exit code $?"
  [ "$outcome" = passed ] || failed=1
  summary+=("$name: $outcome, $((SECONDS - begin)) s")
}

summary=()
run "unit tests" .venv/bin/ctest --preset "$preset" --parallel "$workers"
run "pytest" .venv/bin/python -m pytest -n "$workers" --dist loadgroup
printf 'test: %s\n' "${summary[@]}"
exit "$failed"
