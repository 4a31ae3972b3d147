"""Programs whose blocking calls find out which algorithm is the fastest."""

import re
from pathlib import Path

import pytest
from mpi_runs import Ended, Mpi

from stretto.launch.environment import LEARN, LEARN_FILE, SELECTED, VERBOSE

# In tests/mpi/learning.c, with two and with 4096 integers.
ALL = """
    bcast reduce allreduce gather scatter allgather alltoall reduce_scatter scan exscan
""".split()  # noqa: SIM905
# Of two integers, and so in one round in memory that all see.
SHORT = {
    ("MPI_Barrier", "flat"),
    ("MPI_Reduce", "flat"),
    ("MPI_Allreduce", "flat"),
    ("MPI_Allgather", "linear"),
    ("MPI_Alltoall", "linear"),
}
HANDLED = re.compile(r"(MPI_\w+) +\d+  handled by (\w+)")
LEARNED = re.compile(r"learned: (\w+), (.+?), (\d+) ranks: (.+)")


def learning(mpi: Mpi, *, ranks: int = 4, calls: int = 300, **settings: str) -> Ended:
    """Checks each result, on ranks of one host that share memory."""
    env = {SELECTED: "automatic", VERBOSE: "1", **settings}
    return mpi.run_under_stretto(mpi.program("learning"), calls, ranks=ranks, env=env)


def learned(ended: Ended) -> set[tuple[str, str]]:
    """The kinds of calls of all ranks that rank 0 has learned about."""
    assert ended.ok, ended.stdout + ended.stderr
    assert "learning ok" in ended.stdout
    return {(row[1], row[2]) for row in LEARNED.finditer(ended.stderr)}


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_results_stay_right_while_algorithms_change(mpi: Mpi, ranks: int) -> None:
    ended = learning(mpi, ranks=ranks)
    assert learned(ended) <= {
        ("barrier", "0 B"),
        *((collective, sizes) for collective in ALL for sizes in ("8 to 15 B", "16384 to 32767 B")),
    }
    # On one host blocking calls are the MPI's where nothing is tried.
    assert len(set(HANDLED.findall(ended.stderr))) > len(ALL)


def test_a_rank_that_waits_moves_the_programs_messages_along(mpi: Mpi) -> None:
    # Without this Open MPI's receiver takes a long message by itself.
    env = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", SELECTED: "stretto"}
    assert not learned(learning(mpi, ranks=2, calls=20, **env))


def test_switched_off_each_call_has_its_algorithm(mpi: Mpi) -> None:
    ended = learning(mpi, **{LEARN: "off"})
    assert not learned(ended)
    handled = set(HANDLED.findall(ended.stderr))
    # Where ranks have cores of their own the long ones have one, too.
    assert handled >= SHORT
    assert len({call for call, _ in handled}) >= len(handled) / 2


def test_without_shared_memory_there_is_nothing_to_learn(mpi: Mpi) -> None:
    ended = learning(mpi, STRETTO_SHARED_MEMORY="off")
    assert ended.ok
    assert not HANDLED.findall(ended.stderr)


def test_a_setting_that_is_none_is_refused(mpi: Mpi) -> None:
    ended = learning(mpi, **{LEARN: "never"})
    assert not ended.ok
    assert "STRETTO_LEARN=never is none of on, off and all" in ended.stderr


def test_what_was_learned_is_known_in_the_next_run(mpi: Mpi, tmp_path: Path) -> None:
    path = tmp_path / "learned.toml"
    kinds = learned(learning(mpi, **{LEARN_FILE: str(path)}))
    kept = path.read_text()
    assert kept.count("[[learned]]") == len(kinds)
    # Too few calls for anything but what is known.
    again = learning(mpi, calls=10, **{LEARN_FILE: str(path)})
    assert not learned(again)
    assert path.read_text() == kept

    path.write_text(kept.replace('mpi = "', 'mpi = "another '))
    other = learning(mpi, calls=10, **{LEARN_FILE: str(path)})
    assert other.ok
    assert "was learned on another machine, MPI or layout" in other.stderr

    path.write_text(kept[: len(kept) // 2])
    cut = learning(mpi, calls=10, **{LEARN_FILE: str(path)})
    assert cut.ok
    assert "is no whole file of what was learned" in cut.stderr
