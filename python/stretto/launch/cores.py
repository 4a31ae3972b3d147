"""How many cores there are to run ranks on."""

import os
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")


def usable_cpus() -> list[int]:
    """The logical CPUs this process may run on."""
    return sorted(os.sched_getaffinity(0))


def usable_cores() -> int:
    """Physical cores among them: hardware threads of one core count once, as launchers count."""
    return len({_siblings(cpu) for cpu in usable_cpus()})


def _siblings(cpu: int) -> str:
    try:
        return (_CPUS / f"cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)  # no topology shown, as in some containers: every CPU is a core
