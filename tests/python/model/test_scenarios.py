"""Scenarios as people write them, and as the library reads them."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from stretto.errors import InputError
from stretto.model.machine import Collective, Level, Machine, Message, read_machine, toml_of
from stretto.model.scenarios import Scenario, parse_scenario, usual_scenarios

ALGORITHMS = {
    "allreduce": ["recursive_doubling", "ring"],
    "alltoall": ["linear", "pairwise"],
    "bcast": ["binomial"],
}
NEAR = Message(100.0, 10.0, 20.0, 30.0, 0.5)
FAR = Message(2000.0, 200.0, 300.0, 100.0, 3.0)
LARGE = msgspec.structs.replace(FAR, latency_ns=7000.0, from_bytes=4096)
CLUSTER = Machine(
    "a\ncluster",
    [Level("host", [NEAR], holds=4), Level("network", [FAR, LARGE], link_ns_per_byte=2.0)],
    collective=[
        Collective("allreduce", 4096, 4, 9000.0),
        Collective("bcast", 8, 4, 500.5, 8),
        Collective("allreduce", 8, 4, 1000.0),
    ],
)
ONE_LEVEL = Machine("small", [Level("all", [NEAR])])


def parsed(settings: str, machine: Machine = CLUSTER, ranks: int = 8) -> Scenario:
    return parse_scenario(f"x:{settings}", machine, ALGORITHMS, ranks)


@pytest.mark.parametrize(
    ("setting", "holds"),
    [
        ("collectives=0", lambda s: s.collectives == dict.fromkeys(ALGORITHMS, 0.0)),
        ("collectives=2", lambda s: s.collectives == dict.fromkeys(ALGORITHMS, 2.0)),
        ("alltoall=0.5x", lambda s: s.collectives == {"alltoall": 0.5}),
        ("messages=0", lambda s: s.messages == 0),
        (" messages = 1.5x ", lambda s: s.messages == 1.5),
        ("cpu=2x", lambda s: s.cpu == 2),
        ("algorithm.allreduce=ring", lambda s: s.algorithms == {"allreduce": "ring"}),
        ("overlap=perfect", lambda s: s.overlap),
        ("overlap=none", lambda s: not s.overlap),
    ],
)
def test_a_setting_changes_what_it_names(setting: str, holds: Callable[[Scenario], bool]) -> None:
    scenario = parsed(setting)
    assert scenario.name == "x"
    assert holds(scenario)
    assert scenario.machine == CLUSTER
    assert scenario.measured


@pytest.mark.parametrize(
    ("value", "ns"), [("300ns", 300), ("2us", 2e3), ("2.5µs", 2.5e3), ("1ms", 1e6), ("0s", 0)]
)
def test_latency_is_the_networks(value: str, ns: float) -> None:
    scenario = parsed(f"network.latency={value}")
    host, network = scenario.machine.level
    assert host == CLUSTER.level[0]
    assert network.message == [
        msgspec.structs.replace(each, latency_ns=ns) for each in (FAR, LARGE)
    ]
    assert network.link_ns_per_byte == 2
    assert not scenario.measured


@pytest.mark.parametrize(
    ("value", "per_byte"),
    [("100Gbit", 0.08), ("10gbit/s", 0.8), ("800Mbit", 10), ("8kbit", 1e6), ("1.6Tbit", 0.005)],
)
def test_bandwidth_is_the_networks_and_its_links(value: str, per_byte: float) -> None:
    scenario = parsed(f"network.bandwidth={value}")
    host, network = scenario.machine.level
    assert host == CLUSTER.level[0]
    assert [each.gap_ns_per_byte for each in network.message] == pytest.approx([per_byte] * 2)
    assert [each.latency_ns for each in network.message] == [2000, 7000]
    assert network.link_ns_per_byte == pytest.approx(per_byte)
    assert not scenario.measured


def test_a_machine_of_one_level_gets_a_network() -> None:
    scenario = parsed("hosts=2,network.latency=2us,network.bandwidth=80Gbit", ONE_LEVEL)
    host, network = scenario.machine.level
    assert (host.name, host.holds, host.message) == ("host", 4, [NEAR])
    assert (network.name, network.holds) == ("network", None)
    assert network.message[0].latency_ns == 2000
    assert network.message[0].gap_ns_per_byte == pytest.approx(0.1)
    assert network.message[0].send_overhead_ns == NEAR.send_overhead_ns


def test_complexes_of_one_host_make_way_for_its_network() -> None:
    machine = Machine("m", [Level("core complex", [NEAR], holds=2), Level("host", [FAR])])
    scenario = parsed("hosts=2,network.latency=9us", machine)
    host, network = scenario.machine.level
    assert (host.name, host.holds, host.message) == ("host", 4, [FAR])
    assert network.message == [msgspec.structs.replace(FAR, latency_ns=9000)]
    everyone = parsed("network.latency=9us,network.bandwidth=8Gbit", machine).machine
    assert (len(everyone.level), everyone.ranks) == (2, [1, 0])
    with pytest.raises(InputError, match="no hosts on a network"):
        parsed("hosts=2", machine)


@pytest.mark.parametrize(
    ("setting", "per_host"),
    [("hosts=2", 4), ("hosts=3", 3), ("ppn=2", 2), ("hosts=4,ppn=2", 2), ("hosts=100", 1)],
)
def test_ranks_are_placed_anew(setting: str, per_host: int) -> None:
    scenario = parsed(setting)
    assert scenario.ranks_per_host == per_host
    assert scenario.machine.ranks == [per_host, 0]
    assert not scenario.measured


def test_another_machine_takes_its_place(tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(toml_of(ONE_LEVEL))
    scenario = parsed(f"machine={file}")
    assert scenario.machine == ONE_LEVEL
    assert not scenario.measured
    assert parsed("machine=loggopsim").machine == read_machine("loggopsim")


@pytest.mark.parametrize(
    "settings",
    [
        ["machine=infiniband-100g", "network.latency=2us", "network.bandwidth=1Gbit", "hosts=8"],
        ["machine=loggopsim", "network.latency=2us", "network.bandwidth=1Gbit", "ppn=4"],
        ["hosts=4", "ppn=2", "cpu=2x", "overlap=perfect", "algorithm.bcast=binomial"],
        ["messages=0", "alltoall=0.5x", "bcast=0", "cpu=2"],
        ["collectives=0", "alltoall=1x"],
    ],
)
def test_the_order_of_settings_does_not_matter(settings: list[str]) -> None:
    first = parsed(",".join(settings))
    for order in itertools.permutations(settings):
        assert parsed(",".join(order)) == first


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("half", "--scenario half is not NAME:SETTING,..., for example half:alltoall=0.5x"),
        (":cpu=2", "--scenario :cpu=2 is not NAME:SETTING"),
        (" :cpu=2", "--scenario  :cpu=2 is not NAME:SETTING"),
        ("x:", "--scenario x: is not NAME:SETTING"),
        ("x:cpu", "--scenario x:cpu: 'cpu' is not SETTING=VALUE"),
        ("x:cpu=", "--scenario x:cpu=: 'cpu=' is not SETTING=VALUE"),
        ("x:cpu=2,", "--scenario x:cpu=2,: '' is not SETTING=VALUE"),
        ("x:cpu=2,cpu=3", "--scenario x:cpu=2,cpu=3: a setting is given twice"),
        ("x:gpu=2", "--scenario x:gpu=2: unknown setting gpu; there are collectives"),
        ("x:=2", "--scenario x:=2: unknown setting ; there are collectives"),
        ("x:collectives=-1", "x:collectives=-1: collectives=-1: write a factor of 0 or more"),
        ("x:bcast=fast", "bcast=fast: write a factor of 0 or more, such as 0, 0.5x or 2x"),
        ("x:messages=2y", "messages=2y: write a factor of 0 or more"),
        ("x:messages=inf", "messages=inf: write a factor of 0 or more"),
        ("x:cpu=nan", "cpu=nan: write a factor of 0 or more"),
        ("x:cpu=0", "cpu=0: a CPU of no speed never ends"),
        ("x:algorithm.bcast=ring", "algorithm.bcast=ring: there is no such algorithm; there are b"),
        ("x:algorithm.scan=ring", "algorithm.scan=ring: there is no such algorithm; there are all"),
        ("x:algorithm=ring", "algorithm=ring: there is no such algorithm"),
        ("x:overlap=yes", "overlap=yes: it is perfect or none"),
        ("x:network.latency=2", "network.latency=2: write a time, such as 2us"),
        ("x:network.latency=-2us", "network.latency=-2us: write a time, such as 2us"),
        ("x:network.bandwidth=0Gbit", "network.bandwidth=0Gbit: write a rate, such as 100Gbit"),
        ("x:network.bandwidth=100", "network.bandwidth=100: write a rate, such as 100Gbit"),
        ("x:network.speed=1", "network.speed=1: a network has a latency and a bandwidth"),
        ("x:network=1", "network=1: a network has a latency and a bandwidth"),
        ("x:hosts=0", "hosts=0: write a whole number of 1 or more"),
        ("x:ppn=-4", "ppn=-4: write a whole number of 1 or more"),
        ("x:hosts=2.5", "hosts=2.5: "),
        ("x:hosts=2,ppn=2", "ppn=2: hosts and ppn do not make 8 ranks"),
        ("x:machine=nowhere", "machine nowhere: No such file"),
    ],
)
def test_what_is_refused_names_the_setting(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=re.escape(complaint)) as refused:
        parse_scenario(text, CLUSTER, ALGORITHMS, 8)
    assert "\n" not in str(refused.value)


def test_hosts_need_a_network() -> None:
    with pytest.raises(
        InputError, match="hosts=2: the machine has no hosts on a network: name one"
    ):
        parsed("hosts=2", ONE_LEVEL)


def test_hosts_that_do_not_fit_the_machine_are_named() -> None:
    with pytest.raises(InputError, match=r"--scenario .*hosts=1"):
        parsed("machine=infiniband-100g,hosts=1", ranks=24)


def test_the_usual_scenarios_free_more_and_more() -> None:
    sim, zero, none = usual_scenarios(CLUSTER, list(ALGORITHMS))
    assert sim == Scenario("sim", CLUSTER)
    free = dict.fromkeys(ALGORITHMS, 0.0)
    assert zero == Scenario("zero", CLUSTER, collectives=free)
    assert none == Scenario("no communication", CLUSTER, collectives=free, messages=0.0)


def test_the_library_is_told_all_of_it() -> None:
    scenario = parsed("cpu=4x,messages=2x,overlap=perfect,alltoall=0.5x,algorithm.allreduce=ring")
    assert (
        scenario.for_the_library()
        == (
            "scenario x\ncomputing 0.25\npoint_to_point 2.0\noverlap perfect\n"
            "collective alltoall 0.5\nalgorithm allreduce ring\nmeasured bcast 8 4 500.5 8\n"
        )
        + CLUSTER.for_the_tool()
    )


def test_the_library_is_told_what_was_measured_by_size() -> None:
    assert (
        Scenario("two\n words", CLUSTER).for_the_library()
        == (
            "scenario two words\ncomputing 1.0\npoint_to_point 1.0\n"
            "measured bcast 8 4 500.5 8\nmeasured allreduce 8 4 1000.0 1\n"
            "measured allreduce 4096 4 9000.0 1\n"
        )
        + CLUSTER.for_the_tool()
    )


def test_the_library_is_told_what_was_measured_of_cold_data() -> None:
    cold = Collective("bcast", 65536, 4, 9000.0, 8, 30000.0)
    text = Scenario("x", msgspec.structs.replace(CLUSTER, collective=[cold])).for_the_library()
    assert "\nmeasured bcast 65536 4 9000.0 8 30000.0\n" in text


def test_the_library_is_told_of_nothing_measured_elsewhere() -> None:
    scenario = parsed("hosts=4")
    assert (
        scenario.for_the_library()
        == ("scenario x\ncomputing 1.0\npoint_to_point 1.0\nranks_per_host 2\n")
        + CLUSTER.with_ranks_per_host(2).for_the_tool()
    )
