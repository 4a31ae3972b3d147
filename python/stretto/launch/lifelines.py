"""Where the ranks of a launch say that they are alive, as long as they are."""

import contextlib
import shutil
import socket
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

VARIABLE = "STRETTO_RUN_LIFELINE"


class Lifelines:
    """A socket that every rank under Stretto keeps a connection to until its MPI_Finalize.

    Its place in the file system is known to all hosts that share this machine's files and
    memory (a rig's do); ranks on other machines find nobody there and do without.
    """

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}  # for the ranks
        self.socket: socket.socket | None = None

    def __enter__(self) -> Self:
        self._folder = tempfile.mkdtemp(prefix="stretto-")
        path = Path(self._folder) / "lifeline"
        listener = socket.socket(socket.AF_UNIX)
        # A path may be too long for a socket: then the launcher's word has to do.
        with contextlib.suppress(OSError):
            listener.bind(str(path))
            listener.listen(4096)
            self.socket, self.environment = listener, {VARIABLE: str(path)}
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.socket is not None:
            self.socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)
