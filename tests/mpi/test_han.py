"""Open MPI's HAN on the hosts of a rig: its algorithms are measured, the file that stretto export
writes of them is obeyed to the byte, beside coll/tuned's, and programs stay right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from mpi_runs import EVERY_MPI
from rig_here import NEEDS_A_RIG

from stretto.launch.base import Abi, Start
from stretto.launch.process import launch
from stretto.launch.rig.rig import Rig
from stretto.launch.rig.spec import parse_rig
from stretto.launch.yielding import yielding
from stretto.tune import han
from stretto.tune.openmpi import classic_rules, han_rules
from stretto.tune.openmpi_algorithms import forced
from stretto.tune.rules import CollectiveRules, Evidence, Fingerprint, Rule, Tuned, read_tuned
from stretto.tune.settings import Where, version_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mpi_runs import Mpi

    from stretto.launch.base import Launcher

pytestmark = NEEDS_A_RIG

RIG = "2x2@1gbit"
RANKS = 4
HOSTS = 2
FEW, MORE = 10, 40  # calls
LIMIT = 1000
STRETTO = [sys.executable, "-c", "from stretto.cli.main import main; main()"]
NAMES = ("allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter")

Sent = Counter[tuple[int, int]]


@pytest.fixture(scope="module")
def open_mpi() -> Mpi:
    """One whose HAN is right, and comes first on several hosts."""
    of_it = (mpi for mpi in EVERY_MPI.values() if mpi.abi is Abi.OPENMPI)
    found = next((mpi for mpi in of_it if han.is_known(version_in(mpi.name))), None)
    if found is None:
        pytest.skip("no Open MPI 5 here")
    return found


@pytest.fixture(scope="module")
def launcher(open_mpi: Mpi) -> Iterator[Launcher]:
    """It, on two hosts."""
    with Rig(parse_rig(RIG)) as rig:
        yield rig.launcher(open_mpi.launcher)


def run(
    open_mpi: Mpi,
    launcher: Launcher,
    words: list[object],
    env: Mapping[str, str],
    ranks: int = RANKS,
) -> None:
    program = [str(open_mpi.program(str(words[0]))), *map(str, words[1:])]
    env = {**open_mpi.environment, **yielding(open_mpi.abi), **env}
    ended = launch(launcher.command(Start(ranks, program, env)), timeout_s=100)
    assert ended.exit_code == 0, (words, env)


def sent(
    open_mpi: Mpi,
    launcher: Launcher,
    name: str,
    size: int,
    folder: Path,
    env: Mapping[str, str],
    ranks: int = RANKS,
) -> Sent:
    """How many messages go from which rank to which in a call, by Open MPI's own count.

    Those that HAN sends once, as it makes its communicators, are not a call's.
    """
    few, more = (
        counted(open_mpi, launcher, [name, size, 0, n], folder, env, ranks) for n in (FEW, MORE)
    )
    more.subtract(few)
    assert all(count % (MORE - FEW) == 0 for count in more.values()), more
    return Counter({pair: count // (MORE - FEW) for pair, count in more.items() if count})


def counted(
    open_mpi: Mpi,
    launcher: Launcher,
    words: list[object],
    folder: Path,
    env: Mapping[str, str],
    ranks: int,
) -> Sent:
    settings = {
        "pml": "ob1,monitoring",
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": str(folder / "sent"),
    }
    counting = {f"OMPI_MCA_{key}": value for key, value in settings.items()}
    run(open_mpi, launcher, ["chosen", *words], {**counting, **env}, ranks)
    found: Sent = Counter()
    for path in folder.glob("sent.*.prof"):
        line = r"^[EI]\t(\d)\t(\d)\t\d+ bytes\t(\d+) msgs"
        lines = re.findall(line, path.read_text(), re.MULTILINE)
        found.update({(int(a), int(b)): int(count) for a, b, count in lines})
        path.unlink()
    if not found:
        pytest.skip("this Open MPI does not count its messages")
    return found


def handed_over(open_mpi: Mpi, folder: Path, *collectives: CollectiveRules) -> dict[str, str]:
    """Both files, and the settings that hand them over."""
    tuned = Tuned(Fingerprint(open_mpi.name, "cpu", 2), list(collectives))
    (folder / "tuned.conf").write_text(classic_rules(tuned))
    (folder / "han.conf").write_text(han_rules(tuned))
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(folder / "tuned.conf"),
        "OMPI_MCA_coll_han_use_dynamic_file_rules": "1",
        "OMPI_MCA_coll_han_dynamic_rules_filename": str(folder / "han.conf"),
    }


def rules(name: str, *chosen: Rule, ranks: int = RANKS) -> CollectiveRules:
    seen = [Evidence(LIMIT, "none", "native:han_simple", 1, 1, 1, 1)]
    return CollectiveRules(name, ranks, HOSTS, [Rule("native")], list(chosen), seen)


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        ("allreduce", "ring", "han_simple"),
        ("allreduce", "han_intra", "ring"),
        ("bcast", "native", "chain"),
        ("bcast", "chain", "pipeline"),
        ("allgather", "ring", "native"),
        ("gather", "basic_linear", "han_intra"),
        ("scatter", "han_simple", "basic_linear"),
        ("reduce", "han_simple", "linear"),
    ],
)
def test_the_file_is_obeyed_to_the_byte(
    open_mpi: Mpi, launcher: Launcher, name: str, first: str, then: str, tmp_path: Path
) -> None:
    below, above = (
        sent(open_mpi, launcher, name, LIMIT, tmp_path, {} if each == "native" else settings)
        for each in (first, then)
        for settings in [forced({name: each})]
    )
    assert below != above
    for limit, expected in ((LIMIT, below), (LIMIT - 1, above)):
        env = handed_over(open_mpi, tmp_path, rules(name, Rule(first, limit), Rule(then)))
        assert sent(open_mpi, launcher, name, LIMIT, tmp_path, env) == expected, limit


# A barrier has no size.
def test_barriers_obey(open_mpi: Mpi, launcher: Launcher, tmp_path: Path) -> None:
    found = []
    for each in ("han_simple", "linear"):
        expected = sent(open_mpi, launcher, "barrier", 0, tmp_path, forced({"barrier": each}))
        env = handed_over(open_mpi, tmp_path, rules("barrier", Rule(each)))
        assert sent(open_mpi, launcher, "barrier", 0, tmp_path, env) == expected
        found.append(expected)
    assert found[0] != found[1]


# Ranks 0 and 1 are on one host: only one of them has messages with the other host, where HAN runs.
@pytest.mark.parametrize(("name", "of_tuned"), [("allreduce", "ring"), ("barrier", "double_ring")])
def test_it_runs_on_uneven_hosts(
    open_mpi: Mpi, launcher: Launcher, name: str, of_tuned: str, tmp_path: Path
) -> None:
    by_han, by_tuned = (
        sent(open_mpi, launcher, name, LIMIT, tmp_path, forced({name: each}), ranks=3)
        for each in ("han_simple", of_tuned)
    )
    assert by_han != by_tuned
    between = {(1, 2), (2, 1)}
    assert not between & set(by_han), by_han
    assert between & set(by_tuned), by_tuned


# Other numbers of ranks, and collectives, have what Open MPI chooses itself.
def test_what_was_not_measured_stays_as_it_is(
    open_mpi: Mpi, launcher: Launcher, tmp_path: Path
) -> None:
    usual = sent(open_mpi, launcher, "allreduce", LIMIT, tmp_path, {})
    more = rules("allreduce", Rule("ring"), ranks=RANKS + 2)
    for others in ([more], [rules("bcast", Rule("chain"))]):
        env = handed_over(open_mpi, tmp_path, *others)
        assert sent(open_mpi, launcher, "allreduce", LIMIT, tmp_path, env) == usual


# That it is they that run the cases above show.
@pytest.mark.parametrize("turn", [0, 1])
def test_its_algorithms_are_right(
    open_mpi: Mpi, launcher: Launcher, turn: int, tmp_path: Path
) -> None:
    where = Where(RANKS, HOSTS, version_in(open_mpi.name))
    of = {name: han.algorithms(name, where) for name in NAMES}
    chosen = {name: names[min(turn, len(names) - 1)] for name, names in of.items()}
    written = [rules(name, Rule(algorithm)) for name, algorithm in chosen.items()]
    for env in (forced(chosen), handed_over(open_mpi, tmp_path, *written)):
        run(open_mpi, launcher, ["ordered"], env)
        run(open_mpi, launcher, ["chosen", ",".join(NAMES), LIMIT], env)


def tuned_on(
    open_mpi: Mpi, rig: str, ranks: int, collectives: str, folder: Path
) -> list[CollectiveRules]:
    """What `stretto tune` measures of so many ranks there, the MPI's own algorithms, too."""
    words = ["tune", "--rig", rig, "--launcher", open_mpi.launcher.path, "-n", ranks]
    words += ["--sizes", 8, "--collectives", collectives, "--rounds", 1, "--launches", 1]
    words += ["--native-algorithms", open_mpi.program("chosen")]
    command = [*STRETTO, *map(str, words)]
    env = {**os.environ, **open_mpi.environment}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return read_tuned(folder / "tuned.toml").collective


