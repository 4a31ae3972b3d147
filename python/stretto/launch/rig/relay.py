"""Holds back the frames of a rig: the process between its cables and its bridge.

A frame that comes from a host's cable goes onto the bridge once the delay is over, and one from the
bridge onto the cable at once: so each is held back once on its way. Kernels have a queue that does
that (netem), but not all of them (docs/decisions/0038-delays-of-a-rig.md).
"""

import contextlib
import fcntl
import gc
import os
import select
import socket
import struct
import sys
import time
from collections import deque

from stretto.launch.rig.plan import MTU_BYTES, port_name, tap_name

_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x0002, 0x1000
_ETH_P_ALL = 0x0003
_SOL_PACKET, _PACKET_IGNORE_OUTGOING = 263, 23
_MOST_BYTES = MTU_BYTES + 64  # with the frame's head
_MOST_HELD = 100_000  # as a queue has a limit: beyond it frames are lost
_PRIORITY = 10  # before programs that compute: a frame that is due does not wait for a time slice


class Cable:
    """One host's: a socket at its end here, and the tap through which its frames pass."""

    def __init__(self, index: int) -> None:
        self.port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self.port.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        self.port.bind((port_name(index), 0))
        self.port.setblocking(False)
        self.tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        name = tap_name(index).encode()
        fcntl.ioctl(self.tap, _TUNSETIFF, struct.pack("16sH", name, _IFF_TAP | _IFF_NO_PI))
        self.held: deque[tuple[int, bytes]] = deque()  # when each is due, in ns, and the frame

    def hold(self, delay_ns: int) -> None:
        """Take in what has come from the host."""
        with contextlib.suppress(BlockingIOError):
            while True:
                frame = self.port.recv(_MOST_BYTES)
                if len(self.held) < _MOST_HELD:  # else it is lost, as where a queue is full
                    self.held.append((time.monotonic_ns() + delay_ns, frame))

    def let_go(self) -> None:
        """Put onto the bridge what is due. What its queue has no room for is lost, as on a wire."""
        while self.held and self.held[0][0] <= time.monotonic_ns():
            with contextlib.suppress(OSError):
                os.write(self.tap, self.held[0][1])
            self.held.popleft()

    def pass_on(self) -> None:
        """Send to the host what the bridge has for it."""
        with contextlib.suppress(OSError):
            while True:
                self.port.send(os.read(self.tap, _MOST_BYTES))


def main() -> None:
    hosts, delay_us = int(sys.argv[1]), int(sys.argv[2])
    cables = [Cable(index) for index in range(hosts)]
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    gc.disable()  # a pause would delay frames by more than they are to be
    print("ready", flush=True)
    _relay(cables, 1000 * delay_us)


def _relay(cables: list[Cable], delay_ns: int) -> None:
    by_end = {each.port.fileno(): each for each in cables}
    by_tap = {each.tap: each for each in cables}
    ends = [*by_end, *by_tap]
    while True:
        due = min((each.held[0][0] for each in cables if each.held), default=None)
        wait_s = None if due is None else max(0, due - time.monotonic_ns()) * 1e-9
        for end in select.select(ends, [], [], wait_s)[0]:
            if end in by_end:
                by_end[end].hold(delay_ns)
            else:
                by_tap[end].pass_on()
        for each in cables:
            each.let_go()


if __name__ == "__main__":
    main()
