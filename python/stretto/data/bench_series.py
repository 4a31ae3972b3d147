"""The folder of a command that makes several runs of `stretto bench` in it, one after the other.

series.json says what was asked for, by which the same command finds the folder again after a kill;
runs in it that are complete are not made again. What the command found in the end is in a file of
its name, cliffs.json, and says that the folder is complete.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from stretto.data.bench_claims import claimed, newest_resumed
from stretto.data.bench_folder import BenchFolder, LaunchedBy, is_bench
from stretto.data.json_bytes import indented
from stretto.data.provenance import changes
from stretto.data.run_claim import Claim
from stretto.data.whole_file import write_whole
from stretto.errors import InputError, naming, reason

_RECORD = "series.json"
_Answers = TypeVar("_Answers")


class SeriesRecord(msgspec.Struct, frozen=True):
    """series.json."""

    verb: str  # cliffs or calls
    asked: dict[str, Any]  # its plan and whatever else decides what is measured
    by: LaunchedBy
    rig: str | None = None
    variables: dict[str, str] = {}  # of the environment, that steer MPIs
    mpi: str = ""  # what the library says of itself; empty where it is not known

    def unlike(self, now: "SeriesRecord") -> list[str]:
        """What is not as it was, each in a few words; empty where both measure the same."""
        plain = ("verb", "asked", "rig", "by")
        was, is_now = ({name: getattr(it, name) for name in plain} for it in (self, now))
        found = [*changes(msgspec.to_builtins(was), msgspec.to_builtins(is_now))]
        found += changes(self.variables, now.variables)
        if self.mpi and now.mpi and self.mpi != now.mpi:
            found.append(f"the MPI was {self.mpi}, now {now.mpi}")
        return found


@dataclass(frozen=True)
class BenchSeries:
    """One on disk, which this process makes."""

    path: Path
    record: SeriesRecord
    claim: Claim

    @property
    def has_runs(self) -> bool:
        """Something was measured, or begun to be."""
        return _has_runs(self.path)

    def finish(self, answers: object) -> None:
        """Keep what was found: nothing is left to be measured."""
        with naming(self.path):
            write_whole(_answers(self.path, self.record), indented(msgspec.to_builtins(answers)))


def begin_series(path: Path, record: SeriesRecord) -> BenchSeries:
    """Make a new one in an empty folder. Raises where it cannot be written."""
    series = BenchSeries(path, record, claimed(path))
    with naming(path):
        write_whole(path / _RECORD, indented(record))
    return series


def resume_series(path: Path, record: SeriesRecord) -> BenchSeries | None:
    """The one at `path`, ready to go on; None where there is none.

    Raises InputError where it is complete, something else was asked, or another process makes it.
    """
    if not is_series(path):
        return None
    found = series_record(path)
    unlike = found.unlike(record)
    if unlike and not _has_runs(path):
        return begin_series(path, record)  # of a command that was refused before it began
    if unlike:
        raise InputError(
            f"{path} is of another stretto bench {found.verb}: {'; '.join(unlike)}; name another "
            "--output"
        )
    if _answers(path, record).exists():
        raise InputError(f"{path} holds what is complete; name another --output")
    return BenchSeries(path, record, claimed(path))


def resume_newest_series(parent: Path, record: SeriesRecord) -> BenchSeries | None:
    """The newest of those in `parent` that can be gone on with."""
    return newest_resumed(parent, record.verb, lambda path: resume_series(path, record))


def is_series(path: Path) -> bool:
    """Is it the folder of a command that makes several runs in it?"""
    return (path / _RECORD).exists()


def series_record(path: Path) -> SeriesRecord:
    """What was asked for. Raises InputError where it cannot be read."""
    return _read(path / _RECORD, SeriesRecord)


def series_answers(path: Path, record: SeriesRecord, kind: type[_Answers]) -> _Answers:
    """What the command found in the end. Raises InputError where it did not come to its end."""
    file = _answers(path, record)
    if not file.exists():
        raise InputError(
            f"{path} is not finished: run the same stretto bench {record.verb} again to resume it"
        )
    return _read(file, kind)


def series_runs(path: Path) -> list[BenchFolder]:
    """The runs in it, in the order in which they were begun. Raises InputError."""
    runs = [BenchFolder(each) for each in sorted(path.iterdir()) if is_bench(each)]
    return sorted(runs, key=lambda run: run.record().provenance.started_at)


def _read(file: Path, kind: type[_Answers]) -> _Answers:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}") from None


def _has_runs(path: Path) -> bool:
    return any(path.glob("*/bench.json"))


def _answers(path: Path, record: SeriesRecord) -> Path:
    return path / f"{record.verb}.json"
