"""The sanitizers do see what is wrong: their silence elsewhere means something."""

import pytest
from mpi_runs import Mpi

from stretto import native


@pytest.mark.sanitized
def test_thread_sanitizer_finds_a_planted_race(mpi: Mpi) -> None:
    if native.native_dir().name != "tsan":
        pytest.skip("not built with ThreadSanitizer (make sanitize does)")
    ended = mpi.run(mpi.program("planted_race"), ranks=1)
    assert "WARNING: ThreadSanitizer: data race" in ended.stderr
    assert ended.exit_code != 0
