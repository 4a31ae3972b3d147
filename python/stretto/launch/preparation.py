"""What is done before each launch of a series, so that none finds what another one left."""

import io
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stretto.errors import ApplicationFailed, EnvironmentUnusable, reason
from stretto.launch.process import launch
from stretto.launch.same_input import nothing


@dataclass(frozen=True)
class Preparation:
    """A command of the user's, and whether a launch gets its own copy of the working directory."""

    command: str | None = None
    fresh: bool = False
    uncopied: tuple[Path, ...] = ()  # where results of runs are, which are not the program's

    def words(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The program's, which is where it was, wherever it is launched."""
        is_path = self.fresh and "/" in argv[0]
        return (str(Path(argv[0]).absolute()) if is_path else argv[0], *argv[1:])

    @contextmanager
    def done(self, place: Path) -> Iterator[Path | None]:
        """Prepare a launch, whose copy is in `place`; it goes, but where the launch fails.

        Yields the directory to launch in, None: ours. Raises ApplicationFailed where the command
        fails, EnvironmentUnusable where the directory cannot be copied.
        """
        directory = place.absolute() / "directory" if self.fresh else None
        if directory is not None:
            self._copy(directory)
        if self.command is not None:
            _run(self.command, directory)
        yield directory
        if directory is not None:
            shutil.rmtree(directory, ignore_errors=True)

    def _copy(self, directory: Path) -> None:
        left = {directory.parent.resolve(), *(path.resolve() for path in self.uncopied)}

        def ignored(folder: str, names: list[str]) -> list[str]:
            return [name for name in names if (Path(folder) / name).resolve() in left]

        shutil.rmtree(directory, ignore_errors=True)  # of a launch that was killed
        try:
            shutil.copytree(Path.cwd(), directory, symlinks=True, ignore=ignored)
            _mend_links(directory)
        except shutil.Error as errors:
            name, _, why = errors.args[0][0]
            raise EnvironmentUnusable(f"--fresh-dir: {name} cannot be copied: {why}") from errors
        except OSError as error:
            what = error.filename or Path.cwd()
            why = reason(error)
            raise EnvironmentUnusable(f"--fresh-dir: {what} cannot be copied: {why}") from error


NO_PREPARATION = Preparation()


def _mend_links(copy: Path) -> None:
    """Links of the copied directory lead where they led, or to that in the copy if it was in it."""
    own = Path.cwd()
    for folder, names, files in os.walk(copy):
        for link in (Path(folder) / name for name in (*names, *files)):
            if link.is_symlink():
                target = os.path.normpath(own / link.parent.relative_to(copy) / link.readlink())
                if Path(target).is_relative_to(own):
                    target = str(copy / Path(target).relative_to(own))
                link.unlink()
                link.symlink_to(target)


def _run(command: str, directory: Path | None) -> None:
    """Have the shell run it, without input."""
    with nothing() as stdin:
        outcome = launch(
            ["sh", "-c", command],
            stdin=stdin,
            stdout=io.BytesIO(),
            stderr=io.BytesIO(),
            directory=directory,
        )
    if not outcome.ok:
        said = outcome.last_words.strip().rpartition("\n")[2]
        why = f": {said}" if said else ""
        raise ApplicationFailed(f"--prepare {command} failed: exit code {outcome.exit_code}{why}")
