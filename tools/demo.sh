#!/usr/bin/env bash
# The main job on real programs: each sample application on its own MPI and under
# Stretto, interleaved.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly results=build/demo
rm -rf $results
mkdir -p $results
# Open MPI's where it is here, as the system's MPI; otherwise those of .venv's MPICH.
programs=build/release/apps/openmpi
[ -d $programs ] || programs=build/release/apps/mpich

compare() {
  printf '\n== %s\n' "$*"
  .venv/bin/stretto compare -n 2 --output "$results/$1" --report "$results/$1.html" \
    "$programs/$1" "${@:2}"
}

compare transpose 1024 4
compare jacobi3d 160 30
compare relaxation 65536 60
.venv/bin/stretto report --output $results/report.html $results/{transpose,jacobi3d,relaxation}

printf '\nAll three in one report, to be opened in a browser: %s\n' "$PWD/$results/report.html"
