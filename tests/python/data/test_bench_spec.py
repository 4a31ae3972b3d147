"""Plans as people write them, and the cells they stand for."""

import re
import tomllib
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from stretto.data.bench_plan import BenchCell, Form
from stretto.data.bench_spec import (
    MANY_RANKS,
    Spec,
    arrival_patterns,
    cells_of,
    late_in_turn,
    read_spec,
)
from stretto.errors import InputError

DOCS = Path(__file__).parents[3] / "docs" / "bench.md"
# A key, its default as TOML has it or none, and what it is.
KEY = re.compile(r"^\| `(\w+)` \| (?:`(.*?)`|none) \| (.+) \|$", re.MULTILINE)


def test_cells_are_numbered_and_of_each_size() -> None:
    cells = cells_of(Spec(operations=["barrier", "ibcast", "reduce"], sizes=[4, 8]), {})
    assert [cell.number for cell in cells] == [0, 1, 2, 3, 4]
    assert [(cell.name, cell.bytes) for cell in cells] == [
        ("barrier", 0),
        ("ibcast", 4),
        ("ibcast", 8),
        ("reduce", 4),  # the program says that it is no whole number of doubles
        ("reduce", 8),
    ]
    assert [cell.datatype for cell in cells[1:]] == ["byte", "double", "double", "double"]


def test_roots_and_counts_are_for_those_that_have_them() -> None:
    spec = Spec(operations=["gatherv", "allgather"], sizes=[8], root=1, root_step=2, counts=[3])
    gatherv, allgather = cells_of(spec, {})
    assert (gatherv.root, gatherv.root_step, gatherv.counts) == (1, 2, [3])
    assert (allgather.root, allgather.root_step, allgather.counts) == (0, 0, [])


def test_with_counts_there_is_one_cell_and_its_bytes_are_those_of_the_largest_block() -> None:
    words = ["alltoallv", "bcast", "neighbor_alltoallv"]
    spec = Spec(operations=words, sizes=[3, 64], counts=[1, 5], datatype="int")
    cells = cells_of(spec, {})
    assert [(cell.name, cell.bytes, cell.datatype, cell.counts) for cell in cells] == [
        ("alltoallv", 20, "int", [1, 5]),
        ("bcast", 3, "byte", []),
        ("bcast", 64, "int", []),
        ("neighbor_alltoallv", 20, "int", [1, 5]),
    ]


def test_a_plan_may_have_elements_that_are_all_the_roots_beside_usual_ones() -> None:
    words = ["reduce_scatter", "iallgatherv-of-root", "bcast"]
    cells = cells_of(Spec(operations=words, sizes=[8], root=1, counts=[3, 1]), {})
    assert [cell.name for cell in cells] == words
    found = [(cell.operation, cell.of_root, cell.root, cell.counts) for cell in cells]
    assert found == [
        ("reduce_scatter", False, 0, [3, 1]),
        ("allgatherv", True, 1, []),
        ("bcast", False, 1, []),
    ]


def test_work_is_measured_by_what_operations_take_alone() -> None:
    spec = Spec(operations=["ibcast", "barrier"], sizes=[64], compute=[0.5, 2], tests=[0, 3])
    assert spec.needs_pilot
    cells = cells_of(spec, {("ibcast", 64): 1000})
    found = [(cell.operation, cell.compute_ns, cell.tests) for cell in cells]
    assert found == [
        ("bcast", 0, 0),
        ("bcast", 500, 0),
        ("bcast", 500, 3),
        ("bcast", 2000, 0),
        ("bcast", 2000, 3),
        ("barrier", 0, 0),
        ("compute", 500, 0),
        ("compute", 2000, 0),
    ]
    assert {cell.form for cell in cells if cell.operation == "bcast"} == {Form.NONBLOCKING}
    assert [cell.compute_factor for cell in cells] == [0, 0.5, 0.5, 2, 2, 0, 0, 0]
    # Tests without the work that they were to be in would be something else.
    assert [cell.tests for cell in cells_of(spec, {})] == [0, 0]


@pytest.mark.parametrize(
    ("late", "delays"),
    [
        ("", []),
        ("each", [[9000, 0, 0], [0, 9000, 0], [0, 0, 9000]]),
        ("last", [[0, 0, 9000]]),
        ("sorted", [[0, 4500, 9000]]),
        ("1.5,0,2", [[1500, 0, 2000]]),
    ],
)
def test_arrival_patterns(late: str, delays: list[list[int]]) -> None:
    assert arrival_patterns(Spec(ranks=3, late=late, delay_us=9)) == delays


