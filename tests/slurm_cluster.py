"""A Slurm on the hosts of a rig: what tests of `srun` start, and what ends with them."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from stretto.errors import EnvironmentUnusable
from stretto.launch.rig import Rig, RigSpec
from stretto.launch.rig.plan import RIG_ROOT, host_address
from stretto.launch.rig.rig import require_usable

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("srun", "salloc", "sbatch", "scancel", "sinfo", "squeue", "scontrol")
# Daemons are there after two seconds; a loaded machine starts slowly.
STARTS_WITHIN_S = 60.0
CPUS = 4  # of each host, as far as Slurm is concerned: they share this machine's

# No control groups, no accounting and no time to spare: what is tested is what srun does.
_CONFIGURATION = """\
ClusterName=rig
SlurmctldHost={first}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
# Where the hosts' folders for what is temporary are their own: PMIx has one in it for each step.
TmpFS={temporary}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def unusable() -> str | None:
    """Why there can be no Slurm here; None if there can."""
    try:
        require_usable()
    except EnvironmentUnusable as why:
        return str(why)
    # Daemons are not in the PATH of every user who may start them.
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    missing = [name for name in (*DAEMONS, *COMMANDS) if shutil.which(name, path=path) is None]
    return f"no {', '.join(missing)}: install slurm-wlm and munge" if missing else None


class Cluster:
    """A controller on the first host of a rig, a daemon on each; all of it ends with the rig.

    What a job starts is a descendant of the daemons, which are in namespaces of the rig: the
    kernel ends them with it, however this process ends.
    """

    def __init__(self, spec: RigSpec) -> None:
        self.hosts = spec.host_names
        self._rig = Rig(spec)
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        # munged wants a folder that only its user can write to and all can enter, and its socket
        # a name that is not too long.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        self._rig.__enter__()
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for daemon in reversed(self._daemons):
            daemon.kill()
            daemon.wait()
        self._rig.__exit__(exc_type, exc, traceback)
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """That of somebody who uses this Slurm."""
        ours = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        path = f"{ours.get('PATH', '')}:/usr/sbin:/sbin"
        return {**ours, "PATH": path, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, *words: object, timeout_s: float = 240.0) -> subprocess.CompletedProcess[str]:
        """A command on the first host, to its end."""
        return subprocess.run(
            self.command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=timeout_s, check=False, env=self.environment(),
        )  # fmt: skip

    def start(self, *words: object) -> subprocess.Popen[str]:
        """A command on the first host that a test looks at while it runs."""
        return subprocess.Popen(
            self.command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.environment(),
        )  # fmt: skip

    def command(self, *words: object) -> list[str]:
        """As it is started from outside of the rig."""
        return self._rig.enter(self.hosts[0], list(map(str, words)))

    def _start(self) -> None:
        folder = self.folder
        for name in ("state", *(f"spool-{host}" for host in self.hosts)):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)
        nodes = [
            f"NodeName={host} NodeAddr={host_address(index)} CPUs={CPUS} State=UNKNOWN"
            for index, host in enumerate(self.hosts)
        ]
        (folder / "slurm.conf").write_text(
            _CONFIGURATION.format(
                first=self.hosts[0],
                folder=folder,
                temporary=RIG_ROOT / "tmp",
                nodes="\n".join(nodes),
            )
        )
        files = {"socket": "munge.socket", "key-file": "munge.key", "seed-file": "munge.seed"}
        files |= {"pid-file": "munged.pid", "log-file": "munged.log"}
        options = [f"--{option}={folder / name}" for option, name in files.items()]
        # One for all hosts: they share this machine's files.
        self._daemon(self.hosts[0], ["munged", "--foreground", "--force", *options])
        self._until((folder / "munge.socket").exists, "munged")
        self._daemon(self.hosts[0], ["slurmctld", "-D"])
        for host in self.hosts:
            self._daemon(host, ["slurmd", "-D", "-N", host])
        self._until(self._are_idle, "slurmd")

    def _daemon(self, host: str, command: Sequence[str]) -> None:
        said = (self.folder / f"{command[0]}-{host}.said").open("wb")
        with said:
            self._daemons.append(
                subprocess.Popen(
                    self._rig.enter(host, command), stdin=subprocess.DEVNULL, stdout=said,
                    stderr=said, env=self.environment(),
                )
            )  # fmt: skip

    def _are_idle(self) -> bool:
        states = self.run("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()
        return states == ["idle"] * len(self.hosts)

    def _until(self, condition, what: str) -> None:
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not condition():
            if time.monotonic() > deadline:
                logs = [*self.folder.glob("*.said"), *self.folder.glob("*.log")]
                said = "\n".join(f"{each.name}: {each.read_text()[-2000:]}" for each in logs)
                raise AssertionError(f"{what} does not come up\n{said}")
            time.sleep(0.1)
