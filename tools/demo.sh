#!/usr/bin/env bash
# The main job on real programs: each sample application on its own MPI and under
# Stretto, interleaved, with one report each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly results=build/demo
rm -rf $results
mkdir -p $results
# Open MPI's where it is here, as the system's MPI; otherwise those of .venv's MPICH.
programs=build/release/apps/openmpi
[ -d $programs ] || programs=build/release/apps/mpich

compare() {
  local name=$1
  printf '\n== %s\n' "$*"
  .venv/bin/stretto compare -n 2 --report "$results/$name.html" --output "$results/$name" \
    "$programs/$name" "${@:2}"
}

compare transpose 1024 20
compare jacobi3d 128 50
compare relaxation 131072 100

printf '\nThe reports, to be opened in a browser:\n'
printf '  %s\n' "$PWD/$results"/*.html
