"""What ranks need in their environment to write their profiles."""

import re
from pathlib import Path

from stretto.errors import InputError
from stretto.launch.base import Start
from stretto.launch.environment import DEPTH, EVERY, PROFILE, TRACED, rank_environment
from stretto.launch.job import Job

_RHYTHM = re.compile(r"([1-9][0-9]{0,5})(s|m|h|)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def profiled(
    job: Job, ranks: int, folder: Path, traced: int, *, depth: int = 1, every_s: int = 0
) -> Start:
    """Its ranks write into `folder`; with `traced` also so many of the last calls of each.

    `depth` places of the stack tell call sites apart. `every_s`: in this rhythm they write what
    they have recorded until then; 0 for never.
    """
    environment = rank_environment(job.drop_in, {}, verbose=False, asan=job.program.asan)
    environment |= {PROFILE: str(folder.absolute())}
    environment |= {TRACED: str(traced)} if traced else {}
    environment |= {DEPTH: str(depth)} if depth > 1 else {}
    environment |= {EVERY: str(every_s)} if every_s else {}
    return Start(ranks, job.program.argv, environment)


def parse_every(text: str) -> int:
    """Read a rhythm such as 60s, 5m, 1h or 60, in seconds."""
    found = _RHYTHM.fullmatch(text.strip())
    if found is None:
        raise InputError(f"--every {text} is no time of at least a second, for example 60s or 5m")
    return int(found[1]) * _SECONDS[found[2]]
