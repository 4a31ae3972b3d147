"""What the importers read in the outputs of other suites, value by value."""

from pathlib import Path

import msgspec
import pytest
from imported_files import FILES, imported, rows, value

from stretto.data.importers import imb, nccl_tests, omb_py, osu
from stretto.data.importers.registry import read_imported, recognise


def test_osu_5() -> None:
    found = imported("osu-5.txt")
    assert found.version == "5.6.3"
    assert value(found, operation="init", statistic="mean") == 130_000
    assert value(found, operation="pingpong", bytes=4194304) == 525.35
    assert value(found, operation="allgather", bytes=1048576) == 5576.45
    assert value(found, operation="barrier", form="blocking", bytes=None) == 0.62
    assert value(found, operation="barrier", form="nonblocking", metric="compute") == 2.66
    assert value(found, operation="alltoallv", bytes=4096, metric="overlap") == 8.59
    assert value(found, metric="message_rate", bytes=2, ranks=2) == 8805275.16
    assert found.settings["synchronization"] == "MPI_Win_post/start/complete/wait"


def test_osu_7() -> None:
    found = imported("osu-7.txt")
    of = {"operation": "allreduce", "variant": "CUDA", "datatype": "MPI_INT"}
    assert value(found, **of, bytes=4, metric="latency", statistic="max") == 10.44
    assert value(found, **of, bytes=8, statistic="p99") == 14.40
    assert [row.value for row in rows(found, **of, metric="wrong")] == [0, 0, 1]
    assert {row.samples for row in rows(found, **of)} == {1000}
    of = {"operation": "allreduce", "form": "nonblocking", "bytes": 1048576}
    assert value(found, **of, metric="initiation") == 10.02
    assert value(found, **of, metric="communication", statistic="min") == 780.03
    assert value(found, operation="allgather", form="persistent", metric="overall") == 8.01
    assert value(found, operation="neighbor_alltoall", bytes=64, metric="latency") == float("inf")
    assert found.settings["datatype"] == "MPI_INT; MPI_FLOAT; MPI_CHAR"


def test_imb() -> None:
    found = imported("imb-mpi1-2021.txt")
    assert found.version == "2021.11"
    of = {"operation": "allreduce", "bytes": 16, "ranks": 2, "datatype": "MPI_FLOAT"}
    assert value(found, **of, statistic="max") == 0.61
    assert {row.op for row in rows(found, **of)} == {"MPI_SUM"}
    assert {row.samples for row in rows(found, **of)} == {5}
    assert value(found, operation="barrier", ranks=4, statistic="mean") == 4.40
    assert value(found, operation="pingpong", variant="", bytes=8, metric="bandwidth") == 7.91
    of = {"operation": "uniband", "bytes": 4, "metric": "message_rate"}
    assert value(found, **of, variant="2 groups at once", ranks=2) == 2228143
    assert value(found, **of, variant="", ranks=4) == 7195507
    assert "out-of-mem.; needed X=" in found.unknown[0][1]


def test_imb_in_groups() -> None:
    found = imported("imb-mpi1-multi.txt")
    of = {"operation": "bcast", "bytes": 2, "ranks": 2, "statistic": "max"}
    assert value(found, **of, variant="2 groups at once, group 0") == 16.51
    assert value(found, **of, variant="2 groups at once, group 1") == 0.32
    assert value(found, operation="bcast", bytes=2, variant="", statistic="max") == 4.31


def test_imb_4() -> None:
    found = imported("imb-mpi1-4.txt")
    assert found.version == "V4.0.0"
    assert found.settings["command"].endswith("-iter 1000 PingPong Allreduce")
    assert rows(found, operation="pingpong", metric="bandwidth")[0].unit == "MiB/s"
    assert value(found, operation="allreduce", bytes=8, statistic="min", ranks=8) == 120


def test_imb_nbc() -> None:
    found = imported("imb-nbc-2021.txt")
    of = {"operation": "bcast", "form": "nonblocking", "bytes": 8}
    assert value(found, **of, metric="overlap") == 92.37
    assert value(found, **of, metric="communication") == 6.69
    of = {"operation": "allreduce", "form": "nonblocking", "variant": "pure"}
    assert value(found, **of, bytes=4, statistic="max") == 5.08
    of = {"operation": "barrier", "metric": "overall", "variant": "2 groups at once, group 1"}
    assert value(found, **of) == 11.98


