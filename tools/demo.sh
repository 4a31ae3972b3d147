#!/usr/bin/env bash
# The main job on real programs: each sample application on its own MPI and under
# Stretto, interleaved. As root it runs on two hosts of a network rig, where network time
# costs no CPU; otherwise on this host, where all transport is work of the ranks' own cores
# and there is little to hide.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly results=build/demo
rm -rf $results
mkdir -p $results
# Open MPI's where it is here, as the system's MPI; otherwise those of .venv's MPICH.
programs=build/release/apps/openmpi
[ -d $programs ] || programs=build/release/apps/mpich

rig=()
if tools/rig run --hosts 2 --ppn 1 --rate 200mbit -- "$PWD/$programs/latency" barrier 0 1 \
  >$results/rig.log 2>&1; then
  rig=(--rig 2x1@200mbit,pin)
else
  printf 'No network rig here, so on this host alone: %s\n' "$(tail -n 1 $results/rig.log)"
fi

# PROGRAM ARGUMENTS, with what `options` has for it.
options=()
compare() {
  printf '\n== %s %s\n' "$*" "${rig[*]} ${options[*]}"
  .venv/bin/stretto compare -n 2 --runs 6 "${rig[@]}" "${options[@]}" --output "$results/$1" \
    --report "$results/$1.html" "$programs/$1" "${@:2}"
}

compare transpose 1024 4
compare relaxation 131072 40
# Most of its communication is its own MPI_Isend and MPI_Irecv of long messages.
options=(--progress)
compare jacobi3d 160 30 1
.venv/bin/stretto report --output $results/report.html $results/{transpose,jacobi3d,relaxation}

printf '\nAll three in one report, to be opened in a browser: %s\n' "$PWD/$results/report.html"
