"""What stretto tune and stretto export refuse, before they start anything."""

from pathlib import Path

import pytest
from bench_runs import make_run

from stretto.cli.main import run_command
from stretto.cli.tune_options import subjects_of
from stretto.cli.tune_subjects import subjects_for
from stretto.data.bench_plan import BenchCell, Form
from stretto.tune.rules import CollectiveRules, Fingerprint, Rule, Tuned, toml_of

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-n", "1"], "--ranks 1: write numbers of 2 or more"),
        (["-n", "2,x"], "--ranks 2,x"),
        (["--sizes", "8,big"], "'big' is no size"),
        (["--collectives", "bcast,alltoallv"], "unknown 'alltoallv'"),
        (["--patterns", "none,late:1ms"], "write PATTERN:TIME"),
        (["--from-profile", "nowhere"], "nowhere is no run of stretto profile"),
        (["--from-profile", "nowhere", "-n", "2"], "ranks, sizes, collectives and patterns are"),
        (["--from-bench", "nowhere"], "nowhere is no run folder"),
        (["--from-bench", "nowhere", "-n", "2"], "ranks, sizes, collectives and patterns are"),
        (["--from-bench", "a", "--from-profile", "b"], "give one of them"),
        (["-o", "nowhere/tuned.toml"], "nowhere is not a folder"),
        (["-o", "/"], "--output /: Is a directory"),
        (["-o", "/proc/tuned.toml"], "--output /proc/tuned.toml: "),
        (["--rounds", "0"], "--rounds"),
        (["-n", "128", "--sizes", "1M"], "sizes may have 512 KiB on 128 ranks, at most"),
    ],
)
def test_bad_input_is_one_line(words: list[str], complaint: str, capsys: Captured) -> None:
    assert run_command(["tune", *words, "./app"]) == 2
    said = capsys.readouterr().err.strip()
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_nothing_is_written_before_there_are_rules(tmp_path: Path, capsys: Captured) -> None:
    old = tmp_path / "old.toml"
    old.write_text("rules")
    for path in (old, tmp_path / "new.toml"):
        assert run_command(["tune", "-o", str(path), str(tmp_path / "no_program")]) != 0
        assert "no_program" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["old.toml"]
    assert old.read_text() == "rules"


def test_a_forced_algorithm_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("STRETTO_SELECTION_BCAST", "chain")
    assert run_command(["tune", "./app"]) == 2
    assert "STRETTO_SELECTION_BCAST is set" in capsys.readouterr().err


def test_what_is_asked_for_becomes_calls(capsys: Captured) -> None:
    four, sixteen = subjects_of("16,4,4", "1K,32M", "barrier,bcast", "none,last:1ms")
    assert (four.ranks, sixteen.ranks) == (4, 16)
    # All ranks' blocks of 32 MiB would be more than a buffer may be, and that is said.
    said = "stretto: larger sizes than 16.0 MiB on 4 ranks, 4.00 MiB on 16 ranks are left out\n"
    assert capsys.readouterr().err == said
    assert [(name, size) for name, size, _ in four.calls] == [("barrier", 0), ("bcast", 1024)]
    (none, last) = four.calls[0][2]
    assert (none.name, none.late_ns) == ("none", [0.0] * 4)
    assert (last.name, last.late_ns) == ("last:1ms", [0.0, 0.0, 0.0, 1e6])


# On 2 ranks: the allgathers of 512 B take longer than alltoalls that do the same.
VIOLATING = [
    *(BenchCell(n, "allgather", bytes=8 << 2 * n) for n in range(5)),
    *(BenchCell(10 + n, "alltoall", bytes=8 << 2 * n) for n in range(5)),
    *(BenchCell(20 + n, "allgatherv", bytes=8 << 2 * n) for n in range(5)),
    BenchCell(30, "allgather", Form.NONBLOCKING, bytes=512),
    BenchCell(31, "alltoall", Form.NONBLOCKING, bytes=512),
]


def takes(_way: str, cell: BenchCell, launch: int, _rank: int) -> float:
    slow = cell.operation.startswith("allgather") and cell.bytes == 512
    return (90 if slow else 10 + 0.001 * cell.bytes) + 0.01 * launch


def test_what_violates_guidelines_becomes_calls(tmp_path: Path, capsys: Captured) -> None:
    run = make_run(tmp_path / "run", takes, cells=VIOLATING, launches=10)
    (subject,) = subjects_for((None,) * 4, None, run)
    assert subject.ranks == 2
    # The next sizes of the run are measured, too, so that the rule ends before them.
    assert [(name, size) for name, size, _ in subject.calls] == [
        ("allgather", 128),
        ("allgather", 512),
        ("allgather", 2048),
    ]
    assert {pattern.name for _, _, patterns in subject.calls for pattern in patterns} == {"none"}
    assert sorted(capsys.readouterr().err.splitlines()) == [
        "stretto: no rule mends MPI_Allgatherv of 512 B: stretto tune knows no ways to run it",
        "stretto: no rule mends MPI_Iallgather of 512 B: rules are for blocking calls",
    ]