def test_nccl_tests() -> None:
    found = imported("nccl-2.17.txt")
    assert found.version == "2.17.4"
    of = {"operation": "allreduce", "bytes": 1048576, "ranks": 2, "op": "sum", "samples": 20}
    assert value(found, **of, in_place=False, metric="bus_bandwidth") == 40.67
    assert value(found, **of, in_place=True, metric="latency") == 44.90
    assert value(found, bytes=8589934592, in_place=False, metric="wrong") == 2
    of = {"operation": "alltoall", "op": None, "ranks": 1, "samples": 50}
    assert value(found, **of, bytes=268435456, metric="latency") == 95239
    assert [row.in_place for row in rows(found, **of, metric="wrong")] == [False]
    assert found.settings["out of bounds values"] == "1 FAILED; 0 OK"


def test_nccl_tests_of_old_versions_say_no_operation() -> None:
    found = imported("nccl-2.0.txt")
    of = {"operation": "bcast", "bytes": 134217728, "ranks": 4, "op": None}
    assert value(found, **of, in_place=True, metric="error") == 4e-7
    assert found.settings["device"] == "Tesla P100-SXM2-16GB"
    text = (FILES / "nccl-2.0.txt").read_text(encoding="utf-8")
    importer = recognise(text)
    assert importer is not None
    assert {r.operation for r in importer.read(text.partition("\n")[2]).rows} == {"unknown"}


def test_nccl_tests_as_json(tmp_path: Path) -> None:
    found = imported("nccl-2.17.json")
    of = {"operation": "allgather", "bytes": 8, "ranks": 2, "in_place": False}
    assert value(found, **of, statistic="p50") == 9.636
    raw = {**of, "statistic": "raw", "metric": "latency"}
    assert value(found, **raw, process=1, repetition=1) == 10.6
    assert value(found, **raw, process=None, repetition=2) == 9.636
    [absent] = rows(found, bytes=8, in_place=True, metric="latency")
    assert absent.value != absent.value
    laid_out = tmp_path / "laid-out.json"
    document = msgspec.json.decode((FILES / "nccl-2.17.json").read_bytes())
    laid_out.write_bytes(msgspec.json.format(msgspec.json.encode(document)))
    assert repr(read_imported(laid_out).rows) == repr(found.rows)


@pytest.mark.parametrize(
    ("name", "operation", "size", "time"),
    [("rccl.json", "allreduce", 1024, 27.11), ("rccl.csv", "reduce_scatter", 1024, 51)],
)
def test_records_of_rccl_tests(name: str, operation: str, size: int, time: float) -> None:
    found = imported(name)
    of = {"operation": operation, "bytes": size, "ranks": 8, "op": "sum", "datatype": "float"}
    assert value(found, **of, in_place=True, metric="latency") == time
    assert len(rows(found, **of, in_place=False)) == 4


def test_repro_mpi() -> None:
    found = imported("repro-mpi.txt")
    of = {"operation": "allreduce", "ranks": 4, "op": "MPI_BOR", "datatype": "MPI_INT", "launch": 0}
    assert value(found, **of, bytes=4, repetition=0) == pytest.approx(10.9819)
    assert value(found, **of, bytes=40, repetition=2) == pytest.approx(3.01)
    of = {"operation": "bcast", "ranks": 2, "op": None, "bytes": 8, "launch": 1, "process": 1}
    assert value(found, **of, repetition=0, metric="latency") == pytest.approx(2.5)
    assert value(found, **of, repetition=1, metric="global_latency") == pytest.approx(3.1)
    assert value(found, **of, repetition=1, metric="error_code") == 1


def test_a_summary_of_repro_mpi() -> None:
    found = imported("repro-mpi-summary.txt")
    of = {"operation": "bcast", "ranks": 16, "bytes": 1024, "samples": 98}
    assert value(found, **of, statistic="max") == pytest.approx(20.9)
    assert value(found, **of, metric="attempted") == 100
    [mean] = rows(found, operation="reduce_scatter_block", statistic="mean")
    assert mean.value != mean.value


def test_skampi() -> None:
    found = imported("skampi.txt")
    assert found.version == "5.0.4 rev. 355"
    of = {"operation": "bcast", "ranks": 4, "bytes": 4, "samples": 33}
    assert value(found, **of, process=None, statistic="mean") == 12.1
    assert value(found, **of, process=1) == 12.0
    assert rows(found, **of, process=3) == []
    assert value(found, operation="barrier", ranks=20, statistic="p100") == 22.1
    assert value(found, operation="barrier", ranks=20, statistic="standard_error") == 1
    variant = "iterations=2, type=MPI_INT, ranks=[0, 1]"
    assert value(found, operation="pingpong_send_recv", variant=variant, process=1) == 4.4
    assert value(found, form="nonblocking", bytes=8192, statistic="mean") == 40.5


