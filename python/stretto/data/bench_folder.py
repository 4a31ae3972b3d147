"""The run folder of `stretto bench`: bench.json says what was measured, samples.parquet how long
every repetition took on every rank.

While it is made each launch has a folder, launches/<round>-<implementation>/, and in it one for
each part: a launch that was cut short is gone on with in the next. A kill loses at most the cell
in flight. In a part each rank has a file of its own, which become one of the launch when that is
complete.
"""

import io
import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import polars as pl

from stretto.data.bench_claims import claimed, newest_resumed
from stretto.data.bench_plan import BenchPlan
from stretto.data.bench_rows import (
    CellState,
    LaunchFacts,
    as_schema,
    joined,
    read_facts,
    read_samples,
    read_states,
    require_all_ranks,
)
from stretto.data.json_bytes import indented
from stretto.data.provenance import Provenance, changes, settings_of
from stretto.data.run_claim import Claim
from stretto.data.whole_file import PARTIAL, write_whole
from stretto.errors import (
    EnvironmentUnusable,
    InputError,
    naming,
    reason,
    writing,
)

_RECORD = "bench.json"
_SAMPLES = "samples.parquet"
_WRONG = "wrong"
_MEASURED = ("done", _WRONG)
# As src/bench/suite/measure_cell.cpp says it.
_WRONG_BYTE = re.compile(
    r"cell (\d+), [^\n]*?: (rank \d+ has a wrong byte \d+ after repetition \d+)"
)


class Launched(msgspec.Struct, frozen=True):
    """One launch that is complete."""

    launch: int
    implementation: str
    facts: LaunchFacts | None  # None: nothing was left to be measured
    states: list[CellState]


class LaunchedBy(msgspec.Struct, frozen=True):
    """What launches a run, and would launch it again."""

    launcher: str  # its path
    options: list[str]  # those given to it
    libmpi: str  # as the loader finds it


class BenchRecord(msgspec.Struct, frozen=True):
    """bench.json."""

    plan: BenchPlan
    provenance: Provenance
    commands: dict[str, str]  # by implementation: the plain command of a launch
    by: LaunchedBy
    launches: list[Launched] = []  # once the run is complete


def wrong_cells(record: BenchRecord) -> set[tuple[str, int]]:
    """Those that had a wrong result in a launch: implementation and number."""
    return {
        (launched.implementation, state.cell)
        for launched in record.launches
        for state in launched.states
        if state.state == _WRONG
    }


def is_bench(folder: Path) -> bool:
    """Is it the run folder of a benchmark?"""
    return (folder / _RECORD).exists()


