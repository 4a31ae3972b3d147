"""A folder with all that the verbs of `stretto` read, made by themselves. For tools/fuzz_cli.py and
tools/fault_runs.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mpi_runs import MPIS, Mpi

from stretto.errors import EnvironmentUnusable

STRETTO = (sys.executable, "-c", "from stretto.cli.main import main; main()")
PROGRAM = ("./app", "8", "2")

# How the material is made, of a program that is there as ./app. Short: what is measured is not
# what these tools look at.
_MAKING = (
    "compare --runs 1 --output runs/compare --report made.html",
    "profile --trace --output runs/profile",
    "whatif --runs 1 --machine laptop.toml --record app.trace --output runs/whatif",
    "calibrate -o machine.toml --run-folder runs/calibrate",
    "tune --collectives barrier --rounds 1 --launches 1 --native-algorithms -o tuned.toml",
)
_MAKING_WITHOUT_PROGRAM = (
    "bench run bcast allreduce --sizes 8,64 --launches 2 --output runs/bench",
    "bench run barrier --launches 1 --output runs/once",
    "bench cliffs bcast --sizes 8:64 --launches 4 --no-probes --output runs/cliffs",
    "bench calls barrier --launches 1 --output runs/calls",
    "replay app.trace --output runs/replay",
    "simulate allreduce -n 8 --output runs/simulate",
)

_PLAN = """operations = ["bcast"]
sizes = [8]
launches = 1
"""
_OSU = """
# OSU MPI Broadcast Latency Test v7.3
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       0.21              0.15              0.27        1000
8                       0.22              0.16              0.28        1000
"""

# A launcher that starts nothing: the files that the ranks would write are those of the material. It
# says that it is the one that made them.
STAND_IN = "standin/mpirun"
_STAND_IN = """#!/bin/sh
made=$(dirname "$0")/..
[ "$1" = --version ] && exec cat "$made/standin/version"
while [ $# -gt 0 ]; do
  case "$1" in
    -n) shift 2 ;;
    -genv) export "$2=$3"; shift 3 ;;
    -x) export "$2"; shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
kind=normal-0
[ -n "$STRETTO_WHATIF_SCENARIOS" ] && kind=virtual-0
[ -n "$STRETTO_WHATIF_FOLDER" ] && cp "$made/runs/whatif/$kind"/rank-* "$STRETTO_WHATIF_FOLDER"
[ -n "$STRETTO_PROFILE_FOLDER" ] && cp "$made"/runs/profile/rank-* "$STRETTO_PROFILE_FOLDER"
[ -n "$STRETTO_CALIBRATE_FILE" ] &&
  cp "$made/runs/calibrate/calibration.json" "$STRETTO_CALIBRATE_FILE"
[ -n "$STRETTO_RUN_COUNTERS" ] &&
  cp "$made"/runs/compare/launches/001-stretto/counters/* "$STRETTO_RUN_COUNTERS"
case "$1" in *script) unset LD_PRELOAD; exec "$@" ;; esac
echo "time 0.5 s"
echo "checksum 1f2e"
"""


def environment() -> dict[str, str]:
    """That of a shell in which nothing of Stretto's is set but where its build is."""
    env = {name: it for name, it in os.environ.items() if not name.startswith("STRETTO_")}
    env.pop("LD_PRELOAD", None)
    mpi = _launcher()
    return env | {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))),
        "STRETTO_NATIVE_DIR": str(mpi.build),
        "STRETTO_CALIBRATE_PERCENT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PATH": f"{mpi.launcher.path.parent}:{os.environ['PATH']}",
    }


def make_material(folder: Path) -> None:
    """Fill the folder. Raises EnvironmentUnusable where there is no MPI to do it with."""
    mpi = _launcher()
    (folder / "app").symlink_to(mpi.app("jacobi3d"))
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    (folder / "garbage").write_bytes(bytes(range(256)) * 8)
    (folder / "script").write_text("#!/bin/sh\necho time 0.5 s\nexit 3\n")
    (folder / "script").chmod(0o755)
    (folder / "theirs.html").write_text("something else\n")
    (folder / "laptop.toml").write_bytes(_preset("ethernet-10g"))
    (folder / "standin").mkdir()
    (folder / STAND_IN).write_text(_STAND_IN)
    (folder / STAND_IN).chmod(0o755)
    (folder / "plan.toml").write_text(_PLAN)
    (folder / "osu.txt").write_text(_OSU)
    version = subprocess.run([mpi.launcher.path, "--version"], check=True, capture_output=True)
    (folder / "standin" / "version").write_bytes(version.stdout)
    env = environment()
    for words in _MAKING:
        _make(folder, env, [*words.split(), *PROGRAM])
    for words in _MAKING_WITHOUT_PROGRAM:
        _make(folder, env, words.split())


def _make(folder: Path, env: dict[str, str], words: list[str]) -> None:
    done = subprocess.run(
        [*STRETTO, *words], cwd=folder, env=env, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        raise EnvironmentUnusable(f"stretto {' '.join(words)} failed: {done.stderr.strip()}")


def _launcher() -> Mpi:
    """MPICH's where it is: it starts sooner, as any user and without cores to spare."""
    for abi in ("mpich", "openmpi"):
        if abi in MPIS:
            return MPIS[abi]
    raise EnvironmentUnusable("no MPI with programs built for it: make build")


def _preset(name: str) -> bytes:
    import stretto.model  # noqa: PLC0415 - for where it is

    return (Path(stretto.model.__path__[0]) / "machines" / f"{name}.toml").read_bytes()
