"""How a launched command ended, and what it printed last."""

from dataclasses import dataclass

from stretto.launch.deaths import Lost
from stretto.launch.guardian_report import GuardianReport


@dataclass(frozen=True)
class Outcome:
    """What became of a launch."""

    exit_code: int  # -N: killed by signal N
    wall_s: float
    timed_out: bool
    last_words: str  # the end of its output, where launchers say which rank failed
    lost: Lost | None = None  # the first one, as far as ranks knew where to be missed
    cut_short: bool = False  # ranks were ended, of which the launcher may say nothing
    unnoticed: bool = False  # by the launcher: the launch was ended for it
    running: tuple[int, ...] = ()  # ranks that still were when their launcher had ended
    unwritten: str = ""  # why a part of its output could not be passed on

    @staticmethod
    def of(report: GuardianReport, last_words: str, unwritten: str) -> "Outcome":
        """What the guardian reports, with what became of the output."""
        return Outcome(
            exit_code=report.exit_code,
            wall_s=report.wall_s,
            timed_out=report.timed_out,
            last_words=last_words,
            lost=report.lost,
            cut_short=report.cut_short,
            unnoticed=report.unnoticed,
            running=report.running,
            unwritten=unwritten,
        )

    @property
    def ok(self) -> bool:
        """It ended by itself, and well."""
        ended_by_us = self.timed_out or self.unnoticed or bool(self.running)
        return self.exit_code == 0 and not ended_by_us and not self.cut_short
