"""Kills a rank (SIGKILL) at random moments of collectives: does the job end, and what is left?

On one host and on a rig of two hosts, under every MPI here; beside it what the MPI itself leaves
where it runs without Stretto. /dev/shm is one of its own while this runs, which needs root. Exit
code 3 where a job takes longer than a minute to end, or a process or a file of Stretto's is left.
Example: make kills, or

    .venv/bin/python tools/kills.py --kills 10 --mpi openmpi
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from mpi_runs import MPIS, Mpi
from rich.console import Console
from rich.progress import track
from rich.table import Table

from stretto import native
from stretto.errors import ApplicationFailed, StrettoError
from stretto.launch.base import Start
from stretto.launch.environment import SELECTED
from stretto.launch.failure import require_success
from stretto.launch.launch_ranks import launch_ranks
from stretto.launch.rig import Rig, parse_rig
from stretto.stats.summary import median

ENDS_WITHIN_S = 60.0
BEGINS_WITHIN_S = 60.0
RANKS = 4
RIG = "2x2@1gbit"
SHARED = Path("/dev/shm")
_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
# So soon after the collectives have begun at the latest.
_LATEST_S = 0.5
# Of processes that end because the launch does: the kernel takes a moment.
_GONE_WITHIN_S = 5.0


@dataclass
class Kill:
    """What became of a job after one of its ranks was killed."""

    rank: int
    seconds: float  # from the kill to the end of the launch
    said: str  # of the failure, in one line
    left: list[str] = field(default_factory=list)  # processes
    files: list[str] = field(default_factory=list)  # in /dev/shm

    @property
    def names_the_rank(self) -> bool:
        """Whether the line says which it was."""
        return f"rank {self.rank} " in self.said


def wrong_with(kill: Kill) -> str | None:
    """What no kill may lead to, in words; None where all is well."""
    if kill.seconds > ENDS_WITHIN_S:
        return f"rank {kill.rank} killed: the job went on for {kill.seconds:.0f} s"
    if kill.left:
        return f"rank {kill.rank} killed: processes {', '.join(kill.left)} are left"
    ours = [name for name in kill.files if "stretto" in name]
    if ours:
        return f"rank {kill.rank} killed: {', '.join(ours)} are left in {SHARED}"
    return None


def kill_one(mpi: Mpi, rig: Rig | None, draw: random.Random, *, preloaded: bool) -> Kill:
    """Launch the program, kill one of its ranks, and look at what is left when the launch is over.

    Raises ApplicationFailed where the program fails before.
    """
    mark = f"KILLED_JOB={uuid.uuid4()}"
    before = files_in_shared_memory()
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("wb") as nowhere:
        begun = Path(folder) / "begun"
        env = dict([mark.split("=")])
        if preloaded:
            env |= {"LD_PRELOAD": str(native.drop_in(mpi.abi)), SELECTED: "stretto"}
        program = mpi.program("endless")
        launcher = rig.launcher(mpi.launcher) if rig else mpi.launcher
        killed: list[tuple[int, float]] = []
        killer = threading.Thread(target=_kill, args=(mark, program.name, begun, draw, killed))
        killer.start()
        start = Start(RANKS, [str(program), str(begun)], {**mpi.environment, **env})
        outcome = launch_ranks(
            launcher, start, timeout_s=BEGINS_WITHIN_S + ENDS_WITHIN_S, stdout=nowhere,
            stderr=nowhere,
        )  # fmt: skip
        ended = time.monotonic()
        killer.join()
    if not killed:
        raise ApplicationFailed(f"no rank of {program.name} was there to be killed")
    try:
        require_success(program.name, outcome, ENDS_WITHIN_S)
        said = "it ended well"
    except ApplicationFailed as failure:
        said = str(failure)
    rank, at = killed[0]
    return Kill(rank, ended - at, said, _left(mark), sorted(files_in_shared_memory() - before))


def _kill(
    mark: str, name: str, begun: Path, draw: random.Random, killed: list[tuple[int, float]]
) -> None:
    limit = time.monotonic() + BEGINS_WITHIN_S
    while not begun.exists():
        if time.monotonic() > limit:
            return
        time.sleep(0.005)
    time.sleep(draw.random() * _LATEST_S)
    ranks = [pid for pid in processes_with(mark) if _name_of(pid) == name]
    if ranks:
        pid = draw.choice(sorted(ranks))
        rank = _rank_of(pid)
        os.kill(pid, signal.SIGKILL)
        killed.append((rank, time.monotonic()))


def processes_with(mark: str) -> list[int]:
    """Processes in whose environment it stands, as they were started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def _rank_of(pid: int) -> int:
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    variables = dict(each.split("=", 1) for each in environment if "=" in each)
    return next(int(variables[name]) for name in _RANK_VARIABLES if name in variables)


def _left(mark: str) -> list[str]:
    limit = time.monotonic() + _GONE_WITHIN_S
    while (left := processes_with(mark)) and time.monotonic() < limit:
        time.sleep(0.05)
    return [f"{pid} ({_name_of(pid)})" for pid in left]


def files_in_shared_memory() -> set[str]:
    """Names of what is in /dev/shm."""
    return {each.name for each in SHARED.iterdir()}


def rows(mpi: Mpi, place: str, kills: int, seed: int, table: Table) -> list[str]:
    """Kill so many, under Stretto and a few without; what was wrong."""
    wrong = []
    for preloaded, count in ((True, kills), (False, max(1, kills // 10))):
        draw = random.Random(f"{seed}:{mpi.name}:{place}:{preloaded}")
        what = f"{mpi.name}, {place}{'' if preloaded else ', without Stretto'}"
        hosts = nullcontext() if place == "one host" else Rig(parse_rig(RIG))
        with hosts as rig:
            done = [
                kill_one(mpi, rig, draw, preloaded=preloaded)
                for _ in track(range(count), what, transient=True)
            ]
        if preloaded:
            for each in done:
                if not each.names_the_rank:
                    print(f"{what}: rank {each.rank} killed, of which was said: {each.said}")
            wrong += [f"{what}: {why}" for each in done if (why := wrong_with(each))]
        took = [each.seconds for each in done]
        table.add_row(
            mpi.name, place, "Stretto" if preloaded else "native", str(count),
            f"{median(took):.1f} s", f"{max(took):.1f} s",
            f"{sum(each.names_the_rank for each in done)}",
            str(sum(len(each.left) for each in done)),
            str(sum(len(each.files) for each in done)),
        )  # fmt: skip
    return wrong


def in_shared_memory_of_its_own() -> None:
    """Run this anew where /dev/shm is empty and nobody else's, and end as that does."""
    script = f'mount -t tmpfs none {SHARED} && exec "$@"'
    words = [sys.executable, *sys.argv, "--in-place"]
    sys.exit(
        subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *words], check=False).returncode
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100, help="of each MPI, on each place")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpi", choices=sorted(MPIS), help="only this one's")
    parser.add_argument("--in-place", action="store_true", help="with /dev/shm as it is")
    chosen = parser.parse_args()
    if not chosen.in_place:
        in_shared_memory_of_its_own()
    table = Table(
        "MPI", "where", "by", "kills", "ended after", "at most", "named", "processes", "files",
        title="A rank killed in the middle of collectives; what is left, files in /dev/shm",
    )  # fmt: skip
    wrong = []
    for abi, mpi in MPIS.items():
        if chosen.mpi in (None, abi):
            for place in ("one host", RIG):
                wrong += rows(mpi, place, chosen.kills, chosen.seed, table)
    Console(width=130).print(table)
    for each in wrong:
        print(each)
    return 3 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StrettoError as error:
        print(f"kills: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
