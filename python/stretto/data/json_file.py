"""A JSON file that a run folder may have."""

from pathlib import Path
from typing import TypeVar

import msgspec

from stretto.errors import EnvironmentUnusable, reason

_T = TypeVar("_T")


def json_file(path: Path, kind: type[_T]) -> _T | None:
    """What is in it, as a structure of that type; None where there is none.

    Raises EnvironmentUnusable where it cannot be read or is damaged.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentUnusable(f"{path} cannot be read: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EnvironmentUnusable(f"{path} is damaged: {error}") from None
