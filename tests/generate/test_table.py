"""functions.txt says what kind of call each function is; forms and large counts follow."""

import pytest
from generate.entry import is_newer
from generate.table import KINDS, Function, every_form, functions, large_count_form, parse


def named(name: str) -> Function:
    return next(function for function in functions() if function.name == name)


@pytest.mark.parametrize(
    "line",
    [
        "gossip local int MPI_Send(int dest)",
        "message loud int MPI_Send(int dest)",
        "message int MPI_Send(int dest)",
        "message local MPI_Send(int dest)",
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="cannot read") as raised:
        parse(line)
    assert line in str(raised.value)


def test_every_kind_has_a_function_and_no_function_is_there_twice() -> None:
    assert {function.kind for function in functions()} == set(KINDS)
    names = [function.name for function in functions()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Send", "blocking"),
        ("Isend", "nonblocking"),
        ("Send_init", "persistent"),
        ("Comm_idup", "nonblocking"),
        ("Rput", "nonblocking"),
        # They are given a request, and make none.
        ("Start", "blocking"),
        ("Request_free", "blocking"),
    ],
)
def test_a_call_that_makes_a_request_is_not_blocking(name: str, form: str) -> None:
    assert named(name).form == form


def test_a_collective_stands_for_its_forms() -> None:
    assert [form.name for form in every_form(named("Bcast"))] == ["Bcast", "Ibcast", "Bcast_init"]
    assert [form.name for form in every_form(named("Send"))] == ["Send"]


def test_what_counts_elements_has_a_form_for_large_counts() -> None:
    large = large_count_form(named("Alltoallv"))
    assert large is not None
    assert large.name == "Alltoallv_c"
    assert large.plain_name == "Alltoallv"
    assert large.type_of("sendcounts") == "const MPI_Count*"
    assert large.type_of("sdispls") == "const MPI_Aint*"
    # These count requests.
    assert large_count_form(named("Waitall")) is None
    assert large_count_form(named("Startall")) is None


def test_what_mpi_has_since_4_0_is_newer() -> None:
    bcast, _, persistent = every_form(named("Bcast"))
    large = large_count_form(bcast)
    assert large is not None
    assert [is_newer(f) for f in (bcast, persistent, large)] == [False, True, True]
    assert not is_newer(named("Send_init"))
