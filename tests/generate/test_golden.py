"""What the generator writes for some functions of each kind, as each mode has it.

golden/<mode>.cpp holds what the mode does with each of these calls, golden/entry.cpp how a call
gets there. To renew them after a change that is meant:

    PYTHONPATH=src .venv/bin/python tests/generate/test_golden.py && make format
"""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from generate.entry import Wrapper, entries
from generate.table import KINDS

GOLDEN = Path(__file__).parent / "golden"
MODES = ("accelerate", "profile", "whatif")
CHOSEN = (  # noqa: SIM905
    "Init_thread Finalize Query_thread Bcast Ibcast Bcast_init Neighbor_allgather "
    "Send Irecv Sendrecv Send_init_c Startall Iprobe Waitsome Request_free Buffer_detach "
    "Comm_dup Comm_idup Comm_free Comm_spawn Win_create Win_fence Win_post Put "
    "File_open File_read_all Type_free Op_free"
).split()
# whatif begins and ends a session as profile does.
SHOWN_BY_PROFILE = ("Init_thread", "Finalize")
# A call that every MPI has, one that may go straight to it, and one that may be missing.
ENTERED = (("accelerate", "Bcast"), ("accelerate", "Waitsome"), ("whatif", "Bcast_init"))
FILES = (*(f"{mode}.cpp" for mode in MODES), "entry.cpp")


def made(mode: str) -> dict[str, Wrapper]:
    """What a mode makes of the functions that it takes, by their names without MPI_."""
    wrap: Callable = import_module(f"intercept.{mode}.wrappers").wrap
    return {entry.function.name: entry for entry in entries(wrap)}


def text_of(file: str) -> str:
    """What belongs into a golden file, but for its format."""
    if file == "entry.cpp":
        parts = [made(mode)[name].enter + made(mode)[name].extension for mode, name in ENTERED]
    else:
        taken = made(file.removesuffix(".cpp"))
        left_out = SHOWN_BY_PROFILE if file == "whatif.cpp" else ()
        parts = [taken[name].wrap for name in CHOSEN if name in taken and name not in left_out]
    return "// Written by tests/generate/test_golden.py.\n\n" + "\n".join(parts)


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


@pytest.mark.parametrize("file", FILES)
def test_what_is_generated_is_as_it_was(file: str) -> None:
    golden = (GOLDEN / file).read_text(encoding="utf-8")
    assert tokens(text_of(file)) == tokens(golden), "to renew it see the top of this file"


def test_functions_of_every_kind_are_shown() -> None:
    of_modes = [made(mode) for mode in MODES]
    shown = {taken[name].function.kind for taken in of_modes for name in CHOSEN if name in taken}
    assert shown == set(KINDS)


def test_collectives_may_go_straight_to_the_mpi() -> None:
    for entry in made("accelerate").values():
        collective = entry.function.is_collective
        may = collective and entry.function.form != "persistent" and not entry.function.is_large
        assert entry.direct.startswith("goes_straight(") == may, entry.function.name
        assert entry.direct_inside == collective


if __name__ == "__main__":
    for each in FILES:
        (GOLDEN / each).write_text(text_of(each), encoding="utf-8")
