"""Who need not wait for a late rank leaves the call: it comes only when they have."""

import pytest
from mpi_runs import Mpi

from stretto.launch.environment import SELECTION

# In these no rank passes on what is another's.
ALGORITHMS = {"bcast": "linear", "scatter": "linear", "gather": "linear", "reduce": "binomial"}
FORCED = {f"{SELECTION}{name.upper()}": algorithm for name, algorithm in ALGORITHMS.items()}
# Of a tree of more ranks some wait for what they are to pass on.
FLAT_TREE = 3


@pytest.mark.parametrize("ranks", [FLAT_TREE, 4])
@pytest.mark.parametrize("thread", ["on", "off"])
def test_a_late_rank_of_a_host_keeps_nobody_waiting(mpi: Mpi, ranks: int, thread: str) -> None:
    names = [name for name in ALGORITHMS if name != "reduce" or ranks == FLAT_TREE]
    ended = mpi.run_under_stretto(
        mpi.program("late_ranks"),
        *names,
        ranks=ranks,
        env={**FORCED, "STRETTO_PROGRESS_THREAD": thread},
    )
    assert ended.ok, ended.stdout + ended.stderr
    assert "late_ranks ok" in ended.stdout
