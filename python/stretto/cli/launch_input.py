"""The standard input of verbs that launch a program again and again."""

from collections.abc import Iterator
from contextlib import contextmanager

from stretto.cli.consoles import note
from stretto.launch.same_input import SameInput, same_input


@contextmanager
def input_of_launches() -> Iterator[SameInput]:
    """What each launch gets, with a line where that is none though a pipe is open."""
    with same_input() as found:
        if found.is_silent:
            note("Nothing comes on standard input, so every launch gets an empty one")
        yield found
