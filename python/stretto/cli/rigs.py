"""Launching on a network rig instead of this host."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from stretto.launch.base import Launcher
from stretto.launch.registry import InstalledLauncher
from stretto.launch.rig import Rig, parse_rig

OnRig = Annotated[
    str | None,
    typer.Option(
        metavar="HOSTSxPPN@RATE",
        help="Launch on a network rig, for example 4x2@1gbit, or with more latency "
        "4x2@1gbit,delay=1ms (needs root).",
    ),
]


@contextmanager
def launcher_on(mpi: InstalledLauncher, rig: str | None) -> Iterator[Launcher]:
    """The launcher itself, or the same on a rig that lives as long as it is used."""
    if rig is None:
        yield mpi
        return
    with Rig(parse_rig(rig)) as hosts:
        yield hosts.launcher(mpi)
