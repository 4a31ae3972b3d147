"""A program with and without something preloaded, in turn: what the rows of bars.py are made of."""

from __future__ import annotations

import re
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from stretto import native
from stretto.launch.base import Launcher, Start
from stretto.launch.environment import ALL_RANKS
from stretto.launch.process import launch
from stretto.launch.registry import InstalledLauncher
from stretto.launch.rig import Rig, parse_rig


@dataclass(frozen=True)
class Side:
    """The same program with these variables for its ranks."""

    name: str
    env: Mapping[str, str]


@dataclass(frozen=True)
class Measured:
    """Each side's figures, in the order of the runs."""

    native: list[dict[str, float]]
    stretto: list[dict[str, float]]

    def spread(self, side: str, figure: str) -> str:
        """Median (minimum-maximum)."""
        return shown([run[figure] for run in getattr(self, side)])

    def sides(self, figure: str) -> tuple[str, str]:
        """Native and under Stretto."""
        return self.spread("native", figure), self.spread("stretto", figure)

    def speedup(self, figure: str) -> str:
        """Native over Stretto, run by run."""
        pairs = zip(self.native, self.stretto, strict=True)
        return shown([theirs[figure] / ours[figure] for theirs, ours in pairs])

    def slowdown(self, figure: str) -> str:
        """Stretto over native, run by run."""
        pairs = zip(self.native, self.stretto, strict=True)
        return shown([ours[figure] / theirs[figure] for theirs, ours in pairs])

    def added(self, figure: str) -> str:
        """What Stretto takes more than native, run by run."""
        pairs = zip(self.native, self.stretto, strict=True)
        return shown([ours[figure] - theirs[figure] for theirs, ours in pairs])


def shown(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def figures(output: str) -> dict[str, float]:
    """The `name value` lines a program printed, and `name value s`."""
    return {
        name: float(value) for name, value in re.findall(r"(?m)^(\w+) ([\d.]+)(?: s)?$", output)
    }


def run_once(
    launcher: Launcher,
    ranks: int,
    argv: list[str],
    env: Mapping[str, str],
    timeout_s: float = 300,
) -> str:
    with tempfile.TemporaryFile() as out:
        command = launcher.command(Start(ranks, argv, env))
        outcome = launch(command, timeout_s=timeout_s, stdout=out, stderr=out)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if not outcome.ok:
        raise SystemExit(f"bars: {' '.join(argv)} failed:\n{text}")
    return text


def measure(
    launcher: Launcher,
    ranks: int,
    argv: list[str],
    runs: int,
    mode: str = "accelerate",
    env: Mapping[str, str] | None = None,
    both: Mapping[str, str] | None = None,
) -> Measured:
    """Both sides in turn, which goes first changing each time; `mode` is what is preloaded.

    `env` is for the ranks under Stretto, `both` for those of either side.
    """
    drop_in = str(native.drop_in(launcher.abi, mode))
    preload = {"LD_PRELOAD": drop_in, ALL_RANKS: "trust", **(env or {})}
    sides = [Side("native", both or {}), Side("stretto", {**(both or {}), **preload})]
    taken = Measured([], [])
    for run in range(runs):
        for side in sides if run % 2 == 0 else sides[::-1]:
            getattr(taken, side.name).append(figures(run_once(launcher, ranks, argv, side.env)))
    return taken


def test_program(mpi: InstalledLauncher, name: str) -> str:
    """A program of tests/mpi."""
    return str(native.native_dir() / "tests" / mpi.abi / name)


@contextmanager
def on_rig(mpi: InstalledLauncher, spec: str) -> Iterator[Launcher]:
    with Rig(parse_rig(spec)) as rig:
        yield rig.launcher(mpi)
