import shutil
from pathlib import Path

import pytest

from stretto.data.provenance import compilers_of, git_state, settings_of, steering, versions


def test_only_what_steers_mpi_is_kept() -> None:
    environment = {"OMPI_MCA_btl": "self", "SECRET": "x", "LD_PRELOAD": "y", "OMP_NUM_THREADS": "2"}
    assert list(steering(environment)) == ["LD_PRELOAD", "OMPI_MCA_btl", "OMP_NUM_THREADS"]


def test_what_a_job_is_called_is_no_setting() -> None:
    of_the_job = [
        "SLURM_JOB_ID",
        "PMIX_NAMESPACE",
        "OMPI_COMM_WORLD_RANK",
        "OMPI_MCA_ess_base_jobid",
    ]
    kept = [
        "OMPI_MCA_btl",
        "OMPI_MCA_orte_tmpdir_base",
        "SLURM_MPI_TYPE",
        "MPIR_CVAR_NOLOCAL",
        "PMIX_MCA_gds",
        "I_MPI_FABRICS",
        "UCX_TLS",
    ]
    environment = dict.fromkeys([*of_the_job, *kept], "1")
    assert sorted(settings_of(environment)) == sorted(kept)


def test_versions_name_python_and_the_packages() -> None:
    assert {"python", "polars", "numpy", "scipy"} <= versions().keys()


def test_outside_a_repository_there_is_no_git_state(tmp_path: Path) -> None:
    assert git_state(tmp_path) is None


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs binutils")
def test_a_script_has_no_compiler(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert compilers_of(script) == []
