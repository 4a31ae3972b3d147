"""Clocks of `stretto bench` where ranks have none in common: one rank's is 1,000 s ahead."""

import subprocess
from pathlib import Path

import polars as pl
import pytest
from mpi_runs import Mpi

from stretto.data.bench_plan import BenchCell, Form, Settings, plan_text
from stretto.data.bench_rows import read_facts, read_samples, read_states
from stretto.launch.libmpi import SONAMES
from stretto.native.parts import bench_program

AHEAD_S = 1000
LATE_NS = 200_000_000
OTHER_CLOCK = f"""#!/bin/sh
[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] || exec "$@"
exec unshare --time --fork --monotonic {AHEAD_S} "$@"
"""


def has_time_namespaces() -> bool:
    """May one's processes have another clock? It takes root, and Linux 5.6."""
    ask = ["unshare", "--time", "--fork", "--monotonic", "1", "true"]
    try:
        return subprocess.run(ask, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not has_time_namespaces(), reason="no time namespaces here, or no root")
def test_clocks_that_differ_are_read_again_within_a_long_cell(mpi: Mpi, tmp_path: Path) -> None:
    wrapper = tmp_path / "other-clock"
    wrapper.write_text(OTHER_CLOCK)
    wrapper.chmod(0o755)
    settings = Settings(budget_ns=1, warmup=1, at_least=30, at_most=30)
    cell = BenchCell(0, "allreduce", Form.BLOCKING, bytes=8, delays_ns=[0, 0, LATE_NS])
    plan = tmp_path / "plan"
    plan.write_text(plan_text(settings, [cell]))
    library = mpi.libmpi or next(name for name in SONAMES if SONAMES[name] is mpi.abi)
    ended = mpi.run(wrapper, bench_program(mpi.abi), library, plan, tmp_path, ranks=3)
    assert ended.ok, ended.stderr
    assert [state.state for state in read_states(tmp_path)] == ["done"]
    facts = read_facts(tmp_path)
    # Once as it begins, once before the cell; and in the 6 s of the cell at least twice, also where
    # a busy machine takes so long for one that they are farther apart.
    assert facts.clock in {"constant", "linear"}
    assert facts.clock_readings >= 4
    # Nobody left long before the last one came: by clocks as they are, rank 1 would have done so
    # 1,000 s later. A delay of the late rank is what a model may be off by at most.
    calls = read_samples(tmp_path, 3, [0], 0, "native").filter(~pl.col("warmup"))
    by_call = calls.group_by("repetition")
    for row in by_call.agg(pl.col("enter_ns").max(), pl.col("leave_ns")).iter_rows(named=True):
        for left in row["leave_ns"]:
            assert left - row["enter_ns"] > -LATE_NS
