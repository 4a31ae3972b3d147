"""A run is a folder: run.json says what was run, samples.parquet how every launch went.

Samples are appended to a journal as they come, so that a kill loses at most the launch
in flight; the last one turns the journal into samples.parquet. What each launch printed
and counted lies in launches/<order>-<side>/.
"""

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import polars

from stretto.data.json_bytes import indented, json_bytes
from stretto.data.provenance import Provenance
from stretto.data.run_claim import Claim, claim, refuse_if_claimed
from stretto.data.samples import Sample, Side
from stretto.data.whole_file import write_whole
from stretto.errors import (
    EnvironmentUnusable,
    InputError,
    StrettoError,
    naming,
    reason,
    writing,
)

_RUN = "run.json"
_SAMPLES = "samples.parquet"
_JOURNAL = "samples.jsonl"


def is_comparison(folder: Path) -> bool:
    """Is it the run folder of a comparison?"""
    return (folder / _RUN).exists()


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
    prepare: str | None = None
    fresh_dir: bool = False
    tolerance: float = 0  # of numbers in checksums, as a share
    warmup: int = 0  # launches of each side before the first pair, which are not among the samples
    input: str = ""  # the SHA-256 of standard input, or nothing


class Record(msgspec.Struct, frozen=True):
    """run.json."""

    plan: Plan
    provenance: Provenance
    load_after: float | None = None  # set when the run is complete


@dataclass(frozen=True)
class RunFolder:
    """One run on disk."""

    path: Path
    # While it is being made, which no other process may do meanwhile.
    claim: Claim | None = field(default=None, compare=False)

    def record(self) -> Record:
        """What was run, and where its figures come from."""
        try:
            return msgspec.json.decode((self.path / _RUN).read_bytes(), type=Record)
        except FileNotFoundError:
            raise InputError(f"{self.path} is not a run folder: it has no {_RUN}") from None
        except OSError as error:
            raise InputError(f"{self.path / _RUN} cannot be read: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{self.path / _RUN} cannot be read: {error}") from None

    def samples(self) -> list[Sample]:
        """Every launch so far, in order. Raises EnvironmentUnusable where they are damaged."""
        file = self.path / _JOURNAL
        try:
            if not self.complete:
                return _journal(file)
            file = self.path / _SAMPLES
            # From memory: polars takes no path that is no UTF-8.
            rows = polars.read_parquet(io.BytesIO(file.read_bytes())).to_dicts()
            return [msgspec.convert(row, Sample) for row in rows]
        except OSError as error:
            why = reason(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, polars.exceptions.PolarsError) as bad:
            why = str(bad)
        raise EnvironmentUnusable(f"{file} cannot be read, and may be cut off: {why}")

    @property
    def complete(self) -> bool:
        """Nothing is left to be launched."""
        return (self.path / _SAMPLES).exists()

    def launch_folder(self, order: int, side: Side) -> Path:
        """Where one launch's output and counters go."""
        return self.path / "launches" / f"{order:03}-{side}"

    def append(self, sample: Sample) -> None:
        """Store one launch so that a kill from here on cannot lose it."""
        path = self.path / _JOURNAL
        with writing(path), path.open("ab") as journal:
            journal.write(json_bytes(sample) + b"\n")
            journal.flush()
            os.fsync(journal.fileno())

    def finish(self, load_after: float) -> None:
        """Turn the journal into samples.parquet: the run is complete."""
        samples = [msgspec.to_builtins(sample) for sample in self.samples()]
        _write(self.path / _RUN, msgspec.structs.replace(self.record(), load_after=load_after))
        # Into memory first: polars has errors of its own for a disk that is full.
        content = io.BytesIO()
        polars.DataFrame(samples, schema=_SCHEMA).write_parquet(content)
        write_whole(self.path / _SAMPLES, content.getvalue())
        with writing(self.path):
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
    """A new run at `path`, instead of an older run there that nobody is making."""
    with naming(path):
        if path.exists() and any(path.iterdir()):
            if not ((path / _RUN).exists() or (path / _JOURNAL).exists()):
                raise InputError(f"{path} holds something else than a run; name another --output")
            with _of_nobody(path):
                shutil.rmtree(path)
        path.mkdir(parents=True, exist_ok=True)
        return _begin(path, plan, provenance)


@contextmanager
def _of_nobody(path: Path) -> Iterator[None]:
    """Let no other process make the run at `path` meanwhile; one that does is an InputError."""
    journal = path / _JOURNAL
    claimed = refuse_if_claimed(claim(journal), path) if journal.exists() else None
    try:
        yield
    finally:
        del claimed


def create_next(parent: Path, plan: Plan, provenance: Provenance) -> RunFolder:
    """A new run at parent/<name>-<n>, of the next number that no other process takes."""
    with naming(parent):
        parent.mkdir(parents=True, exist_ok=True)
        number = max(_numbers(parent, plan.name), default=0) + 1
        path = make_numbered(parent, plan.name, number)
        return _begin(path, plan, provenance)


def make_numbered(parent: Path, name: str, number: int) -> Path:
    """Make the folder parent/<name>-<number>, or of a later number where that is there.

    Of several processes that try, also on several hosts, mkdir lets one have it.
    """
    while True:
        path = parent / f"{name}-{number}"
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path


def resumable(path: Path, plan: Plan) -> bool:
    """Whether the run at `path` was cut short and has the same plan."""
    folder = RunFolder(path)
    with naming(path):
        return (path / _RUN).exists() and not folder.complete and folder.record().plan == plan


def resume(path: Path) -> RunFolder | None:
    """The run at `path`, ready for more samples; None where another process makes it."""
    journal = path / _JOURNAL
    with naming(path):
        if (claimed := claim(journal, create=not journal.exists())) is None:
            return None
        whole = journal.read_bytes().rpartition(b"\n")
        os.truncate(journal, len(whole[0] + whole[1]))  # a sample cut short would spoil the next
    return RunFolder(path, claimed)


def resume_newest(parent: Path, plan: Plan) -> RunFolder | None:
    """The newest of the runs in `parent` that were cut short and have that plan; None: none."""
    for number in sorted(_numbers(parent, plan.name), reverse=True):
        path = parent / f"{plan.name}-{number}"
        with suppress(StrettoError):  # one that cannot be read is nothing to go on with
            if resumable(path, plan) and (folder := resume(path)) is not None:
                return folder
    return None


def _numbers(parent: Path, name: str) -> list[int]:
    """Those that are taken. A name may have any letters, which are no pattern."""
    if not parent.is_dir():
        return []
    prefix = f"{name}-"
    names = [path.name for path in parent.iterdir() if path.name.startswith(prefix)]
    return [int(each) for name in names if (each := name.removeprefix(prefix)).isdecimal()]


def _begin(path: Path, plan: Plan, provenance: Provenance) -> RunFolder:
    claimed = refuse_if_claimed(claim(path / _JOURNAL, create=True), path)
    _write(path / _RUN, Record(plan, provenance))
    return RunFolder(path, claimed)


def _write(path: Path, record: Record) -> None:
    write_whole(path, indented(record))


def _journal(path: Path) -> list[Sample]:
    """The journal's samples; a last line cut short by a kill is the launch in flight."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    return [msgspec.json.decode(line, type=Sample) for line in lines[:-1]]
