"""The errors a user can cause or meet; each knows its exit code."""


class StrettoError(Exception):
    """One line for the user: what happened, why, what to do."""

    exit_code = 1


class InputError(StrettoError):
    """What was asked for is wrong."""

    exit_code = 2


class EnvironmentUnusable(StrettoError):
    """This machine lacks something."""

    exit_code = 5


class ApplicationFailed(StrettoError):
    """The user's program crashed, hung or exited non-zero."""

    exit_code = 4