def test_it_is_measured_on_several_hosts(open_mpi: Mpi, tmp_path: Path) -> None:
    barrier, gather = tuned_on(open_mpi, RIG, RANKS, "barrier,gather", tmp_path)
    assert (gather.ranks, gather.hosts) == (RANKS, HOSTS)
    of_mpi = {one.algorithm for one in gather.measured}
    assert of_mpi >= {"native", "native:han_intra", "native:han_simple", "native:binomial"}
    assert "native:han_simple" in {one.algorithm for one in barrier.measured}
    command = [*STRETTO, "export", "tuned.toml", "--to", "openmpi-han", "-o", "han.conf"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "HAN runs barrier on 4 ranks, gather on 4 ranks: these rules hold only" in done.stderr
    assert f"coll_han_dynamic_rules_filename {tmp_path / 'han.conf'}" in done.stderr


# HAN takes itself out where hosts have one rank each, and of scatter where not all have as many:
# its names would stand for what coll/tuned does.
@pytest.mark.parametrize(("rig", "ranks"), [("2x1@1gbit", 2), ("2x2@1gbit", 3)])
def test_where_it_does_not_run_it_is_not_measured(
    open_mpi: Mpi, rig: str, ranks: int, tmp_path: Path
) -> None:
    (scatter,) = tuned_on(open_mpi, rig, ranks, "scatter", tmp_path)
    measured = {one.algorithm for one in scatter.measured}
    assert "native:binomial" in measured
    assert not [name for name in measured if "han" in name]
