"""What MPICH 5.0 runs where nobody chooses: a file of rules replaces all of it.

A tree's keys are MPICH's conditions, of which the first that holds counts; its leaves are the
algorithms between `MPIR_<Collective>_intra_` (or `inter_`, below "inter") and the parameters, and
in CH4's table the compositions. That the installed MPICH has the same is tested in
tests/mpi/test_export.py.
"""

Tree = str | dict[str, "Tree"]

_SHORT_BCAST = 12_288
_LONG_BCAST = 524_288


def _by_total(limit: int, short: str, long: str) -> Tree:
    return {f"total_msg_size<{limit}": short, "total_msg_size=any": long}


def _if_enough(short: str, long: str) -> Tree:
    return {"count<pow2": short, "count=any": long}


def _allgather(how: str = "") -> Tree:
    return {
        "comm_size=pow2": _by_total(524_288, f"{how}recursive_doubling", f"{how}ring"),
        "comm_size=any": _by_total(81_920, f"{how}brucks", f"{how}ring"),
    }


def _bcast(longer: dict[str, Tree], first: dict[str, Tree]) -> Tree:
    return {**first, f"avg_msg_size<={_SHORT_BCAST}": "binomial", **longer}


def _bcasts(first: dict[str, Tree]) -> dict[str, Tree]:
    """By the number of ranks; `first` come messages that a part of the communicators has apart."""
    scatter = "scatter_recursive_doubling_allgather"
    ring: dict[str, Tree] = {"avg_msg_size=any": "scatter_ring_allgather"}
    return {
        "comm_size<8": {**first, "avg_msg_size=any": "binomial"},
        "comm_size=pow2": _bcast({f"avg_msg_size<={_LONG_BCAST}": scatter, **ring}, first),
        "comm_size=any": _bcast(ring, first),
    }


def _blocking_bcast() -> Tree:
    parents = _bcasts({"avg_msg_size<=0": "smp"})
    others = _bcasts({})
    return {
        size: {"comm_hierarchy=parent": parents[size], "comm_hierarchy=any": others[size]}
        for size in parents
    }


def _nonblocking_bcast() -> Tree:
    scatter = "sched_scatter_recursive_doubling_allgather"
    ring: dict[str, Tree] = {"avg_msg_size=any": "sched_scatter_ring_allgather"}
    short: dict[str, Tree] = {f"avg_msg_size<{_SHORT_BCAST}": "sched_binomial"}
    return {
        "comm_hierarchy=parent": "sched_smp",
        "comm_hierarchy=any": {
            "comm_size<8": {"avg_msg_size=any": "sched_binomial"},
            "comm_size=pow2": {**short, f"avg_msg_size<{_LONG_BCAST}": scatter, **ring},
            "comm_size=any": {**short, **ring},
        },
    }


def _long_reduce(how: str = "") -> dict[str, Tree]:
    return {
        "avg_msg_size<=2048": f"{how}binomial",
        "avg_msg_size=any": {
            "is_op_built_in=yes": _if_enough(f"{how}binomial", f"{how}reduce_scatter_gather"),
            "is_op_built_in=no": f"{how}binomial",
        },
    }


def _long_allreduce(how: str = "") -> Tree:
    short = f"{how}recursive_doubling"
    return {
        "is_op_built_in=no": short,
        "is_op_built_in=yes": _if_enough(short, f"{how}reduce_scatter_allgather"),
    }


def _if_commutative(yes: Tree, no: Tree) -> Tree:
    return {"is_commutative=yes": yes, "is_commutative=no": no}


def _reduce_scatter(how: str, *, is_regular: bool) -> Tree:
    """`is_regular`: all blocks are of one size, as MPI_Reduce_scatter_block's are."""
    ordered: Tree = {
        "comm_size=pow2": f"{how}noncommutative",
        "comm_size=any": f"{how}recursive_doubling",
    }
    if not is_regular:
        ordered = {
            "is_block_regular=yes": ordered,
            "is_block_regular=no": f"{how}recursive_doubling",
        }
    return _if_commutative(_by_total(524_288, f"{how}recursive_halving", f"{how}pairwise"), ordered)


def _alltoall(in_place: str, many: int, names: tuple[str, str, str]) -> Tree:
    brucks, scattered, pairwise = names
    few: dict[str, Tree] = {"avg_msg_size<=32768": scattered, "avg_msg_size=any": pairwise}
    return {
        "is_sendbuf_inplace=yes": in_place,
        "is_sendbuf_inplace=no": {
            "comm_size<8": few,
            "comm_size=any": {f"avg_msg_size<={many}": brucks, **few},
        },
    }


def _in_place_or(in_place: str, usual: str) -> Tree:
    return {"is_sendbuf_inplace=yes": in_place, "is_sendbuf_inplace=no": usual}


def _both(intra: Tree, inter: Tree) -> Tree:
    return {"intra": intra, "inter": inter}


