"""What went wrong with a launched program, in one line."""

import signal
from collections.abc import Sequence

from stretto.errors import ApplicationFailed
from stretto.launch.deaths import Lost
from stretto.launch.launcher_reports import (
    RankFailure,
    aborted,
    process_failures,
    rank_failures,
    signal_name,
)
from stretto.launch.outcome import Outcome
from stretto.launch.slurm_reports import is_unconnected, refusal, stopped, task_failures
from stretto.launch.stalls import stalls


def require_success(program: str, outcome: Outcome, timeout_s: float | None) -> None:
    """Raise unless the launched program ended by itself and well."""
    if outcome.timed_out:
        raise ApplicationFailed(
            f"{program} was still running after {timeout_s:g} s (--timeout) and was killed"
            f"{_suspects(outcome.last_words)}{_unwritten(outcome)}"
        )
    if not outcome.ok:
        raise ApplicationFailed(f"{program} failed: {cause(outcome)}{_unwritten(outcome)}")


def _unwritten(outcome: Outcome) -> str:
    """That its output, where one would look for more, is not whole."""
    why = outcome.unwritten
    return f"; a part of its output could not be written: {why}" if why else ""


def cause(outcome: Outcome) -> str:
    """Which rank ended how, as far as the launcher says."""
    if outcome.unnoticed and outcome.lost is not None:
        return _cause_unnoticed(outcome, outcome.lost)
    if outcome.running and outcome.exit_code == 0 and outcome.lost is None:
        return f"its launcher ended while {_ranks(outcome.running)} still ran; they were ended"
    failures = rank_failures(outcome.last_words)
    if by_slurm := _cause_by_slurm(outcome, failures):
        return by_slurm
    if not any(each.aborts for each in failures):  # srun ends the others for that
        failures += task_failures(outcome.last_words)
    if outcome.lost is not None:
        return _cause_of_loss(outcome, outcome.lost, failures)
    if failures:
        return str(failures[0])
    code = outcome.exit_code
    killed_by = next((each.signal for each in process_failures(outcome.last_words)), None)
    if killed_by is not None:
        by_it = ", by its launcher if another ended" if killed_by == signal.SIGKILL else ""
        return f"a rank was killed by {signal_name(killed_by)}{by_it}"
    if code < 0:
        return f"its launcher was killed by {signal_name(-code)}"
    if code > 128 and code - 128 in set(signal.Signals):
        return f"killed by {signal_name(code - 128)}"
    refused = refusal(outcome.last_words)
    return f"exit code {code}{f' (srun: {refused})' if refused else ''}"


def _cause_unnoticed(outcome: Outcome, lost: Lost) -> str:
    """Of a rank for which the launcher has not ended the others."""
    own = [each for each in task_failures(outcome.last_words) if each.rank == lost.rank]
    if own:  # it noticed, and would have let them wait
        who = f"rank {lost.rank} (process {lost.pid} on {lost.host})"
        return f"{who} {own[0].how}; srun did not end the others (its --kill-on-bad-exit does)"
    return f"{_how_lost(outcome, lost)}; its launcher did not notice"


def _cause_by_slurm(outcome: Outcome, failures: Sequence[RankFailure]) -> str | None:
    """What ended it that no rank did."""
    if any(each.aborts for each in failures) or (outcome.lost and outcome.lost.aborts is not None):
        return None
    if is_unconnected(outcome.last_words):
        return (
            "srun did not connect the ranks in the way that their MPI needs: name one with "
            '--launcher-args "--mpi=pmix" or pmi2 (srun --mpi=list shows them)'
        )
    return stopped(outcome.last_words)


def _cause_of_loss(outcome: Outcome, lost: Lost, failures: Sequence[RankFailure]) -> str:
    """What is known of the rank that died first."""
    if own := next((failure for failure in failures if failure.rank == lost.rank), None):
        return str(own)
    if lost.aborts is not None:
        return str(aborted(lost.rank, lost.aborts))
    # A rank that calls MPI_Abort may see others ended before itself.
    if failures and failures[0].aborts:
        return f"{failures[0]}; {_how_lost(outcome, lost)}"
    # What others said else may be how they took its end.
    return "; then ".join([_how_lost(outcome, lost), *map(str, failures[:1])])


def _ranks(numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:8]))}{more}"


def _suspects(last_words: str) -> str:
    """Whom others said they waited for, while they said nothing."""
    waiting = stalls(last_words)
    awaited = {peer for stall in waiting for peer in stall.peers}
    if not (silent := awaited - {stall.rank for stall in waiting}):
        return ""
    names = f"{'ranks' if len(silent) > 1 else 'rank'} {', '.join(map(str, sorted(silent)))}"
    return f"; {names} kept others waiting"


def _how_lost(outcome: Outcome, lost: Lost) -> str:
    """Which rank ended before its MPI_Finalize, and how where that is certain."""
    who = f"rank {lost.rank} (process {lost.pid} on {lost.host})"
    by_hydra = list(process_failures(outcome.last_words))
    if own := next((e for e in by_hydra if (e.pid, e.host) == (lost.pid, lost.host)), None):
        killed = f"was killed by {signal_name(own.signal)}" if own.signal is not None else None
        return f"{who} {killed or f'exited with code {own.exit_code}'}"
    # The exit code of a launch that we ended is of our making, and that of a process that
    # its launcher ended is of the launcher's.
    is_its_own = 0 < outcome.exit_code < 128 and not outcome.unnoticed and not by_hydra
    code = f" (exit code {outcome.exit_code})" if is_its_own else ""
    return f"{who} ended without MPI_Finalize{code}"
