"""A machine from a calibration, and its file."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.data.calibration import (
    Calibration,
    CollectiveTime,
    LevelTimes,
    MessageTimes,
    Quartiles,
    WorkTime,
)
from stretto.errors import InputError
from stretto.model.calibrated import machine_of
from stretto.model.machine import (
    Collective,
    Compute,
    Level,
    Machine,
    Message,
    read_machine,
    toml_of,
)

SIZES = [1, 8, 64, 256, 1024, 4096, 16384, 65536]


def sample(median: float) -> Quartiles:
    """Its quartiles are far off, and so is what must not be taken for it."""
    return Quartiles(median, median / 2, median * 3)


def level(name: str, latency: float, per_byte: float, holds: int = 0) -> LevelTimes:
    """Overheads of 100 and 300 ns, a gap of 50; one-way messages take half as long."""
    return LevelTimes(
        name,
        holds,
        [
            MessageTimes(
                bytes=size,
                one_way=sample((400 + latency + (size - 1) * per_byte) / 2),
                exchange=sample(400 + latency + (size - 1) * per_byte),
                send=sample(100),
                recv=sample(300),
                gap=sample(50 + (size - 1) * per_byte),
                rendezvous=False,
            )
            for size in SIZES
        ],
    )


def calibration(levels: list[LevelTimes], hosts: int = 1) -> Calibration:
    return Calibration(
        mpi="Open MPI 4.1.4",
        ranks=8,
        hosts=hosts,
        oversubscribed=False,
        levels=levels,
        collectives=[
            CollectiveTime("allreduce", 8, 8, sample(2500)),
            CollectiveTime("allreduce", 4096, 8, sample(9000), sample(9500)),
            CollectiveTime("barrier", 0, 8, sample(700)),
        ],
        work=[WorkTime(size, sample(20 + 0.125 * size), sample(5 + 0.25 * size)) for size in SIZES],
        page_fault=sample(1500),
    )


ONE_HOST = calibration([level("host", 1000, 0.5)])
TWO_HOSTS = calibration([level("host", 1000, 0.5, 4), level("network", 20000, 2)], hosts=2)
COMPLEXES = calibration(
    [
        level("core complex", 200, 0.25, 3),
        level("host", 1000, 0.5, 2),
        level("network", 20000, 2),
    ],
    hosts=2,
)


def flat(part: object, where: str = "") -> dict[str, object]:
    """Every fact of a machine by its place in it; numbers to the six digits that files have."""
    plain = msgspec.to_builtins(part) if isinstance(part, msgspec.Struct) else part
    if isinstance(plain, dict):
        parts = list(plain.items())
    elif isinstance(plain, list):
        parts = list(enumerate(plain))
    elif isinstance(plain, float):
        return {where: pytest.approx(plain, rel=1e-5)}
    else:
        return {where: plain}
    inner = [flat(value, f"{where}.{key}") for key, value in parts]
    return {where: len(parts)} | {key: value for each in inner for key, value in each.items()}


def read_again(machine: Machine, folder: Path) -> Machine:
    file = folder / "machine.toml"
    file.write_text(toml_of(machine), encoding="utf-8")
    return read_machine(str(file))


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    machine = machine_of(TWO_HOSTS, "here").machine
    text = toml_of(machine)
    file = tmp_path / "machine.toml"
    for length in range(len(text.rstrip())):
        file.write_text(text[:length])
        with pytest.raises(InputError, match=r"machine\.toml"):
            read_machine(str(file))
    # Behind a whole table TOML itself has nothing against it.
    file.write_text(text[: text.rindex("[[collective]]")])
    with pytest.raises(InputError, match=r"was cut off: it does not end with \[end\]"):
        read_machine(str(file))


def test_what_was_written_before_files_had_an_end_is_read(tmp_path: Path) -> None:
    machine = machine_of(TWO_HOSTS, "here").machine
    lines = toml_of(machine).splitlines()
    file = tmp_path / "machine.toml"
    file.write_text("\n".join(each for each in lines if "[end]" not in each))
    assert flat(read_machine(str(file))) == flat(machine)


def test_levels_are_fitted_by_the_times_of_exchanges() -> None:
    fitted = machine_of(TWO_HOSTS, "here")
    host, network = fitted.machine.level
    assert (host.name, host.holds) == ("host", 4)
    assert (network.name, network.holds) == ("network", None)
    for found, latency, per_byte in ((host, 1000, 0.5), (network, 20000, 2)):
        assert found.link_ns_per_byte == 0
        assert [flat(each) for each in found.message] == [
            flat(Message(float(latency), 100.0, 300.0, 50.0, float(per_byte)))
        ]
        assert fitted.pieces[found.name][0].sizes == len(SIZES)
        assert fitted.pieces[found.name][0].message == found.message[0]


def test_one_host_holds_all() -> None:
    (host,) = machine_of(ONE_HOST, "here").machine.level
    assert (host.name, host.holds) == ("host", None)
    assert machine_of(ONE_HOST, "here").machine.ranks == [0]


def test_complexes_are_below_the_host() -> None:
    fitted = machine_of(COMPLEXES, "here")
    names = ["core complex", "host", "network"]
    assert [(each.name, each.holds) for each in fitted.machine.level] == list(
        zip(names, [3, 2, None], strict=True)
    )
    assert fitted.machine.ranks == [3, 6, 0]
    assert [each.message[0].latency_ns for each in fitted.machine.level] == pytest.approx(
        [200, 1000, 20000]
    )
    assert list(fitted.pieces) == names
    assert fitted.machine.has_network
    one_host = calibration([level("core complex", 200, 0.25, 3), level("host", 1000, 0.5)])
    assert not machine_of(one_host, "here").machine.has_network


def test_where_it_was_measured_is_said() -> None:
    one, two = (machine_of(each, "here").machine for each in (ONE_HOST, TWO_HOSTS))
    assert one.name == "here"
    assert one.source == "measured with Open MPI 4.1.4, 8 ranks, 1 host"
    assert two.source == "measured with Open MPI 4.1.4, 8 ranks, 2 hosts"


def test_work_and_collectives_are_the_medians() -> None:
    machine = machine_of(TWO_HOSTS, "here").machine
    assert flat(machine.compute) == flat(Compute(20.0, 0.125, 5.0, 0.25, 1500.0))
    assert machine.collective == [
        Collective("allreduce", 8, 8, 2500, 8),
        Collective("allreduce", 4096, 8, 9000, 8, 9500),
        Collective("barrier", 0, 8, 700, 8),
    ]


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        ("00000000", "00000000"),
        ("00100000", "00000000"),  # disturbed
        ("00001111", "00001111"),
        ("00110111", "00111111"),
        ("01001111", "00001111"),
        ("11111111", "11111111"),
    ],
)
def test_a_rendezvous_begins_at_one_size(found: str, taken: str) -> None:
    times = level("host", 900, 0.5)
    messages = [
        msgspec.structs.replace(each, rendezvous=digit == "1")
        for each, digit in zip(times.messages, found, strict=True)
    ]
    (fitted,) = machine_of(calibration([LevelTimes("host", 0, messages)]), "here").machine.level
    expected = {size for size, digit in zip(SIZES, taken, strict=True) if digit == "1"}
    first = {each.from_bytes for each in fitted.message if each.rendezvous}
    assert first == ({0 if min(expected) == SIZES[0] else min(expected)} if expected else set())


def test_times_of_nothing_are_a_nanosecond() -> None:
    """A clock of coarse ticks measures 0."""
    zero = sample(0)
    times = [MessageTimes(size, zero, zero, zero, zero, zero) for size in SIZES]
    (found,) = machine_of(calibration([LevelTimes("host", 0, times)]), "here").machine.level
    first = found.message[0]
    assert first.send_overhead_ns + first.recv_overhead_ns == pytest.approx(1)


@pytest.mark.parametrize("measured", [ONE_HOST, TWO_HOSTS, COMPLEXES])
def test_a_machine_is_read_as_it_was_written(measured: Calibration, tmp_path: Path) -> None:
    machine = machine_of(measured, 'a "name" with \\ and é').machine
    again = read_again(machine, tmp_path)
    assert flat(again) == flat(machine)
    assert read_again(again, tmp_path) == again


texts = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]))
times = st.floats(0, 1e12)
sizes = st.integers(1, 1 << 40)
first_messages = st.builds(Message, times, times, times, times, times, times)
messages = st.builds(
    lambda first, start, later: [first, msgspec.structs.replace(later, from_bytes=start)],
    first_messages,
    sizes,
    first_messages,
)
machines = st.builds(
    lambda name, source, below, last, compute, collectives: Machine(
        name, [*below, Level("last", last)], source, compute, collectives
    ),
    texts,
    texts,
    st.lists(st.builds(Level, texts, messages, st.integers(1, 64), times, times), max_size=2),
    messages,
    st.builds(Compute, times, times, times, times),
    st.lists(st.builds(Collective, texts, sizes, st.integers(2, 4096), times), max_size=3),
)


@given(machine=machines)
def test_every_machine_is_read_as_it_was_written(
    machine: Machine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert flat(read_again(machine, tmp_path_factory.getbasetemp())) == flat(machine)


@pytest.mark.parametrize("size", [1_000_001, 1 << 20, 4 << 20])
def test_large_sizes_are_written_whole(size: int, tmp_path: Path) -> None:
    first = Message(1.0, 1.0, 1.0, 1.0, 1.0)
    machine = Machine(
        "m",
        [Level("all", [first, msgspec.structs.replace(first, from_bytes=size)])],
        collective=[Collective("bcast", size, 4, 1000.0)],
    )
    assert read_again(machine, tmp_path) == machine


def test_every_letter_is_written(tmp_path: Path) -> None:
    machine = Machine("\N{ROCKET}", [Level("all", [Message(1.0, 1.0, 1.0, 1.0, 1.0)])])
    assert read_again(machine, tmp_path) == machine
