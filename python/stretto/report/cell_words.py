"""What there is to a cell of a benchmark besides its operation, in words."""

from stretto.data.bench_plan import BenchCell
from stretto.data.bench_spec import MANY_RANKS
from stretto.report.words import seconds, size


def cell_words(cell: BenchCell, other_work_ns: float | None = None) -> str:
    """Its bytes, and what there is besides the operation.

    `other_work_ns`: of how much work it is in another run that it is compared with.
    """
    words = [size(cell.bytes)] if cell.bytes else [""]
    if cell.compute_ns:
        work = seconds(cell.compute_ns * 1e-9)
        if other_work_ns is not None:
            work = f"{cell.compute_factor:g}x ({work}, B {seconds(other_work_ns * 1e-9)})"
        words.append(f"+ {work} work")
    if cell.tests:
        words.append(f"{cell.tests} tests")
    if any(cell.delays_ns):
        late = [*cell.late_ns]
        which = ",".join(map(str, late)) if len(late) <= MANY_RANKS else f"{len(late)} ranks"
        words.append(f"late: {which}")
        if len(late) > 1:
            words.append(f"by up to {seconds(max(cell.delays_ns) * 1e-9)}")
    return " ".join(words)
