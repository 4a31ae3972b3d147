"""A real rig with real MPI programs on it. Needs root."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from stretto import native
from stretto.errors import EnvironmentUnusable, StrettoError
from stretto.launch.base import Start
from stretto.launch.rig import Rig, parse_rig, rig
from stretto.launch.rig.plan import RIG_ROOT
from stretto.launch.rig.rig import require_usable
from stretto.launch.yielding import yielding

if TYPE_CHECKING:
    from mpi_runs import Mpi

pytestmark = pytest.mark.xdist_group("rig")

TIMEOUT_S = 120
RANK = re.compile(r"rank (\d+) host (\S+) cores (\d+) first (\d+) tag (.*)")


def unusable() -> str | None:
    try:
        require_usable()
    except EnvironmentUnusable as why:
        return str(why)
    return None


needs_rig = pytest.mark.skipif(unusable() is not None, reason=unusable() or "")


def probe(mpi: Mpi, text: str, env: Mapping[str, str]) -> str:
    """What a full rig of ranks says."""
    with Rig(parse_rig(text)) as hosts:
        program = str(mpi.program("rig_probe"))
        command = hosts.launcher(mpi.launcher).command(Start(hosts.spec.ranks, [program], env))
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S
        ).stdout


@needs_rig
def test_ranks_fill_the_hosts_in_order_and_get_their_environment(mpi: Mpi) -> None:
    said = probe(mpi, "3x2@1gbit", {"RIG_TEST_TAG": "a b;c"})
    ranks = {int(rank): host for rank, host, *_ in RANK.findall(said)}
    assert ranks == {rank: f"host{rank // 2}" for rank in range(6)}
    assert {tag for *_, tag in RANK.findall(said)} == {"a b;c"}


@needs_rig
def test_nothing_is_faster_than_the_wire(mpi: Mpi) -> None:
    # Only an upper bound: a loaded machine may be slower, an unlimited link is 100 times faster.
    said = probe(mpi, "2x1@200mbit", {})
    measured = float(said.partition("mbit_per_s ")[2].split()[0])
    assert 0 < measured < 1.05 * 200


@needs_rig
@pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="there is no /dev/net/tun")
def test_nothing_comes_sooner_than_the_delay() -> None:
    answer = "import socket; s = socket.create_server(('', 5000)); print(flush=True); s.accept()"
    # A connection takes a frame each way.
    ask = (
        "import socket, time; t = time.monotonic(); "
        "socket.create_connection(('host0', 5000)); print(time.monotonic() - t)"
    )
    with Rig(parse_rig("2x1@1gbit,delay=20ms")) as hosts:
        listening = subprocess.Popen(
            hosts.enter("host0", [sys.executable, "-c", answer]), stdout=subprocess.PIPE
        )
        assert listening.stdout is not None
        listening.stdout.readline()
        asked = subprocess.run(
            hosts.enter("host1", [sys.executable, "-c", ask]),
            check=True, capture_output=True, text=True, timeout=TIMEOUT_S,
        )  # fmt: skip
        assert listening.wait(TIMEOUT_S) == 0
    assert float(asked.stdout) >= 0.04


@needs_rig
def test_pinned_hosts_keep_to_one_core_each(mpi: Mpi) -> None:
    said = probe(mpi, "2x1@1gbit,pin", {})
    here = sorted(os.sched_getaffinity(0))
    where = {int(rank): (int(count), int(first)) for rank, _, count, first, _ in RANK.findall(said)}
    assert where == {rank: (1, here[rank % len(here)]) for rank in range(2)}


@needs_rig
def test_ranks_of_two_hosts_on_one_core_are_known_to_share_it(mpi: Mpi, tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    program = ["taskset", "-c", str(core), str(mpi.app("latency")), "ibcast", "8", "1"]
    env = {
        "LD_PRELOAD": str(native.drop_in(mpi.abi)),
        "STRETTO_RUN_ALL_RANKS": "trust",
        "STRETTO_RUN_COUNTERS": str(tmp_path),
    }
    with Rig(parse_rig("2x1@1gbit")) as hosts:
        command = hosts.launcher(mpi.launcher).command(Start(2, program, env))
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
    counted = json.loads((tmp_path / "rank-1.json").read_text())
    assert (counted["hosts"], counted["oversubscribed"]) == (2, True)
    assert "expected to be faster" in {
        line["reason"] for line in counted["passed"] if line["call"] == "MPI_Ibcast"
    }


@needs_rig
@pytest.mark.parametrize("cores", [1, 2])
def test_the_mpi_is_made_to_yield_where_ranks_share_cores(mpi: Mpi, cores: int) -> None:
    here = sorted(os.sched_getaffinity(0))
    if len(here) < cores:
        pytest.skip("there is but one core here")
    unset = [word for name in yielding(mpi.abi, {}) for word in ("-u", name)]
    bound = ["taskset", "-c", ",".join(map(str, here[:cores]))]
    program = ["env", *unset, *bound, str(mpi.program("yielding"))]
    env = {"LD_PRELOAD": str(native.drop_in(mpi.abi)), "STRETTO_RUN_ALL_RANKS": "trust"}
    with Rig(parse_rig("2x1@1gbit")) as hosts:
        command = hosts.launcher(mpi.launcher).command(Start(2, program, env))
        said = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S
        ).stdout
    assert f"yields {int(cores == 1)}" in said


@needs_rig
def test_a_preloaded_library_reaches_ranks_and_nobody_else(mpi: Mpi, tmp_path: Path) -> None:
    source, library, seen = tmp_path / "spy.c", tmp_path / "spy.so", tmp_path / "seen"
    source.write_text(
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <stdio.h>\n"
        "__attribute__((constructor)) static void note(void) {\n"
        f'  FILE* seen = fopen("{seen}", "a");\n'
        '  fprintf(seen, "%s\\n", program_invocation_short_name);\n  fclose(seen);\n}\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    probe(mpi, "2x2@1gbit", {"LD_PRELOAD": str(library)})
    assert seen.read_text().split() == ["rig_probe"] * 4


@needs_rig
def test_hosts_share_files_but_not_memory_temp_folder_or_names() -> None:
    look = "hostname; echo $TMPDIR; ls -A /dev/shm $TMPDIR; touch /dev/shm/mine $TMPDIR/mine; pwd"
    with Rig(parse_rig("2x1@1gbit")) as hosts:
        first, second = (
            subprocess.run(
                hosts.enter(host, ["sh", "-c", look]), check=True, capture_output=True, text=True
            ).stdout.replace(host, "HOST")
            for host in hosts.spec.host_names
        )
    assert first == second
    assert first.startswith("HOST\n")
    assert "mine" not in first
    assert str(Path.cwd()) in first


# What one has left in it, killed as its launch ended, stood in the way of the next launch's.
@needs_rig
def test_daemons_have_a_temp_folder_each() -> None:
    start = [f"{RIG_ROOT}/agent", "-x", "host1", "ls -A $TMPDIR; touch $TMPDIR/mine; echo $TMPDIR"]
    with Rig(parse_rig("2x1@1gbit")) as hosts:
        found = {
            subprocess.run(
                hosts.enter("host0", start), check=True, capture_output=True, text=True
            ).stdout
            for _ in range(3)
        }
    assert len(found) == 3
    assert not any("mine" in each for each in found)


@needs_rig
def test_two_rigs_at_once_have_a_network_each() -> None:
    with Rig(parse_rig("2x1@1gbit")) as one, Rig(parse_rig("2x1@200mbit")) as other:
        rates = [
            subprocess.run(
                hosts.enter("host1", ["tc", "qdisc", "show", "dev", "eth0"]),
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for hosts in (one, other)
        ]
    assert "rate 1Gbit" in rates[0]
    assert "rate 200Mbit" in rates[1]


@needs_rig
def test_exit_code_of_a_command_comes_back() -> None:
    with Rig(parse_rig("1x1@1gbit")) as hosts:
        seven = subprocess.run(hosts.enter("host0", ["sh", "-c", "exit 7"]), check=False)
        missing = subprocess.run(
            hosts.enter("host1", ["true"]), capture_output=True, text=True, check=False
        )
    assert seven.returncode == 7
    assert missing.returncode == 5
    assert "no host host1" in missing.stderr


def test_hosts_exist_only_inside_the_block() -> None:
    with pytest.raises(StrettoError, match="inside its `with` block"):
        Rig(parse_rig("1x1@1gbit")).enter("host0", ["true"])


def test_without_the_capabilities_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rig.has_capabilities("Name:\tx\nCapEff:\t000001ffffffffff\n")
    assert not rig.has_capabilities("Name:\tx\nCapEff:\t0000000000001000\n")
    monkeypatch.setattr(rig, "has_capabilities", lambda _status: False)
    with pytest.raises(EnvironmentUnusable, match="needs root") as refusal:
        rig.require_usable()
    assert refusal.value.exit_code == 5
    assert "\n" not in str(refusal.value)