@dataclass(frozen=True)
class BenchFolder:
    """One run on disk."""

    path: Path
    claim: Claim | None = field(default=None, compare=False)

    def record(self) -> BenchRecord:
        """What was run. Raises InputError."""
        file = self.path / _RECORD
        try:
            return msgspec.json.decode(file.read_bytes(), type=BenchRecord)
        except FileNotFoundError:
            raise InputError(f"{self.path} is no run folder of stretto bench") from None
        except OSError as error:
            raise InputError(f"{file} cannot be read: {reason(error)}") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file} cannot be read: {error}") from None

    @property
    def complete(self) -> bool:
        """Nothing is left to be launched."""
        return (self.path / _SAMPLES).exists()

    def samples_by_launch(self, cells: Collection[int] | None = None) -> Iterator[pl.DataFrame]:
        """Those of one launch of one implementation at a time, as bench_rows.SCHEMA has them.

        All samples of a large run are more than memory holds. With `cells` only those of these
        are read. Those of a cell that had a wrong result with an implementation, be it in one
        launch, are left out: what an MPI takes for something wrong is no time of the operation.
        Raises EnvironmentUnusable.
        """
        file = self.path / _SAMPLES
        wrong = wrong_cells(self.record())
        try:
            # A path of a user's may have brackets and stars in it.
            table = as_schema(pl.scan_parquet(file, glob=False))
            if cells is not None:
                table = table.filter(pl.col("cell").is_in([*cells]))
            place = table.select("launch", "implementation").unique().collect(engine="streaming")
            for launch, implementation in place.sort(place.columns).iter_rows():
                of_launch = table.filter(launch=launch, implementation=implementation)
                without = [cell for way, cell in wrong if way == implementation]
                yield of_launch.filter(~pl.col("cell").is_in(without)).collect(engine="streaming")
            return
        except OSError as error:
            why = reason(error)
        except pl.exceptions.PolarsError as bad:
            why = str(bad)
        raise EnvironmentUnusable(f"{file} cannot be read, and may be cut off: {why}")

    def parts(self, launch: int, implementation: int) -> list[Path]:
        """The folders of one launch of the implementation of that number, in order."""
        place = self._launch_folder(launch, implementation)
        found = place.glob("part-*") if place.is_dir() else []
        return sorted(found, key=lambda part: int(part.name.removeprefix("part-")))

    def new_part(self, launch: int, implementation: int) -> Path:
        """One more."""
        place = self._launch_folder(launch, implementation)
        path = place / f"part-{len(self.parts(launch, implementation)):03}"
        with writing(path):
            path.mkdir(parents=True)
        return path

    def forget(self, launch: int, implementation: int) -> None:
        """What was measured of a launch, so that it is made anew."""
        place = self._launch_folder(launch, implementation)
        # Out of the way at once, as a kill may come while files are removed.
        gone = place.with_name("forgotten")
        with writing(gone):
            shutil.rmtree(gone, ignore_errors=True)
            place.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)

    def states(self, launch: int, implementation: int) -> dict[int, CellState]:
        """How the cells ended that a launch has come to, by number; the one under way has not."""
        return {
            state.cell: state
            for part in self.parts(launch, implementation)
            for state in read_states(part)
            if state.state != "begun"
        }

    def mpi_so_far(self) -> str:
        """The MPI of the first implementation's launches, in its words; empty where none says it.

        Others may have another one.
        """
        for part in sorted((self.path / "launches").glob("*-0/part-*")):
            with suppress(InputError):  # it ended before it came so far, or was cut off
                return read_facts(part).mpi
        return ""

    def launched(self, launch: int, implementation: int) -> Launched:
        """A launch, as the record has it."""
        facts = None
        for part in self.parts(launch, implementation):
            with suppress(InputError):
                facts = read_facts(part)
        states = self.states(launch, implementation)
        name = self.record().plan.implementations[implementation]
        return Launched(launch, name, facts, [states[cell] for cell in sorted(states)])

    def samples_so_far(self, launch: int, implementation: int) -> pl.DataFrame:
        """Those of a launch whose ranks have written them."""
        gathered = self._gathered(launch, implementation)
        if gathered.exists():
            return self._read(gathered)
        name = self.record().plan.implementations[implementation]
        frames = []
        for part in self.parts(launch, implementation):
            measured = [each.cell for each in read_states(part) if each.state in _MEASURED]
            if measured:
                ranks = read_facts(part).ranks
                frames.append(read_samples(part, ranks, measured, launch, name))
        return joined(frames)

    def finish(self, done: Sequence[tuple[int, int]]) -> None:
        """Make samples.parquet of these launches and implementations: the run is complete."""
        record = self.record()
        launches = [self.launched(*each) for each in done]
        record = msgspec.structs.replace(record, launches=launches)
        write_whole(self.path / _RECORD, indented(record))
        for each in done:
            self.gather(*each)
        self._write_samples([self._gathered(*each) for each in done])
        self.tidy()

    def tidy(self) -> None:
        """Remove what is in samples.parquet, too; of a run that is complete."""
        # Of writing the last a kill may have left a part.
        for pattern in ("*/part-*/rank-*.rows", f"*/{_SAMPLES}", f"*/.{_SAMPLES}.*{PARTIAL}"):
            for file in (self.path / "launches").glob(pattern):
                with suppress(OSError):  # it is nothing but room on a disk
                    file.unlink()

    def gather(self, launch: int, implementation: int) -> None:
        """Put the samples of a launch that is complete into one file, in place of one a rank.

        Of thousands of ranks there would be as many files a launch until the run's end.
        """
        file = self._gathered(launch, implementation)
        if not file.exists():
            content = io.BytesIO()
            samples = self.samples_so_far(launch, implementation)
            require_all_ranks(samples, file.parent)
            samples.write_parquet(content)
            with writing(file):
                file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, content.getvalue())
        for part in self.parts(launch, implementation):
            for rows in part.glob("rank-*.rows"):
                with suppress(FileNotFoundError):
                    rows.unlink()

    def said_of_wrong(self, launch: int, implementation: int, cell: int) -> str:
        """What the first rank that had a wrong result of a cell said of it; empty where it is not
        known, as in runs of earlier versions."""
        for part in self.parts(launch, implementation):
            with suppress(OSError):
                for found in _WRONG_BYTE.finditer((part / "stderr").read_text(errors="replace")):
                    if int(found[1]) == cell:
                        return found[2]
        return ""

    def _gathered(self, launch: int, implementation: int) -> Path:
        return self._launch_folder(launch, implementation) / _SAMPLES

    def _read(self, file: Path) -> pl.DataFrame:
        try:
            return pl.scan_parquet(file, glob=False).collect()
        except OSError as error:
            why = reason(error)
        except pl.exceptions.PolarsError as bad:
            why = str(bad)
        raise EnvironmentUnusable(f"{file} cannot be read, and may be cut off: {why}")

    def _write_samples(self, files: list[Path]) -> None:
        """One launch in memory at a time."""
        partial = self.path / f"{_SAMPLES}.partial"
        with writing(partial):
            try:
                pl.scan_parquet(files, glob=False).sink_parquet(partial)
            except pl.exceptions.PolarsError as error:
                raise EnvironmentUnusable(f"{partial} cannot be written: {error}") from None
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            partial.rename(self.path / _SAMPLES)

    def _launch_folder(self, launch: int, implementation: int) -> Path:
        return self.path / "launches" / f"{launch:03}-{implementation}"


