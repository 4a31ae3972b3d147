"""Whether all ranks of one job run Stretto, for the guardian: standard library only."""

import contextlib
import itertools
import socket
import time
from collections import Counter
from collections.abc import Iterator

from stretto.launch.notices import notice

# How long those ranks that have come up under Stretto wait for the others to do so.
ROLL_CALL_S = 10.0
# How long the first of them waits at most: it gives up by itself 30 s after it asked.
LONGEST_ROLL_CALL_S = 20.0
# What a rank says whose launcher gives its job no name.
NO_NAME = "-"
# Of those that are missing so many are named.
NAMED = 8
# The answers to ranks, and what is said of a no.
YES, NO = b"all\n", b"not\n"
WITHOUT = "the program runs as it is, without Stretto"


class Question:
    """A rank that waits for its answer."""

    def __init__(self, connection: socket.socket, rank: int, what: str) -> None:
        self.connection = connection
        self.rank = rank
        self.what = what  # it runs
        self.asked = time.monotonic()


class Alike:
    """Those who wait and run the same."""

    def __init__(self) -> None:
        self._by_rank: dict[int, list[Question]] = {}
        self._count = 0

    def add(self, question: Question) -> None:
        """One more waits."""
        self._by_rank.setdefault(question.rank, []).append(question)
        self._count += 1

    def remove(self, question: Question) -> None:
        """One waits no longer."""
        self._by_rank[question.rank].remove(question)
        if not self._by_rank[question.rank]:
            del self._by_rank[question.rank]
        self._count -= 1

    def are_whole_jobs(self, size: int) -> bool:
        """Whether there are as many of each rank's number: none waits for one that is missing."""
        jobs, rest = divmod(self._count, size) if size else (0, 0)
        if not jobs or rest or len(self._by_rank) != size:
            return False
        return all(len(questions) == jobs for questions in self._by_rank.values())

    def all(self) -> list[Question]:
        """Every one of them."""
        return [question for questions in self._by_rank.values() for question in questions]


class RollCall:
    """Whether all ranks of one job run Stretto, and the same (src/intercept/shared/roll_call.hpp).

    They come here when MPI_Init is over for them, so within moments of each other. Jobs without a
    name are a pool if they are of one size: it does not matter which rank 1 comes for which rank 0,
    as long as there is one for each. Where there is not, whose is missing nobody knows, and
    all wait.
    """

    def __init__(self, name: str, size: int) -> None:
        self._is_named = name != NO_NAME
        self._size = size
        self._waiting: dict[socket.socket, Question] = {}  # as they came
        self._alike: dict[str, Alike] = {}  # by what they run
        self._is_refused = False  # the answer is no to all, as to one of them that cannot be kept

    @property
    def until(self) -> float | None:
        """When those who wait are to be answered no."""
        if not self._waiting:
            return None
        first, last = (next(iter(self._waiting.values())), next(reversed(self._waiting.values())))
        return min(last.asked + ROLL_CALL_S, first.asked + LONGEST_ROLL_CALL_S)

    @property
    def counts_on(self) -> bool:
        """Whether what was said to one counts for those of its job, and no other, to come yet."""
        return self._is_refused and self._is_named

    def hear(self, connection: socket.socket, rank: int, what: str) -> None:
        """One has come, who runs that."""
        if self._is_refused:
            _say(connection, NO)
            return
        question = Question(connection, rank, what)
        self._waiting[connection] = question
        alike = self._alike.setdefault(what, Alike())
        alike.add(question)
        if alike.are_whole_jobs(self._size):
            self._answer(alike.all(), YES)
        elif self._is_named and len(self._waiting) == self._size and not self._missing()[0]:
            self.end()

    def withdraw(self, connection: socket.socket) -> None:
        """One that may have asked is gone, and counts for none of another job."""
        if (question := self._waiting.pop(connection, None)) is None:
            return
        self._alike[question.what].remove(question)

    def refuse(self, connection: socket.socket, rank: int, why_not: str) -> None:
        """The answer to one that has come is no, and so to all, whoever comes later too."""
        _say(connection, NO)
        self._answer(list(self._waiting.values()), NO)
        if not self._is_refused:
            notice(f"{why_not} rank {rank} of {self._size}: {WITHOUT}")
        self._is_refused = True

    def end(self) -> None:
        """No rank that would make them complete has come, and none is awaited any more."""
        why_not = self._absence() or self._difference()
        self._answer(list(self._waiting.values()), NO)
        notice(f"{why_not}: {WITHOUT}")

    def _missing(self) -> tuple[int, Iterator[int]]:
        """How many numbers of ranks fewer have who wait than the most frequent one, and which."""
        ranks = Counter(question.rank for question in self._waiting.values())
        most = max(ranks.values())
        count = self._size - sum(ranks[rank] == most for rank in ranks if rank < self._size)
        return count, (rank for rank in range(self._size) if ranks[rank] < most)

    def _absence(self) -> str | None:
        missing, absent = self._missing()
        if not missing:
            return None
        named = [str(rank) for rank in itertools.islice(absent, NAMED)]
        who = f"rank{'s' if missing > 1 else ''} {', '.join(named)}"
        more = f" and {missing - NAMED} more" if missing > NAMED else ""
        return (
            f"{who}{more} of {self._size} came up without Stretto (linked statically? "
            "LD_PRELOAD cleared on the way?)"
        )

    def _difference(self) -> str:
        by_rank = sorted(self._waiting.values(), key=lambda question: question.rank)
        first = by_rank[0]
        other = next((each for each in by_rank if each.what != first.what), first)
        return (
            f"rank {first.rank} runs Stretto {first.what}, rank {other.rank} Stretto {other.what}"
        )

    def _answer(self, questions: list[Question], words: bytes) -> None:
        for question in questions:
            _say(question.connection, words)
            self.withdraw(question.connection)


def _say(connection: socket.socket, words: bytes) -> None:
    with contextlib.suppress(OSError):  # it may be gone
        connection.sendall(words)
