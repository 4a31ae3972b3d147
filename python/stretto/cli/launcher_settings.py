"""What the words for a launcher may set, as variables: no launcher is asked what they mean."""

import shlex
from collections.abc import Iterator

# What follows these hands on variables as they are, but for NAME=VALUE.
_SRUNS_LIST = "--export"  # between commas
_OPEN_MPIS = "-x"


def settings_in(launcher_args: str) -> Iterator[tuple[str, str]]:
    """Names and values: Open MPI's --mca NAME VALUE, srun's --export=ALL,NAME=VALUE, and NAME VALUE
    or NAME=VALUE after whatever option."""
    words = list(_words(launcher_args))
    for word, after in zip(words, [*words[1:], ""], strict=False):
        name, is_one, value = word.partition("=")
        yield name, value if is_one else after
        yield f"OMPI_MCA_{word}", after


def _words(launcher_args: str) -> Iterator[str]:
    before = ""
    for word in shlex.split(launcher_args):
        option, is_one, listed = word.partition("=")
        if before == _SRUNS_LIST:
            yield from _set(word.split(","))
        elif before == _OPEN_MPIS:
            yield from _set([word])
        elif option == _SRUNS_LIST and is_one:
            yield from _set(listed.split(","))
        else:
            yield word
        before = word


def _set(variables: list[str]) -> Iterator[str]:
    return (each for each in variables if "=" in each)
