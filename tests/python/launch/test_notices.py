"""Lines of the guardian's own, in a process that may have no more descriptors."""

import subprocess

import pytest
from launched import start_python

FULL = """
import os, resource, sys
from stretto.launch.notices import keep_descriptor, notice
if sys.argv[1] == "kept":
    keep_descriptor()
used = os.dup(2)
os.close(used)
resource.setrlimit(resource.RLIMIT_NOFILE, (used, used))
notice("words")
"""


# Its standard error is a socket, which cannot be opened anew.
SOCKET = f"""
import os, socket
said = os.dup(2)
ends = socket.socketpair()
os.dup2(ends[0].fileno(), 2)
{FULL}
os.write(said, ends[1].recv(99))
"""


@pytest.mark.parametrize("kept", ["kept", ""])
@pytest.mark.parametrize("code", [FULL, SOCKET], ids=["pipe", "socket"])
def test_a_line_needs_no_descriptor(kept: str, code: str) -> None:
    process = start_python(code, kept, stderr=subprocess.PIPE)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "stretto: words\n")
