"""What a launched command prints, on its way to where it belongs."""

import os
import select
import threading
from typing import IO

TAIL_BYTES = 64 * 1024


class Tee:
    """Passes a pipe on to a sink as it fills, and remembers the end of it."""

    def __init__(self, source: IO[bytes] | None, sink: IO[bytes]) -> None:
        assert source is not None
        self._source, self._sink = source, sink
        self._tail = b""
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._pump, daemon=True)
        self._thread.start()

    def _pump(self) -> None:
        with self._source:
            while chunk := os.read(self._source.fileno(), 65536):
                self._tail = (self._tail + chunk)[-TAIL_BYTES:]
                # A disk that is full ends no computation: the rest is read and thrown away.
                if self._error is not None:
                    continue
                try:
                    write_all(self._sink, chunk)
                except BrokenPipeError:
                    return  # closes the source: the command meets the broken pipe itself
                except OSError as error:
                    self._error = error

    def tail(self) -> str:
        """What came last, once the pipe is closed."""
        self._thread.join()
        return self._tail.decode(errors="replace")

    def unwritten(self) -> str:
        """Why not all of it could be written, once the pipe is closed; empty if it was."""
        self._thread.join()
        return "" if self._error is None else self._error.strerror or str(self._error)


def write_all(sink: IO[bytes], data: bytes) -> None:
    """Write all of it, however long a sink that does not block takes to be ready for it.

    It goes past the buffer of the sink, which would keep what cannot be written and fail again
    when the interpreter ends.
    """
    try:
        descriptor = sink.fileno()
    except OSError:  # as of a file in memory
        sink.write(data)
        return
    rest = memoryview(data)
    while rest:
        try:
            sink.flush()  # what was printed there before
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            ready = select.poll()
            ready.register(descriptor, select.POLLOUT)
            ready.poll()
