"""A rig: several hosts on one machine, alive while this process wants it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from stretto.errors import EnvironmentUnusable, StrettoError
from stretto.launch.base import Launcher
from stretto.launch.rig import census
from stretto.launch.rig.launcher import RigLauncher
from stretto.launch.rig.plan import DETACH, READY, RIG_ROOT
from stretto.launch.rig.spec import RigSpec

_CAP_NET_ADMIN = 12
_CAP_SYS_ADMIN = 21
_TOOLS = ("ip", "tc", "ethtool", "mount", "nsenter", "unshare", "setpriv", "taskset", "hostname")
_UNSHARE = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--net", "--"]
_STOP_TIMEOUT_S = 10.0
_PACKAGE_ROOT = Path(__file__).parents[3]


class Rig:
    """The hosts of a `RigSpec`, from `with` to the end of its block or of this process."""

    def __init__(self, spec: RigSpec, name: str | None = None) -> None:
        self.spec = spec
        self.name = name or f"of-{os.getpid()}"
        self._holder: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        require_usable()
        self._holder = _start_holder(self.spec, self.name, os.getpid())
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._holder is not None:
            _stop(self._holder)
            self._holder = None

    def enter(self, host: str, argv: Sequence[str]) -> list[str]:
        """The command line that runs `argv` on `host`; killing it kills all that it started."""
        if self._holder is None:
            raise StrettoError("a rig's hosts exist only inside its `with` block")
        return enter_command(self._holder.pid, host, argv)

    def launcher(self, mpi: Launcher) -> Launcher:
        """`mpi`, starting its ranks on this rig's hosts instead of here."""
        return RigLauncher(self.spec, mpi, self.enter)


def start_detached(spec: RigSpec, name: str) -> None:
    """Start a rig that outlives this process, until `census.end` or a reboot."""
    require_usable()
    holder = _start_holder(spec, name, owner=None)
    assert holder.stdin is not None
    holder.stdin.write(DETACH)
    holder.stdin.close()


def enter_command(holder_pid: int, host: str, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` on `host` of the rig that `holder_pid` holds."""
    namespaces = f"/proc/{holder_pid}/ns"
    return [
        "nsenter",
        f"--pid={namespaces}/pid_for_children",
        f"--mount={namespaces}/mnt",
        f"--wdns={Path.cwd()}",
        "--",
        # nsenter waits outside: were it killed alone, the command would stay.
        *("setpriv", "--pdeathsig", "KILL"),
        # A launcher that dies in any way must take its ranks on all hosts along.
        *("unshare", "--pid", "--fork", "--kill-child"),
        f"{RIG_ROOT}/enter",
        host,
        *argv,
    ]


def require_usable() -> None:
    """Raise unless this process may make namespaces and has the tools to."""
    if not has_capabilities(Path("/proc/self/status").read_text()):
        raise EnvironmentUnusable(
            "a rig needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN) to make network namespaces: "
            "run it as root"
        )
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise EnvironmentUnusable(
            f"a rig needs {', '.join(missing)}: install iproute2, ethtool and util-linux"
        )


def has_capabilities(status: str) -> bool:
    """Whether a /proc/PID/status shows the capabilities a rig takes."""
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    wanted = 1 << _CAP_NET_ADMIN | 1 << _CAP_SYS_ADMIN
    return int(lines["CapEff"], 16) & wanted == wanted


def _start_holder(spec: RigSpec, name: str, owner: int | None) -> subprocess.Popen[str]:
    rig = {
        "name": name,
        "spec": str(spec),
        "owner": owner,
        "owner_started": None if owner is None else census.started(owner),
        "owner_namespace": census.process_namespace(),
        "hosts": spec.host_names,
        "rate_kbit": spec.rate_kbit,
        "delay_us": spec.delay_us,
        "cores": _cores(spec),
    }
    holder = subprocess.Popen(
        [*_UNSHARE, sys.executable, "-P", "-m", census.HOLDER_MODULE, json.dumps(rig)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": str(_PACKAGE_ROOT)},
        start_new_session=True,  # a Ctrl-C is for the owner, which then ends the rig
    )
    assert holder.stdout is not None
    if holder.stdout.readline() != READY:
        _, why = holder.communicate()
        last_line = why.strip().rpartition("\n")[2]
        raise EnvironmentUnusable(f"the rig could not be set up: {last_line or 'no reason given'}")
    return holder


def _stop(holder: subprocess.Popen[str]) -> None:
    """Close the pipe PID 1 of the rig waits on, and see the last process of the rig out."""
    try:
        holder.communicate(timeout=_STOP_TIMEOUT_S)
    finally:
        holder.kill()  # for a PID 1 that somebody stopped
        holder.wait()


def _cores(spec: RigSpec) -> list[str]:
    """For each host the cores its processes may use, as `taskset` reads them."""
    here = sorted(os.sched_getaffinity(0))
    if spec.pin:
        return [str(here[index % len(here)]) for index in range(spec.hosts)]
    return [",".join(map(str, here))] * spec.hosts
