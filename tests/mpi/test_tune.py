"""Rules of stretto tune on real MPIs: measured, obeyed to the byte, and read by Open MPI itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from stretto.data.host import this_host
from stretto.launch.base import Abi
from stretto.launch.yielding import yielding
from stretto.tune.mpis import settings_of
from stretto.tune.openmpi import classic_rules, remarks
from stretto.tune.openmpi_algorithms import algorithms, forced
from stretto.tune.rules import CollectiveRules, Fingerprint, Rule, Tuned, read_tuned, toml_of
from stretto.tune.settings import Where

if TYPE_CHECKING:
    from pathlib import Path

    from mpi_runs import Ended, Mpi

RANKS = 4
CALLS = 10
LIMIT = 1000
STRETTO = [sys.executable, "-c", "from stretto.cli.main import main; main()"]


def stretto(mpi: Mpi, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    program = ["--launcher", str(mpi.launcher.path)]
    verb, *rest = map(str, words)
    command = [*STRETTO, verb, *program, *rest]
    env = {**os.environ, **mpi.environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def tuned_for(mpi: Mpi, *collectives: CollectiveRules) -> Tuned:
    host = this_host()
    return Tuned(Fingerprint(mpi.name, host.cpu, host.cpus), list(collectives))


def changing(name: str, first: str, then: str) -> CollectiveRules:
    """From one algorithm to another at the limit, in rules of Stretto's and of the MPI's."""
    rules = [Rule(first, LIMIT), Rule(then)]
    return CollectiveRules(name, RANKS, 1, rules, rules)


def handled(folder: Path) -> set[tuple[str, str, int]]:
    """Which algorithm ran how many calls of which function, as each rank counted it."""
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("rank-*.json"))]
    assert len(found) == RANKS
    lines = [
        {(line["call"], line.get("algorithm", "native"), line["calls"]) for line in each[kind]}
        for each in found
        for kind in ("handled", "passed")
    ]
    return set().union(*lines)


def test_what_is_tuned_is_written_with_its_evidence(mpi: Mpi, tmp_path: Path) -> None:
    words = ["-n", "2", "--sizes", "8,64K", "--collectives", "bcast,barrier"]
    words += ["--patterns", "none,last:100us", "--rounds", "3", "--launches", "2"]
    done = stretto(mpi, tmp_path, "tune", *words, mpi.program("chosen"))
    assert done.returncode == 0, done.stderr
    tuned = read_tuned(tmp_path / "tuned.toml")
    assert tuned.fingerprint.mpi == mpi.name
    barrier, bcast = tuned.collective
    assert (barrier.name, barrier.ranks, barrier.hosts) == ("barrier", 2, 1)
    assert {one.bytes for one in bcast.measured} == {8, 65536}
    assert {one.pattern for one in bcast.measured} == {"none", "last:100us"}
    ways = Counter((one.bytes, one.pattern) for one in bcast.measured)
    assert set(ways.values()) <= {2, 3, 4}  # the MPI's own, and up to three
    for one in bcast.measured:
        assert one.rounds == 6
        assert 0 < one.low_us <= one.median_us <= one.high_us
    # Nobody is left waiting for less than a rank's lateness in a barrier.
    late = [one for one in barrier.measured if one.pattern != "none"]
    assert all(one.median_us >= 50 for one in late)
    again = stretto(mpi, tmp_path, "run", "-n", "2", "--rules", "tuned.toml", mpi.program("chosen"))
    assert again.returncode == 0, again.stderr
    assert again.stderr == ""


# All the way, with each MPI: its own algorithms are measured, and rules of them written.
def test_own_algorithms_are_measured_and_exported(any_mpi: Mpi, tmp_path: Path) -> None:
    own = settings_of(any_mpi.name)
    if own is None or any_mpi.abi is Abi.MPIABI:
        pytest.skip("an interface that its MPI has beside another one")
    words = ["-n", 2, "--sizes", 8, "--collectives", "barrier,allgather", "--rounds", 2]
    words += ["--launches", 1, "--native-algorithms"]
    done = stretto(any_mpi, tmp_path, "tune", *words, any_mpi.program("chosen"))
    assert done.returncode == 0, done.stderr
    barrier, allgather = read_tuned(tmp_path / "tuned.toml").collective
    for each in (barrier, allgather):
        measured = {one.algorithm for one in each.measured}
        assert measured >= {f"native:{name}" for name in own.algorithms(each.name, Where(2))}
    for name in own.formats:
        command = [*STRETTO, "export", "tuned.toml", "--to", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        # Only where another algorithm won has Intel MPI rules, and only on several hosts HAN.
        why_not = "own choice won wherever" if name.startswith("impi") else "HAN"
        assert done.returncode == 0 or why_not in done.stderr, done.stderr
        assert done.returncode != 0 or name != "openmpi-han"


# They would be measured under the names of others.
@pytest.mark.parametrize(
    ("words", "environment", "named"),
    [
        (["--mca", "coll_han_priority", "50"], {}, "OMPI_MCA_coll_han_priority"),
        (["--tune", "settings.conf"], {}, "--tune"),
        (["--mca", "coll", "^tuned"], {}, "OMPI_MCA_coll"),
        (["-genv", "I_MPI_TUNING=x"], {}, "I_MPI_TUNING"),
        ([], {"I_MPI_ADJUST_BCAST": "1"}, "I_MPI_ADJUST_BCAST"),
        (["-genv", "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial"], {}, "MPIR_CVAR_REDUCE"),
    ],
)
def test_what_chooses_algorithms_is_refused(
    any_mpi: Mpi, words: list[str], environment: dict[str, str], named: str, tmp_path: Path
) -> None:
    product = {"O": "Open MPI", "-": "Open MPI", "I": "Intel MPI", "M": "MPICH"}[named[0]]
    if not any_mpi.name.startswith(product):
        pytest.skip("of another MPI")
    command = ["tune", "-n", "2", "--native-algorithms", "--launcher-args", " ".join(words)]
    chosen = [*STRETTO, *command, "--launcher", str(any_mpi.launcher.path)]
    done = subprocess.run(
        [*chosen, str(any_mpi.program("chosen"))], cwd=tmp_path,
        env={**os.environ, **any_mpi.environment, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"--native-algorithms: {named}" in done.stderr
    assert done.stderr.endswith("is set, and chooses some: unset it\n")


# In a binomial tree, which MPIs run, rank 3 waits for rank 1, which is late; in a flat one only
# rank 1 itself is late. Behind a barrier, with nobody late, that could not be seen.
def test_the_programs_own_late_ranks_decide(mpi: Mpi, tmp_path: Path) -> None:
    program = [mpi.program("chosen"), "bcast", 64, 20]
    done = stretto(mpi, tmp_path, "profile", "-n", RANKS, "--output", "run", *program)
    assert done.returncode == 0, done.stderr
    words = ["--from-profile", "run", "--rounds", "5", "--launches", "1"]
    done = stretto(mpi, tmp_path, "tune", *words, *program)
    assert done.returncode == 0, done.stderr
    tuned = read_tuned(tmp_path / "tuned.toml")
    (bcast,) = [each for each in tuned.collective if each.name == "bcast"]
    assert {one.bytes for one in bcast.measured} == {64}
    assert len({one.pattern for one in bcast.measured}) == 3
    costs: Counter[str] = Counter()
    for one in bcast.measured:
        costs[one.algorithm] += int(one.median_us)
    # How much is gained is the machine's; who wins by given times tests/python/tune asks.
    assert costs[bcast.rule[0].algorithm] <= costs["native"], costs


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
def test_ranks_obey_rules_to_the_byte(mpi: Mpi, size: int, tmp_path: Path) -> None:
    tuned = tuned_for(
        mpi,
        changing("bcast", "chain", "native"),
        changing("allreduce", "native", "ring"),
        changing("allgather", "ring", "bruck"),
    )
    (tmp_path / "tuned.toml").write_text(toml_of(tuned))
    over = size > LIMIT
    for name, expected in (
        ("bcast", ("MPI_Bcast", "native" if over else "chain", CALLS)),
        ("allreduce", ("MPI_Allreduce", "ring" if over else "native", CALLS)),
        ("allgather", ("MPI_Allgather", "bruck" if over else "ring", CALLS)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        dry = ["run", "-n", RANKS, "--rules", tmp_path / "tuned.toml", "--dry-run"]
        shown = stretto(mpi, tmp_path, *dry, mpi.program("chosen"))
        rules = re.search(r"STRETTO_RULES[= ]'?([^']*)'", shown.stdout)
        assert rules, shown.stdout + shown.stderr
        env = {"STRETTO_RULES": rules[1].strip(), "STRETTO_RUN_COUNTERS": str(folder)}
        env |= {"STRETTO_SELECTION": "automatic"}
        ended = mpi.run_under_stretto(mpi.program("chosen"), name, size, ranks=RANKS, env=env)
        assert ended.ok, ended.stderr
        assert handled(folder) == {expected}


def test_wrong_rules_are_one_line(mpi: Mpi) -> None:
    env = {"STRETTO_RULES": "bcast:4:1:any:chains"}
    ended = mpi.run_under_stretto(mpi.program("chosen"), ranks=1, env=env)
    assert ended.exit_code == 2
    assert "STRETTO_RULES: unknown algorithm in bcast:4:1:any:chains" in ended.stderr


def test_another_mpis_rules_are_refused(mpi: Mpi, tmp_path: Path) -> None:
    tuned = Tuned(Fingerprint("Fast MPI 1.0", "x", 2), [changing("bcast", "chain", "native")])
    (tmp_path / "tuned.toml").write_text(toml_of(tuned))
    done = stretto(mpi, tmp_path, "run", "--rules", "tuned.toml", mpi.program("chosen"))
    assert done.returncode == 2
    assert f"measured with Fast MPI 1.0, and this is {mpi.name}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_another_machines_rules_are_used_with_a_warning(mpi: Mpi, tmp_path: Path) -> None:
    tuned = Tuned(Fingerprint(mpi.name, "Fast CPU", 3), [changing("bcast", "chain", "native")])
    (tmp_path / "tuned.toml").write_text(toml_of(tuned))
    done = stretto(mpi, tmp_path, "run", "-n", "2", "--rules", "tuned.toml", mpi.program("chosen"))
    assert done.returncode == 0, done.stderr
    assert "was measured on 3 x Fast CPU" in done.stderr
    assert "has rules for communicators of 4 ranks, and none for all 2" in done.stderr


def monitored(
    mpi: Mpi, folder: Path, tuned: Tuned, name: str, size: int
) -> Counter[tuple[int, int]]:
    """How many messages Open MPI itself sent from which rank to which, by its own count.

    Blocks of scatter and gather were right.
    """
    rules = classic_rules(tuned)
    assert rules.startswith("rule-file-version-2\n") == mpi.name.startswith("Open MPI 5")
    (folder / "rules.conf").write_text(rules)
    settings = {
        "coll_tuned_use_dynamic_rules": "1",
        "coll_tuned_dynamic_rules_filename": str(folder / "rules.conf"),
        "pml": "ob1,monitoring",
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": str(folder / "sent"),
    }
    env = {f"OMPI_MCA_{key}": value for key, value in settings.items()}
    ended: Ended = mpi.run(
        mpi.program("chosen"), name, size, ranks=RANKS, env=env | yielding(mpi.abi)
    )
    assert ended.ok, ended.stderr
    sent: Counter[tuple[int, int]] = Counter()
    for path in folder.glob("sent.*.prof"):
        counted = r"^[EI]\t(\d)\t(\d)\t\d+ bytes\t(\d+) msgs"
        lines = re.findall(counted, path.read_text(), re.MULTILINE)
        sent.update({(int(a), int(b)): int(count) for a, b, count in lines})
        path.unlink()
    return sent


# Of ten calls, between ranks that the other algorithm has no messages between.
CHANGES = [
    (changing("bcast", "basic_linear", "pipeline"), (0, 3)),
    (changing("allreduce", "recursive_doubling", "ring"), (0, 2)),
    (changing("allgather", "linear", "ring"), (1, 0)),
]


@pytest.mark.parametrize(("rules", "pair"), CHANGES, ids=[each.name for each, _ in CHANGES])
def test_open_mpi_reads_exported_rules_to_the_byte(
    any_mpi: Mpi, rules: CollectiveRules, pair: tuple[int, int], tmp_path: Path
) -> None:
    if any_mpi.abi is not Abi.OPENMPI:
        pytest.skip("no Open MPI")
    tuned = tuned_for(any_mpi, rules)
    for size, is_first in ((LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False)):
        sent = monitored(any_mpi, tmp_path, tuned, rules.name, size)
        if not sent:
            pytest.skip("this Open MPI does not count its messages")
        assert (sent[pair] >= CALLS) == is_first, (size, sent)


MAY_RUN_BY_REDUCE = "MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block"


# Which of them are only for operations that commute, as export says with rules of theirs.
@pytest.mark.parametrize("name", ["allreduce", "reduce", "reduce_scatter"])
def test_algorithms_that_mix_up_the_order_of_ranks_are_known(any_mpi: Mpi, name: str) -> None:
    if any_mpi.abi is not Abi.OPENMPI:
        pytest.skip("no Open MPI")
    wrong = []
    for algorithm in algorithms(name, Where(RANKS)):
        env = forced({name: algorithm}) | yielding(any_mpi.abi)
        ended = any_mpi.run(any_mpi.program("ordered"), ranks=RANKS, env=env)
        if not ended.ok:
            assert "== wanted does not hold" in ended.stderr, ended.stderr
            wrong.append(algorithm)
    for each in wrong:
        (said,) = remarks(tuned_for(any_mpi, changing(name, each, each)))
        too = f", and of {MAY_RUN_BY_REDUCE}, which may run by the rules of reduce"
        expected = f"with others results are wrong of {name} by {each}"
        assert said.endswith(expected + (too if name == "reduce" else ""))
    right = [each for each in algorithms(name, Where(RANKS)) if each not in wrong]
    assert remarks(tuned_for(any_mpi, *(changing(name, each, each) for each in right))) == []


# Not all ranks know a scatter's size, nor a gather's where the root is in place: it has to be one
# algorithm, and here, where the rules have two, is Open MPI's own choice.
@pytest.mark.parametrize("name", ["gather", "scatter"])
@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_exported_rules_leave_programs_right(
    any_mpi: Mpi, name: str, size: int, tmp_path: Path
) -> None:
    if any_mpi.abi is not Abi.OPENMPI:
        pytest.skip("no Open MPI")
    changes = changing(name, "basic_linear", "binomial")
    monitored(any_mpi, tmp_path, tuned_for(any_mpi, changes, CHANGES[0][0]), name, size)
    tuned = tuned_for(any_mpi, changing(name, "binomial", "binomial"))
    sent = monitored(any_mpi, tmp_path, tuned, name, size)
    near, far = ((2, 3), (0, 3)) if name == "scatter" else ((3, 2), (3, 0))
    assert not sent or (sent[near] >= CALLS and sent[far] < CALLS), sent