def begin(path: Path, record: BenchRecord) -> BenchFolder:
    """Make a new run in an empty folder. Raises where it cannot be written."""
    folder = BenchFolder(path, claimed(path))
    with naming(path):
        write_whole(path / _RECORD, indented(record))
    return folder


def resume(path: Path, plan: BenchPlan, by: LaunchedBy) -> BenchFolder | None:
    """The run at `path`, ready for more launches; None where there is none.

    Raises InputError where it is complete, of another plan or MPI, was begun under other variables
    that steer MPIs or Stretto, or another process makes it.
    """
    if not is_bench(path):
        return None
    folder = BenchFolder(path)
    record = folder.record()
    if folder.complete:
        folder.tidy()  # a kill may have come between both
        raise InputError(f"{path} holds a run that is complete; name another --output")
    if (record.plan, record.by) != (plan, by):
        raise InputError(f"{path} holds a run of another plan or MPI; name another --output")
    # Launches of one run under several settings would be one figure.
    if unlike := _other_variables(record):
        raise InputError(
            f"{path} holds a run under other variables: {'; '.join(unlike)}; name another --output"
        )
    return BenchFolder(path, claimed(path))


def _other_variables(record: BenchRecord) -> list[str]:
    """That steer MPIs or Stretto, in words: those that are not as they were for the run."""
    return [*changes(settings_of(record.provenance.environment), settings_of(os.environ))]


def resume_newest(parent: Path, plan: BenchPlan, by: LaunchedBy) -> BenchFolder | None:
    """The newest of the runs in `parent` that can be resumed."""
    return newest_resumed(parent, plan.name, lambda path: resume(path, plan, by))


def complete_as(path: Path, plan: BenchPlan, by: LaunchedBy) -> BenchFolder | None:
    """The run at `path`, where it is complete and of that plan and MPI."""
    folder = BenchFolder(path)
    if not is_bench(path) or not folder.complete:
        return None
    record = folder.record()
    if (record.plan, record.by) != (plan, by):
        return None
    folder.tidy()  # a kill may have come between both
    return folder


def begun_as(place: Path, plan: BenchPlan, by: LaunchedBy) -> BenchPlan | None:
    """That of a run which was cut short, in `place` or that folder itself, and was asked the same.

    Its cells may be others, as the work in them is measured first.
    """
    if not place.is_dir():
        return None
    for path in [place, *sorted(place.iterdir(), reverse=True)]:
        folder = BenchFolder(path)
        if not is_bench(path) or folder.complete:
            continue
        with suppress(InputError):
            record = folder.record()
            same = msgspec.structs.replace(record.plan, cells=plan.cells) == plan
            if same and record.by == by and not _other_variables(record):
                return record.plan
    return None
