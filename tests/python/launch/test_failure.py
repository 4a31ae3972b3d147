"""What launchers said when a rank failed, recorded from Open MPI 4.1.4 and MPICH 5.0.2."""

import pytest

from stretto.errors import ApplicationFailed
from stretto.launch.deaths import Lost
from stretto.launch.failure import cause, require_success
from stretto.launch.launcher_reports import signal_name
from stretto.launch.outcome import Outcome

OPEN_MPI_SIGNAL = """\
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 11 (Segmentation fault).
"""
OPEN_MPI_EXIT = """\
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[43313,1],2]
  Exit code:    7
"""
OPEN_MPI_ABORT = """\
MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
with errorcode 9.
"""
OPEN_MPI_ERROR = """\
[vm:00014] *** An error occurred in MPI_Bcast
[vm:00014] *** reported by process [1212678145,1]
[vm:00014] *** on communicator MPI_COMM_WORLD
[vm:00014] *** MPI_ERR_ROOT: invalid root
[vm:00014] *** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort,
"""
OPEN_MPI_NO_FINALIZE = """\
mpirun has exited due to process rank 0 with PID 0 on
node vm exiting improperly. There are three reasons this could occur:
"""
MPICH_SIGNAL = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 11720 RUNNING AT vm
=   EXIT CODE: 9
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)
"""
MPICH_KILLED = MPICH_SIGNAL.replace("Segmentation fault (signal 11)", "Killed (signal 9)")
MPICH_ERROR = """\
Abort(201999367) on node 2 (rank 2 in comm 0): Fatal error in internal_Bcast: Invalid root, error stack:
internal_Bcast(109): MPI_Bcast(buffer=0x1, count=1, MPI_INT, 7, MPI_COMM_WORLD) failed
"""  # noqa: E501
STALLS = """\
stretto: rank 0 has waited 60 s for rank 1 in bcast on 4 ranks
stretto: rank 2 has waited 60 s for ranks 0, 1 in barrier on 4 ranks
"""
MPICH_ABORT = "Abort(9) on node 1 (rank 1 in comm 0): application called MPI_Abort(comm, 9)\n"


@pytest.mark.parametrize(
    ("exit_code", "said", "words"),
    [
        (139, OPEN_MPI_SIGNAL, "rank 1 was killed by SIGSEGV (segmentation fault)"),
        (7, OPEN_MPI_EXIT, "rank 2 exited with code 7"),
        (9, OPEN_MPI_ABORT, "rank 1 called MPI_Abort with code 9"),
        (8, OPEN_MPI_ERROR, "rank 1 got MPI_ERR_ROOT in MPI_Bcast"),
        (1, OPEN_MPI_NO_FINALIZE, "rank 0 exited without MPI_Finalize"),
        (11, MPICH_SIGNAL, "a rank was killed by SIGSEGV (segmentation fault)"),
        (
            9,
            MPICH_KILLED,
            "a rank was killed by SIGKILL (killed), by its launcher if another ended",
        ),
        (9, MPICH_ABORT, "rank 1 called MPI_Abort with code 9"),
        (7, MPICH_ERROR, "rank 2 failed in MPI_Bcast: Invalid root"),
        (3, "anything", "exit code 3"),
        (137, "", "killed by SIGKILL (killed)"),
        (-9, "", "its launcher was killed by SIGKILL (killed)"),
    ],
)
def test_the_cause_is_told(exit_code: int, said: str, words: str) -> None:
    assert cause(Outcome(exit_code, 1.0, timed_out=False, last_words=said)) == words


def test_a_signal_without_a_name_keeps_its_number() -> None:
    assert signal_name(99) == "signal 99"


def test_success_is_no_failure() -> None:
    require_success("./app", Outcome(0, 1.0, timed_out=False, last_words=""), None)


def test_a_timeout_is_one_even_when_the_launcher_ends_well() -> None:
    with pytest.raises(ApplicationFailed, match=r"after 5 s \(--timeout\)"):
        require_success("./app", Outcome(0, 5.0, timed_out=True, last_words=""), 5)


def lost(exit_code: int, said: str, pid: int = 11720, *, unnoticed: bool = False) -> str:
    """The cause where rank 1 was the first to die."""
    return cause(
        Outcome(
            exit_code,
            1.0,
            timed_out=False,
            last_words=said,
            lost=Lost(1, pid, "vm"),
            unnoticed=unnoticed,
        )
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (OPEN_MPI_SIGNAL, "rank 1 was killed by SIGSEGV (segmentation fault)"),
        (MPICH_SIGNAL, "rank 1 (process 11720 on vm) was killed by SIGSEGV (segmentation fault)"),
        ("", "rank 1 (process 11720 on vm) ended without MPI_Finalize (exit code 9)"),
        (
            MPICH_ERROR,
            (
                "rank 1 (process 11720 on vm) ended without MPI_Finalize (exit code 9); "
                "then rank 2 failed in MPI_Bcast: Invalid root"
            ),
        ),
        (
            MPICH_ABORT.replace("rank 1", "rank 0"),
            (
                "rank 0 called MPI_Abort with code 9; "
                "rank 1 (process 11720 on vm) ended without MPI_Finalize (exit code 9)"
            ),
        ),
    ],
)
def test_the_rank_that_died_first_is_named(said: str, words: str) -> None:
    assert lost(9, said) == words


def test_a_process_that_the_launcher_killed_itself_is_not_the_cause() -> None:
    assert lost(9, MPICH_SIGNAL, pid=5) == "rank 1 (process 5 on vm) ended without MPI_Finalize"


def test_a_rank_that_said_it_would_abort_needs_no_word_of_its_launcher() -> None:
    outcome = Outcome(
        9, 1.0, timed_out=False, last_words=MPICH_KILLED, lost=Lost(1, 5, "vm", aborts=3)
    )
    assert cause(outcome) == "rank 1 called MPI_Abort with code 3"


def test_a_launcher_that_did_not_notice_is_told_of() -> None:
    assert lost(15, "", unnoticed=True) == (
        "rank 1 (process 11720 on vm) ended without MPI_Finalize; its launcher did not notice"
    )


def test_after_a_timeout_those_are_named_that_kept_others_waiting() -> None:
    with pytest.raises(ApplicationFailed, match=r"was killed; rank 1 kept others waiting$"):
        require_success("./app", Outcome(0, 5.0, timed_out=True, last_words=STALLS), 5)


@pytest.mark.parametrize(
    "words",
    [
        "*** An error occurred in MPI_Bcast\n*** reported by process [1,1]\n",
        "MPI_ABORT was invoked on rank 1 ",
        "process rank 1 with PID 2 ",
        "has exited due to process rank 3 ",
        "PID 1 RUNNING AT vm\n",
        "PID 1 RUNNING AT vm\nEXIT CODE: 1\n",
    ],
)
def test_a_program_that_says_half_of_a_report_many_times_is_read_soon(words: str) -> None:
    """Steps that are the cube of its length take hours."""
    said = words * (65_536 // len(words))
    assert cause(Outcome(3, 1.0, timed_out=False, last_words=said)) == "exit code 3"


def test_numbers_of_any_length_are_read() -> None:
    said = OPEN_MPI_SIGNAL.replace("signal 11", "signal " + "9" * 5000)
    assert lost(9, said).startswith("rank 1 was killed by signal 9")
    stalled = "stretto: rank 1 has waited 60 s for rank " + "9" * 5000
    with pytest.raises(ApplicationFailed, match="kept others waiting"):
        require_success("./app", Outcome(0, 5.0, timed_out=True, last_words=stalled), 5)
