"""What the folder of a profile says of its run, beside what the ranks recorded: profile.json."""

from pathlib import Path

import msgspec

from stretto.data.places import Address, Line, Lines
from stretto.data.provenance import Provenance
from stretto.errors import InputError

_RECORD = "profile.json"


class ProfileRecord(msgspec.Struct, frozen=True):
    """What was profiled; its lines are those of the program as it was then."""

    name: str
    ranks: int
    launcher: str
    provenance: Provenance
    lines: Lines


class _Place(msgspec.Struct, frozen=True):
    address: Address
    line: Line


class _Stored(msgspec.Struct, frozen=True):
    name: str
    ranks: int
    launcher: str
    provenance: Provenance
    places: list[_Place]


def is_profile(folder: Path) -> bool:
    """Is it the run folder of a profile that came to its end?"""
    return (folder / _RECORD).exists()


def write_record(record: ProfileRecord, folder: Path) -> None:
    """Store it in the run folder."""
    places = [_Place(address, line) for address, line in record.lines.items()]
    stored = _Stored(record.name, record.ranks, record.launcher, record.provenance, places)
    partial = folder / f"{_RECORD}.partial"
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(stored), indent=2) + b"\n")
    partial.rename(folder / _RECORD)


def read_record(folder: Path) -> ProfileRecord:
    """Read it back. Raises InputError where it is damaged."""
    path = folder / _RECORD
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    lines = {place.address: place.line for place in stored.places}
    return ProfileRecord(stored.name, stored.ranks, stored.launcher, stored.provenance, lines)
