"""What a machine's model says of a benchmark's rows, and the file that keeps it: model.json."""

from pathlib import Path

import msgspec

from stretto.data.json_bytes import indented
from stretto.data.whole_file import write_whole
from stretto.errors import InputError, reason

_FILE = "model.json"


class Predicted(msgspec.Struct, frozen=True):
    """Of the slowest rank of a class, in ns from when all ranks enter the call."""

    ns: float
    floor_ns: float  # no algorithm moves the operation's bytes in less; 0: it need not move any
    by: str  # whose time it is: an algorithm's, or the MPI's own as it was measured


class Prediction(msgspec.Struct, frozen=True):
    """That of one row."""

    cell: int
    rank_class: str
    implementation: str
    predicted: Predicted


class Predictions(msgspec.Struct, frozen=True):
    """Those of a run on one machine."""

    machine: str
    rows: list[Prediction]

    def by_row(self) -> dict[tuple[int, str, str], Predicted]:
        """By cell, rank class and implementation."""
        return {
            (each.cell, each.rank_class, each.implementation): each.predicted for each in self.rows
        }


def keep_predictions(folder: Path, predictions: Predictions) -> None:
    """Write them into a run folder. Raises EnvironmentUnusable."""
    write_whole(folder / _FILE, indented(predictions))


def kept_predictions(folder: Path) -> Predictions | None:
    """Those of a run folder, if it has any. Raises InputError where they cannot be read."""
    file = folder / _FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=Predictions)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}") from None
