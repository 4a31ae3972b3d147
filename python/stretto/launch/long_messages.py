"""Settings of MPIs under which long messages go between hosts at once."""

import os
from collections.abc import Mapping

from stretto.launch.base import Abi

# Of a longer message than its limit Open MPI sends the rest once its receiver has answered, over
# the same connection as its own messages (docs/decisions/0034-long-messages-at-once.md). The limit
# must be the same on all ranks, Stretto or not: who has a lower one has no room for what comes.
_VARIABLES: dict[Abi, Mapping[str, str]] = {
    Abi.OPENMPI: {"OMPI_MCA_btl_tcp_eager_limit": str(1 << 20)}
}


def at_once(abi: Abi, here: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Variables for all ranks of an MPI with that interface; one that is set `here` stays so."""
    return {key: value for key, value in _VARIABLES.get(abi, {}).items() if key not in here}
