"""What the ranks of a program need in their environment to run under Stretto."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from stretto.data.contests import NATIVE
from stretto.errors import InputError
from stretto.launch.sanitizer import OPTIONS, without_check

PRELOAD = "LD_PRELOAD"
VERBOSE = "STRETTO_VERBOSE"
COUNTERS = "STRETTO_RUN_COUNTERS"
PROFILE = "STRETTO_PROFILE_FOLDER"
TRACED = "STRETTO_PROFILE_TRACE"
DEPTH = "STRETTO_PROFILE_DEPTH"
EVERY = "STRETTO_PROFILE_EVERY"
CALIBRATION = "STRETTO_CALIBRATE_FILE"
CALIBRATION_TIME = "STRETTO_CALIBRATE_PERCENT"
WHATIF = "STRETTO_WHATIF_FOLDER"
SCENARIOS = "STRETTO_WHATIF_SCENARIOS"
SHOWN = "STRETTO_WHATIF_SHOWN"
RECORD = "STRETTO_WHATIF_RECORD"
SYSFS = "STRETTO_TOPOLOGY_SYSFS"
SELECTED = "STRETTO_SELECTION"
LEARN = "STRETTO_LEARN"
LEARN_FILE = "STRETTO_LEARN_FILE"
SELECTION = "STRETTO_SELECTION_"
PROGRESS = "STRETTO_PROGRESS_MESSAGES"
RULES = "STRETTO_RULES"
TUNING = "STRETTO_TUNE_FOLDER"
ALL_RANKS = "STRETTO_RUN_ALL_RANKS"


def rank_environment(
    drop_in: Path,
    selection: Mapping[str, str],
    *,
    verbose: bool,
    progress: bool = False,
    rules: str = "",
    asan: bool = False,
) -> dict[str, str]:
    """The variables to hand to the ranks, and to them only.

    Stretto comes last: what else is preloaded, another tool say, is called by the program as
    without it (docs/tools.md). `asan`: the program is built with AddressSanitizer.
    """
    return {
        ALL_RANKS: "trust",  # for who has no lifeline to ask by
        PRELOAD: ":".join(word for word in (os.environ.get(PRELOAD), str(drop_in)) if word),
        **(without_check(os.environ.get(OPTIONS, "")) if asan else {}),
        **{f"{SELECTION}{name.upper()}": algorithm for name, algorithm in selection.items()},
        **({VERBOSE: "1"} if verbose else {}),
        **({PROGRESS: "on"} if progress else {}),
        **({RULES: rules} if rules else {}),
    }


def parse_selection(choices: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Read COLLECTIVE=NAME choices; `known` lists each collective's algorithms."""
    return dict(_parse_choice(choice, known) for choice in choices)


def selections_in_turn(known: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Selections for as many runs as it takes to force each algorithm of each collective once."""
    rounds = max(map(len, known.values()))
    return [
        {collective: names[turn % len(names)] for collective, names in known.items()}
        for turn in range(rounds)
    ]


def _parse_choice(choice: str, known: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    collective, equals, algorithm = choice.partition("=")
    if not equals:
        raise InputError(f"--algorithm {choice} is not COLLECTIVE=NAME, for example allreduce=ring")
    if collective not in known:
        raise InputError(
            f"--algorithm {choice}: no collective {collective}; there are {', '.join(known)}"
        )
    names = [*known[collective], NATIVE]
    if algorithm not in names:
        raise InputError(
            f"--algorithm {choice}: {collective} has no algorithm {algorithm}; "
            f"it has {', '.join(names)}"
        )
    return collective, algorithm
