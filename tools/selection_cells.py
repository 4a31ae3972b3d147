"""Sets what selection chooses beside the best algorithm there is and beside the MPIs' classic.

Every collective, 4 B to 16 MiB, 2 ranks to a million (powers of two and their neighbours, or full
hosts), 1, 16 and 64 ranks a host (or others), on each machine that comes with Stretto. Where the
schedules have few enough steps all that are estimated at twice the best or less are simulated;
elsewhere times are those that selection itself goes by, so those cells show only that the classic
is not passed over, and how far the estimate was off where both are known says what they are worth.
Prints the worst cells; exit code 3 where a bar is violated.

Example: .venv/bin/python tools/selection_cells.py --collective allreduce --most-ranks 1024
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from stretto import native
from stretto.errors import InputError
from stretto.launch.cores import usable_cores
from stretto.model.machine import presets, read_machine

BAR = 1.25
# What sending what hosts share over their links once is to gain, where many ranks share one.
MANY_ON_A_HOST = 16
SHORT_BYTES = 64 << 10
SHORT_GAIN = 2.0
NEAR_BEST = 1.1
RANKS_A_HOST = (1, 16, 64)
VIOLATED = 3


@dataclass(frozen=True)
class Cell:
    """One collective of one size on one machine; the times are what `stretto-schedule` prints."""

    machine: str
    facts: dict[str, Any]

    @property
    def collective(self) -> str:
        return str(self.facts["collective"]) + ("v" if self.facts["uneven"] else "")

    @property
    def to_best(self) -> float:
        return self._ratio("best")

    @property
    def to_classic(self) -> float:
        return self._ratio("classic")

    @property
    def estimate_error(self) -> float:
        return float(self.facts["estimate_ns"] / max(self.facts["chosen"]["ns"], 1e-9))

    @property
    def is_short_on_full_hosts(self) -> bool:
        """Blocks of one size, no longer than SHORT_BYTES, between hosts of many ranks each."""
        facts = self.facts
        many = facts["hosts"] > 1 and facts["ranks"] >= MANY_ON_A_HOST * facts["hosts"]
        return bool(many and facts["bytes"] <= SHORT_BYTES and not facts["uneven"])

    def words(self) -> str:
        facts = self.facts
        how = "simulated" if facts["simulated"] else "estimated"
        return (
            f"{self.collective} {facts['bytes']} B, {facts['ranks']} ranks, {self.machine}, {how}: "
            f"{_option(facts['chosen'])}, best {_option(facts['best'])} ({self.to_best:.2f}), "
            f"classic {_option(facts['classic'])} ({self.to_classic:.2f})"
        )

    def _ratio(self, other: str) -> float:
        return float(self.facts["chosen"]["ns"] / max(self.facts[other]["ns"], 1e-9))


def _option(choice: dict[str, Any]) -> str:
    words = str(choice["algorithm"])
    if choice["segment"]:
        words += f"/{choice['segment']}"
    if choice["radix"] > 2:
        words += f" k={choice['radix']}"
    return f"{words} {choice['ns'] / 1e3:.1f} us"


def machines(only: str | None, ranks_a_host: Collection[int]) -> Iterator[tuple[str, str]]:
    """Names and what the tool reads."""
    for preset in [only] if only else presets():
        machine = read_machine(preset)
        if not any(level.name == "host" for level in machine.level[:-1]):
            yield preset, machine.for_the_tool()
            continue
        for ranks in ranks_a_host:
            yield f"{preset} x {ranks}", machine.with_ranks_per_host(ranks).for_the_tool()


def cells_of(name: str, text: str, options: list[str]) -> list[Cell]:
    with tempfile.NamedTemporaryFile("w", suffix=".machine") as file:
        file.write(text)
        file.flush()
        command = [str(native.schedule_tool()), "cells", *options, "--machine", file.name]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Cell(name, json.loads(line)) for line in ran.stdout.splitlines()]


def show(cells: list[Cell], worst: int) -> bool:
    """Whether no bar is violated."""
    by_collective: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        by_collective[cell.collective].append(cell)
    kinds = Counter(bool(cell.facts["simulated"]) for cell in cells)
    print(f"{len(cells)} cells: {kinds[True]} simulated, {kinds[False]} estimated")
    print(f"{'':16}{'cells':>7}{'over':>6}{'worst / best':>14}{'worst / classic':>17}   estimate")
    kept = True
    for name, own in by_collective.items():
        over = [each for each in own if max(each.to_best, each.to_classic) > BAR]
        errors = sorted(each.estimate_error for each in own if each.facts["simulated"]) or [1.0]
        print(
            f"{name:16}{len(own):7}{len(over):6}{max(each.to_best for each in own):14.2f}"
            f"{max(each.to_classic for each in own):17.2f}   {errors[0]:.2f} to {errors[-1]:.2f} "
            f"of the simulation, median {errors[len(errors) // 2]:.2f}"
        )
        kept = kept and not over
    for own in by_collective.values():
        for cell in sorted(own, key=lambda each: -max(each.to_best, each.to_classic))[:worst]:
            print(cell.words())
    return kept


def show_short(cells: list[Cell]) -> None:
    """How much is gained where hosts have many ranks, and how near the best that is."""
    by_collective: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.is_short_on_full_hosts:
            by_collective[cell.collective].append(cell)
    if not by_collective:
        return
    print(
        f"hosts of {MANY_ON_A_HOST} ranks or more, up to {SHORT_BYTES >> 10} KiB: cells, how many "
        f"times it takes 1/{SHORT_GAIN:g} of the classic's time, and up to {NEAR_BEST:g} of the "
        "best's"
    )
    for name, own in by_collective.items():
        gains = sorted(1 / max(each.to_classic, 1e-9) for each in own)
        fast = sum(gain >= SHORT_GAIN for gain in gains)
        near = sum(each.to_best <= NEAR_BEST for each in own)
        print(
            f"{name:16}{len(own):7}{fast:6}{near:7}   gain {gains[0]:.2f} to {gains[-1]:.1f}, "
            f"median {gains[len(gains) // 2]:.2f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collective", help="this one only")
    parser.add_argument("--machine", help="a preset or a TOML file, instead of all presets")
    parser.add_argument(
        "--ranks-a-host", type=int, action="append", help="repeatable, default 1, 16 and 64"
    )
    parser.add_argument("--full-hosts", action="store_true", help="2, 3, 5 and 8 of them only")
    parser.add_argument("--most-ranks", type=int, default=1 << 20)
    parser.add_argument("--most-steps", type=int, default=3_000, help="of a simulation")
    parser.add_argument("--growth", type=int, default=4, help="from one size to the next")
    parser.add_argument("--worst", type=int, default=2, help="cells to print of each collective")
    chosen = parser.parse_args()
    options = [chosen.collective] if chosen.collective else []
    for name in ("most_ranks", "most_steps", "growth"):
        options += [f"--{name.replace('_', '-')}", str(getattr(chosen, name))]
    if chosen.full_hosts:
        options.append("--full-hosts")
    hosts = chosen.ranks_a_host or RANKS_A_HOST
    with ThreadPoolExecutor(usable_cores()) as pool:
        asked = [pool.submit(cells_of, *each, options) for each in machines(chosen.machine, hosts)]
        cells = [cell for each in asked for cell in each.result()]
    kept = show(cells, chosen.worst)
    show_short(cells)
    return 0 if kept else VIOLATED


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"selection_cells: {error}", file=sys.stderr)
        sys.exit(2)
    except subprocess.CalledProcessError as error:
        print(error.stderr.strip(), file=sys.stderr)
        sys.exit(error.returncode)
