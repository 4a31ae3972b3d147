"""What a rig is: hosts, ranks a host, and how fast the wire, parsed from "4x2@1gbit"."""

import re
from dataclasses import dataclass

from stretto.errors import InputError

MAX_HOSTS = 64
MAX_PPN = 64
MIN_RATE_KBIT = 1_000
MAX_RATE_KBIT = 100_000_000
MAX_DELAY_US = 1_000_000

_KBIT_PER_UNIT = {"kbit": 1, "mbit": 1_000, "gbit": 1_000_000}
_RATE = re.compile(r"(\d{1,12}(?:\.\d+)?)(kbit|mbit|gbit)")
_DELAY = re.compile(r"(\d{1,12}(?:\.\d+)?)(us|ms|s)")
_US_PER_UNIT = {"us": 1, "ms": 1_000, "s": 1_000_000}
_RIG = re.compile(r"(\d{1,9})x(\d{1,9})@([^,]+)(?:,delay=([^,]+))?(,pin)?")


@dataclass(frozen=True)
class RigSpec:
    """`hosts` hosts with room for `ppn` ranks each, every link limited to `rate_kbit`.

    With `pin` everything that runs on host i stays on core i (modulo the cores there are): for
    measurements with one rank a host, where a rank must not wander onto its neighbour's core.
    Every frame is held back for `delay_us` on its way.
    """

    hosts: int
    ppn: int
    rate_kbit: int
    pin: bool = False
    delay_us: int = 0

    def __post_init__(self) -> None:
        _require(1 <= self.hosts <= MAX_HOSTS, f"a rig has 1 to {MAX_HOSTS} hosts", self.hosts)
        _require(1 <= self.ppn <= MAX_PPN, f"a rig host takes 1 to {MAX_PPN} ranks", self.ppn)
        _require(
            MIN_RATE_KBIT <= self.rate_kbit <= MAX_RATE_KBIT,
            "a rig's rate is 1mbit to 100gbit",
            format_rate(self.rate_kbit),
        )
        _require(
            0 <= self.delay_us <= MAX_DELAY_US,
            "a rig's delay is at most 1s",
            format_delay(self.delay_us),
        )

    def __str__(self) -> str:
        delay = f",delay={format_delay(self.delay_us)}" if self.delay_us else ""
        pin = ",pin" if self.pin else ""
        return f"{self.hosts}x{self.ppn}@{format_rate(self.rate_kbit)}{delay}{pin}"

    @property
    def ranks(self) -> int:
        """The most ranks a program can have on this rig."""
        return self.hosts * self.ppn

    @property
    def host_names(self) -> list[str]:
        return [f"host{index}" for index in range(self.hosts)]


def parse_rig(text: str) -> RigSpec:
    """Read HOSTSxPPN@RATE, for example "4x2@1gbit"; "2x1@200mbit,delay=1ms,pin" delays and pins."""
    match = _RIG.fullmatch(text.strip().lower())
    if match is None:
        raise InputError(
            f"rig '{text}' is not HOSTSxPPN@RATE[,delay=TIME][,pin], for example 4x2@1gbit"
        )
    hosts, ppn, rate, delay, pin = match.groups()
    delay_us = 0 if delay is None else parse_delay(delay)
    return RigSpec(int(hosts), int(ppn), parse_rate(rate), pin is not None, delay_us)


def parse_rate(text: str) -> int:
    """Read a rate such as 200mbit or 1gbit, in kbit/s."""
    match = _RATE.fullmatch(text.strip().lower())
    if match is None:
        raise InputError(f"rate '{text}' is not a number with kbit, mbit or gbit, e.g. 200mbit")
    number, unit = match.groups()
    return round(float(number) * _KBIT_PER_UNIT[unit])


def parse_delay(text: str) -> int:
    """Read a delay such as 100us or 1ms, in us."""
    match = _DELAY.fullmatch(text.strip().lower())
    if match is None:
        raise InputError(f"delay '{text}' is not a number with us, ms or s, e.g. 100us")
    number, unit = match.groups()
    return round(float(number) * _US_PER_UNIT[unit])


def format_delay(delay_us: int) -> str:
    """The shortest whole-number spelling that `parse_delay` reads back."""
    for unit in ("s", "ms"):
        if delay_us > 0 and delay_us % _US_PER_UNIT[unit] == 0:
            return f"{delay_us // _US_PER_UNIT[unit]}{unit}"
    return f"{delay_us}us"


def format_rate(rate_kbit: int) -> str:
    """The shortest whole-number spelling that `parse_rate` reads back."""
    for unit in ("gbit", "mbit"):
        if rate_kbit > 0 and rate_kbit % _KBIT_PER_UNIT[unit] == 0:
            return f"{rate_kbit // _KBIT_PER_UNIT[unit]}{unit}"
    return f"{rate_kbit}kbit"


def _require(condition: bool, rule: str, got: object) -> None:
    if not condition:
        raise InputError(f"{rule}, not {got}")
