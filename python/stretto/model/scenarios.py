"""What a run is supposed to be other than it is: the scenarios of `stretto whatif`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from stretto.data.virtual_times import NO_COMMUNICATION, SIM, ZERO
from stretto.errors import InputError
from stretto.model.machine import Level, Machine, Message, read_machine

MOST = 12  # as many clocks as a message of virtual time carries

_NANOSECONDS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_MOST = 1e9  # a factor
_BITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


@dataclass(frozen=True)
class Scenario:
    """All factors are of time, but that of the CPU is one of speed."""

    name: str
    machine: Machine
    cpu: float = 1.0
    messages: float = 1.0  # point-to-point
    collectives: Mapping[str, float] = field(default_factory=dict)
    algorithms: Mapping[str, str] = field(default_factory=dict)
    overlap: bool = False
    ranks_per_host: int | None = None
    measured: bool = True  # the collectives are those of the machine that was measured

    def for_the_library(self) -> str:
        """The text that src/model/scenario.hpp reads."""
        lines = [
            f"scenario {' '.join(self.name.split())}",
            f"computing {1 / self.cpu!r}",
            f"point_to_point {self.messages!r}",
        ]
        if self.overlap:
            lines.append("overlap perfect")
        if self.ranks_per_host is not None:
            lines.append(f"ranks_per_host {self.ranks_per_host}")
        lines += [f"collective {name} {factor!r}" for name, factor in self.collectives.items()]
        lines += [f"algorithm {name} {algorithm}" for name, algorithm in self.algorithms.items()]
        if self.measured:
            lines += [
                f"measured {each.name} {each.bytes} {each.ranks} {each.time_ns!r} {each.calls}"
                + ("" if each.cold_ns is None else f" {each.cold_ns!r}")
                for each in sorted(self.machine.collective, key=lambda each: each.bytes)
                if each.name not in self.algorithms
            ]
        return "\n".join(lines) + "\n" + self.machine.for_the_tool()


def usual_scenarios(machine: Machine, collectives: Sequence[str]) -> list[Scenario]:
    """As is, with collectives free, and with all communication free."""
    free = dict.fromkeys(collectives, 0.0)
    return [
        Scenario(SIM, machine),
        Scenario(ZERO, machine, collectives=free),
        Scenario(NO_COMMUNICATION, machine, collectives=free, messages=0.0),
    ]


def scenarios_of(
    asked: Sequence[str],
    machine: Machine,
    algorithms: Mapping[str, Sequence[str]],
    ranks: int,
) -> list[Scenario]:
    """The usual ones, and those that are asked for. Raises InputError."""
    scenarios = usual_scenarios(machine, list(algorithms))
    scenarios += [parse_scenario(text, machine, algorithms, ranks) for text in asked]
    refuse_unfit([each.name for each in scenarios])
    return scenarios


def refuse_unfit(names: Sequence[str]) -> None:
    """As many as fit in a run, each with a name of its own. Raises InputError."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"--scenario {twice}: there is one of that name already")
    if len(names) > MOST:
        raise InputError(f"--scenario: {len(names)} are too many, {MOST} fit in a run")


def parse_scenario(
    text: str, machine: Machine, algorithms: Mapping[str, Sequence[str]], ranks: int
) -> Scenario:
    """Read NAME:SETTING,SETTING... as --scenario takes it; `algorithms` by collective.

    Settings: collectives=F, <collective>=F, messages=F (times as long; 0: free), cpu=F (times as
    fast), algorithm.<collective>=NAME, overlap=perfect, network.latency=TIME,
    network.bandwidth=RATE, machine=FILE, hosts=N, ppn=N. Raises InputError naming the setting.
    """
    name, colon, rest = text.partition(":")
    if not colon or not name.strip() or not rest:
        raise InputError(
            f"--scenario {text} is not NAME:SETTING,..., for example half:alltoall=0.5x"
        )
    pairs = [_pair(text, each) for each in rest.split(",")]
    settings = dict(pairs)
    if len(settings) < len(pairs):
        raise InputError(f"--scenario {text}: a setting is given twice")
    scenario = Scenario(name.strip(), machine)
    # What another setting builds on comes first, wherever it stands.
    first = ("machine", "network.latency", "network.bandwidth", "collectives")
    for key in sorted(settings, key=lambda key: first.index(key) if key in first else len(first)):
        scenario = _apply(scenario, key, settings[key], text, algorithms, ranks)
    return scenario


