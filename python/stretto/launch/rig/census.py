"""Which rigs are alive on this machine: asked of the process table, so never out of date."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stretto.errors import StrettoError

HOLDER_MODULE = "stretto.launch.rig.holder"
_KILL_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class LiveRig:
    """A rig somebody made, known by the process that holds it."""

    name: str
    spec: str
    hosts: tuple[str, ...]
    holder_pid: int
    owner: int | None
    owner_started: int | None
    owner_namespace: str

    @property
    def is_elsewhere(self) -> bool:
        """Whether it was made in another process namespace, a container, where ids differ."""
        return self.owner_namespace != process_namespace()

    @property
    def is_orphan(self) -> bool:
        """Whether the process it was made for is gone, as far as one can know here.

        A rig made by `up` is for nobody.
        """
        if self.owner is None or self.is_elsewhere:
            return False
        return started(self.owner) != self.owner_started


def live_rigs() -> list[LiveRig]:
    """Every rig on this machine, oldest first."""
    return sorted(_scan(), key=lambda rig: started(rig.holder_pid) or 0)


def find(name: str) -> LiveRig | None:
    return next((rig for rig in live_rigs() if rig.name == name), None)


def end(rig: LiveRig) -> None:
    """Kill PID 1 of the rig, and so all of the rig, and wait until it is gone."""
    born = started(rig.holder_pid)
    for pid in children(rig.holder_pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    while born is not None and started(rig.holder_pid) == born:
        if time.monotonic() > deadline:
            raise StrettoError(f"rig {rig.name} (process {rig.holder_pid}) does not end")
        time.sleep(0.01)


def started(pid: int) -> int | None:
    """When process `pid` started, in clock ticks since boot; None for none or a zombie.

    With it a process id names one process for ever, although ids are used again.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[19])


def process_namespace() -> str:
    """The namespace in which this process numbers processes."""
    return str(Path("/proc/self/ns/pid").readlink())


def children(pid: int) -> list[int]:
    """The processes that process `pid` started and that have not ended."""
    try:
        pids = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in pids.split()]


def _scan() -> Iterator[LiveRig]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0] == "unshare" and HOLDER_MODULE in words:
            rig = json.loads(words[words.index(HOLDER_MODULE) + 1])
            yield LiveRig(
                name=rig["name"],
                spec=rig["spec"],
                hosts=tuple(rig["hosts"]),
                holder_pid=int(process.name),
                owner=rig["owner"],
                owner_started=rig["owner_started"],
                owner_namespace=rig.get("owner_namespace", ""),
            )
