"""What a rank pays for the number of ranks: the real library on an MPI that makes up the others."""

import os
import subprocess

import pytest

from stretto import native
from stretto.launch.base import Abi

PROGRAM = native.native_dir() / "tests" / "scale" / "many_ranks"
RANKS = 1_000_000


def run(ranks: int, ranks_per_host: int) -> dict[str, float]:
    env = {
        **os.environ,
        "LD_PRELOAD": str(native.drop_in(Abi.MPICH)),
        "FAKE_MPI_RANKS": str(ranks),
        "FAKE_MPI_PPN": str(ranks_per_host),
        "STRETTO_RUN_ALL_RANKS": "trust",
    }
    ended = subprocess.run(
        [PROGRAM], check=False, env=env, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return {name: float(value) for name, value in map(str.split, ended.stdout.splitlines())}


@pytest.mark.skipif(not PROGRAM.exists(), reason="no MPI of MPICH's ABI here")
@pytest.mark.parametrize("ranks_per_host", [1, 16, 64])
def test_memory_at_a_million_ranks(ranks_per_host: int) -> None:
    few = run(2, ranks_per_host)
    many = run(RANKS, ranks_per_host)
    after_all = (many["small_kib"] - few["small_kib"]) * 1024
    assert after_all <= 8 * RANKS
    for_dup = (many["dup_kib"] - many["init_kib"]) * 1024
    assert for_dup <= RANKS  # of all ranks, in the same order: nothing a rank
    for_small = (many["small_kib"] - many["dup_kib"]) * 1024
    assert for_small <= RANKS  # a hundred of them