def test_netgauge() -> None:
    found = imported("netgauge.txt")
    assert found.version == "2.4.6"
    assert value(found, operation="pingpong", ranks=2, bytes=131072, unit="us") == 20.47
    of = {"operation": "loggp", "bytes": 2049}
    assert value(found, **of, metric="G") == 0.000655
    assert value(found, **of, metric="PRTT", variant="n=1, d=0.000000, o_r=0") == 5.87094
    assert value(found, operation="nbov", bytes=2, metric="receive_test") == 0.0602
    of = {"operation": "collvsnoise", "ranks": 4, "bytes": 64, "metric": "latency"}
    disturbed = "with other traffic, of 8 ranks"
    assert value(found, **of, variant=disturbed, repetition=1) == 36.25
    assert value(found, **of, variant=disturbed, statistic="mean") == 35.75


def test_files_of_netgauge() -> None:
    found = imported("netgauge-file.txt")
    assert found.settings["nodename"] == "node1"
    of = {"operation": "pingpong", "ranks": 4, "bytes": 2}
    assert value(found, **of, metric="latency", statistic="max") == float("inf")
    assert value(found, **of, metric="send", statistic="outliers") == 2
    assert value(found, **of, metric="bandwidth", statistic="median", unit="Mbit/s") == 8.04
    assert value(found, operation="loggp", bytes=2049, metric="o_r") == 3.27612


def test_nbcbench() -> None:
    found = imported("nbcbench.txt")
    of = {"operation": "bcast", "bytes": 8192, "ranks": 2, "samples": 50}
    assert value(found, **of, form="blocking") == 20.11
    of["form"] = "nonblocking"
    assert value(found, **of, metric="overall") == 60
    assert value(found, **of, metric="overlap", variant="") == 51
    assert value(found, **of, metric="overlap", variant="of MPI's") == pytest.approx(55)
    assert value(found, operation="bcast", ranks=8, form="blocking") == 4656.79


def test_omb_py() -> None:
    found = imported("omb-py.txt")
    assert value(found, operation="pingpong", bytes=4194304) == 298051.17
    assert value(found, operation="bi_directional_bandwidth", bytes=1, unit="MB/s") == 0.51
    assert value(found, operation="allreduce", form="blocking", bytes=8) == 12.40
    of = {"operation": "allreduce", "form": "nonblocking", "bytes": 4}
    assert value(found, **of, metric="initiation") == 1.2
    assert value(found, operation="unknown", form="nonblocking", metric="overall") == 31.11


def test_demos_of_mpi4py() -> None:
    found = imported("mpi4py-demo.txt")
    assert value(found, operation="allgather", bytes=4, metric="latency") == 22.14
    assert value(found, operation="bandwidth", bytes=32, metric="bandwidth", unit="MB/s") == 3.18


def test_a_title_may_lack_the_version_and_the_sign_of_a_comment() -> None:
    found = osu.read("OSU MPI Gather Latency Test\n  Size       Avg Latency(us)\n8      1.25\n")
    assert found.version is None
    assert value(found, operation="gather", bytes=8) == 1.25
    assert found.unknown == []


def test_a_line_that_has_no_value_is_not_lost() -> None:
    assert osu.read("# OSU MPI Gather Latency Test v7.4\n# Size\n8").unknown == [(3, "8")]
    assert omb_py.read("# OMB Python MPI Gather Test\n# Size (B)\n8").unknown == [(3, "8")]


def test_a_program_that_follows_another_has_its_own_datatype() -> None:
    text = (FILES / "imb-mpi1-2021.txt").read_text(encoding="utf-8")
    found = imb.read(text + text.replace("MPI_FLOAT", "MPI_DOUBLE"))
    of = {"operation": "allreduce", "bytes": 16, "ranks": 2, "statistic": "max"}
    assert [row.datatype for row in rows(found, **of)] == ["MPI_FLOAT", "MPI_DOUBLE"]
    assert found.settings["MPI_Datatype for reductions"] == "MPI_FLOAT; MPI_DOUBLE"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("28.320000", '"fast"'), ('"0"', "[]"), ("1024", "-1"), ("1024", "9" * 400), ("}", "")],
)
def test_a_record_with_a_wrong_value_is_unknown_as_a_whole(right: str, wrong: str) -> None:
    text = (FILES / "rccl.json").read_text(encoding="utf-8")
    found = nccl_tests.read(text.replace(right, wrong, 1))
    assert [at for at, _ in found.unknown] == [2]
    assert {row.line for row in found.rows} == {3}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("9.812000", '"slow"'),
        ("[9.100000,10.6", "[null,10.6"),
        ("[[9.0", "[{},[9.0"),
        ('"size":8,', '"size":{},'),
    ],
)
def test_a_result_with_a_wrong_value_is_unknown_as_a_whole(right: str, wrong: str) -> None:
    text = (FILES / "nccl-2.17.json").read_text(encoding="utf-8")
    found = nccl_tests.read(text.replace(right, wrong, 1))
    assert found.unknown == [(1, "results[0]")]
    assert {row.bytes for row in found.rows} == {16}
