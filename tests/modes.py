"""What the ranks of a program need to run under each mode, where a test launches them itself."""

from pathlib import Path

from mpi_runs import Mpi

from stretto import native
from stretto.launch.environment import COUNTERS, PROFILE, SCENARIOS, WHATIF
from stretto.model.machine import read_machine
from stretto.model.scenarios import usual_scenarios

MODES = ["accelerate", "profile", "whatif"]


def environment(mpi: Mpi, mode: str, folder: Path) -> dict[str, str]:
    """What each writes about its ranks goes to `folder`, as rank-N.json."""
    preload = {"LD_PRELOAD": str(native.drop_in(mpi.abi, mode))}
    if mode == "accelerate":
        return {**preload, COUNTERS: str(folder)}
    if mode == "profile":
        return {**preload, PROFILE: str(folder)}
    if mode == "calibrate":
        return preload
    file = folder / "scenarios.txt"
    usual = usual_scenarios(read_machine("ethernet-10g"), ["allreduce", "bcast"])
    file.write_text("".join(each.for_the_library() for each in usual))
    return {**preload, WHATIF: str(folder), SCENARIOS: str(file)}