_BLOCKING: dict[str, Tree] = {
    "barrier": _both(
        {"comm_hierarchy=parent": "smp", "comm_hierarchy=any": "k_dissemination k=2"}, "bcast"
    ),
    "bcast": _both(_blocking_bcast(), "remote_send_local_bcast"),
    "reduce": _both(
        {
            "comm_hierarchy=parent": {
                "avg_msg_size<=0": _if_commutative("smp", "binomial"),
                **_long_reduce(),
            },
            "comm_hierarchy=any": _long_reduce(),
        },
        "local_reduce_remote_send",
    ),
    "allreduce": _both(
        {
            "avg_msg_size<=0": _if_commutative("smp", "recursive_doubling"),
            "avg_msg_size<=8": "recursive_doubling",
            "avg_msg_size=any": _long_allreduce(),
        },
        "reduce_exchange_bcast",
    ),
    "gather": _both("binomial", _by_total(2048, "local_gather_remote_send", "linear")),
    "gatherv": "allcomm_linear",
    "scatter": _both("binomial", _by_total(2048, "remote_send_local_scatter", "linear")),
    "scatterv": "allcomm_linear",
    "allgather": _both(_allgather(), "local_gather_remote_bcast"),
    "allgatherv": _both(_allgather(), "remote_gather_local_bcast"),
    "alltoall": _both(
        _alltoall("pairwise_sendrecv_replace", 256, ("brucks", "scattered", "pairwise")),
        "pairwise_exchange",
    ),
    "alltoallv": _both(_in_place_or("pairwise_sendrecv_replace", "scattered"), "pairwise_exchange"),
    "alltoallw": _both(_in_place_or("pairwise_sendrecv_replace", "scattered"), "pairwise_exchange"),
    "reduce_scatter": _both(_reduce_scatter("", is_regular=False), "remote_reduce_local_scatter"),
    "reduce_scatter_block": _both(
        _reduce_scatter("", is_regular=True), "remote_reduce_local_scatter"
    ),
    "scan": _both(
        {"is_node_consecutive=yes": "smp", "is_node_consecutive=no": "recursive_doubling"},
        "intra_smp",
    ),
    "exscan": "intra_recursive_doubling",
}
_NONBLOCKING: dict[str, Tree] = {
    "ibarrier": _both("sched_recursive_doubling", "sched_bcast"),
    "ibcast": _both(_nonblocking_bcast(), "sched_flat"),
    "ireduce": _both(
        {
            "comm_hierarchy=parent": _if_commutative("sched_smp", "sched_binomial"),
            "comm_hierarchy=any": _long_reduce("sched_"),
        },
        "sched_local_reduce_remote_send",
    ),
    "iallreduce": _both(
        {
            "avg_msg_size<=2048": "sched_recursive_doubling",
            "avg_msg_size=any": _long_allreduce("sched_"),
        },
        "sched_remote_reduce_local_bcast",
    ),
    "igather": _both("sched_binomial", _by_total(2048, "sched_short", "sched_long")),
    "igatherv": "allcomm_sched_linear",
    "iscatter": _both(
        "sched_binomial", _by_total(2048, "sched_remote_send_local_scatter", "sched_linear")
    ),
    "iscatterv": "allcomm_sched_linear",
    "iallgather": _both(_allgather("sched_"), "sched_local_gather_remote_bcast"),
    "iallgatherv": _both(_allgather("sched_"), "sched_remote_gather_local_bcast"),
    "ialltoall": _both(
        _alltoall(
            "sched_inplace", 2048, ("sched_brucks", "sched_permuted_sendrecv", "sched_pairwise")
        ),
        "sched_pairwise_exchange",
    ),
    "ialltoallv": _both(_in_place_or("sched_inplace", "sched_blocked"), "sched_pairwise_exchange"),
    "ialltoallw": _both(_in_place_or("sched_inplace", "sched_blocked"), "sched_pairwise_exchange"),
    "ireduce_scatter": _both(
        _reduce_scatter("sched_", is_regular=False), "sched_remote_reduce_local_scatterv"
    ),
    "ireduce_scatter_block": _both(
        _reduce_scatter("sched_", is_regular=True), "sched_remote_reduce_local_scatterv"
    ),
    "iscan": {
        "comm_hierarchy=parent": "intra_sched_smp",
        "comm_hierarchy=any": "intra_sched_recursive_doubling",
    },
    "iexscan": "intra_sched_recursive_doubling",
}
_NEIGHBOURS = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")

GENERIC: dict[str, Tree] = {
    **_BLOCKING,
    **_NONBLOCKING,
    **{f"neighbor_{name}": "allcomm_nb" for name in _NEIGHBOURS},
    **{f"ineighbor_{name}": "allcomm_sched_linear" for name in _NEIGHBOURS},
}


def _by_hierarchy(parent: Tree, others: str) -> Tree:
    return {"intra": {"comm_hierarchy=parent": parent, "comm_hierarchy=any": others}}


# How the levels of a machine are put together.
CH4: dict[str, Tree] = {
    "barrier": _by_hierarchy("alpha", "beta"),
    "bcast": _by_hierarchy(
        {
            "comm_size<8": {"avg_msg_size=any": "alpha"},
            "comm_size=pow2": {
                f"avg_msg_size<{_SHORT_BCAST}": "alpha",
                f"avg_msg_size<{_LONG_BCAST}": "beta",
                "avg_msg_size=any": "gamma",
            },
            "comm_size=any": {f"avg_msg_size<{_SHORT_BCAST}": "alpha", "avg_msg_size=any": "gamma"},
        },
        "gamma",
    ),
    "reduce": _by_hierarchy(
        _if_commutative({"avg_msg_size<=2048": "beta", "avg_msg_size=any": "alpha"}, "gamma"),
        "gamma",
    ),
    "allreduce": {
        "intra": {
            "comm_size=node_comm_size": "gamma",
            "comm_size=any": {
                "comm_hierarchy=parent": _if_commutative({"avg_msg_size=any": "alpha"}, "beta"),
                "comm_hierarchy=any": "beta",
            },
        }
    },
    **{name: {"intra": "beta"} for name in ("allgather", "alltoall")},
    **{
        name: {"intra": "alpha"}
        for name in (
            *("gather", "gatherv", "scatter", "scatterv", "allgatherv", "alltoallv", "alltoallw"),
            *("reduce_scatter", "reduce_scatter_block"),
        )
    },
    "scan": {"is_node_consecutive=yes": "alpha", "is_node_consecutive=no": "beta"},
    "exscan": "alpha",
}
