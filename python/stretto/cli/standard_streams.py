"""Standard input, output and error of a process that was started without them."""

import os
import sys


def open_closed_streams() -> None:
    """Those of descriptors 0, 1 and 2 that are closed become /dev/null.

    Otherwise what is opened next takes their place, and a program reads a socket of ours as its
    standard input; and Python's own streams are None where a caller expects a file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
