"""The bandwidth floor, against the lower bounds of Chan et al. (2007) on a machine of 1 ns/B."""

import pytest
from msgspec.structs import replace

from stretto.model.floor import floor_ns, least_ns_per_byte
from stretto.model.machine import Level, Machine, Message

BYTES = 6000


def message(gap: float, *, gap_ns: float = 0, from_bytes: int = 0) -> Message:
    return Message(100, 10, 10, gap_ns, gap, from_bytes=from_bytes)


HOST = Level("host", [message(1)])
ONE_HOST = Machine("one", [HOST])
# Two ranks on a host, and ten times as long between hosts.
CLUSTER = Machine("cluster", [replace(HOST, holds=2), Level("network", [message(10)])])


@pytest.mark.parametrize(
    ("collective", "vectors"),
    [
        ("bcast", 1),
        ("reduce", 1),
        ("scan", 1),
        ("exscan", 1),
        ("allreduce", 2 * 3 / 4),
        ("gather", 3),
        ("scatter", 3),
        ("allgather", 3),
        ("reduce_scatter", 3),
        ("alltoall", 3),
        ("barrier", 0),
    ],
)
def test_a_rank_of_four_moves_so_many_vectors_or_blocks(collective: str, vectors: float) -> None:
    assert floor_ns(ONE_HOST, collective, 4, BYTES, "all") == pytest.approx(vectors * BYTES)
    assert floor_ns(ONE_HOST, collective, 1, BYTES, "all") == 0


@pytest.mark.parametrize(
    ("collective", "sends", "receives"),
    [
        ("bcast", "root", "non-root"),
        ("scatter", "root", "non-root"),
        ("gather", "non-root", "root"),
        ("reduce", "non-root", "root"),
    ],
)
def test_who_only_sends_need_not_wait(collective: str, sends: str, receives: str) -> None:
    assert floor_ns(ONE_HOST, collective, 4, BYTES, sends) == 0
    assert floor_ns(ONE_HOST, collective, 4, BYTES, receives) > 0


@pytest.mark.parametrize(
    ("collective", "between_hosts"),
    [
        ("bcast", 1 / 2),  # each of a host's two ranks may fetch half of it
        ("allreduce", 2 * 1 / 2 / 2),
        ("allgather", 2 / 2),  # two blocks to two ranks
        ("alltoall", 2 * 2 / 2),
        ("reduce_scatter", 2 / 2),
    ],
)
def test_what_crosses_between_hosts_is_shared_by_their_ranks(
    collective: str, between_hosts: float
) -> None:
    assert floor_ns(CLUSTER, collective, 4, BYTES, "all") == pytest.approx(
        10 * between_hosts * BYTES
    )


def test_ranks_of_one_host_do_not_cross_the_network() -> None:
    assert floor_ns(CLUSTER, "bcast", 2, BYTES, "all") == BYTES


def test_a_host_that_is_not_full_has_fewer_blocks() -> None:
    # Three ranks: one block comes to the first host.
    assert floor_ns(CLUSTER, "allgather", 3, BYTES, "all") == pytest.approx(10 * BYTES / 2)


def test_a_shared_link_is_nobodys_alone() -> None:
    shared = [CLUSTER.level[0], replace(CLUSTER.level[1], link_ns_per_byte=20)]
    assert floor_ns(replace(CLUSTER, level=shared), "bcast", 4, BYTES, "all") == 20 * BYTES


def test_the_best_size_counts_with_its_gap() -> None:
    pieces = [message(0, gap_ns=100), message(2, from_bytes=101), message(3, from_bytes=1001)]
    assert least_ns_per_byte(Level("host", pieces)) == 1.0
