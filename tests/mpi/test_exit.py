"""Programs that finalize where exit() runs it, or in another thread, under every mode."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from modes import MODES, environment
from mpi_runs import MPIS, Mpi

from stretto import native


@pytest.mark.parametrize("how", ["atexit", "exit", "static", "thread"])
@pytest.mark.parametrize("mode", [*MODES, "calibrate"])
def test_finalizing_late_ends_well(mpi: Mpi, mode: str, how: str, tmp_path: Path) -> None:
    env = environment(mpi, mode, tmp_path)
    program = mpi.program("finalize_late")
    sign = tmp_path / "finalized"
    ended = mpi.run(program, how, sign, ranks=2, env=env, timeout_s=60)
    if mode == "calibrate":  # it measures in MPI_Init, and that is all
        assert not ended.timed_out
        assert not sign.exists()
        return
    assert ended.ok, ended.stdout + ended.stderr
    assert sign.exists()
    if mode == "whatif":
        assert len(list(tmp_path.glob("rank-*.json"))) == 2


@pytest.mark.skipif("mpich" not in MPIS, reason="of MPICH's launcher")
def test_hydra_hears_that_ranks_have_finalized_after_calibrating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It kills the others of one that ends before."""
    mpi = MPIS["mpich"]
    env = environment(mpi, "calibrate", tmp_path) | {"STRETTO_CALIBRATE_PERCENT": "1"}
    monkeypatch.setenv("HYDRA_DEBUG", "1")  # it says what it hears
    ended = mpi.run(mpi.program("idle"), "0", ranks=2, env=env)
    assert ended.ok, ended.stdout + ended.stderr
    assert len(re.findall(r"cmd=finalize\b", ended.stdout)) == 2


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("how", ["atexit", "static"])
def test_finalizing_late_touches_no_memory_that_is_gone(how: str, tmp_path: Path) -> None:
    """Of one rank, without a launcher: its own memory is what matters."""
    mpi = MPIS["openmpi"]
    env = environment(mpi, "whatif", tmp_path)
    said = tmp_path / "said"
    preload = ["--trace-children=no", "--error-exitcode=0", f"--log-file={said}", "-q"]
    words = ["valgrind", *preload, str(mpi.program("finalize_late")), how]
    sign = tmp_path / "finalized"
    words.append(str(sign))
    ended = mpi.run("env", *[f"{k}={v}" for k, v in env.items()], *words, ranks=1, timeout_s=120)
    assert sign.exists(), ended.stderr
    ours = re.findall(
        r"Invalid (?:read|write|free)[^\n]*(?:\n==\d+==    [^\n]*)+", said.read_text()
    )
    assert not [each for each in ours if "stretto" in each or "finalize_late" in each], ours


def compiled() -> set[Path]:
    """The objects that are made now: those of targets that were lie beside them."""
    build = native.native_dir()
    commands = build / "compile_commands.json"
    entries = json.loads(commands.read_text()) if commands.exists() else []
    return {build / entry["output"] for entry in entries}


def test_nothing_of_ours_is_destroyed_by_exit() -> None:
    """Who registers a destructor there is used after it, by whatever exit() runs later."""
    objects = native.native_dir() / "CMakeFiles"
    folders = [
        each for each in objects.glob("stretto-*.dir") if not each.name.startswith("stretto-unit")
    ]
    made = compiled()
    files = [str(each) for folder in folders for each in folder.rglob("*.o") if each in made]
    if not files:
        pytest.skip("no object files beside the libraries")
    said = subprocess.run(["nm", "-u", "-A", *files], capture_output=True, text=True, check=True)
    registers = re.compile(r"__cxa_(thread_)?atexit|\bU (atexit|on_exit)\b")
    tools = ("stretto-schedule", "stretto-replay")  # programs, which nobody preloads
    # It registers what ends the process, and destroys nothing.
    ends = re.compile(r"/stretto-intercept-calibrate-\w+\.dir/\S+/session\.cpp\.o:.*\bU atexit$")
    found = [
        line for line in said.stdout.splitlines()
        if registers.search(line) and not any(f"/{tool}.dir/" in line for tool in tools)
        and not ends.search(line)
    ]  # fmt: skip
    assert found == []
