"""Tables and words as Markdown, for notes and merge requests."""

from collections.abc import Iterable, Iterator, Sequence


def table_lines(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, line by line."""
    heads = list(heads)
    yield f"| {' | '.join(map(plain_words, heads))} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(plain_words, row))} |"


def plain_words(words: str) -> str:
    """Words that are no more than words in Markdown, and on one line."""
    line = " ".join(words.split())
    return "".join(f"\\{sign}" if sign in "\\|*_`<>[]#" else sign for sign in line)
