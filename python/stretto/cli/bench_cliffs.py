"""stretto bench cliffs: sizes at which an operation suddenly takes longer, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from stretto.cli import bench_options as options
from stretto.cli.bench_cliffs_shown import show_cliffs
from stretto.cli.bench_running import measured
from stretto.cli.bench_series import opened
from stretto.cli.consoles import note
from stretto.cli.options import AsJson, LauncherArgs, LauncherPath
from stretto.cli.rigs import OnRig
from stretto.cli.table_export import ExportCsv, ExportMarkdown
from stretto.data.bench_plan import ELEMENT_BYTES, REDUCTIONS, named
from stretto.data.bench_spec import Spec
from stretto.errors import ApplicationFailed, InputError
from stretto.launch.bench import MeasuredMpi, NothingMeasured, find_mpi
from stretto.launch.cliff_knobs import Probe, probes
from stretto.launch.job import split_words
from stretto.launch.mpi_version import mpi_version
from stretto.report.bench import BenchRow
from stretto.report.bench_cliffs import (
    Found,
    Key,
    Probed,
    around,
    cliffs_of,
    curves,
    has_changed,
    verdicts,
    wrong_results,
)
from stretto.stats.cliffs import FEWEST_LAUNCHES, WITHIN_BYTES, Cliff, narrowed, next_size
from stretto.stats.summary import median

_SIZES = "8:64K"
_LAUNCHES = 6
_BUDGET_MS = 20.0
_NATIVE = "native"
# From 4 MiB down to 64 B it takes 16.
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class _Search:
    """What all measurements of a search have in common."""

    spec: Spec
    mpi: MeasuredMpi
    rig: str | None
    folder: Path
    wrong: list[str] = field(default_factory=list)  # results, and whose they were

    def rows(self, name: str, **changed: Any) -> list[BenchRow]:
        """Measure the plan with these changes into a run folder of that name, or go on with what is
        in it; where nothing is left to be measured it is only read."""
        spec = msgspec.structs.replace(self.spec, name=name, **changed)
        result, _ = measured(spec, self.mpi, self.rig, self.folder / name, is_part=True)
        assert result is not None
        self.wrong.extend(wrong_results(result))
        return result.rows


def cliffs(
    operations: options.Operations = None,
    ranks: options.Ranks = None,
    sizes: options.Sizes = None,
    impl: options.Implementations = None,
    launches: options.Launches = None,
    sync: options.Sync = None,
    buffers: options.BufferOption = None,
    within: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Find where, to so many bytes.")
    ] = WITHIN_BYTES,
    no_probes: Annotated[
        bool, typer.Option("--no-probes", help="Do not look for what makes them.")
    ] = False,
    like: options.Like = None,
    rig: OnRig = None,
    output: options.Output = None,
    launcher: LauncherPath = None,
    launcher_args: LauncherArgs = "",
    export_csv: ExportCsv = None,
    export_markdown: ExportMarkdown = None,
    as_json: AsJson = False,
) -> None:
    """Find the sizes at which OPERATIONs suddenly take longer, or less long, than their trend.

    Each cliff is narrowed down by measuring sizes in between, and settings of the MPI are
    overridden one after the other to see which of them moves it. The same command resumes a search
    that was cut short.

    Example: stretto bench cliffs gather -n 4
    """
    given: dict[str, Any] = {
        "operations": operations,
        "ranks": ranks,
        "sizes": options.sizes_of(sizes or _SIZES),
        "implementations": options.implementations_of(impl) if impl else None,
        "launches": launches or _LAUNCHES,
        "synchronisation": sync,
        "buffers": buffers,
        "budget_ms": _BUDGET_MS,
    }
    spec = options.spec_of(None, given)
    if spec.launches < FEWEST_LAUNCHES:
        raise InputError(
            f"--launches {spec.launches}: noise is told apart from {FEWEST_LAUNCHES} on"
        )
    mpi = find_mpi(like, launcher, split_words("--launcher-args", launcher_args))
    asked = {"spec": msgspec.to_builtins(spec), "within": within, "probes": not no_probes}
    series = opened("cliffs", asked, mpi, rig, output)
    search = _Search(spec, mpi, rig, series.path)
    rows = search.rows("sizes")
    found = cliffs_of(rows)
    narrow, rows = _narrow(search, found, rows, within)
    probed = {} if no_probes else _probe(search, narrow, rows)
    answers = _answers(narrow, rows, probed)
    series.finish(answers)
    show_cliffs(answers, search.wrong, series.path, export_csv, export_markdown, as_json=as_json)


def _narrow(
    search: _Search, found: Mapping[Key, Sequence[Cliff]], rows: list[BenchRow], within: int
) -> tuple[dict[Key, list[Cliff]], list[BenchRow]]:
    """Measure sizes in between until each cliff is between two that are so near."""
    narrow = {key: [*each] for key, each in found.items()}
    rows = [*rows]
    tried: set[tuple[str, int]] = set()  # what cannot be measured is not tried again
    for number in range(_MOST_ROUNDS):
        wanted = {
            (key[0], size)
            for key, each in narrow.items()
            for cliff in each
            if (size := next_size(cliff.low, cliff.high, within, _granule(search.spec, key[0])))
        }
        wanted -= tried
        if not wanted:
            break
        tried |= wanted
        names = sorted({name for name, _ in wanted})
        sizes = sorted({size for _, size in wanted})
        rows += search.rows(f"between-{number + 1}", operations=names, sizes=sizes)
        known = curves(rows)
        for key, each in narrow.items():
            granule = _granule(search.spec, key[0])
            for at, cliff in enumerate(each):
                size = next_size(cliff.low, cliff.high, within, granule)
                if size is not None and size in known[key]:
                    each[at] = narrowed(cliff, size, known[key][size])
    return narrow, rows


def _granule(spec: Spec, name: str) -> int:
    """Sizes of reductions are whole numbers of elements; others may be any."""
    return ELEMENT_BYTES[spec.datatype] if named(name)[0] in REDUCTIONS else 1


def _probe(
    search: _Search, found: Mapping[Key, Sequence[Cliff]], rows: list[BenchRow]
) -> dict[tuple[Key, Cliff], list[Probed]]:
    """Whether each cliff is still there under other settings of the MPI."""
    known = curves(rows)
    answers: dict[tuple[Key, Cliff], list[Probed]] = {}
    native = {key: each for key, each in found.items() if key[2] == _NATIVE}
    version = mpi_version(search.mpi.libmpi) or search.mpi.launcher.name
    for name in sorted({key[0] for key in native}):
        keys = [key for key in native if key[0] == name]
        sizes = {size for key in keys for it in native[key] for size in around(it, [*known[key]])}
        tried = probes(search.mpi.abi, named(name)[0], version)
        for number, probe in enumerate(tried, 1):
            there = curves_under(search, f"setting-{name}-{number}", name, sorted(sizes), probe)
            for key in keys:
                for cliff in native[key]:
                    probed = _probed(probe, cliff, key, there, known[key])
                    answers.setdefault((key, cliff), []).append(probed)
    return answers


def curves_under(
    search: _Search, folder: str, name: str, sizes: Sequence[int], probe: Probe
) -> dict[Key, dict[int, list[float]]]:
    """An operation's curves under a setting; none where the MPI does not run with it.

    Raises what has nothing to do with the setting, as a full disk: it is no answer.
    """
    try:
        rows = search.rows(
            folder, operations=[name], sizes=sizes, implementations=[probe.implementation]
        )
    except (ApplicationFailed, NothingMeasured) as failure:
        note(f"{probe.settings}: {failure}")
        return {}
    return curves(rows)


def _probed(
    probe: Probe,
    cliff: Cliff,
    key: Key,
    there: Mapping[Key, Mapping[int, Sequence[float]]],
    without: Mapping[int, Sequence[float]],
) -> Probed:
    curve = there.get((key[0], key[1], probe.implementation))
    if curve is None:
        return Probed(probe.what, probe.settings, "not measured", None)
    verdict, now = verdicts(cliff, curve)
    return Probed(probe.what, probe.settings, verdict, now, has_changed(without, curve))


def _answers(
    narrow: Mapping[Key, Sequence[Cliff]],
    rows: list[BenchRow],
    probed: Mapping[tuple[Key, Cliff], list[Probed]],
) -> list[Found]:
    known = curves(rows)
    return [
        Found(
            operation=key[0],
            rank_class=key[1],
            implementation=key[2],
            cliff=cliff,
            below_ns=median(known[key][cliff.low]),
            above_ns=median(known[key][cliff.high]),
            probes=probed.get((key, cliff), []),
        )
        for key, each in sorted(narrow.items())
        for cliff in each
    ]
