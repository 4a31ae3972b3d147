"""What the rig's wire itself takes from a computation: no MPI, no progress thread.

    wire.py RANK ADDRESS BYTES        RANK 0 listens at ADDRESS, RANK 1 connects

Both sides hand BYTES to the kernel and compute for 5.6 ms while it moves them, 60 times.
Prints how many times as long the computation took as alone (`slowdown`); bars.py runs it.
"""

import socket
import statistics
import sys
import time

REPETITIONS = 60
COMPUTE_S = 5.6e-3
PORT = 5555
BUFFER_BYTES = 1 << 22
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33  # asm-generic/socket.h; beyond the limits, as root


def connected(rank: int, address: str) -> socket.socket:
    """A connection whose buffers hold all that is sent, so that the kernel needs nobody."""
    end = socket.socket()
    for option in (SO_SNDBUFFORCE, SO_RCVBUFFORCE):
        end.setsockopt(socket.SOL_SOCKET, option, BUFFER_BYTES)
    if rank == 0:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        end.bind((address, PORT))
        end.listen(1)
        end, _ = end.accept()
    else:
        while end.connect_ex((address, PORT)) != 0:
            time.sleep(0.01)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return end


def computed(units: int) -> float:
    """Seconds that so much work took."""
    begin = time.perf_counter()
    x = 1.0
    for _ in range(units):
        x = x * 0.999999 + 1e-6
    return time.perf_counter() - begin


def main() -> None:
    rank, address, size = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    peer = connected(rank, address)
    data = bytes(size)
    units = int(200_000 * COMPUTE_S / statistics.median(computed(200_000) for _ in range(5)))
    alone, busy = [], []
    for _ in range(REPETITIONS):
        # The two in turn: a core's speed drifts.
        peer.sendall(b"x")
        peer.recv(1, socket.MSG_WAITALL)
        alone.append(computed(units))
        peer.sendall(b"x")
        peer.recv(1, socket.MSG_WAITALL)
        peer.sendall(data)
        busy.append(computed(units))
        peer.recv(size, socket.MSG_WAITALL)
    print(f"slowdown {statistics.median(busy) / statistics.median(alone):.3f}")


if __name__ == "__main__":
    main()