def test_collectives_are_those_of_rules(tmp_path: Path) -> None:
    names = ("allreduce", "reduce_scatter_block", "reduce")
    cells = [
        BenchCell(3 * n + i, name, bytes=16 * size)
        for n, size in enumerate((1, 2))
        for i, name in enumerate(names)
    ]

    def slow(way: str, cell: BenchCell, launch: int, rank: int) -> float:
        is_slow = cell.operation == "reduce_scatter_block" and cell.bytes == 16
        return takes(way, cell, launch, rank) * (9 if is_slow else 1)

    (subject,) = subjects_for((None,) * 4, None, make_run(tmp_path / "run", slow, cells=cells))
    assert {name for name, _, _ in subject.calls} == {"reduce_scatter"}


@pytest.mark.parametrize(
    ("ways", "launches", "complaint"),
    [
        (["native:coll_tuned_priority=0"], 10, "no guideline that a rule can mend is violated"),
        (["native"], 1, "no guideline is violated by 5 % or more"),
    ],
)
def test_without_violations_that_rules_mend_nothing_is_tuned(
    ways: list[str], launches: int, complaint: str, tmp_path: Path, capsys: Captured
) -> None:
    run = make_run(tmp_path / "run", takes, cells=VIOLATING, ways=ways, launches=launches)
    assert run_command(["tune", "--from-bench", str(run), "./app"]) == 2
    said = capsys.readouterr().err
    assert complaint in said.splitlines()[-1]
    why = "with 1 launches no violation can be shown" if launches == 1 else "measured with settings"
    assert why in said


def test_ranks_of_which_no_size_fits_are_left_out(capsys: Captured) -> None:
    (two,) = subjects_of("2,128", "1M", "bcast,reduce", None)
    assert (two.ranks, len(two.calls)) == (2, 2)
    assert "larger sizes than 512 KiB on 128 ranks are left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere.toml", "--to", "openmpi"], "nowhere.toml: No such file"),
        (["nowhere.toml", "--to", "lam"], "--to lam: there are openmpi, openmpi-han"),
    ],
)
def test_what_cannot_be_exported_is_said(
    words: list[str], complaint: str, capsys: Captured
) -> None:
    assert run_command(["export", *words]) == 2
    assert complaint in capsys.readouterr().err


def test_what_is_not_exported_is_said(tmp_path: Path, capsys: Captured) -> None:
    own = [Rule("native")]
    rules = [
        CollectiveRules("bcast", 4, 1, own, [Rule("chain")]),
        CollectiveRules("scatter", 4, 1, own, [Rule("binomial", 8), Rule("basic_linear")]),
    ]
    tuned = tmp_path / "tuned.toml"
    tuned.write_text(toml_of(Tuned(Fingerprint("Open MPI 4.1.4", "cpu", 2), rules)))
    for words in (["--to", "openmpi"], ["--to", "openmpi6"]):
        assert run_command(["export", str(tuned), *words]) == 0
        printed, said = capsys.readouterr()
        assert "binomial" not in printed
        assert said.startswith("stretto: not written: scatter on 4 ranks: ")


# A shell looks for a file without a slash in its PATH only.
def test_the_file_is_named_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = [CollectiveRules("bcast", 4, 1, [Rule("native")], [Rule("preset_1")])]
    Path("tuned.toml").write_text(toml_of(Tuned(Fingerprint("Intel MPI 2021.19", "cpu", 2), rules)))
    assert run_command(["export", "tuned.toml", "--to", "impi-adjust", "-o", "adjust.sh"]) == 0
    assert f". {tmp_path}/adjust.sh; mpirun" in capsys.readouterr().err.replace("\n", "")


def test_how_the_mpi_is_told_is_said(tmp_path: Path, capsys: Captured) -> None:
    tuned = tmp_path / "tuned.toml"
    for mpi, algorithm, uses in (
        ("Open MPI 4.1.4", "chain", {"openmpi": "coll_tuned_dynamic_rules_filename "}),
        ("Intel MPI 2021.19", "preset_1", {"impi": "I_MPI_TUNING=", "impi-adjust": ". "}),
        (
            "MPICH 5.0.2",
            "binomial",
            {
                "mpich": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=",
                "mpich-ch4": "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=",
            },
        ),
    ):
        rules = [CollectiveRules("bcast", 4, 1, [Rule("native")], [Rule(algorithm)])]
        tuned.write_text(toml_of(Tuned(Fingerprint(mpi, "cpu", 2), rules)))
        for name, use in uses.items():
            file = tmp_path / name
            assert run_command(["export", str(tuned), "--to", name, "-o", str(file)]) == 0
            assert f"{use}{file}" in capsys.readouterr().err.replace("\n", "")
            assert file.stat().st_size > 0
    assert run_command(["export", str(tuned), "--to", "impi"]) == 2
    said = capsys.readouterr().err
    assert "the rules are MPICH 5.0.2's, not Intel MPI's" in said
    assert len(said.splitlines()) == 1
