"""A program built with AddressSanitizer, with a library preloaded into it as Stretto's is."""

import os
import subprocess
from pathlib import Path

import pytest

from stretto.launch.environment import rank_environment
from stretto.launch.program import inspect
from stretto.launch.sanitizer import needs_asan

PROGRAM = """
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  char* heap = malloc(8);
  memset(heap, 1, argc == 1 ? 8 : 9);
  free(heap);
  return 0;
}
"""
DROP_IN = Path("/lib/s.so")


@pytest.fixture(autouse=True)
def _only_these_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    # The search for leaks is not possible everywhere, under ptrace for one.
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")


def build(output: Path, text: str, *options: str) -> Path:
    source = output.with_suffix(".c")
    source.write_text(text)
    try:
        subprocess.run(["gcc", source, "-o", output, *options], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"gcc does not build with {' '.join(options)}: {error}")
    return output


@pytest.fixture
def program(tmp_path: Path) -> Path:
    built = build(tmp_path / "program", PROGRAM, "-fsanitize=address")
    if subprocess.run([built], capture_output=True, check=False).returncode != 0:
        pytest.skip("programs built with -fsanitize=address do not run here")
    return built


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return build(tmp_path / "library.so", "int nothing;", "-shared", "-fPIC")


def run(program: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_and_its_errors_are_found(program: Path, library: Path) -> None:
    alone = run(program, {"LD_PRELOAD": str(library)})
    if "does not come first" not in alone.stderr:
        pytest.skip("this runtime may come after other libraries")
    asan = inspect([str(program)], needs_mpi=False).asan
    assert asan
    env = rank_environment(library, {}, verbose=False, asan=asan)
    good = run(program, env)
    assert (good.returncode, good.stderr) == (0, "")
    assert "heap-buffer-overflow" in run(program, env, "overflow").stderr


def test_the_users_own_options_stay() -> None:
    env = rank_environment(DROP_IN, {}, verbose=False, asan=True)
    assert env["LD_PRELOAD"] == str(DROP_IN)
    assert env["ASAN_OPTIONS"] == "detect_leaks=0:verify_asan_link_order=0"


@pytest.mark.parametrize("soname", ["libasan.so.8", "libclang_rt.asan-x86_64.so"])
def test_both_compilers_runtimes_are_known(soname: str) -> None:
    assert needs_asan(["libc.so.6", soname])
    assert not needs_asan(["libc.so.6"])
