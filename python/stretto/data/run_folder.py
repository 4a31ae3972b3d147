"""A run is a folder: run.json says what was run, samples.parquet how every launch went.

Samples are appended to a journal as they come, so that a kill loses at most the launch
in flight; the last one turns the journal into samples.parquet. What each launch printed
and counted lies in launches/<order>-<side>/.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars

from stretto.data.provenance import Provenance
from stretto.data.samples import Sample, Side
from stretto.errors import InputError

_RUN = "run.json"
_SAMPLES = "samples.parquet"
_JOURNAL = "samples.jsonl"


# Of a plan's settings: what is moved along beside collectives.
PROGRESS = "progress"


class Plan(msgspec.Struct, frozen=True):
    """What a run shall do; a run resumes only under the plan it began with."""

    name: str
    program: list[str]
    ranks: int
    runs: int
    rig: str | None
    timeout_s: float | None
    settings: dict[str, str]
    launcher: str
    time_pattern: str
    checksum_pattern: str


class Record(msgspec.Struct, frozen=True):
    """run.json."""

    plan: Plan
    provenance: Provenance
    load_after: float | None = None  # set when the run is complete


@dataclass(frozen=True)
class RunFolder:
    """One run on disk."""

    path: Path

    def record(self) -> Record:
        """What was run, and where its figures come from."""
        try:
            return msgspec.json.decode((self.path / _RUN).read_bytes(), type=Record)
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a run folder: it has no {_RUN}") from None
        except msgspec.DecodeError as error:
            raise InputError(f"{self.path / _RUN} cannot be read: {error}") from None

    def samples(self) -> list[Sample]:
        """Every launch so far, in order."""
        if (parquet := self.path / _SAMPLES).exists():
            rows = polars.read_parquet(parquet).to_dicts()
            return [msgspec.convert(row, Sample) for row in rows]
        return _journal(self.path / _JOURNAL)

    @property
    def complete(self) -> bool:
        """Nothing is left to be launched."""
        return (self.path / _SAMPLES).exists()

    def launch_folder(self, order: int, side: Side) -> Path:
        """Where one launch's output and counters go."""
        return self.path / "launches" / f"{order:03}-{side}"

    def append(self, sample: Sample) -> None:
        """Store one launch so that a kill from here on cannot lose it."""
        with (self.path / _JOURNAL).open("ab") as journal:
            journal.write(msgspec.json.encode(sample) + b"\n")
            journal.flush()
            os.fsync(journal.fileno())

    def finish(self, load_after: float) -> None:
        """Turn the journal into samples.parquet: the run is complete."""
        samples = [msgspec.to_builtins(sample) for sample in self.samples()]
        _write(self.path / _RUN, msgspec.structs.replace(self.record(), load_after=load_after))
        partial = self.path / f"{_SAMPLES}.partial"
        polars.DataFrame(samples, schema=_SCHEMA).write_parquet(partial)
        partial.rename(self.path / _SAMPLES)
        (self.path / _JOURNAL).unlink()


_SCHEMA = {
    "order": polars.Int64,
    "pair": polars.Int64,
    "side": polars.String,
    "started_at": polars.String,
    "own_time_s": polars.Float64,
    "wall_time_s": polars.Float64,
    "checksum": polars.String,
    "exit_code": polars.Int64,
    "timed_out": polars.Boolean,
}


def create(path: Path, plan: Plan, provenance: Provenance) -> RunFolder:
    """A new run at `path`, instead of an older run there."""
    if path.exists() and any(path.iterdir()):
        if not (path / _RUN).exists():
            raise InputError(f"{path} holds something else than a run; name another --output")
        shutil.rmtree(path)
    path.mkdir(parents=True, exist_ok=True)
    _write(path / _RUN, Record(plan, provenance))
    return RunFolder(path)


def resumable(path: Path, plan: Plan) -> bool:
    """Whether the run at `path` was cut short and has the same plan."""
    folder = RunFolder(path)
    return (path / _RUN).exists() and not folder.complete and folder.record().plan == plan


def resume(path: Path) -> RunFolder:
    """The run at `path`, ready for more samples."""
    journal = path / _JOURNAL
    if journal.exists():
        whole = journal.read_bytes().rpartition(b"\n")
        journal.write_bytes(whole[0] + whole[1])  # a sample cut short would spoil the next
    return RunFolder(path)


def default_path(parent: Path, plan: Plan) -> Path:
    """parent/<name>-<n>: the newest run if that can be resumed, otherwise the next number."""
    numbers = [
        int(number)
        for path in parent.glob(f"{plan.name}-*")
        if (number := path.name.removeprefix(f"{plan.name}-")).isdigit()
    ]
    newest = max(numbers, default=0)
    if newest and resumable(parent / f"{plan.name}-{newest}", plan):
        return parent / f"{plan.name}-{newest}"
    return parent / f"{plan.name}-{newest + 1}"


def _write(path: Path, record: Record) -> None:
    partial = path.with_suffix(".partial")
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    partial.rename(path)


def _journal(path: Path) -> list[Sample]:
    """The journal's samples; a last line cut short by a kill is the launch in flight."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [msgspec.json.decode(line, type=Sample) for line in lines[:-1]]
