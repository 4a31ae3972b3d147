"""Tests that need a network rig: they are skipped, with the reason, where none may be made."""

import pytest

from stretto.errors import EnvironmentUnusable
from stretto.launch.rig.rig import require_usable


def _unusable() -> str | None:
    try:
        require_usable()
    except EnvironmentUnusable as why:
        return str(why)
    return None


_WHY = _unusable()
# One worker has them all: rigs share the processors.
NEEDS_A_RIG = [
    pytest.mark.skipif(_WHY is not None, reason=_WHY or ""),
    pytest.mark.xdist_group("rig"),
]
