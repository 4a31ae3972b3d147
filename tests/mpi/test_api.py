"""stretto.h against the MPI's own results, with every algorithm in its turn."""

import itertools
import json
import subprocess

import pytest
from conftest import Mpi

from stretto import native

pytestmark = pytest.mark.sanitized


def algorithms_in_turn() -> list[dict[str, str]]:
    """Settings for as many runs as it takes to force each algorithm of each collective once."""
    said = subprocess.run(
        [str(native.schedule_tool()), "list"], capture_output=True, text=True, check=True
    ).stdout
    names: dict[str, list[str]] = {}
    for line in said.splitlines():
        row = json.loads(line)
        names.setdefault(row["collective"], []).append(row["algorithm"])
    rounds = max(map(len, names.values()))
    return [
        {
            f"STRETTO_SELECTION_{collective.upper()}": known[turn % len(known)]
            for collective, known in names.items()
        }
        for turn in range(rounds)
    ]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_random_collectives_match_the_mpi(mpi: Mpi, ranks: int) -> None:
    ended = mpi.run(mpi.program("api_random"), 100 + ranks, 25, ranks=ranks)
    assert ended.ok, ended.stdout + ended.stderr
    assert ended.stdout.endswith(" 0 differences\n")


@pytest.mark.parametrize("ranks", [2, 5])
def test_every_algorithm_matches_the_mpi(mpi: Mpi, ranks: int) -> None:
    for turn, (forced, thread) in enumerate(itertools.product(algorithms_in_turn(), ("on", "off"))):
        env = {**forced, "STRETTO_PROGRESS_THREAD": thread}
        ended = mpi.run(mpi.program("api_random"), 200 + turn, 15, ranks=ranks, env=env)
        assert ended.ok, f"{env}\n{ended.stdout}{ended.stderr}"


def test_threads_use_communicators_of_their_own(mpi: Mpi) -> None:
    ended = mpi.run(mpi.program("threads"), ranks=2)
    assert ended.ok, ended.stdout + ended.stderr
    assert "threads ok" in ended.stdout
