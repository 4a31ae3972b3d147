"""What the run folder of whatif, replay, calibrate or simulate says of its run: answer.json.

What was measured or simulated lies beside it: of whatif a folder of each run (virtual_times), of
replay replay.jsonl (replays), or of several traces traces.json (trace_sections), of calibrate
calibration.json, of simulate simulated.json.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from stretto.data.calibration import Calibration
from stretto.data.json_bytes import indented
from stretto.data.places import Lines, Place, lines_of
from stretto.data.provenance import Provenance
from stretto.data.replays import Replay, read_replay, written_replay
from stretto.data.schedules import Simulated
from stretto.data.virtual_times import NO_COMMUNICATION, SIM, ZERO, RankTimes, read_times
from stretto.data.whole_file import write_whole
from stretto.errors import ApplicationFailed, EnvironmentUnusable, reason

_RECORD = "answer.json"
_REPLAY = "replay.jsonl"
_CALIBRATION = "calibration.json"
_SIMULATED = "simulated.json"

Verb = Literal["whatif", "replay", "calibrate", "simulate"]
T = TypeVar("T")


class AnswerRecord(msgspec.Struct, frozen=True):
    """What was asked; its places are those of the program as it was then."""

    verb: Verb
    name: str
    ranks: int
    runs: int  # real and virtual ones, of whatif
    notes: list[str]  # what was assumed, left out or to be doubted
    provenance: Provenance
    places: list[Place] = []

    @property
    def lines(self) -> Lines:
        """By address."""
        return lines_of(self.places)


def is_answer(folder: Path) -> bool:
    """Is it the run folder of one of those verbs that came to its end?"""
    return (folder / _RECORD).exists()


def write_answer(record: AnswerRecord, folder: Path) -> None:
    """Store it in the run folder, last of all. Raises EnvironmentUnusable where that cannot be."""
    write_whole(folder / _RECORD, indented(record))


def read_answer(folder: Path) -> AnswerRecord:
    """Read it back. Raises EnvironmentUnusable where it is damaged, as all below do."""
    return _read(folder / _RECORD, lambda text: msgspec.json.decode(text, type=AnswerRecord))


def whatif_times(
    folder: Path, record: AnswerRecord
) -> tuple[list[list[RankTimes]], list[list[RankTimes]]]:
    """All ranks' times of the real and of the virtual runs."""
    try:
        normal, virtual = (
            [read_times(folder / f"{kind}-{run}", record.ranks) for run in range(record.runs)]
            for kind in ("normal", "virtual")
        )
    except ApplicationFailed:
        raise EnvironmentUnusable(
            f"{folder} is damaged: not all ranks' times of its {record.runs} runs can be read"
        ) from None
    for ranks in virtual:
        _refuse_unlike(ranks, folder)
    if not virtual or not all(normal):
        raise EnvironmentUnusable(f"{folder} is damaged: it has no times of any rank")
    return normal, virtual


def store_replay(replay: Replay, folder: Path) -> None:
    """What `replay_of` reads."""
    write_whole(folder / _REPLAY, written_replay(replay))


def replay_of(folder: Path, record: AnswerRecord) -> Replay:
    """What was replayed."""
    replay = _read(folder / _REPLAY, read_replay)
    if len(replay.ranks) != record.ranks:
        raise EnvironmentUnusable(f"{folder / _REPLAY} is damaged: it has not all ranks")
    _refuse_unlike(replay.ranks, folder / _REPLAY)
    return replay


def store_calibration(calibration: Calibration, folder: Path) -> None:
    """What `calibration_of` reads."""
    write_whole(folder / _CALIBRATION, msgspec.json.encode(calibration))


def calibration_of(folder: Path) -> Calibration:
    """What was measured."""
    found = _read(folder / _CALIBRATION, lambda text: msgspec.json.decode(text, type=Calibration))
    if not found.work or not all(level.messages for level in found.levels):
        raise EnvironmentUnusable(f"{folder / _CALIBRATION} is damaged: it has no times")
    return found


def store_simulated(simulated: Sequence[Simulated], folder: Path) -> None:
    """What `simulated_in` reads."""
    write_whole(folder / _SIMULATED, msgspec.json.encode(simulated))


def simulated_in(folder: Path) -> list[Simulated]:
    """What was simulated: of each algorithm its points together, of few ranks first."""
    return _read(folder / _SIMULATED, lambda text: msgspec.json.decode(text, type=list[Simulated]))


def _read(path: Path, decoded: Callable[[bytes], T]) -> T:
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise EnvironmentUnusable(f"{path} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise EnvironmentUnusable(f"{path} is damaged: {error}") from None


def _refuse_unlike(ranks: Sequence[RankTimes], where: Path) -> None:
    """Ranks of one run have clocks of the same scenarios, among them those that all runs have."""
    names = [[clock.scenario for clock in rank.clocks] for rank in ranks]
    is_whole = all(each == names[0] for each in names) if names else False
    if not is_whole or not {SIM, ZERO, NO_COMMUNICATION} <= set(names[0]):
        raise EnvironmentUnusable(f"{where} is damaged: its ranks have not the same scenarios")
    ends = [clock.end_ns for rank in ranks for clock in rank.clocks if clock.scenario == SIM]
    if max(ends) <= 0:
        raise EnvironmentUnusable(f"{where} is damaged: its ranks took no time")
