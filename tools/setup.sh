#!/usr/bin/env bash
# Sets up what building and testing need, and says what it does. Run it again at will:
# it only adds what is missing.
#
#   as root on Debian   missing system packages are installed
#   otherwise           .venv's MPICH is the MPI; GoogleTest is unpacked into .deps
#
# Either way .venv gets the Python packages that pyproject.toml lists; what the documentation needs
# it gets with `setup.sh docs` alone, as nothing else waits for that. `setup.sh browser` installs the
# browser in which tests look at the report, if it can.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly system_packages=(openmpi-bin libopenmpi-dev gfortran libgtest-dev iproute2 ethtool
  gdb strace slurm-wlm munge)
readonly stamp=.venv/.set-up
readonly docs_stamp=.venv/.set-up-docs
readonly unusable=5

say() { printf 'setup: %s\n' "$*"; }
give_up() {
  printf 'setup: %s\n' "$*" >&2
  exit "$unusable"
}

can_install() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && command -v dpkg >/dev/null; }
is_installed() { dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
has_ensurepip() { "$1" -c 'import ensurepip' 2>/dev/null; }

# The first Python that is new enough; pyenv's stand-ins may be for versions it has not got.
find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  give_up "no Python 3.11 or newer in PATH: install python3"
}

install_system_packages() {
  local wanted=("${system_packages[@]}") missing=() package
  has_ensurepip "$python" || wanted+=(python3-venv)
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # One unreachable source must not stop what the others can give: installing decides.
  apt-get -qq update || say "apt-get update had errors (above), going on"
  apt-get -qq install --yes --no-install-recommends "${missing[@]}" >.setup.log 2>&1 || {
    tail -n 20 .setup.log >&2
    give_up "apt-get could not install ${missing[*]} (the whole output is in .setup.log)"
  }
  rm .setup.log
}

# Tests that need it are skipped without: it is large, and not every Debian-like system has it.
install_browser() {
  local without="tests of the report in a browser are skipped"
  ! command -v chromium >/dev/null || return 0
  can_install || { say "no chromium, and only root can install it: $without" && return; }
  say "installing chromium"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update || say "apt-get update had errors (above), going on"
  if apt-get -qq install --yes --no-install-recommends chromium >.setup.log 2>&1; then
    rm .setup.log
  else
    say "apt-get could not install chromium (see .setup.log): $without"
  fi
}

# Unpacks a Debian package into .deps, for those who may not install it.
unpack() {
  local deps=$PWD/.deps
  command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
    give_up "$1 is missing, and this is no Debian to fetch it from: install $2"
  mkdir -p "$deps"/apt/{lists,archives}/partial
  local apt=(apt-get -qq -o Dir::State::Lists="$deps/apt/lists" -o Dir::Cache="$deps/apt"
    -o Debug::NoLocking=true)
  say "unpacking Debian's $1 into .deps"
  "${apt[@]}" update || say "apt-get update had errors (above), going on"
  (cd "$deps/apt" && rm -f ./*.deb && "${apt[@]}" download "$1" && dpkg -x ./*.deb "$deps") ||
    give_up "could not fetch Debian's $1: install $2"
  rm -rf "$deps/apt"
}

provide_googletest() {
  [ -e /usr/include/gtest/gtest.h ] || [ -e .deps/usr/include/gtest/gtest.h ] ||
    unpack libgtest-dev "GoogleTest with its CMake files"
}

make_venv() {
  say "making .venv with $python"
  rm -rf .venv
  if has_ensurepip "$python"; then
    "$python" -m venv .venv || give_up "$python could not make .venv (see above)"
    return
  fi
  # Debian splits ensurepip off; pip itself comes as a wheel, which can install itself.
  "$python" -m venv --without-pip .venv || give_up "$python could not make .venv (see above)"
  local wheel
  wheel=$(compgen -G '/usr/share/python-wheels/pip-*.whl' ||
    compgen -G '.deps/usr/share/python-wheels/pip-*.whl' || true)
  if [ -z "$wheel" ]; then
    unpack python3-pip-whl python3-venv
    wheel=$(compgen -G '.deps/usr/share/python-wheels/pip-*.whl')
  fi
  PYTHONPATH=$wheel .venv/bin/python -m pip install --quiet pip ||
    give_up "pip could not install itself into .venv (see above)"
}

# What pyproject.toml lists for a group besides the dependencies, one requirement a line.
requirements() {
  .venv/bin/python -c 'import pathlib, sys, tomllib
project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
print(*project["project"]["dependencies"], *project["dependency-groups"][sys.argv[1]], sep="\n")' "$1"
}

install_group() {
  requirements "$1" >.venv/requirements.txt
  # Byte-compiling what may never be imported would double the time.
  .venv/bin/python -m pip install --quiet --no-compile --retries 10 \
    --disable-pip-version-check --requirement .venv/requirements.txt ||
    give_up "pip could not install the packages of pyproject.toml (see above)"
}

# Installed this way the source tree is what runs, and CMake is not run a second time.
link_source_tree() {
  local packages
  packages=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$PWD/python" >"$packages/stretto-source.pth"
  printf '#!%s\nfrom stretto.cli.main import main\n\nmain()\n' "$PWD/.venv/bin/python" >.venv/bin/stretto
  chmod +x .venv/bin/stretto
  # For PATH: with all of .venv/bin there, its mpirun would come before the system's.
  mkdir -p bin
  ln -sfn ../.venv/bin/stretto bin/stretto
}

# What .venv was made from; it cannot be moved, so its place is part of that.
fingerprint() { { pwd && cat pyproject.toml tools/setup.sh; } | sha256sum; }

fill_venv() {
  [ -x .venv/bin/python ] && [ "$(cat $stamp 2>/dev/null)" = "$(fingerprint)" ] && return
  # Left by another place or a Python that is gone: its scripts would not run.
  .venv/bin/pip --version 2>/dev/null | grep -qF "$PWD/.venv/" || make_venv
  say "installing Python packages into .venv (takes a minute or more the first time)"
  install_group dev
  link_source_tree
  fingerprint >$stamp
}

fill_docs() {
  [ "$(cat $docs_stamp 2>/dev/null)" = "$(fingerprint)" ] && return
  say "installing what the documentation is built with into .venv"
  install_group docs
  fingerprint >$docs_stamp
}

describe() {
  local mpis="MPICH $(.venv/bin/python -c 'import importlib.metadata as m; print(m.version("mpich"))')"
  ! command -v ompi_info >/dev/null || mpis="$(ompi_info --version | head -n 1), $mpis"
  say "ready: $(.venv/bin/python --version), $mpis"
}

command -v c++ >/dev/null || can_install || give_up "no C++ compiler (c++) in PATH: install g++"
python=$(find_python)
if can_install; then
  install_system_packages
else
  provide_googletest
fi
fill_venv
[ "${1:-}" != docs ] || fill_docs
[ "${1:-}" != browser ] || install_browser
describe
