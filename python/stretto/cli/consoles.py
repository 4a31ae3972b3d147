"""Where verbs print: results to stdout, which programs may read, and all else to stderr."""

from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Something worth knowing that is not the result."""
    err.print(text, markup=False, soft_wrap=True)
