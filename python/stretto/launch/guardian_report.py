"""What the guardian reports to the process that started it: standard library only."""

import json
from typing import NamedTuple

from stretto.launch.deaths import Lost


class GuardianReport(NamedTuple):
    """How the command ended, once it and all it started are gone."""

    exit_code: int = 0  # -N: killed by signal N
    wall_s: float = 0.0
    timed_out: bool = False
    lost: Lost | None = None  # the first one, as far as ranks knew where to be missed
    cut_short: bool = False  # ranks were ended, of which the launcher may say nothing
    unnoticed: bool = False  # by the launcher: the launch was ended for it
    running: tuple[int, ...] = ()  # ranks that still were when their launcher had ended
    left: tuple[int, ...] = ()  # processes that cannot be killed
    not_started: str = ""  # why there was no command: the rest means nothing then

    def encode(self) -> bytes:
        """As it goes from one process to the other."""
        lost = self.lost._asdict() if self.lost else None
        return json.dumps(self._asdict() | {"lost": lost}).encode()

    @staticmethod
    def decode(text: bytes) -> "GuardianReport | None":
        """None: it is not whole, as of a guardian that was killed."""
        try:
            fields = json.loads(text)
        except ValueError:
            return None
        for name in ("running", "left"):
            fields[name] = tuple(fields[name])
        return GuardianReport(
            **fields | {"lost": Lost(**fields["lost"]) if fields["lost"] else None}
        )
