"""Every MPI here with each of its interfaces: the right variant serves it, the others stay out."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_runs import EVERY_MPI, FURTHER_MPIS, Mpi

from stretto import native
from stretto.errors import EnvironmentUnusable
from stretto.launch.base import Abi
from stretto.launch.job import prepare

THREAD = {"STRETTO_PROGRESS_THREAD": "on"}
SONAMES = {
    Abi.OPENMPI: "libmpi.so.40",
    Abi.MPICH: "libmpi.so.12",
    Abi.MPIABI: "libmpi_abi.so.1",
}


def built_variants() -> list[Abi]:
    built = []
    for abi in Abi:
        try:
            native.drop_in(abi)
        except EnvironmentUnusable:
            continue
        built.append(abi)
    return built


# The words of MPI_Get_library_version that tell one MPI from another.
def words_of(mpi: Mpi) -> str:
    kind, _, version = mpi.name.rpartition(" ")
    return {"Open MPI": f"Open MPI v{version}", "Intel MPI": f"Library {version}"}.get(kind, kind)


@pytest.mark.parametrize("program", ["dropin", "dropin_uneven"])
@pytest.mark.parametrize("thread", ["on", "off"])
def test_every_mpi_is_served(any_mpi: Mpi, program: str, thread: str, tmp_path: Path) -> None:
    env = {"STRETTO_PROGRESS_THREAD": thread, "STRETTO_RUN_COUNTERS": str(tmp_path)}
    # Blocking calls are the MPI's own by default where no core is shared.
    env |= {"STRETTO_SELECTION_BCAST": "binomial", "STRETTO_SELECTION_ALLTOALL": "linear"}
    ended = any_mpi.run_under_stretto(any_mpi.program(program), ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    told = json.loads((tmp_path / "rank-0.json").read_text())
    assert told["abi"] == any_mpi.abi
    assert words_of(any_mpi) in told["mpi"]
    assert sum(row["calls"] for row in told["handled"]) > 0


def test_the_c_interface_serves_every_mpi(any_mpi: Mpi) -> None:
    ended = any_mpi.run(any_mpi.program("api_random"), 7, 25, ranks=2)
    assert ended.ok, ended.stdout + ended.stderr
    assert ended.stdout.endswith(" 0 differences\n")


def test_the_c_interface_may_be_loaded_late() -> None:
    """As a plugin that is linked to it does; what threads have of their own is scarce then."""
    for abi in built_variants():
        library = native.native_dir() / "lib" / f"libstretto-{abi}.so"
        program = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
        ended = subprocess.run(
            [sys.executable, "-c", program, library], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr


def test_variants_that_do_not_fit_say_one_line_and_stay_out(any_mpi: Mpi, tmp_path: Path) -> None:
    others = [abi for abi in built_variants() if abi is not any_mpi.abi]
    assert others
    for variant in others:
        env = {"LD_PRELOAD": str(native.drop_in(variant)), "STRETTO_RUN_COUNTERS": str(tmp_path)}
        ended = any_mpi.run(any_mpi.program("dropin"), ranks=2, env={**THREAD, **env})
        assert ended.ok, ended.stdout + ended.stderr
        assert "dropin ok" in ended.stdout
        (said,) = [line for line in ended.stderr.splitlines() if line.startswith("stretto: ")]
        assert (
            f"this program runs on {SONAMES[any_mpi.abi]}, which this variant ({variant})" in said
        )
        assert "it runs as it is, without Stretto" in said
        assert not list(tmp_path.iterdir())


def test_the_launcher_and_the_variant_follow_the_library(
    any_mpi: Mpi, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in any_mpi.environment.items():
        monkeypatch.setenv(name, value)
    job = prepare([str(any_mpi.program("dropin"))], None, "")
    assert job.launcher.name == any_mpi.launcher.name
    assert job.drop_in == native.drop_in(any_mpi.abi)


def test_mpi4py_on_every_mpi(any_mpi: Mpi, tmp_path: Path) -> None:
    if any_mpi.abi is Abi.MPIABI:
        pytest.skip(
            "mpi4py's wheels have no part for the standard ABI (make conformance builds it)"
        )
    library = any_mpi.libmpi or SONAMES[any_mpi.abi]
    env = {**THREAD, "STRETTO_RUN_COUNTERS": str(tmp_path), "MPI4PY_LIBMPI": str(library)}
    program = Path(__file__).with_name("mpi4py_program.py")
    ended = any_mpi.run_under_stretto(sys.executable, program, ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    told = json.loads((tmp_path / "rank-0.json").read_text())
    assert words_of(any_mpi) in told["mpi"]
    assert "MPI_Iallreduce" in [row["call"] for row in told["handled"]]


@pytest.mark.parametrize(
    ("program", "benchmarks", "call"),
    [
        ("IMB-MPI1", ["Allreduce", "Alltoallv"], "MPI_Allreduce"),
        ("IMB-NBC", ["Iallreduce_pure", "Ibcast"], "MPI_Iallreduce"),
    ],
)
def test_programs_that_intel_built_are_served(
    program: str, benchmarks: list[str], call: str, tmp_path: Path
) -> None:
    name = next((name for name in EVERY_MPI if name.startswith("Intel") and "mpich" in name), None)
    if name is None:
        pytest.skip("no Intel MPI here")
    env = {**THREAD, "STRETTO_RUN_COUNTERS": str(tmp_path), "STRETTO_SELECTION_ALLREDUCE": "ring"}
    words = [*benchmarks, "-iter", "20", "-msglog", "3:6"]
    path = FURTHER_MPIS / "intel" / "bin" / program
    ended = EVERY_MPI[name].run_under_stretto(path, *words, ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    told = json.loads((tmp_path / "rank-0.json").read_text())
    handled = {(row["call"], row["algorithm"]): row["calls"] for row in told["handled"]}
    assert handled[call, "ring"] >= 100


def test_of_two_mpis_the_programs_own_counts(tmp_path: Path) -> None:
    """A program of the standard ABI, one library of which came with an MPICH of its own."""
    mpi = next((mpi for mpi in EVERY_MPI.values() if mpi.abi is Abi.MPIABI), None)
    compilers = [shutil.which(name, path=f"{sys.prefix}/bin") for name in ("mpicc", "mpicc_abi")]
    if mpi is None or None in compilers:
        pytest.skip("no MPICH with the standard ABI here")
    mpicc, mpicc_abi = map(str, compilers)
    (tmp_path / "plugin.c").write_text("int plugin(void) { return 0; }")
    build = [mpicc, "-shared", "-fPIC", "-Wl,--no-as-needed", "plugin.c", "-o", "libplugin.so"]
    subprocess.run(build, cwd=tmp_path, check=True)
    source = Path(__file__).with_name("dropin.c")
    libraries = ["-Wl,--no-as-needed", str(tmp_path / "libplugin.so"), "-lm"]
    program = tmp_path / "program"
    subprocess.run([mpicc_abi, str(source), "-o", str(program), *libraries], check=True)

    assert prepare([str(program)], None, "").drop_in == native.drop_in(Abi.MPIABI)
    ended = mpi.run_under_stretto(program, ranks=2, env={"STRETTO_VERBOSE": "1"})
    assert ended.ok, ended.stdout + ended.stderr
    assert "MPI_Allreduce" in ended.stderr
    wrong = {"LD_PRELOAD": str(native.drop_in(Abi.MPICH))}
    ended = mpi.run(program, ranks=2, env=wrong)
    assert ended.ok, ended.stdout + ended.stderr
    assert "libmpi_abi.so.1, which this variant (mpich) does not serve" in ended.stderr
