"""A command of the user's before each launch of a series, as to put files back."""

import io

from stretto.errors import ApplicationFailed
from stretto.launch.process import launch
from stretto.launch.same_input import nothing


def prepare_launch(command: str | None) -> None:
    """Run it by the shell, without input, if there is one. Raises ApplicationFailed if it fails."""
    if command is None:
        return
    with nothing() as stdin:
        outcome = launch(
            ["sh", "-c", command], stdin=stdin, stdout=io.BytesIO(), stderr=io.BytesIO()
        )
    if not outcome.ok:
        said = outcome.last_words.strip().rpartition("\n")[2]
        why = f": {said}" if said else ""
        raise ApplicationFailed(f"--prepare {command} failed: exit code {outcome.exit_code}{why}")
