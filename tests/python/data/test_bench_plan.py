"""What the native program is given, and names that users give."""

import pytest

from stretto.data.bench_plan import (
    COLLECTIVES,
    MESSAGES,
    OF_ROOT,
    ONLY_BLOCKING,
    BenchCell,
    Form,
    Settings,
    function_of,
    is_of_root,
    named,
    plan_text,
)
from stretto.errors import InputError


@pytest.mark.parametrize(
    ("word", "operation", "form"),
    [
        ("bcast", "bcast", Form.BLOCKING),
        ("ibcast", "bcast", Form.NONBLOCKING),
        ("MPI_Iallreduce", "allreduce", Form.NONBLOCKING),
        ("neighbor_alltoallw_init", "neighbor_alltoallw", Form.PERSISTENT),
        ("pingpong", "pingpong", Form.BLOCKING),
        ("ipingpong", "pingpong", Form.NONBLOCKING),
        ("iexchange", "exchange", Form.NONBLOCKING),
        ("exchange_init", "exchange", Form.PERSISTENT),
        ("MPI_Reduce_local", "reduce_local", Form.BLOCKING),
    ],
)
def test_operations_are_named_as_in_mpi(word: str, operation: str, form: Form) -> None:
    assert named(word) == (operation, form)
    assert BenchCell(0, operation, form).name == word.lower().removeprefix("mpi_")


@pytest.mark.parametrize(
    "word", ["", "icomm_dup", "ireduce_local", "bcast-of-root", "init", "_init", "i", "sun"]
)
def test_other_names_are_refused(word: str) -> None:
    with pytest.raises(InputError, match="nothing that is measured here"):
        named(word)


def test_every_name_has_one_meaning() -> None:
    cells = [BenchCell(0, each, form) for each in (*COLLECTIVES, *MESSAGES) for form in Form]
    cells += [BenchCell(0, each, form, of_root=True) for each in OF_ROOT for form in Form]
    cells += [BenchCell(0, each) for each in ONLY_BLOCKING]
    assert len({cell.name for cell in cells}) == len(cells)
    for cell in cells:
        assert BenchCell(0, *named(cell.name), of_root=is_of_root(cell.name)) == cell


def test_a_program_has_one_form_of_what_has_no_other() -> None:
    assert function_of("exscan", "nonblocking") == "MPI_Iexscan"
    assert function_of("reduce_local", "nonblocking") == "MPI_Reduce_local"


def test_the_native_program_gets_what_differs_from_its_defaults() -> None:
    text = plan_text(
        Settings(checks=False),
        [
            BenchCell(0, "barrier"),
            BenchCell(7, "gatherv", Form.PERSISTENT, 8, counts=[1, 2], in_place=True),
            BenchCell(8, "allgatherv", bytes=8, root=1, of_root=True),
            # What it is a multiple of the program need not know.
            BenchCell(9, "bcast", Form.NONBLOCKING, compute_ns=500, compute_factor=0.5),
        ],
    )
    assert text.splitlines() == [
        "settings checks=0 budget_ns=50000000 cell_timeout_s=30",
        "cell number=0 operation=barrier",
        "cell number=7 operation=gatherv form=persistent bytes=8 in_place=1 counts=1,2",
        "cell number=8 operation=allgatherv bytes=8 root=1 of_root=1",
        "cell number=9 operation=bcast form=nonblocking compute_ns=500",
    ]
