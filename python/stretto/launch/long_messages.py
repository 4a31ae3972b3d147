"""Settings of MPIs under which long messages go between hosts at once."""

import os
from collections.abc import Mapping, Sequence

from stretto.launch.base import Abi

# Of a longer message than its limit Open MPI sends the rest once its receiver has answered, over
# the same connection as its own messages (docs/decisions/0034-long-messages-at-once.md). The limit
# must be the same on all ranks, Stretto or not: who has a lower one has no room for what comes.
_PREFIX = "OMPI_MCA_"
_LIMIT = "btl_tcp_eager_limit"
_BYTES = 1 << 20


def at_once(
    abi: Abi, launcher_args: Sequence[str] = (), here: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Variables for all ranks of an MPI with that interface.

    What is set already, in the environment `here` or by `--mca` to the launcher, stays so.
    """
    name = f"{_PREFIX}{_LIMIT}"
    is_set = name in here or _LIMIT in launcher_args
    return {name: str(_BYTES)} if abi is Abi.OPENMPI and not is_set else {}
