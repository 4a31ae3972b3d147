"""Records that nccl-tests and rccl-tests write: a size as a JSON object or as a line of CSV.

nccl-tests (2.17 on, -J FILE) writes one object of all; its results look like

    {"size":8,"count":2,"type":"float","redop":"sum","root":"    -1",
     "out_of_place":{"time":9.8,"alg_bw":0.0,"bus_bw":0.0,"nwrong":0.0},"in_place":{...}}

where per-iteration times may be added. rccl-tests (-x FILE -Z json or csv) writes a record a line,
one for each of out-of-place and in-place:

    {"numCycle":0, "name":"AllReduce", "ranks":8, "size":8, ..., "inPlace":0, "time":9.8, ...}
    numCycle,collective,nodes,ranks,ranksPerNode,gpusPerRank,size,type,redop,inplace,time,...

Sources: src/util.cu of nccl-tests, src/common.cu (Reporter) of rccl-tests.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from stretto.data.imported import ImportedRow
from stretto.data.importers.columns import about
from stretto.data.importers.lines import Findings, number, whole
from stretto.data.importers.names import operation_of

# Names of values in either suite's records.
_VALUES = {
    "time": ("latency", "mean", "us"),
    "cpu_time": ("cpu_time", "mean", "us"),
    "alg_bw": ("algorithm_bandwidth", "mean", "GB/s"),
    "algbw": ("algorithm_bandwidth", "mean", "GB/s"),
    "bus_bw": ("bus_bandwidth", "mean", "GB/s"),
    "busbw": ("bus_bandwidth", "mean", "GB/s"),
    "nwrong": ("wrong", "raw", ""),
    "wrong": ("wrong", "raw", ""),
}
_OF_ITERATIONS = {
    "min_us": ("latency", "min", "us"),
    "max_us": ("latency", "max", "us"),
    "avg_us": ("latency", "mean", "us"),
    "p50_us": ("latency", "p50", "us"),
    "p95_us": ("latency", "p95", "us"),
    "p99_us": ("latency", "p99", "us"),
    "stdev_us": ("latency", "deviation", "us"),
    "cv_pct": ("variation", "raw", "%"),
}


def decoded_object(text: str) -> dict[str, Any] | None:
    """A JSON object, or None of anything else."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: object) -> float | None:
    """A number, or a string of one: nan is written as such."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 2**1023 else None
    return number(value.strip()) if isinstance(value, str) else None


def _is_short(value: int | float | str) -> bool:
    """May be printed: of integers of thousands of digits Python refuses that."""
    return not isinstance(value, int) or abs(value) < 10**18


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or not _is_short(value):
        return None
    return whole(str(value).strip())


def _valued(
    values: dict[str, Any], names: dict[str, tuple[str, str, str]], like: ImportedRow
) -> list[ImportedRow] | None:
    """A row for each name that has a value; None where one has something else than a number."""
    rows: list[ImportedRow] = []
    for name, (metric, statistic, unit) in names.items():
        said = values.get(name)
        if said is None or said == "N/A":
            continue  # it was not checked
        value = _number(said)
        if value is None:
            return None
        rows.append(replace(like, metric=metric, statistic=statistic, value=value, unit=unit))
    return rows


def _iterations(values: dict[str, Any], like: ImportedRow) -> list[ImportedRow] | None:
    """The summary of a size's repetitions, and each of them."""
    rows = _valued(values, _OF_ITERATIONS, like)
    raw = replace(like, metric="latency", statistic="raw", unit="us", samples=None)
    lists: list[tuple[int | None, Any]] = [(None, values.get("times_us", []))]
    by_process = values.get("per_process_max_times_us", [])
    if rows is None or not isinstance(by_process, list):
        return None
    lists += enumerate(by_process)
    for process, times in lists:
        for repetition, time in enumerate(times if isinstance(times, list) else [times]):
            value = _number(time)
            if value is None:
                return None
            rows.append(replace(raw, value=value, process=process, repetition=repetition))
    return rows


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value not in ("", "none") else None


def _result(record: object, like: ImportedRow) -> list[ImportedRow] | None:
    """A result of nccl-tests."""
    if not isinstance(record, dict) or (size := _count(record.get("size"))) is None:
        return None
    of = replace(
        like,
        bytes=size,
        datatype=_text(record.get("type")),
        op=_text(record.get("redop")),
        samples=_count(record.get("actual_iterations")),
    )
    rows: list[ImportedRow] = []
    for name, in_place in (("out_of_place", False), ("in_place", True)):
        here = replace(of, in_place=in_place)
        values, iterations = record.get(name) or {}, record.get(f"{name}_per_iter") or {}
        if not isinstance(values, dict) or not isinstance(iterations, dict):
            return None
        found, more = _valued(values, _VALUES, here), _iterations(iterations, here)
        if found is None or more is None:
            return None
        rows += found + more
    return rows


def read_document(document: dict[str, Any], at: int, found: Findings) -> None:
    """All results of the object that nccl-tests writes."""
    args = document.get("args")
    command = [word for word in args if isinstance(word, str)] if isinstance(args, list) else []
    program = command[0].rpartition("/")[2] if command else "unknown"
    config = document.get("config")
    config = config if isinstance(config, dict) else {}
    devices = config.get("devices")
    ranks = len(devices) if isinstance(devices, list) and devices else None
    operation, form = operation_of(program.removesuffix("_perf"))
    like = replace(about(operation, form), line=at, ranks=ranks)
    found.note("command", " ".join(command))
    for name, value in {**document, **config}.items():
        if isinstance(value, str | int | float) and _is_short(value):
            found.note(name, str(value))
    results = document.get("results")
    for index, record in enumerate(results if isinstance(results, list) else []):
        found.add(at, f"results[{index}]", _result(record, like))


def read_record(record: dict[str, Any], at: int) -> list[ImportedRow] | None:
    """A record of rccl-tests, its names in lower case."""
    name = record.get("name", record.get("collective"))
    size, in_place = _count(record.get("size")), _count(record.get("inplace"))
    if not isinstance(name, str) or size is None or in_place not in (0, 1):
        return None
    operation, form = operation_of(name)
    ranks = _count(record.get("ranks", record.get("gpus")))
    like = replace(
        about(operation, form),
        line=at,
        bytes=size,
        ranks=ranks,
        in_place=bool(in_place),
        datatype=_text(record.get("type")),
        op=_text(record.get("redop")),
        repetition=_count(record.get("numcycle")),
    )
    return _valued(record, _VALUES, like)
