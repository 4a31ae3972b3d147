"""What this machine is, as far as it can change a figure."""

import os
import platform
import re
from pathlib import Path

import msgspec


class Host(msgspec.Struct, frozen=True):
    """Read once, at the start of a run."""

    hostname: str
    kernel: str
    system: str
    cpu: str
    cpus: int
    affinity: list[int]
    memory_bytes: int


def this_host() -> Host:
    """The machine this runs on."""
    return Host(
        hostname=platform.node(),
        kernel=platform.release(),
        system=_system(),
        cpu=_cpu_model(),
        cpus=os.cpu_count() or 1,
        affinity=sorted(os.sched_getaffinity(0)),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )


def load_average() -> float:
    """Processes that wanted a core, averaged over the last minute."""
    return round(os.getloadavg()[0], 2)


def _cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()
