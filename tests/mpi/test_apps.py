"""The sample applications on their own MPI: same answers on any number of ranks, and right ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi_runs import Mpi

RANKS = [1, 2, 3, 4]
LINES = re.compile(r"checksum ([0-9a-f]{16})\ntime (\d+\.\d+) s\n")
# Small enough to take no time, odd enough that ranks get unequal shares.
SMALL = {
    "transpose": [32, 3],
    "jacobi3d": [13, 9],
    "relaxation": [1003, 20],
}


def checksum(mpi: Mpi, name: str, *arguments: object, ranks: int) -> int:
    ended = mpi.run(mpi.app(name), *arguments, ranks=ranks)
    assert ended.ok, ended.stderr
    lines = LINES.fullmatch(ended.stdout)
    assert lines, ended.stdout
    return int(lines[1], 16)


def mix(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64, as apps/common/app.h has it."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def terms(keys: NDArray[np.uint64], values: NDArray[np.uint64]) -> int:
    return int(np.sum(mix(keys ^ mix(values)), dtype=np.uint64))


def numbered(*shape: int) -> NDArray[np.uint64]:
    return np.arange(np.prod(shape), dtype=np.uint64).reshape(shape)


def expected_transpose(size: int, iterations: int) -> int:
    """The picture, moved 4 pixels an iteration along both dimensions."""
    picture = mix(numbered(size, size)) % np.uint64(1024)
    moved = np.roll(picture, (4 * iterations, 4 * iterations), axis=(0, 1))
    return terms(numbered(size, size), moved)


def expected_jacobi3d(n: int, iterations: int) -> int:
    """The same sweeps over the whole cube at once, in the same order of additions."""
    cells = np.zeros((n + 2, n + 2, n + 2))
    inside = cells[1:-1, 1:-1, 1:-1]
    inside[:] = mix(numbered(n, n, n)) % np.uint64(1024)
    largest = 0.0
    for _ in range(iterations):
        total = cells[:-2, 1:-1, 1:-1] + cells[2:, 1:-1, 1:-1]
        for neighbor in (
            cells[1:-1, :-2, 1:-1],
            cells[1:-1, 2:, 1:-1],
            cells[1:-1, 1:-1, :-2],
            cells[1:-1, 1:-1, 2:],
        ):
            total = total + neighbor
        mean = total * (1.0 / 6)
        largest = float(np.max(np.abs(mean - inside)))
        inside[:] = mean
    cells_sum = terms(numbered(n, n, n), inside.copy().view(np.uint64))
    return terms(np.array([cells_sum], dtype=np.uint64), np.array([largest]).view(np.uint64))


# Those that check themselves; on ranks that divide the problem.
CHECKED = {
    "ft": ["16", "2"],
    "is": ["20000", "2"],
    "mg": ["16", "2"],
    "abinit_like": ["8", "512", "2"],
}


@pytest.mark.parametrize("name", CHECKED)
def test_what_checks_itself_is_right_on_any_number_of_ranks(mpi: Mpi, name: str) -> None:
    assert len({checksum(mpi, name, *CHECKED[name], ranks=ranks) for ranks in (1, 2, 4)}) == 1


def test_alltoall_prints_what_each_size_takes(mpi: Mpi) -> None:
    ended = mpi.run(mpi.app("alltoall"), 64, 3, ranks=3)
    assert ended.ok, ended.stderr
    sizes = [line.split()[0] for line in ended.stdout.splitlines()[1:5]]
    assert sizes == ["8", "16", "32", "64"]


@pytest.mark.parametrize("name", SMALL)
def test_checksum_is_the_same_on_any_number_of_ranks_and_every_time(mpi: Mpi, name: str) -> None:
    found = {checksum(mpi, name, *SMALL[name], ranks=ranks) for ranks in [*RANKS, 2]}
    assert len(found) == 1


@pytest.mark.parametrize("name", SMALL)
def test_checksum_depends_on_every_argument(mpi: Mpi, name: str) -> None:
    size, iterations = SMALL[name]
    cases = [(size, iterations), (2 * size, iterations), (size, iterations + 1), (size, 0)]
    found = [checksum(mpi, name, *case, ranks=2) for case in cases]
    assert len(set(found)) == len(cases)


@pytest.mark.parametrize("ranks", RANKS)
def test_transpose_moves_the_picture_as_it_should(mpi: Mpi, ranks: int) -> None:
    assert checksum(mpi, "transpose", 32, 3, ranks=ranks) == expected_transpose(32, 3)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("overlap", [0, 1])
def test_jacobi3d_agrees_with_one_sweep_over_the_whole_cube(
    mpi: Mpi, ranks: int, overlap: int
) -> None:
    assert checksum(mpi, "jacobi3d", 13, 9, overlap, ranks=ranks) == expected_jacobi3d(13, 9)


def test_relaxation_runs_with_fewer_vertices_than_ranks(mpi: Mpi) -> None:
    alone = checksum(mpi, "relaxation", 1, 5, ranks=1)
    assert checksum(mpi, "relaxation", 1, 5, ranks=4) == alone


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("transpose", ["24"], "power of two"),
        ("transpose", ["64", "1", "1"], "usage"),
        ("jacobi3d", ["0"], "n must be"),
        ("jacobi3d", ["8", "many"], "many"),
        ("jacobi3d", ["8", "1", "2"], "overlap"),
        ("ft", ["24"], "power of two"),
        ("is", ["many"], "many"),
        ("mg", ["7"], "N"),
        ("alltoall", ["0"], "max_bytes"),
        ("abinit_like", ["3", "512"], "bands"),
        ("relaxation", ["-5"], "vertices"),
        ("relaxation", ["5", "3x"], "3x"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_2(
    mpi: Mpi, name: str, arguments: list[str], why: str
) -> None:
    ended = mpi.run(mpi.app(name), *arguments, ranks=2)
    assert ended.exit_code == 2
    assert not ended.stdout
    # The launcher has its say as well; the program's own line names the argument.
    assert len([line for line in ended.stderr.splitlines() if why in line]) == 1


@pytest.mark.parametrize("name", SMALL)
def test_help_is_the_usage(mpi: Mpi, name: str) -> None:
    ended = mpi.run(mpi.app(name), "--help", ranks=2)
    assert ended.ok
    assert ended.stdout.startswith(f"usage: {name} ")
    assert ended.stdout.count("\n") == 1
