"""Machines as people write them, and as the native simulator reads them."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.errors import InputError
from stretto.model.machine import Compute, Level, Machine, Message, presets, read_machine
from stretto.native.parts import schedule_tool
from stretto.native.schedules import simulate

MINIMAL = """
name = "m"
[[level]]
name = "all"
[[level.message]]
latency_ns = 1
send_overhead_ns = 1
recv_overhead_ns = 1
gap_ns = 1
gap_ns_per_byte = 1
"""

# The rest of a message, and another from so many bytes on that nobody sends them.
FURTHER = (
    "gap_ns = 1\ngap_ns_per_byte = 1\n[[level.message]]\nfrom_bytes = 2000000000000000\n"
    "latency_ns = 1\nsend_overhead_ns = 1\nrecv_overhead_ns = 1\ngap_ns = 1"
)
# A level's message, and the next level.
NEAR = MINIMAL.partition('name = "all"')[2] + "\n[[level]]\n"

times = st.floats(0, 1e6)
messages = st.builds(Message, *[times] * 6, rendezvous=st.booleans())
levels = st.builds(
    Level, st.text(), st.lists(messages, min_size=1, max_size=1), st.integers(1, 9), times, times
)
machines = st.builds(
    lambda name, below, last, compute: Machine(
        name=name,
        level=[*below, Level("last", [last])],
        compute=compute,
    ),
    st.text(),
    st.lists(levels, max_size=3),
    messages,
    st.builds(Compute, times, times, times, times),
)


def written(folder: Path, text: str) -> str:
    path = folder / "machine.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", presets())
def test_presets_are_sound(name: str, tmp_path: Path) -> None:
    machine = read_machine(name)
    file = tmp_path / "machine"
    file.write_text(machine.for_the_tool())
    got = simulate("barrier", "dissemination", ["--ranks", "9", "--machine", str(file)])
    assert got.end_ns > 0


@given(machine=machines)
def test_the_native_tool_reads_every_machine(
    machine: Machine, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "machine"
    file.write_text(machine.for_the_tool(), encoding="utf-8")
    options = ["--ranks", "2", "--signal-bytes", "3", "--machine", str(file)]
    got = simulate("barrier", "dissemination", options)
    level = machine.level[machine.ranks.index(next(n for n in machine.ranks if n != 1))]
    first = level.message[0]
    overheads = first.send_overhead_ns + first.recv_overhead_ns + 6 * first.overhead_ns_per_byte
    assert got.end_ns >= 0.999 * (overheads + first.latency_ns + 2 * first.gap_ns_per_byte)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("latency_ns = 1\n", ""), "missing required field `latency_ns`"),
        (("latency_ns = 1", "latency_ns = -1"), "`float` >= 0"),
        (("latency_ns = 1", "latency_ns = inf"), "not finite"),
        (("latency_ns = 1", "latency_us = 1"), "unknown field `latency_us`"),
        (('name = "all"', 'name = "all"\nholds = 4'), "holds all"),
        (("[[level.message]]", "[[level.message]]\nfrom_bytes = 4"), "from_bytes must be 0"),
        (
            ("gap_ns = 1", FURTHER),
            "level 'all': from_bytes over 1 PiB",
        ),
        (
            ('name = "all"', 'name = "near"\nholds = 2000000000\n' + NEAR + 'name = "all"'),
            "level 'near' holds 2,000,000,000 ranks, over 1,073,741,824",
        ),
        (('name = "m"', 'format = 2\nname = "m"'), r"was cut off: it does not end with \[end\]"),
        (('name = "m"', 'format = 3\nname = "m"'), "of format 3, and this Stretto reads 2"),
        (('name = "m"', 'end = 1\nname = "m"'), "unknown field `end`"),
        (('name = "m"', "name ="), "line 2"),
        (('name = "m"', "name = " + "[" * 20_000), "within each other"),
    ],
)
def test_what_is_wrong_is_said(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    assert read_machine(written(tmp_path, MINIMAL)).name == "m"
    with pytest.raises(InputError, match=r"(?i)machine\.toml: .*" + complaint):
        read_machine(written(tmp_path, MINIMAL.replace(*change)))


def test_only_comments_may_follow_the_end(tmp_path: Path) -> None:
    text = "format = 2" + MINIMAL + "\n[end]\n"
    assert read_machine(written(tmp_path, text + "# of our cluster\n\n")).name == "m"
    table = text + MINIMAL[MINIMAL.index("[[level]]") :]
    with pytest.raises(InputError, match="is not its last line"):
        read_machine(written(tmp_path, table))


def test_an_unknown_machine_is_told_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"No such file.*dragonfly, ethernet-10g"):
        read_machine("nowhere")


@given(junk=st.binary(max_size=200))
def test_no_file_is_a_bug_of_ours(junk: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "junk.toml"
    file.write_bytes(junk)
    with pytest.raises(InputError):
        read_machine(str(file))


words = st.sampled_from(["machine", "copy", "reduce", "level", "message", "x", ""])
numbers = st.one_of(st.integers().map(str), st.floats().map(repr), st.sampled_from(["0", "4", ""]))
lines = st.builds(lambda word, rest: " ".join([word, *rest]), words, st.lists(numbers, max_size=8))


@given(text=st.one_of(st.lists(lines, max_size=6).map("\n".join), st.text()))
def test_the_native_tool_refuses_what_it_cannot_read(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "described"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    words = ["simulate", "barrier", "--algorithm", "tree", "--ranks", "5", "--machine", str(file)]
    answer = subprocess.run([schedule_tool(), *words], capture_output=True, text=True, check=False)
    assert answer.returncode in (0, 2), answer.stderr
    if answer.returncode == 2:
        damaged = r"(machine, line \d+|the machine's description) is damaged.*"
        assert re.fullmatch(rf"stretto-schedule: {damaged}\n", answer.stderr, re.DOTALL)


def test_a_machine_may_have_a_network_and_no_more() -> None:
    assert not read_machine("loggopsim").is_one_host
    assert not read_machine("infiniband-100g").is_one_host
    host = msgspec.structs.replace(read_machine("cluster-2006").level[0], holds=None)
    assert Machine(name="one", level=[host]).is_one_host


def test_ranks_per_host_fill_what_is_below() -> None:
    machine = read_machine("infiniband-100g")
    assert machine.ranks == [16, 32, 0]
    assert machine.with_ranks_per_host(8).ranks == [8, 8, 0]
    assert machine.with_ranks_per_host(64).ranks == [16, 64, 0]
    with pytest.raises(InputError, match="24 a host is no multiple of a core complex's 16 ranks"):
        machine.with_ranks_per_host(24)
    with pytest.raises(InputError, match="level 'host' holds 1,073,741,840 ranks"):
        machine.with_ranks_per_host((1 << 30) + 16)
    with pytest.raises(InputError, match="no level 'host'"):
        read_machine("loggopsim").with_ranks_per_host(2)