def _pair(text: str, setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals or not value:
        raise InputError(f"--scenario {text}: {setting!r} is not SETTING=VALUE")
    return key.strip(), value.strip()


def _apply(
    scenario: Scenario,
    key: str,
    value: str,
    text: str,
    algorithms: Mapping[str, Sequence[str]],
    ranks: int,
) -> Scenario:
    prefix, _, what = key.partition(".")
    try:
        if key == "collectives":
            return replace(scenario, collectives=dict.fromkeys(algorithms, _factor(value)))
        if key in algorithms:
            changed = {**scenario.collectives, key: _factor(value)}
            return replace(scenario, collectives=changed)
        if key == "messages":
            return replace(scenario, messages=_factor(value))
        if key == "cpu":
            return replace(scenario, cpu=_speed(value))
        if prefix == "algorithm":
            return _with_algorithm(scenario, what, value, algorithms)
        if key == "overlap":
            return _with_overlap(scenario, value)
        if key == "machine":
            return replace(scenario, machine=read_machine(value), measured=False)
        if prefix == "network":
            return _with_network(scenario, what, value)
        if key in ("hosts", "ppn"):
            return _placed(scenario, key, value, ranks)
    except (ValueError, InputError) as error:
        raise InputError(f"--scenario {text}: {key}={value}: {error}") from None
    raise InputError(
        f"--scenario {text}: unknown setting {key}; there are collectives, a collective's name, "
        "messages, cpu, algorithm.COLLECTIVE, overlap, network.latency, network.bandwidth, "
        "machine, hosts, ppn"
    )


def _factor(value: str) -> float:
    match = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)x?", value)
    if match is None:
        raise ValueError("write a factor of 0 or more, such as 0, 0.5x or 2x")
    factor = float(match[1])
    if factor > _MOST:
        raise ValueError(f"more than {_MOST:,.0f}")
    return factor


def _speed(value: str) -> float:
    factor = _factor(value)
    if factor < 1 / _MOST:
        raise ValueError("a CPU of no speed never ends")
    return factor


def _with_algorithm(
    scenario: Scenario, collective: str, name: str, algorithms: Mapping[str, Sequence[str]]
) -> Scenario:
    if name not in algorithms.get(collective, ()):
        known = ", ".join(algorithms.get(collective, ())) or ", ".join(algorithms)
        raise ValueError(f"there is no such algorithm; there are {known}")
    return replace(scenario, algorithms={**scenario.algorithms, collective: name})


def _with_overlap(scenario: Scenario, value: str) -> Scenario:
    if value not in ("perfect", "none"):
        raise ValueError("it is perfect or none")
    return replace(scenario, overlap=value == "perfect")


def _with_network(scenario: Scenario, what: str, value: str) -> Scenario:
    """Its last level with another latency or bandwidth."""
    machine = scenario.machine
    last = machine.level[-1]
    if what == "latency":
        messages = [_scaled_latency(each, _time(value)) for each in last.message]
    elif what == "bandwidth":
        per_byte = 8e9 / _bits(value)
        messages = [
            msgspec.structs.replace(each, gap_ns_per_byte=per_byte, overhead_ns_per_byte=0.0)
            for each in last.message
        ]
        if last.link_ns_per_byte:
            last = msgspec.structs.replace(last, link_ns_per_byte=per_byte)
    else:
        raise ValueError("a network has a latency and a bandwidth")
    if not machine.has_network:
        # Ranks of one host would not notice: the network is a level of its own, and what is
        # nearer than a host is none.
        host = msgspec.structs.replace(machine.level[-1], name="host", holds=1)
        levels = [host, Level(name="network", message=messages)]
    else:
        levels = [*machine.level[:-1], msgspec.structs.replace(last, message=messages)]
    changed = msgspec.structs.replace(machine, level=levels)
    return replace(scenario, machine=changed, measured=False)


def _scaled_latency(message: Message, latency_ns: float) -> Message:
    return msgspec.structs.replace(message, latency_ns=latency_ns)


def _placed(scenario: Scenario, key: str, value: str, ranks: int) -> Scenario:
    if re.fullmatch(r"0*[1-9]\d{0,8}", value) is None:
        raise ValueError("write a whole number of 1 or more")
    number = int(value)
    return placed(scenario, number if key == "ppn" else -(-ranks // number), ranks)


def placed(scenario: Scenario, per_host: int, ranks: int) -> Scenario:
    """The same with so many ranks a host, in their order. Raises ValueError, InputError."""
    if scenario.ranks_per_host not in (None, per_host):
        raise ValueError(f"hosts and ppn do not make {ranks} ranks")
    if not scenario.machine.has_network:
        raise ValueError(
            "the machine has no hosts on a network: name one that has (machine=), or give "
            "network.latency and network.bandwidth"
        )
    machine = scenario.machine.with_ranks_per_host(per_host)
    return replace(scenario, machine=machine, ranks_per_host=per_host, measured=False)


def _time(value: str) -> float:
    match = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)(ns|us|µs|ms|s)", value)
    if match is None:
        raise ValueError("write a time, such as 2us")
    return float(match[1]) * _NANOSECONDS[match[2]]


def _bits(value: str) -> float:
    match = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)([kmgt]?)bit(?:/s)?", value.lower())
    if match is None or float(match[1]) == 0:
        raise ValueError("write a rate, such as 100Gbit")
    return float(match[1]) * _BITS[match[2]]
