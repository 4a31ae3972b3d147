"""A program with everything that is needed to launch it, natively or under Stretto."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stretto import native
from stretto.data.provenance import Provenance, collect
from stretto.errors import InputError
from stretto.launch.base import NEXT_PROGRAM, Abi
from stretto.launch.program import Program, inspect
from stretto.launch.registry import InstalledLauncher, choose_launcher


@dataclass(frozen=True)
class Job:
    """A program, the launcher of its MPI and the drop-in for the interface it uses."""

    program: Program
    launcher: InstalledLauncher
    abi: Abi
    drop_in: Path


def prepare(
    argv: Sequence[str],
    launcher: str | None,
    launcher_args: str,
    mode: str = "accelerate",
    *,
    may_be_several: bool = False,
) -> Job:
    """Find all three, or say which is missing; `mode` is what the drop-in does.

    `may_be_several`: other programs may follow after ":", as launchers have them.
    """
    program = inspect(argv, needs_mpi=launcher is None)
    chosen = choose_launcher(program, launcher, split_words("--launcher-args", launcher_args))
    if NEXT_PROGRAM in argv and not (may_be_several and chosen.starts_several):
        raise InputError(_several(argv, chosen, may_be_several=may_be_several))
    abi = program.mpi.abi if program.mpi else chosen.abi
    return Job(program, chosen, abi, native.drop_in(abi, mode))


def _several(argv: Sequence[str], launcher: InstalledLauncher, *, may_be_several: bool) -> str:
    first = argv[0]
    who = f"with {launcher.name} stretto" if may_be_several else "this verb of stretto"
    return (
        f"{first} {NEXT_PROGRAM} ...: {who} cannot launch several programs together; "
        "stretto run can, with mpirun or mpiexec"
    )


def provenance_of(
    job: Job, native_command: Sequence[str], stretto_command: Sequence[str]
) -> Provenance:
    """That of a run of it which starts now, by the command line this process was given."""
    return collect(
        argv=sys.argv,
        program=Path(job.program.argv[0]),
        mpi_library=job.program.mpi.path if job.program.mpi else None,
        drop_in=job.drop_in,
        native_command=list(native_command),
        stretto_command=list(stretto_command),
    )


def split_words(option: str, text: str) -> list[str]:
    """The words of an option's value, quoted as for a shell."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"{option} {text!r}: {error}") from None
