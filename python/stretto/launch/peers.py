"""The processes behind connections on this machine: standard library only."""

import ctypes
import fcntl
import os
import socket
import struct

PF_EXITING = 4  # of the flags in /proc/PID/stat
# Of <linux/pidfd.h>, in Linux 6.15: how a process ended, even after its parent has asked.
PIDFD_GET_INFO = 0xC040FF0B
PIDFD_INFO_EXIT = 1 << 3
PIDFD_INFO = "QQ11Ii"
# Of <asm-generic/unistd.h>, the same on all machines that MPIs are in use on.
SYS_PIDFD_OPEN = 434


def pidfd_of(pid: int) -> int:
    """A descriptor of that process; -1 where the system has none, or gives us none."""
    # Pythons that are built for old systems, as conda's and uv's are, lack what newer ones have.
    if (pidfd_open := getattr(os, "pidfd_open", None)) is None:
        return int(ctypes.CDLL(None).syscall(SYS_PIDFD_OPEN, pid, 0))
    try:
        return int(pidfd_open(pid))
    except OSError:
        return -1


class Peer:
    """Who has connected; of another machine's processes nothing is known."""

    def __init__(self, connection: socket.socket, *, may_keep_open: bool = True) -> None:
        """Where it may keep a descriptor open it knows more of those that have ended."""
        self._pid = 0
        self._pidfd = -1
        if connection.family != socket.AF_UNIX:
            return
        # As this process numbers them, whatever namespace the rank is in.
        size = struct.calcsize("3i")
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        self._pid = struct.unpack("3i", credentials)[0]
        if self._pid and may_keep_open:
            self._pidfd = pidfd_of(self._pid)

    def is_dying(self) -> bool:
        """Whether it is ending or has."""
        if not self._pid:
            return False
        try:
            fields = self._stat()
        except OSError:
            return False
        return fields is None or _is_ending(fields)

    def ended_well(self) -> bool | None:
        """Of one whose connection has closed, whether its exit code is 0; None: nobody knows.

        A process has its exit code before its descriptors close.
        """
        if not self._pid:
            return None
        try:
            fields = self._stat()
        except OSError:
            return None
        if fields is not None:
            return int(fields[49]) == 0 if _is_ending(fields) else None
        if self._pidfd < 0:
            return None
        info = bytearray(struct.calcsize(PIDFD_INFO))
        struct.pack_into("Q", info, 0, PIDFD_INFO_EXIT)
        try:
            fcntl.ioctl(self._pidfd, PIDFD_GET_INFO, info)
        except OSError:
            return None
        mask, *_, code = struct.unpack(PIDFD_INFO, info)
        return code == 0 if mask & PIDFD_INFO_EXIT else None

    def close(self) -> None:
        """It will be asked for no more."""
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1

    def _stat(self) -> list[str] | None:
        """Of /proc/PID/stat what follows the name, unless it is gone.

        It may be that we may not read it, or have no descriptor to do so, which says nothing of it.
        """
        try:
            with open(f"/proc/{self._pid}/stat", errors="replace") as stat:
                return stat.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None


def _is_ending(fields: list[str]) -> bool:
    return fields[0] in "ZX" or bool(int(fields[6]) & PF_EXITING)
