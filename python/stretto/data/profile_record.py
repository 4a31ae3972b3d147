"""What the folder of a profile says of its run, beside what the ranks recorded: profile.json."""

from pathlib import Path

import msgspec

from stretto.data.json_bytes import indented
from stretto.data.places import Lines, Place, lines_of
from stretto.data.provenance import Provenance
from stretto.data.whole_file import write_whole
from stretto.errors import InputError

_RECORD = "profile.json"


class ProfileRecord(msgspec.Struct, frozen=True):
    """What was profiled; its places are those of the program as it was then."""

    name: str
    ranks: int
    launcher: str
    provenance: Provenance
    places: list[Place]

    @property
    def lines(self) -> Lines:
        """By address."""
        return lines_of(self.places)


def is_profile(folder: Path) -> bool:
    """Is it the run folder of a profile, which may be under way?"""
    return (folder / _RECORD).exists()


def write_record(record: ProfileRecord, folder: Path) -> None:
    """Store it in the run folder. Raises EnvironmentUnusable where that cannot be."""
    write_whole(folder / _RECORD, indented(record))


def read_record(folder: Path) -> ProfileRecord:
    """Read it back. Raises InputError where it is damaged."""
    path = folder / _RECORD
    try:
        return msgspec.json.decode(path.read_bytes(), type=ProfileRecord)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
