"""Where a run's figures come from: what must be known to judge or repeat them."""

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from stretto.data.host import Host, load_average, this_host

# What steers an MPI, its launchers and OpenMP; anything else in an environment is
# either no influence or none of our business (secrets).
_STEERING = (
    "MPI",
    "OMPI_",
    "MPICH_",
    "I_MPI_",
    "STRETTO_",
    "OMP_",
    "SLURM_",
    "LD_",
    "UCX_",
    "FI_",
    "HYDRA_",
    "PMIX_",
    "PRTE_",
    "MPIEXEC_",
)
# What batch systems and launchers tell the processes of one job, which is another in the next one.
_OF_A_JOB = (
    "SLURM_",
    "PMIX_",
    "PRTE_",
    "MPI_LOCAL",
    "OMPI_COMM_WORLD_",
    "OMPI_UNIVERSE_SIZE",
    "OMPI_APP_CTX_",
    "OMPI_NUM_APP_CTX",
    "OMPI_FIRST_RANKS",
    "OMPI_FILE_LOCATION",
    "OMPI_COMMAND",
    "OMPI_ARGV",
    "OMPI_MCA_ess_base_",
    "OMPI_MCA_orte_app_num",
    "OMPI_MCA_orte_ess_",
    "OMPI_MCA_orte_hnp_uri",
    "OMPI_MCA_orte_jobid",
    "OMPI_MCA_orte_launch",
    "OMPI_MCA_orte_local_daemon_uri",
    "OMPI_MCA_orte_num_",
    "OMPI_MCA_orte_parent_uri",
    "OMPI_MCA_orte_precondition_transports",
    "OMPI_MCA_orte_top_session_dir",
    "OMPI_MCA_orte_jobfam_session_dir",
    "OMPI_MCA_initial_wdir",
    "HYDRA_HOST_FILE",
    "I_MPI_HYDRA_HOST_FILE",
)
# But these are settings.
_SETTINGS = ("PMIX_MCA_", "PRTE_MCA_", "SLURM_MPI_TYPE", "SLURM_DISTRIBUTION")
_PACKAGES = ("stretto", "polars", "numpy", "scipy", "msgspec", "typer", "rich", "jinja2")


class Provenance(msgspec.Struct, frozen=True):
    """Taken before the first launch of a run."""

    started_at: str
    argv: list[str]
    directory: str
    program: str
    program_built_by: list[str]
    mpi_library: str | None
    drop_in: str
    native_command: list[str]
    stretto_command: list[str]
    environment: dict[str, str]
    machine: Host
    load_before: float
    git: str | None
    versions: dict[str, str]


def collect(
    *,
    argv: list[str],
    program: Path | None = None,
    mpi_library: Path | None = None,
    drop_in: Path | None = None,
    native_command: Sequence[str] = (),
    stretto_command: Sequence[str] = (),
) -> Provenance:
    """The provenance of a run that starts now; without a program where it starts none."""
    return Provenance(
        started_at=now(),
        argv=argv,
        directory=str(Path.cwd()),
        program=str(program.resolve()) if program else "",
        program_built_by=compilers_of(program) if program else [],
        mpi_library=str(mpi_library.resolve()) if mpi_library else None,
        drop_in=str(drop_in) if drop_in else "",
        native_command=[*native_command],
        stretto_command=[*stretto_command],
        environment=steering(os.environ),
        machine=this_host(),
        load_before=load_average(),
        git=git_state(Path.cwd()),
        versions=versions(),
    )


def now() -> str:
    """This moment, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def steering(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that can change how an MPI program runs."""
    return {key: value for key, value in sorted(environment.items()) if key.startswith(_STEERING)}


def settings_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Those of them that a run which was cut short must have again to be gone on with: another
    job, of a batch system or a launcher, is no other setting."""
    return {
        name: value
        for name, value in steering(environment).items()
        if name.startswith(_SETTINGS) or not name.startswith(_OF_A_JOB)
    }


def changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What is not as it was, each in a few words; of what may be in another, the innermost."""
    for name in dict.fromkeys([*was, *now]):
        old, new = was.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from changes(old, new)
        elif old != new:
            yield f"{name} was {_word(old)}, now {_word(new)}"


def _word(value: object) -> str:
    if value is None:
        return "not set"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def versions() -> dict[str, str]:
    """Python and the packages a figure passes through."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # Stretto itself, run from its source tree
    return found


def compilers_of(program: Path) -> list[str]:
    """What the compilers of an ELF program left in its .comment section."""
    text = _output(["readelf", "-p", ".comment", str(program)])
    lines = (line.partition("]")[2].strip() for line in text.splitlines())
    return [line for line in lines if line]


def git_state(folder: Path) -> str | None:
    """The commit the folder is at, marked where files differ from it."""
    return _output(["git", "-C", str(folder), "describe", "--always", "--dirty"]).strip() or None


def _output(command: list[str]) -> str:
    """What a tool says that may be missing or have nothing to say."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