def test_a_random_pattern_is_drawn_by_the_seed() -> None:
    drawn = [arrival_patterns(Spec(ranks=8, late="random", seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(0 <= delay <= 1_000_000 for delay in drawn[0][0])


@pytest.mark.parametrize("ranks", [1, 2, MANY_RANKS])
def test_of_few_ranks_each_is_late_in_turn(ranks: int) -> None:
    patterns = arrival_patterns(Spec(ranks=ranks, late="each"))
    assert patterns == [[1_000_000 * (at == late) for at in range(ranks)] for late in range(ranks)]


def test_of_many_ranks_some_are_and_plans_have_no_number_for_each_rank() -> None:
    spec = Spec(operations=["bcast"], sizes=[8], ranks=10_000, root=3, late="each", seed=5)
    chosen = late_in_turn(spec)
    # The root, its neighbour, its child with most below it, the first, the last, and others.
    assert {3, 4, 3 + 4096, 0, 9999} < set(chosen)
    assert (len(chosen), chosen) == (16, late_in_turn(spec))
    cells = cells_of(spec, {})
    assert [cell.late_ns for cell in cells] == [{}, *({rank: 1_000_000} for rank in chosen)]
    assert sum(len(cell.delays_ns) for cell in cells) == len(chosen)
    assert all(len(_late_of(ranks)) == 16 for ranks in range(65, 140))


def _late_of(ranks: int) -> set[int]:
    return set(late_in_turn(Spec(ranks=ranks, root=ranks - 1, late="each")))


@pytest.mark.parametrize("late", ["sometimes", "1,2", "1,2,-3", "1,,2"])
def test_other_patterns_are_refused(late: str) -> None:
    with pytest.raises(InputError, match=f"--late {late}"):
        arrival_patterns(Spec(ranks=3, late=late))


def test_delays_of_many_ranks_are_no_file() -> None:
    late = ",".join(["1000"] * 999)
    assert arrival_patterns(Spec(ranks=999, late=late)) == [[1_000_000] * 999]


@pytest.mark.parametrize(
    ("text", "delays"),
    [
        ("1.5 0 2", [[1500, 0, 2000]]),
        ("0\n1,\n2\n", [[0, 1000, 2000]]),
        ("0, 1, 2\n\n3 4 5\n", [[0, 1000, 2000], [3000, 4000, 5000]]),
    ],
)
def test_patterns_of_a_file(text: str, delays: list[list[int]], tmp_path: Path) -> None:
    file = tmp_path / "late.txt"
    file.write_text(text)
    assert arrival_patterns(Spec(ranks=3, late=str(file))) == delays


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "it takes 3 delays"),
        (b"1 2 3\n4 5", "it takes 3 delays"),
        (b"1 2 -3", "none below 0"),
        (b"rank 1 late", "a file of these"),
        (b"\xff", "can't decode"),
    ],
)
def test_other_files_are_refused(text: bytes, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "late.txt"
    file.write_bytes(text)
    with pytest.raises(InputError, match=f"--late {file}: .*{complaint}"):
        arrival_patterns(Spec(ranks=3, late=str(file)))


def test_operations_may_differ_in_their_late_ranks() -> None:
    spec = Spec(operations=["ibcast", "reduce"], sizes=[8], ranks=2, late="a run")
    cells = cells_of(spec, {}, {"bcast": [[0, 5]]})
    assert [(cell.name, cell.delays_ns) for cell in cells] == [
        ("ibcast", []),
        ("ibcast", [0, 5]),
        ("reduce", []),
    ]


def test_a_late_pattern_comes_beside_the_one_without() -> None:
    cells = cells_of(Spec(operations=["bcast"], sizes=[8], ranks=2, late="last", delay_us=1), {})
    assert [cell.delays_ns for cell in cells] == [[], [0, 1000]]


def test_a_file_may_leave_out_what_is_as_ever(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('operations = ["scan"]\nsizes = [8]\nbuffers = "cold"\n')
    spec = read_spec(file)
    assert cells_of(spec, {}) == [BenchCell(0, "scan", bytes=8)]
    assert spec.settings().buffers == "cold"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sizes = [-1]", "sizes"),
        ('buffers = "warm"', "buffers"),
        ("colour = 1", "colour"),
        ("sizes = [", "plan.toml"),
        ("ranks = 0", "ranks"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_spec(file)
    with pytest.raises(InputError, match="No such file"):
        read_spec(tmp_path / "none.toml")


def test_the_docs_have_every_key_with_its_default_and_all_it_may_be() -> None:
    keys = KEY.findall(DOCS.read_text(encoding="utf-8"))
    assert [name for name, _, _ in keys] == [*Spec.__struct_fields__]
    types = get_type_hints(Spec)
    for name, default, meaning in keys:
        value = tomllib.loads(f"{name} = {default}")[name] if default else None
        assert value == getattr(Spec(), name), name
        if get_origin(types[name]) is Literal:
            assert {*get_args(types[name])} <= {*re.findall(r"`([\w-]+)`", meaning)}, name
