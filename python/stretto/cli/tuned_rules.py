"""The option --rules: measured rules, and whether they are of this MPI and machine."""

from pathlib import Path
from typing import Annotated

import typer

from stretto.cli.consoles import note
from stretto.data.contests import NATIVE
from stretto.data.host import Host, this_host
from stretto.errors import InputError
from stretto.launch.job import Job
from stretto.native.schedules import known_algorithms
from stretto.tune.rules import Tuned, read_tuned

RulesOption = Annotated[
    Path | None,
    typer.Option("--rules", metavar="FILE", help="Rules that `stretto tune` has measured."),
]


def rules_of(path: Path) -> Tuned:
    """Those of a file, whose algorithms are there. Raises InputError."""
    tuned = read_tuned(path)
    known = known_algorithms()
    for each in tuned.collective:
        names = [*known.get(each.name, []), NATIVE]
        for rule in each.rule:
            if each.name not in known or rule.algorithm not in names:
                raise InputError(
                    f"--rules {path}: {each.name} has no algorithm {rule.algorithm}; "
                    f"it has {', '.join(names)}"
                )
    return tuned


def rules_for_ranks(path: Path | None, job: Job, ranks: int) -> str:
    """The text for so many ranks, none without a file; a line is said where it is another machine's
    or for other numbers of ranks only.

    Another MPI's are refused: what is faster than one MPI's own may be slower than another's.
    """
    if path is None:
        return ""
    tuned = rules_of(path)
    there = tuned.fingerprint
    if there.mpi != job.launcher.product:
        raise InputError(
            f"--rules {path}: measured with {there.mpi}, and this is {job.launcher.product}: "
            "measure again with stretto tune"
        )
    host = this_host()
    if not _is_same(tuned, host):
        note(
            f"stretto: {path} was measured on {there.cpus} x {there.cpu}, and this is "
            f"{host.cpus} x {host.cpu}: its rules may not be the best here"
        )
    if ranks not in (counts := sorted({each.ranks for each in tuned.collective})):
        note(
            f"stretto: {path} has rules for communicators of {', '.join(map(str, counts))} ranks, "
            f"and none for all {ranks}"
        )
    return tuned.for_the_library()


def _is_same(tuned: Tuned, host: Host) -> bool:
    return (tuned.fingerprint.cpu, tuned.fingerprint.cpus) == (host.cpu, host.cpus)
