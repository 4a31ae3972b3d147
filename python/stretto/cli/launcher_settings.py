"""What the words for a launcher may set, as variables: no launcher is asked what they mean."""

import shlex
from collections.abc import Iterator

_SRUNS_LIST = "--export"  # of variables, between commas


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
            yield from word.split(",")
        elif option == _SRUNS_LIST and is_one:
            yield from listed.split(",")
        else:
            yield word
        before = word
