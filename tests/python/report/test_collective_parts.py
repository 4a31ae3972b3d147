"""How the time of collectives is divided where not all ranks have finalized."""

import numpy as np
from msgspec.structs import replace
from recorded import rank

from stretto.data.profiles import CallSite, Profile, Snapshot
from stretto.report.collective_parts import collective_parts

INSTANCE = np.dtype(
    [
        *((name, "i8") for name in ("enter", "leave", "number")),
        *((name, "i4") for name in ("comm", "site", "root", "unused")),
    ]
)
BARRIER = CallSite("MPI_Barrier", "collective", "/bin/app", 16, "main", 0, 1, 0, 200, 200, [(0, 1)])


def test_of_one_rank_alone_nothing_is_divided() -> None:
    alone = replace(rank(1, 9000), call_sites=[BARRIER], snapshot=Snapshot(1, ""))
    calls = np.array([(1000, 1200, 0, 0, 0, -1, 0)], dtype=INSTANCE)
    assert list(collective_parts(Profile([alone], [calls]))) == []
