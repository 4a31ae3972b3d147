"""What a launched command prints and reads, on its way to where it belongs."""

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from typing import IO

TAIL_BYTES = 64 * 1024
TERMINAL = 0  # standard input, where that is one
# How long what is typed may wait after we have come back into the foreground.
BACKGROUND_S = 0.5
# How long output may still wait for a reader once a signal has come that ends this process.
UNREAD_S = 1.0


class Streams:
    """The output of a command, and its input where that is typed at our terminal."""

    def __init__(
        self, command: subprocess.Popen[bytes], stdout: IO[bytes], stderr: IO[bytes]
    ) -> None:
        self._outputs = Tee(command.stdout, stdout), Tee(command.stderr, stderr)
        self._typed = TypedInput(command.stdin) if command.stdin else None

    def end_input(self) -> None:
        """Read nothing more of what is typed."""
        if self._typed is not None:
            self._typed.end()

    def pass_on_the_rest(self, ending: list[int], *, at_once: bool) -> None:
        """Wait until all output is written: not for ever for a reader that has stopped reading.

        A pager, say, that is at its first page when a Ctrl-C comes (`ending`), before or now. Nor
        for processes that a guardian which was killed has left behind, where we did not find them,
        or that cannot be killed (`at_once`).
        """
        until = time.monotonic() + UNREAD_S if at_once else None
        for output in self._outputs:
            while not output.is_done(0.1):
                if ending:
                    until = until or time.monotonic() + UNREAD_S
                if until is not None and time.monotonic() >= until:
                    return

    def last_words(self) -> str:
        """What came last."""
        return "".join(output.tail() for output in self._outputs)

    def unwritten(self, *, is_open: bool) -> str:
        """Why not all of it could be written; empty if it was.

        `is_open`: a process that is left may still write, which is no matter of who reads it.
        """
        return next(filter(None, (each.unwritten(is_open=is_open) for each in self._outputs)), "")


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

    def is_done(self, wait_s: float) -> bool:
        """Whether the pipe is closed and all has been passed on; waits that long for it."""
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def tail(self) -> str:
        """What came last."""
        return self._tail.decode(errors="replace")

    def unwritten(self, *, is_open: bool) -> str:
        """As of all streams."""
        if self._error is not None:
            return self._error.strerror or str(self._error)
        return "nobody reads it" if self._thread.is_alive() and not is_open else ""


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


class TypedInput:
    """Passes on what is typed at our terminal until its end, or that of the launch.

    The launch has a session of its own: a launcher that asks whether it is in the foreground of
    the terminal, as Open MPI's does before it reads from one, finds that it is not.
    """

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink
        # What is typed for a later launch, or for the shell, is not this launch's to read.
        self._over, self._running = os.pipe()
        threading.Thread(target=self._pump, daemon=True).start()

    def end(self) -> None:
        """Read nothing more."""
        os.close(self._running)

    def _pump(self) -> None:
        # To read in the background then fails, where it would stop this whole process.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTIN})
        try:
            with self._sink, contextlib.suppress(BrokenPipeError):
                while chunk := self._next():
                    write_all(self._sink, chunk)
        finally:
            os.close(self._over)

    def _next(self) -> bytes:
        """What is typed next; nothing at the end."""
        while True:
            if self._over in _readable(TERMINAL, self._over):
                return b""
            try:
                return os.read(TERMINAL, 65536)
            except OSError:
                # In the background, which may change; or another process was faster.
                _readable(self._over, timeout_s=BACKGROUND_S)


def _readable(*descriptors: int, timeout_s: float | None = None) -> list[int]:
    """Those that can be read or are at their end; waits for one."""
    ready = select.poll()
    for descriptor in descriptors:
        ready.register(descriptor, select.POLLIN)
    return [fd for fd, _ in ready.poll(None if timeout_s is None else 1000 * timeout_s)]
