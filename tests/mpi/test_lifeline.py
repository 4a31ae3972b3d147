"""What ranks do to reach `stretto run`, and what they tell it, by one that stands in for it."""

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mpi_runs import Ended, Mpi

from stretto.launch.environment import ALL_RANKS
from stretto.launch.lifelines import VARIABLE

# As /proc/net/tcp calls a connection that waits for its first answer, one that stands, and the
# timer that asks whether its other end is there.
WAITS, STANDS, KEEP_ALIVE = "02", "01", "02"


class StandIn:
    """Listens where ranks are sent to, over the network only, and tells all of them no."""

    def __init__(self, backlog: int) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.port: int = self.listener.getsockname()[1]

    def run(
        self, mpi: Mpi, program: Path | str, ranks: int, meanwhile: Callable[[], None]
    ) -> Ended:
        """A program, in whose time something is done here."""
        env = {VARIABLE: f"key,,127.0.0.1:{self.port}", ALL_RANKS: "ask"}
        ended: list[Ended] = []
        running = threading.Thread(
            target=lambda: ended.append(mpi.run_under_stretto(program, ranks=ranks, env=env))
        )
        running.start()
        meanwhile()
        running.join()
        return ended[0]

    def hear(self) -> tuple[socket.socket, list[str]]:
        """The two lines of a rank that comes, and its connection."""
        self.listener.settimeout(60)
        line, _ = self.listener.accept()
        line.settimeout(60)
        said = ""
        while said.count("\n") < 2 and (words := line.recv(4096).decode()):
            said += words
        return line, said.splitlines()

    def kernel_says(self, state: str, timer: str = "") -> bool:
        """Whether a connection to us is in that state, at the rank's end."""
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return any(
            row[2].endswith(f":{self.port:04X}") and row[3] == state and row[5].startswith(timer)
            for row in rows
        )

    def wait_for(self, state: str, timer: str = "") -> bool:
        """The same within a minute."""
        until = time.monotonic() + 60
        while time.monotonic() < until and not self.kernel_says(state, timer):
            time.sleep(0.02)
        return self.kernel_says(state, timer)


def answered(stand_in: StandIn, ranks: int) -> list[list[str]]:
    """What ranks said, all of which have been told no."""
    heard = [stand_in.hear() for _ in range(ranks)]
    for line, _ in heard:
        line.sendall(b"not\n")
    for line, _ in heard:
        while line.recv(64):  # it keeps the line until its end
            pass
        line.close()
    return [said for _, said in heard]


def test_ranks_of_one_job_name_it_alike_and_those_of_the_next_otherwise(
    any_mpi: Mpi, tmp_path: Path
) -> None:
    """A script may start two at a time, and handle the failure of one."""
    script = tmp_path / "stays.sh"
    script.write_text(f'#!/bin/sh\n"{any_mpi.program("dropin")}"\nexit $?\n')
    script.chmod(0o755)
    stand_in = StandIn(backlog=16)
    jobs = []
    for _ in range(2):
        said: list[list[str]] = []
        ended = stand_in.run(
            any_mpi, script, 2, lambda said=said: said.extend(answered(stand_in, 2))
        )
        assert ended.ok, ended.stdout + ended.stderr
        jobs.append({second.split(" ")[3] for _, second in said})
    assert [len(names) for names in jobs] == [1, 1]
    assert jobs[0] != jobs[1]
    assert "-" not in jobs[0] | jobs[1]


def test_a_rank_that_is_not_let_in_at_once_comes_again(mpi: Mpi) -> None:
    """As where thousands come at once; and the system looks whether the other end is there."""
    stand_in = StandIn(backlog=0)
    crowd = [socket.create_connection(("127.0.0.1", stand_in.port), timeout=60)]
    seen: list[bool] = []

    def let_in() -> None:
        seen.append(stand_in.wait_for(WAITS))
        time.sleep(1.5)  # its first round over the addresses is over
        stand_in.listener.accept()[0].close()
        crowd[0].close()
        line, _ = stand_in.hear()
        seen.append(stand_in.wait_for(STANDS, KEEP_ALIVE))
        line.sendall(b"not\n")
        while line.recv(64):
            pass

    ended = stand_in.run(mpi, mpi.program("dropin"), 1, let_in)
    assert ended.ok, ended.stdout + ended.stderr
    assert seen == [True, True]
