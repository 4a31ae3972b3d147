"""What other suites measured: one row a value, whatever file it was read from.

The importers (data/importers, a file a format) read text into an `Imported`.
"""

import msgspec


class ImportedRow(msgspec.Struct, frozen=True):
    """One value that a line of another suite's output says.

    Times are in us. `samples` is how many repetitions a value sums up, where the line says so. Of
    a raw value `launch`, `process` and `repetition` say which it is, as far as the file does.
    `variant` tells rows apart that are alike otherwise: "group 1", "CUDA", "pure".
    """

    operation: str  # as MPI names it, in lower case, without MPI_ and the i of nonblocking ones
    form: str  # "blocking", "nonblocking" or "persistent"
    metric: str  # "latency", "bandwidth", "overlap", "wrong", ...
    statistic: str  # "mean", "min", "max", "median", "p99", "deviation", ... or "raw"
    value: float
    unit: str  # "us", "MB/s", "GB/s", "1/s", "%", "B", or "" of a count
    line: int  # where in the file, from 1
    bytes: int | None = None
    ranks: int | None = None
    samples: int | None = None
    launch: int | None = None
    process: int | None = None
    repetition: int | None = None
    in_place: bool | None = None
    datatype: str | None = None
    op: str | None = None
    variant: str = ""


class Imported(msgspec.Struct, frozen=True):
    """A file of another suite.

    A line that says something is in `rows`, in `settings`, in a heading that the format has - or
    in `unknown`, with its number: none is dropped.
    """

    format: str  # the name of the importer
    version: str | None  # of the suite, where the file says it
    path: str
    rows: list[ImportedRow]
    unknown: list[tuple[int, str]]
    settings: dict[str, str]
