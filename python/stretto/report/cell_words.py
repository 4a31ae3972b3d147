"""What there is to a cell of a benchmark besides its operation, in words."""

from stretto.data.bench_plan import BenchCell
from stretto.report.words import seconds, size


def cell_words(cell: BenchCell) -> str:
    """Its bytes, and what there is besides the operation."""
    words = [size(cell.bytes)] if cell.bytes else [""]
    if cell.compute_ns:
        words.append(f"+ {seconds(cell.compute_ns * 1e-9)} work")
    if cell.tests:
        words.append(f"{cell.tests} tests")
    if any(cell.delays_ns):
        late = [rank for rank, delay in enumerate(cell.delays_ns) if delay]
        words.append(f"late: {','.join(map(str, late))}")
        if len(late) > 1:
            words.append(f"by up to {seconds(max(cell.delays_ns) * 1e-9)}")
    return " ".join(words)
