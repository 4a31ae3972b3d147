"""The folder of a command that makes several runs of `stretto bench` in it, one after the other.

series.json says what was asked for, by which the same command finds the folder again after a kill;
runs in it that are complete are not made again. What the command found in the end is in a file of
its name, cliffs.json, and says that the folder is complete.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from stretto.data.bench_claims import claimed, newest_resumed, write_whole
from stretto.data.bench_folder import LaunchedBy
from stretto.data.json_bytes import indented
from stretto.data.provenance import changes
from stretto.data.run_claim import Claim
from stretto.errors import InputError, naming, reason

_RECORD = "series.json"


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
    file = path / _RECORD
    try:
        found = msgspec.json.decode(file.read_bytes(), type=SeriesRecord)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}") from None
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


def _has_runs(path: Path) -> bool:
    return any(path.glob("*/bench.json"))


def _answers(path: Path, record: SeriesRecord) -> Path:
    return path / f"{record.verb}.json"
