"""What ranks print that wait for long, as src/engine/stall.cpp prints it."""

from stretto.launch.stalls import Stall, stalls

PRINTED = """\
stretto: rank 0 has waited 60 s for rank 1 in bcast on 4 ranks
a line of the program's
stretto: rank 2 has waited 120 s for ranks 0, 1 and others in barrier on 4 ranks
"""


def test_each_line_is_one_rank_and_whom_it_waits_for() -> None:
    assert stalls(PRINTED) == [Stall(0, (1,)), Stall(2, (0, 1))]


def test_what_a_program_prints_of_waiting_is_none() -> None:
    assert stalls("rank 0 has waited 60 s for rank 1\n") == []
