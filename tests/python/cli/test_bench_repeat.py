"""A benchmark is run again under the variables that it was run under."""

import os

import pytest

from stretto.cli.bench_repeat import _restore_variables


def test_what_steered_the_mpi_is_set_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", {})
    os.environ |= {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp"}
    _restore_variables(
        {"OMPI_MCA_btl": "self,tcp", "MPIR_CVAR_NOLOCAL": "0", "LD_LIBRARY_PATH": "/old"},
        is_same_launcher=True,
    )
    now = {"OMPI_MCA_btl": "self,tcp", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp"}
    assert now == os.environ
    said = " ".join(capsys.readouterr().err.split())
    assert "MPIR_CVAR_NOLOCAL was 0, now 1" in said
    assert "UCX_TLS was not set, now tcp" in said
    assert "set again, as for the run: OMPI_MCA_btl=self,tcp" in said
    assert "LD_LIBRARY_PATH was /old, now not set" in said


@pytest.mark.parametrize("is_same", [True, False])
def test_by_another_launcher_its_mpi_is_not_the_old_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_same: bool
) -> None:
    monkeypatch.setattr(os, "environ", {})
    _restore_variables({"I_MPI_ROOT": "/old", "I_MPI_DEBUG": "5"}, is_same_launcher=is_same)
    assert os.environ == {"I_MPI_DEBUG": "5"} | ({"I_MPI_ROOT": "/old"} if is_same else {})
    said = " ".join(capsys.readouterr().err.split())
    assert ("I_MPI_ROOT was /old, now not set" in said) != is_same
