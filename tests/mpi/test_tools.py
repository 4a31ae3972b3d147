"""Other tools that wrap MPI's functions see what they see without Stretto, wherever they are."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from modes import MODES, environment
from mpi_runs import Ended, Mpi
from profiles import of_phase, profile, sites

# The drop-in takes what it can, and not what is best on this machine.
OURS = {
    "STRETTO_PROGRESS_THREAD": "on",
    "STRETTO_SELECTION_ALLREDUCE": "recursive_doubling",
    "STRETTO_SELECTION_BARRIER": "dissemination",
    "STRETTO_SELECTION_BCAST": "binomial",
}
Counts = dict[str, dict[str, int]]


def tool(mpi: Mpi) -> Path:
    return mpi.build / "tests" / mpi.abi / "libcounting_tool.so"


def counted(mpi: Mpi, command: list[object], env: Mapping[str, str], folder: Path) -> Counts:
    """By rank: how often the tool has seen each function."""
    folder.mkdir()
    env = {**OURS, **env, "COUNTED_CALLS": str(folder)}
    ended = mpi.run(str(command[0]), *command[1:], ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert " ok" in ended.stdout
    lines = {file.name: file.read_text().splitlines() for file in folder.iterdir()}
    return {
        rank: {name: int(number) for name, _, number in (line.rpartition(" ") for line in of_rank)}
        for rank, of_rank in lines.items()
    }


@pytest.mark.parametrize("mode", MODES)
def test_a_tool_sees_the_calls_of_the_program_once_each(
    mpi: Mpi, mode: str, tmp_path: Path
) -> None:
    written = tmp_path / "written"
    plain, within, linked = (
        [mpi.program(name), written] for name in ("wrapped", "wrapped_within", "wrapped_linked")
    )
    alone = counted(mpi, plain, {"LD_PRELOAD": str(tool(mpi))}, tmp_path / "alone")
    assert len(alone) == 2
    # 3 of each and 2 in all around a callback that the program has for a communicator's end.
    assert alone["rank-0"]["MPI_Allreduce"] == 4
    assert alone["rank-0"]["MPI_Pcontrol(1,42)"] == 1
    (tmp_path / "mode").mkdir()
    env = environment(mpi, mode, tmp_path / "mode")
    stretto = env["LD_PRELOAD"]
    places = {
        "before": (plain, f"{tool(mpi)}:{stretto}"),
        "after": (plain, f"{stretto}:{tool(mpi)}"),
        "within": (within, stretto),
        "linked": (linked, stretto),
    }
    for where, (command, preload) in places.items():
        for file in (tmp_path / "mode").glob("rank-*"):
            file.unlink()
        seen = counted(mpi, command, {**env, "LD_PRELOAD": preload}, tmp_path / where)
        assert seen == alone, where
        assert has_worked(mode, tmp_path / "mode"), where


def has_worked(mode: str, folder: Path) -> bool:
    """Stretto did its part in both ranks."""
    reports = [json.loads(file.read_text()) for file in folder.glob("rank-*.json")]
    if mode == "accelerate":
        calls = [{each["call"]: each["calls"] for each in one["handled"]} for one in reports]
        assert all(each["MPI_Iallreduce"] == 3 for each in calls)
    return len(reports) == 2


@pytest.mark.parametrize("program", ["fortran_f08", "fortran_mpifh", "mpi4py"])
def test_fortran_and_python_too(mpi: Mpi, program: str, tmp_path: Path) -> None:
    command: list[object] = [mpi.program(program)] if program != "mpi4py" else mpi4py_program()
    seen = []
    for mode in (None, *MODES):
        (tmp_path / f"{mode}").mkdir()
        env = environment(mpi, mode, tmp_path / f"{mode}") if mode else {"LD_PRELOAD": ""}
        if program == "mpi4py":
            env |= {"MPI4PY_LIBMPI": str(mpi.libmpi)}
        preload = f"{env['LD_PRELOAD']}:{tool(mpi)}".lstrip(":")
        env |= {"LD_PRELOAD": preload}
        seen.append(counted(mpi, command, env, tmp_path / f"calls-{mode}"))
    # Fortran may call PMPI_X at once (Open MPI's does): a tool for C then sees nothing, its end
    # included, and must not with Stretto.
    assert seen[0] or program != "mpi4py"
    assert all(each == seen[0] for each in seen[1:])


def mpi4py_program() -> list[object]:
    pytest.importorskip("mpi4py")
    return [sys.executable, Path(__file__).with_name("mpi4py_program.py")]


def test_profile_names_the_lines_of_the_program_behind_a_tool(
    mpi: Mpi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Which is preloaded by hand, and so called before Stretto."""
    monkeypatch.setenv("LD_PRELOAD", str(tool(mpi)))
    monkeypatch.setenv("COUNTED_CALLS", str(tmp_path))
    found = profile(mpi, "wrapped", 2, tmp_path / "run")
    assert of_phase(found, "MPI_Iallreduce", "collectives")["calls"] == 6
    assert {site["symbol"] for site in sites(found, "MPI_Barrier")} == {
        "collectives",
        "communicators",
    }
    assert len(list(tmp_path.glob("rank-*"))) == 2


def test_a_tool_that_calls_past_stretto_is_named(mpi: Mpi, tmp_path: Path) -> None:
    """As Darshan does: it looks up the next PMPI_Init after its own."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source = tmp_path / "past.c"
    source.write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n"
        "int MPI_Init_thread(int* a, char*** b, int c, int* d) {\n"
        "  int (*next)(int*, char***, int, int*);\n"
        '  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Init_thread");\n'
        "  return next(a, b, c, d);\n}\n"
    )
    library = tmp_path / "libpast.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    env = environment(mpi, "accelerate", tmp_path)
    stretto = env["LD_PRELOAD"]

    def run(preload: str) -> Ended:
        return mpi.run(mpi.program("wrapped"), ranks=2, env={**env, "LD_PRELOAD": preload})

    beneath = run(f"{stretto}:{library}")
    assert beneath.ok, beneath.stderr
    assert beneath.stderr.count("libpast.so calls the MPI past Stretto") == 1
    assert not list(tmp_path.glob("rank-*.json"))
    above = run(f"{library}:{stretto}")
    assert above.ok, above.stderr
    assert "past Stretto" not in above.stderr
    assert len(list(tmp_path.glob("rank-*.json"))) == 2
