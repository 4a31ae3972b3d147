"""The native core of `stretto bench` on every MPI: all operations, checked, and what goes wrong."""

import itertools
import re
from pathlib import Path

import msgspec
import polars as pl
import pytest
from mpi_runs import Ended, Mpi

from stretto.data.bench_plan import (
    COLLECTIVES,
    ELEMENT_BYTES,
    MESSAGES,
    OF_ROOT,
    ONLY_BLOCKING,
    OTHERS,
    REDUCTIONS,
    WITHOUT_DATA,
    BenchCell,
    BufferUse,
    Form,
    Scheme,
    Settings,
    plan_text,
)
from stretto.data.bench_rows import read_facts, read_samples, read_states
from stretto.data.bench_skips import why_not
from stretto.launch.libmpi import SONAMES
from stretto.native.parts import bench_program

SHORT = Settings(budget_ns=1, warmup=3, at_least=5, at_most=5)


def measure(
    mpi: Mpi,
    folder: Path,
    cells: list[BenchCell],
    settings: Settings = SHORT,
    *,
    ranks: int = 3,
    stretto: bool = False,
    env: dict[str, str] | None = None,
) -> Ended:
    """One launch, as stretto bench makes it."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / "plan"
    plan.write_text(plan_text(settings, cells))
    soname = next(name for name in SONAMES if SONAMES[name] is mpi.abi)
    run = mpi.run_under_stretto if stretto else mpi.run
    library = mpi.libmpi or soname
    return run(bench_program(mpi.abi), library, plan, folder, ranks=ranks, env=env)


def every_form() -> list[BenchCell]:
    """Each operation in each form, also with MPI_IN_PLACE, or blocks that differ."""
    cells = []
    for operation, form in itertools.product((*COLLECTIVES, *OTHERS), Form):
        if operation in ONLY_BLOCKING and form is not Form.BLOCKING:
            continue
        moving = {"root": 1, "root_step": 1, "bytes": 48}
        cells.append(BenchCell(len(cells), operation, form, **moving))
        if operation.endswith(("v", "w")):
            cells.append(BenchCell(len(cells), operation, form, counts=[5, 0, 2], **moving))
        elif not operation.startswith(("neighbor", "barrier", "bcast")) and operation not in OTHERS:
            cells.append(BenchCell(len(cells), operation, form, in_place=True, **moving))
        if operation in OF_ROOT:
            cells.append(BenchCell(len(cells), operation, form, of_root=True, **moving))
    return cells


@pytest.mark.parametrize("stretto", [False, True], ids=["native", "stretto"])
def test_every_operation_is_measured_and_right(any_mpi: Mpi, stretto: bool, tmp_path: Path) -> None:
    cells = every_form()
    ended = measure(any_mpi, tmp_path, cells, stretto=stretto)
    assert ended.ok, ended.stderr
    states = {state.cell: state for state in read_states(tmp_path)}
    assert states.keys() == {cell.number for cell in cells}
    for cell in cells:
        state = states[cell.number]
        lacks = state.state == "skipped" and state.why.startswith("this MPI has no MPI_")
        may_lack = cell.form is Form.PERSISTENT and cell.operation in COLLECTIVES
        assert state.state == "done" or (lacks and may_lack), (cell, state)
    done = [cell for cell, state in states.items() if state.state == "done"]
    samples = read_samples(tmp_path, 3, done, 0, "native")
    counted = samples.group_by("cell", "rank").len()
    assert (counted["len"] == SHORT.warmup + SHORT.at_least).all()
    # A round trip is timed by one side, and the last of three ranks exchanges with nobody.
    messages = [cell.operation for cell in cells if cell.operation in MESSAGES]
    assert len(messages) == len(MESSAGES) * len(Form)
    unseen = 2 * messages.count("pingpong") + messages.count("exchange")
    assert counted.height == 3 * len(done) - unseen
    assert not samples["wrong"].any()
    assert (samples["leave_ns"] >= samples["enter_ns"]).all()
    nonblocking = samples.join(
        pl.DataFrame({"cell": [cell.number for cell in cells if cell.form is not Form.BLOCKING]}),
        on="cell",
    )
    assert nonblocking["started_ns"].is_not_null().all()


@pytest.mark.parametrize("use", BufferUse.__args__)
def test_buffers_and_datatypes(mpi: Mpi, use: BufferUse, tmp_path: Path) -> None:
    kinds = [("byte", "bor"), ("int", "max"), ("long", "band"), ("float", "sum"), ("double", "min")]
    cells = [
        BenchCell(number, operation, bytes=1 << 13, datatype=datatype, op=op)
        for number, (operation, (datatype, op)) in enumerate(
            itertools.product((*REDUCTIONS, "alltoall", "bcast"), kinds)
        )
    ]
    settings = Settings(buffers=use, budget_ns=1, warmup=2, at_least=3, at_most=3)
    ended = measure(mpi, tmp_path, cells, settings)
    assert ended.ok, ended.stderr
    assert {state.state for state in read_states(tmp_path)} == {"done"}


@pytest.mark.parametrize("use", BufferUse.__args__)
def test_persistent_requests_are_for_the_buffers_of_the_repetition(
    mpi: Mpi, use: BufferUse, tmp_path: Path
) -> None:
    cells = [
        BenchCell(number, operation, Form.PERSISTENT, bytes=size)
        for number, (operation, size) in enumerate(itertools.product(MESSAGES, (8, 1 << 17)))
    ]
    settings = Settings(buffers=use, budget_ns=1, warmup=2, at_least=6, at_most=6)
    ended = measure(mpi, tmp_path, cells, settings, ranks=2)
    assert ended.ok, ended.stderr
    assert [state.state for state in read_states(tmp_path)] == ["done"] * len(cells)


@pytest.mark.parametrize("scheme", Scheme.__args__)
def test_every_scheme(mpi: Mpi, scheme: Scheme, tmp_path: Path) -> None:
    settings = Settings(synchronisation=scheme, budget_ns=1, warmup=2, at_least=20, at_most=20)
    comms = [
        BenchCell(number, "allreduce", bytes=8, comm=comm)
        for number, comm in enumerate(("world", "every-second", "one-a-host", "halves"))
    ]
    ended = measure(mpi, tmp_path, comms, settings, ranks=4)
    assert ended.ok, ended.stderr
    states = read_states(tmp_path)
    assert [state.state for state in states] == ["done"] * len(comms)
    if scheme != "auto":
        assert {state.why for state in states} == {scheme}
    samples = read_samples(tmp_path, 4, range(4), 0, "native")
    ranks = {cell: set(of["rank"]) for (cell,), of in samples.group_by("cell")}
    assert ranks == {0: {0, 1, 2, 3}, 1: {0, 2}, 2: {0}, 3: {0, 1, 2, 3}}
    if scheme in ("barrier", "double-barrier", "dissemination"):
        assert samples["valid"].all()


def test_first_calls_begin_behind_a_barrier(mpi: Mpi, tmp_path: Path) -> None:
    settings = Settings(budget_ns=1, warmup=0, at_least=5, at_most=5)
    ended = measure(mpi, tmp_path, [BenchCell(0, "allreduce", bytes=8)], settings)
    assert ended.ok, ended.stderr
    assert [state.why for state in read_states(tmp_path)] == ["barrier"]
    assert read_samples(tmp_path, 3, [0], 0, "native")["valid"].all()


def test_one_wrong_byte_is_caught(mpi: Mpi, tmp_path: Path) -> None:
    tool = mpi.build / "tests" / mpi.abi / "libcorrupting_tool.so"
    cells = [BenchCell(0, "allreduce", bytes=4096), BenchCell(1, "bcast", bytes=64)]
    settings = Settings(budget_ns=1, warmup=10, at_least=40, at_most=40)
    ended = measure(mpi, tmp_path, cells, settings, env={"LD_PRELOAD": str(tool)})
    assert ended.ok, ended.stderr
    assert [(state.state, state.why) for state in read_states(tmp_path)] == [
        ("wrong", "1"),
        ("done", read_states(tmp_path)[1].why),
    ]
    assert "rank 1 has a wrong byte 4094 after repetition 24" in ended.stderr
    wrong = read_samples(tmp_path, 3, [0], 0, "native").filter("wrong")
    assert wrong.select("rank", "repetition").rows() == [(1, 24)]


@pytest.mark.parametrize("after", [6, 40])
def test_warm_up_exceeds_a_switch_within_the_mpi(mpi: Mpi, after: int, tmp_path: Path) -> None:
    tool = mpi.build / "tests" / mpi.abi / "libswitching_tool.so"
    cells = [BenchCell(0, "allreduce", bytes=8)]
    settings = Settings(budget_ns=20_000_000_000, at_least=5, at_most=5)
    env = {"LD_PRELOAD": str(tool), "SWITCHING_AFTER": str(after), "SWITCHING_US": "1000"}
    ended = measure(mpi, tmp_path, cells, settings, ranks=2, env=env)
    assert ended.ok, ended.stderr
    samples = read_samples(tmp_path, 2, [0], 0, "native")
    (calls,) = samples["warmup_calls"].drop_nulls().unique()
    assert calls > after
    assert (samples.group_by("rank").agg(pl.col("warmup").sum())["warmup"] == calls).all()


def test_calls_that_were_still_changing_are_flagged(mpi: Mpi, tmp_path: Path) -> None:
    tool = mpi.build / "tests" / mpi.abi / "libswitching_tool.so"
    # No time to go on in, and a switch in the middle of the half that is compared. It is longer
    # than ranks wait for cores of a machine that runs other tests.
    settings = Settings(budget_ns=1, warmup=20, at_least=5, at_most=5)
    env = {"LD_PRELOAD": str(tool), "SWITCHING_AFTER": "15", "SWITCHING_US": "200000"}
    ended = measure(mpi, tmp_path, [BenchCell(0, "allreduce")], settings, ranks=2, env=env)
    assert ended.ok, ended.stderr
    counted = read_samples(tmp_path, 2, [0], 0, "native").filter(~pl.col("warmup"))
    assert counted["changing"].all()
    assert (counted["warmup_calls"] == settings.warmup).all()


def test_a_late_rank_and_work_are_seen(mpi: Mpi, tmp_path: Path) -> None:
    late = 3_000_000
    cells = [
        BenchCell(0, "barrier", delays_ns=[0, late]),
        BenchCell(
            1, "allreduce", Form.NONBLOCKING, bytes=64, compute_ns=late, tests=4, after_ns=late
        ),
        BenchCell(2, "barrier", delays_ns=[late], delays_from=1),
    ]
    ended = measure(mpi, tmp_path, cells, ranks=2)
    assert ended.ok, ended.stderr
    samples = read_samples(tmp_path, 2, [0, 1, 2], 0, "native")
    for cell in (0, 2):
        punctual, delayed = (
            samples.filter(cell=cell, rank=rank).sort("repetition") for rank in range(2)
        )
        assert (delayed["enter_ns"] - delayed["arrived_ns"] >= late).all()
        assert (punctual["leave_ns"] >= delayed["enter_ns"]).all()
    work = samples.filter(cell=1)
    assert (work["computed_ns"] > work["started_ns"]).all()
    assert (work["after_ns"] > work["leave_ns"]).all()
    assert (work["in_tests_ns"] > 0).all()
    assert read_facts(tmp_path).ranks == 2


@pytest.mark.parametrize("form", [Form.NONBLOCKING, Form.PERSISTENT])
@pytest.mark.parametrize("operation", MESSAGES)
def test_work_and_late_ranks_beside_messages(
    mpi: Mpi, operation: str, form: Form, tmp_path: Path
) -> None:
    late = 3_000_000
    sizes = [8, 1 << 20]  # sent at once, and when the receiver is ready
    like = BenchCell(0, operation, form, tests=4)
    cells = [
        msgspec.structs.replace(like, number=number, bytes=size, compute_ns=work, delays_ns=delays)
        for number, (size, (work, delays)) in enumerate(
            itertools.product(sizes, [(late, []), (0, [0, late])])
        )
    ]
    ended = measure(mpi, tmp_path, cells, ranks=2)
    assert ended.ok, ended.stderr
    assert {state.state for state in read_states(tmp_path)} == {"done"}
    samples = read_samples(tmp_path, 2, range(4), 0, "native")
    assert set(samples["rank"]) == ({0} if operation == "pingpong" else {0, 1})
    assert (samples["computed_ns"] >= samples["started_ns"]).all()
    assert (samples["leave_ns"] >= samples["computed_ns"]).all()
    assert (samples["in_tests_ns"] > 0).all()
    waited = samples.filter(pl.col("rank") == 0, pl.col("cell").is_in([1, 3]))
    assert waited.select(pl.col("leave_ns") - pl.col("enter_ns")).to_series().median() > late / 2


def test_what_does_not_fit_into_memory_is_skipped(mpi: Mpi, tmp_path: Path) -> None:
    lines = Path("/proc/meminfo").read_text().splitlines()
    (kib,) = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    # Of two ranks with two buffers each no single one is too long.
    much = min(kib * 1024 // 2, (2**31 - 1) * 8) // 8 * 8
    if 4 * much < kib * 1024:
        pytest.skip("an int holds no count of elements that this machine has no memory for")
    small = 1024
    cells = [
        BenchCell(0, "allreduce", bytes=much),
        BenchCell(1, "bcast", bytes=small),
        # Who takes part in nothing says the same, and so do ranks that need nothing.
        BenchCell(2, "alltoall", Form.NONBLOCKING, bytes=much // 2, comm="halves"),
        BenchCell(3, "scatter", bytes=much, root=1, comm="every-second"),
        BenchCell(4, "gather", bytes=much, root=1),
        BenchCell(5, "reduce", bytes=small),
    ]
    ended = measure(mpi, tmp_path, cells, ranks=4)
    assert ended.ok, ended.stderr
    states = {state.cell: state for state in read_states(tmp_path)}
    assert [states[cell].state for cell in (1, 5)] == ["done", "done"]
    for cell in (0, 2, 3, 4):
        assert states[cell].state == "skipped", states[cell]
        assert re.fullmatch(r"needs \d+\.\d GiB of \d+\.\d GiB", states[cell].why)


def test_what_a_plan_alone_rules_out_is_what_the_program_skips(mpi: Mpi, tmp_path: Path) -> None:
    kinds = itertools.product(
        (*COLLECTIVES, *OTHERS), ELEMENT_BYTES, ("sum", "bor"), (False, True), (8, 12)
    )
    cells = [
        BenchCell(
            number,
            operation,
            bytes=0 if operation in WITHOUT_DATA else size,
            datatype=datatype,
            op=op,
            in_place=in_place,
        )
        for number, (operation, datatype, op, in_place, size) in enumerate(kinds)
    ]
    settings = Settings(synchronisation="none", budget_ns=1, warmup=0, at_least=1, at_most=1)
    ended = measure(mpi, tmp_path, cells, settings)
    assert ended.ok, ended.stderr
    said = {state.cell: state.why for state in read_states(tmp_path) if state.state == "skipped"}
    assert said == {cell.number: why for cell in cells if (why := why_not(cell, 3))}


def test_a_bad_plan_is_one_line(mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("cell bytes=many\n")
    soname = next(name for name in SONAMES if SONAMES[name] is mpi.abi)
    ended = mpi.run(
        bench_program(mpi.abi), mpi.libmpi or soname, tmp_path / "plan", tmp_path, ranks=1
    )
    assert ended.exit_code != 0
    assert "line 1: bytes=many is nothing a plan has" in ended.stderr
