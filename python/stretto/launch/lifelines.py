"""Where the ranks of a launch say that they run Stretto, and that they are alive while they are."""

import contextlib
import fcntl
import os
import secrets
import shutil
import socket
import struct
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from stretto.errors import InputError
from stretto.launch.connection import LIFELINE
from stretto.launch.deaths import NOTICES, notices_s

VARIABLE = LIFELINE


class Lifelines:
    """A socket that every rank under Stretto keeps a connection to until its MPI_Finalize.

    Its place in the file system is known to all hosts that share this machine's files and
    memory (a rig's do); ranks on other machines use a port. All show by a key that they are ours.
    """

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}  # for the launcher, which hands it on to the ranks
        self.sockets: list[socket.socket] = []
        self.key = ""  # what each rank says first

    def __enter__(self) -> Self:
        if notices_s(os.environ) is None:  # the guardian, which reads it, has nobody to notify
            raise InputError(f"{NOTICES}={os.environ[NOTICES]} is not a whole number of at least 0")
        self._folder = _temporary_folder()
        self.key = secrets.token_hex(16)
        places = [self.key, self._listen_here()]
        with contextlib.suppress(OSError):
            port = self._listen(socket.AF_INET, ("", 0)).getsockname()[1]
            places += [f"{address}:{port}" for address in _addresses()]
        # Without any place, ranks trust that all of them have the library, as by --dry-run.
        reached = self.sockets and any(places[1:])
        self.environment = {VARIABLE: ",".join(places)} if reached else {}
        return self

    def _listen_here(self) -> str:
        """The path at which ranks that share this machine's files come; empty where they cannot."""
        path = str(self._folder / "lifeline") if self._folder else ""
        if not path or "," in path:  # commas stand between the places in what ranks read
            return ""
        try:
            self._listen(socket.AF_UNIX, path)
        except OSError:  # it is longer than a socket's may be
            return ""
        return path

    def _listen(self, family: int, address: str | tuple[str, int]) -> socket.socket:
        listener = socket.socket(family)
        try:
            listener.bind(address)
            listener.listen(4096)
        except OSError:
            listener.close()
            raise
        self.sockets.append(listener)
        return listener

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for listener in self.sockets:
            listener.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _temporary_folder() -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix="stretto-"))
    except OSError as error:
        print(
            f"stretto: no temporary folder can be made ({error.strerror}): set TMPDIR to one that "
            "can be written to; ranks reach stretto over the network only, if at all",
            file=sys.stderr,
        )
        return None


_SIOCGIFADDR = 0x8915


def _addresses() -> list[str]:
    """This machine's on its networks (IPv4), and last the one that it has without any."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with contextlib.suppress(OSError):
                answer = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, request)
                found.append(socket.inet_ntoa(answer[20:24]))
    return [*(address for address in found if not address.startswith("127.")), "127.0.0.1"]
