"""How the time of collectives is divided where not all ranks have finalized."""

import numpy as np
import pytest
from msgspec.structs import replace
from recorded import rank

from stretto.data.profiles import Caller, CallSite, OpenCall, Profile, Snapshot
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


def test_what_goes_on_is_of_its_own_call_site_alone() -> None:
    ended = replace(BARRIER, callers=[Caller("/bin/app", 64, "solve")])
    waits = replace(BARRIER, time_ns=5200, calls=2)  # by a path that is not known
    sites = [ended, waits]
    call = OpenCall(BARRIER.function, BARRIER.object, BARRIER.offset, 5000, site=1)
    ranks = [replace(rank(n, 9000), call_sites=sites) for n in (0, 1)]
    ranks[0] = replace(ranks[0], snapshot=Snapshot(1, "", [call]))
    rows = [(1000, 1200, 0, 0, 0, -1, 0), (2000, 2200, 1, 0, 1, -1, 0)]
    calls = np.array(rows, dtype=INSTANCE)
    parts = {
        (found.rank.rank, len(found.call_site.callers)): found.waiting_s
        for found in collective_parts(Profile(ranks, [calls, calls]))
        if found.rank.snapshot
    }
    assert parts == {(0, 1): 0.0, (0, 0): pytest.approx(5000e-9)}
