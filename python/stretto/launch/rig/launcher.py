"""Any launcher, made to start its ranks on a rig's hosts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stretto.errors import InputError
from stretto.launch.base import Abi, Launcher, Start
from stretto.launch.hydra import Hydra
from stretto.launch.openmpi import OpenMpi
from stretto.launch.rig.plan import HOST_DEVICE, RIG_ROOT, SUBNET
from stretto.launch.rig.spec import RigSpec

_AGENT = f"{RIG_ROOT}/agent"

# --bind-to none: every host sees all cores, so two hosts would bind their first rank to the same.
_OPEN_MPI_4 = [
    *("--bind-to", "none", "--map-by", "slot"),
    *("--mca", "plm", "rsh"),
    *("--mca", "plm_rsh_agent", _AGENT),
    *("--mca", "plm_rsh_no_tree_spawn", "1"),
    *("--mca", "oob_tcp_if_include", SUBNET),
    *("--mca", "pml", "ob1"),
    *("--mca", "btl", "self,vader,tcp"),
    *("--mca", "btl_tcp_if_include", SUBNET),
]
_OPEN_MPI_5 = [
    *("--bind-to", "none", "--map-by", "slot"),
    *("--prtemca", "plm", "ssh"),
    *("--prtemca", "plm_ssh_agent", _AGENT),
    *("--prtemca", "plm_ssh_no_tree_spawn", "1"),
    *("--prtemca", "prte_if_include", SUBNET),
    *("--mca", "pml", "ob1"),
    *("--mca", "btl", "self,sm,tcp"),
    *("--mca", "btl_tcp_if_include", SUBNET),
]
_HYDRA = ["-launcher", "ssh", "-launcher-exec", _AGENT, "-iface", HOST_DEVICE]


@dataclass(frozen=True)
class RigLauncher:
    """`mpi`, running on the rig's first host and reaching the others through the rig's agent."""

    spec: RigSpec
    mpi: Launcher
    enter: Callable[[str, Sequence[str]], list[str]]

    @property
    def name(self) -> str:
        return f"{self.mpi.name} on rig {self.spec}"

    @property
    def abi(self) -> Abi:
        return self.mpi.abi

    @property
    def starts(self) -> tuple[Abi, ...]:
        return self.mpi.starts

    @property
    def starts_several(self) -> bool:
        return self.mpi.starts_several

    @property
    def reports_deaths(self) -> bool:
        return self.mpi.reports_deaths

    def command(self, start: Start) -> list[str]:
        if start.ranks > self.spec.ranks:
            raise InputError(
                f"{start.ranks} ranks do not fit on rig {self.spec}: it takes {self.spec.ranks}"
            )
        launcher, *rest = self.mpi.command(start)
        return self.enter(self.spec.host_names[0], [launcher, *self._options(), *rest])

    def _options(self) -> list[str]:
        hosts = ",".join(f"{name}:{self.spec.ppn}" for name in self.spec.host_names)
        match self.mpi:
            case OpenMpi(version=version):
                own = _OPEN_MPI_4 if version.startswith("4.") else _OPEN_MPI_5
                return [*own, "--host", hosts]
            case Hydra():
                return [*_HYDRA, "-hosts", hosts]
        raise InputError(f"{self.mpi.name} cannot start ranks on a rig: use Open MPI or MPICH")
