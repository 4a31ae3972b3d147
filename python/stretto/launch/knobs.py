"""The settings Stretto reads, their values and where those came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stretto.data.contests import NATIVE
from stretto.launch.deaths import NOTICES, NOTICES_S
from stretto.launch.environment import (
    ALL_RANKS,
    CALIBRATION,
    CALIBRATION_TIME,
    COUNTERS,
    DEPTH,
    EVERY,
    LEARN,
    LEARN_FILE,
    PROFILE,
    PROGRESS,
    RECORD,
    RULES,
    SCENARIOS,
    SELECTED,
    SELECTION,
    SHOWN,
    SYSFS,
    TRACED,
    TUNING,
    VERBOSE,
    WHATIF,
)
from stretto.launch.lifelines import VARIABLE as LIFELINE


@dataclass(frozen=True)
class Knob:
    """One environment variable."""

    name: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Setting:
    """A knob as it stands now."""

    knob: Knob
    value: str
    source: str  # "environment" or "default"; a verb's flag overrides both


_KNOBS = (
    Knob(VERBOSE, "off", "print what was handled and what passed, at MPI_Finalize (--verbose)"),
    Knob(COUNTERS, "none", "folder each rank writes its counters to"),
    Knob(PROFILE, "none", "folder each rank writes its profile to"),
    Knob(DEPTH, "1", "how many places of the stack tell call sites apart"),
    Knob(TRACED, "0", "of how many of its last calls each rank writes a trace"),
    Knob(EVERY, "0", "in which rhythm, in seconds, each rank writes a snapshot of its profile"),
    Knob(CALIBRATION, "none", "file that calibrate's measurements are written to"),
    Knob(
        CALIBRATION_TIME,
        "100",
        "percentage of the usual time for which calibrate repeats what it measures",
    ),
    Knob(WHATIF, "none", "folder each rank writes its virtual times to"),
    Knob(SCENARIOS, "none", "file that says which virtual times"),
    Knob(SHOWN, "0", "the scenario whose time the program itself sees"),
    Knob(RECORD, "none", "folder each rank writes its part of a trace to (--record)"),
    Knob(RULES, "none", "rules that stretto tune has measured, as text (--rules)"),
    Knob(TUNING, "none", "folder with what tune is to measure, and for what it measures"),
    Knob(
        ALL_RANKS,
        "ask",
        "trust: all ranks run Stretto, where `stretto run` is not there to ask",
    ),
    Knob(
        "STRETTO_PROGRESS_THREAD",
        "automatic",
        "progress pending operations while the program computes",
    ),
    Knob(
        "STRETTO_SHARED_MEMORY",
        "on",
        "ranks of a host share memory for collectives (on, off; the same on all ranks)",
    ),
    Knob(
        "STRETTO_STALL_SECONDS",
        "60",
        "a rank whose wait gets no message for so long says whom it waits for (0: never)",
    ),
    Knob(
        NOTICES,
        str(NOTICES_S),
        "seconds after a rank's death until the job is ended that waits for it (0: never)",
    ),
    Knob(
        PROGRESS,
        "off",
        "progress long MPI_Isend and MPI_Irecv between hosts, too (--progress)",
    ),
    Knob(
        SELECTED,
        "automatic",
        "stretto: leave no collective to the MPI because that is expected to be faster",
    ),
    Knob(
        LEARN,
        "on",
        "find out while running what runs blocking calls fastest (on, off, all: any reductions)",
    ),
    Knob(LEARN_FILE, "none", "file that keeps what was learned from one run to the next"),
    Knob(
        "STRETTO_DEVICE_BUFFERS",
        "auto",
        "may MPI be given buffers in a GPU's memory (on, off, auto; the same on all ranks)",
    ),
    Knob("STRETTO_PLANS_MIB", "64", "memory for the schedules a rank keeps, in MiB"),
    Knob("STRETTO_TAG_BITS", "the MPI's", "tag bits that Stretto's messages use, 13 or more"),
    Knob(SYSFS, "/sys", "tree that shows calibrate and whatif which cores share a cache"),
    Knob(LIFELINE, "none", "socket each rank keeps a connection to (stretto run sets it)"),
    Knob("STRETTO_NATIVE_DIR", "found", "folder that holds Stretto's lib/ and bin/"),
)


def settings(
    algorithms: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> list[Setting]:
    """Every knob, those that choose an algorithm included."""
    choices = (
        Knob(
            f"{SELECTION}{name.upper()}",
            "automatic",
            f"{', '.join([*names, NATIVE])} (--algorithm {name}=NAME)",
        )
        for name, names in algorithms.items()
    )
    return [_setting(knob, environment) for knob in (*_KNOBS, *choices)]


def unknown_settings(known: Iterable[Setting], environment: Mapping[str, str]) -> list[str]:
    """STRETTO_ variables nothing reads: most likely misspelt."""
    names = {setting.knob.name for setting in known}
    return sorted(key for key in environment if key.startswith("STRETTO_") and key not in names)


def _setting(knob: Knob, environment: Mapping[str, str]) -> Setting:
    # An empty variable counts as unset, as in the library.
    if value := environment.get(knob.name):
        return Setting(knob, value, "environment")
    return Setting(knob, knob.default, "default")
