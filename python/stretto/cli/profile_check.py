"""Profiles of several launches against those of a baseline."""

from dataclasses import dataclass
from pathlib import Path

from stretto.cli.run_kinds import profiles_in
from stretto.data.places import Lines
from stretto.data.profile_record import read_record
from stretto.data.profiles import read_profile
from stretto.errors import InputError
from stretto.report.profile import summarise
from stretto.report.profile_check import ProfiledLaunch, Spent, check_profiles, profiled_launch
from stretto.report.worse import CheckResult


@dataclass(frozen=True)
class ProfiledProgram:
    """All its launches in a folder, and the lines of each."""

    folder: Path
    name: str
    ranks: int
    launches: dict[Path, Lines]

    @staticmethod
    def of(folder: Path) -> "ProfiledProgram":
        """Raises InputError where they are not of the same."""
        records = {each: read_record(each) for each in profiles_in(folder)}
        programs = sorted({(each.name, each.ranks) for each in records.values()})
        if len(programs) > 1:
            names = ", ".join(f"{name} on {ranks} ranks" for name, ranks in programs)
            raise InputError(f"{folder} has profiles of several programs: {names}")
        ((name, ranks),) = programs
        lines = {path: record.lines for path, record in records.items()}
        return ProfiledProgram(folder, name, ranks, lines)

    @property
    def program(self) -> str:
        """What is the same of all launches."""
        return f"{self.name} on {self.ranks} ranks"

    @property
    def words(self) -> str:
        """What a side is."""
        return f"{self.folder}, {self.program}, {len(self.launches)} launches"

    def read(self) -> list[ProfiledLaunch]:
        """Raises ApplicationFailed where a launch did not come to its end."""
        return [
            profiled_launch(summarise(read_profile(path, self.ranks)), lines)
            for path, lines in self.launches.items()
        ]


def check_folders(baseline: Path, run: Path, least: float) -> tuple[list[str], CheckResult[Spent]]:
    """What each side is, and what came of it. Raises InputError and ApplicationFailed."""
    before, after = ProfiledProgram.of(baseline), ProfiledProgram.of(run)
    if before.program != after.program:
        raise InputError(f"the baseline is of {before.program}, the run of {after.program}")
    return [before.words, after.words], check_profiles(before.read(), after.read(), least)
