"""What an MPI library says of itself, without a launch."""

import subprocess
import sys

# MPI lets a program call it before MPI_Init, of which nothing is to be undone. The buffer is larger
# than MPI_MAX_LIBRARY_VERSION_STRING of any MPI.
_ASK = """
import ctypes, sys
said, length = ctypes.create_string_buffer(1 << 16), ctypes.c_int()
ctypes.CDLL(sys.argv[1]).MPI_Get_library_version(said, ctypes.byref(length))
sys.stdout.buffer.write(said.value)
"""
_LONGEST_S = 30


def mpi_version(libmpi: str) -> str:
    """MPI_Get_library_version of a library, as the loader finds it, with one space between words.

    Empty where it cannot be loaded here, as one that only the hosts of a job have.
    """
    command = [sys.executable, "-I", "-S", "-c", _ASK, libmpi]
    try:
        # In a process of its own: a library that ends it, or stays in it, is not ours to have.
        asked = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = asked.stdout if asked.returncode == 0 else b""
    return " ".join(said.decode(errors="replace").split())
