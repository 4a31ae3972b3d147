"""What the native program is given, and names that users give."""

import pytest

from stretto.data.bench_plan import (
    COLLECTIVES,
    MESSAGES,
    OTHERS,
    BenchCell,
    Form,
    Settings,
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
    ],
)
def test_operations_are_named_as_in_mpi(word: str, operation: str, form: Form) -> None:
    assert named(word) == (operation, form)
    assert BenchCell(0, operation, form).name == word.lower().removeprefix("mpi_")


@pytest.mark.parametrize("word", ["", "icomm_dup", "pingpong_init", "init", "_init", "i", "sun"])
def test_other_names_are_refused(word: str) -> None:
    with pytest.raises(InputError, match="nothing that is measured here"):
        named(word)


def test_every_name_has_one_meaning() -> None:
    names = [BenchCell(0, each, form).name for each in COLLECTIVES for form in Form]
    names += [BenchCell(0, each, Form.NONBLOCKING).name for each in MESSAGES]
    assert len({*names, *OTHERS}) == len(names) + len(OTHERS)
    assert all(BenchCell(0, *named(name)).name == name for name in names)


def test_the_native_program_gets_what_differs_from_its_defaults() -> None:
    text = plan_text(
        Settings(checks=False),
        [
            BenchCell(0, "barrier"),
            BenchCell(7, "gatherv", Form.PERSISTENT, 8, counts=[1, 2], in_place=True),
        ],
    )
    assert text.splitlines() == [
        "settings checks=0 budget_ns=50000000 cell_timeout_s=30",
        "cell number=0 operation=barrier",
        "cell number=7 operation=gatherv form=persistent bytes=8 in_place=1 counts=1,2",
    ]
