"""What the native tool says of a GOAL schedule that it has run."""

import msgspec


class GoalTime(msgspec.Struct, frozen=True):
    """Until its last rank is done, in one scenario."""

    scenario: str
    end_ns: float


class GoalRun(msgspec.Struct, frozen=True):
    """A schedule, and its times."""

    ranks: int
    messages: int
    bytes: int  # of all messages
    longest_calc_ns: float  # what the rank calculates that calculates longest
    scenarios: list[GoalTime]
