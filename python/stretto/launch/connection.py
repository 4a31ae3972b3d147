"""What comes over a connection to the guardian, whoever is behind it: standard library only."""

import re
import socket

from stretto.launch.deaths import JobKey, Lost
from stretto.launch.peers import Peer

# Where ranks connect to, and the key that they say, which is nobody else's to know.
LIFELINE = "STRETTO_RUN_LIFELINE"

# A rank says three lines, of which the longest names some fifty settings: who says more is none
# of ours, and may fill nobody's memory.
MOST_LINES = 64
LONGEST_LINE = 1 << 16
LONGEST_OF_A_STRANGER = 4096

# Digits are ASCII's, and no more of them than any rank, process or exit code has.
_INTRODUCTION = re.compile(r"rank ([0-9]{1,9}) pid ([0-9]{1,9}) host ([^ ]*) key ([^ ]*)")
_QUESTION = re.compile(r"of ([0-9]{1,9}) in ([^ ]*) runs (.*)")
_ABORT = re.compile(r"aborts (-?[0-9]{1,10})")
_FINALIZES = "done"
_LEAVES = "left"


class RankConnection:
    """What came over one connection so far (src/intercept/shared/roll_call.cpp)."""

    def __init__(self, sock: socket.socket, came: float, peer: Peer) -> None:
        self.sock = sock
        self.came = came
        self.peer = peer
        self.said: list[str] = []  # whole lines
        self.is_stranger = True  # it has not shown the key
        self.rank = -1
        self.job: JobKey | None = None  # before it asks; who never does is no rank to be missed
        self.runs = ""
        self._unended = ""

    def hear(self, words: str, key: str) -> list[str] | None:
        """The lines that these words end; None: it is not, or is no longer, one to be heard."""
        before = len(self.said)
        *ended, self._unended = (self._unended + words).split("\n")
        self.said += ended
        if self.said and self.is_stranger:
            introduced = _INTRODUCTION.fullmatch(self.said[0])
            if introduced is None or introduced[4] != key:  # anybody may find the port
                return None
            self.is_stranger = False
            self.rank = int(introduced[1])
        longest = LONGEST_OF_A_STRANGER if self.is_stranger else LONGEST_LINE
        if len(self._unended) > longest or len(self.said) > MOST_LINES:
            return None
        return self.said[before:]

    def asks(self) -> bool:
        """Whether its second line is its part in the roll call: "of SIZE in JOB runs WHAT"."""
        asked = _QUESTION.fullmatch(self.said[1])
        if asked is not None:
            self.job = (asked[2], int(asked[1]))
            self.runs = asked[3]
        return asked is not None

    def is_of(self, job: JobKey | None) -> bool:
        """Whether it is one of that job's ranks."""
        return self.job is not None and self.job == job

    @property
    def has_finalized(self) -> bool:
        """Whether it has come to its MPI_Finalize."""
        return self.said[-1] == _FINALIZES

    @property
    def has_left(self) -> bool:
        """Whether it ends of itself, without MPI_Finalize."""
        return self.said[-1] == _LEAVES

    def goes_on(self) -> bool:
        """Whether it is a rank that has not said that it ends."""
        if self.job is None:
            return False
        return not (self.has_finalized or self.has_left or is_abort(self.said[-1]))

    def account(self) -> Lost:
        """Of one that has shown the key."""
        introduced = _INTRODUCTION.fullmatch(self.said[0])
        assert introduced is not None
        codes = [int(found[1]) for each in self.said if (found := _ABORT.fullmatch(each))]
        aborts = codes[-1] if codes else None
        return Lost(self.rank, pid=int(introduced[2]), host=introduced[3], aborts=aborts)


def is_abort(said: str) -> bool:
    """Whether a rank that says this is about to end the others."""
    return _ABORT.fullmatch(said) is not None
