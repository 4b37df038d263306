"""A peer that is a plain socket: sends speech as PCMU in real time, and whatever else the test wants beside it."""

import socket
import threading
import time
from collections.abc import Callable

from . import mulaw
from .kinds import Samples

FRAME, FRAME_MS = 160, 20  # at 8 kHz
# A packet so late is no gap for whoever keeps a moment of sound in store.
NOTICED_MS = 10
# Called with the socket, where the packets go, and the number of the packet just sent.
Beside = Callable[[socket.socket, tuple[str, int], int], None]


class RTPPeer(threading.Thread):
    """Sends `samples` (8 kHz) to `to` from its own port, 20 ms a packet; calls `beside(socket, to, n)` after packet n.

    `held_back_ms`: how long it stood still itself, so that packets went out late."""

    def __init__(self, to: tuple[str, int], samples: Samples, beside: Beside | None = None, ssrc: int = 0x59444C31) -> None:
        super().__init__(daemon=True)
        self.to, self.beside, self.ssrc = to, beside, ssrc
        self.payload = mulaw.encode(samples)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.ended = threading.Event()
        self.held_back_ms = 0.0

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def run(self) -> None:
        began = sent = time.monotonic()
        for n in range(len(self.payload) // FRAME):
            if self.ended.wait(max(0, began + n * FRAME_MS / 1000 - time.monotonic())):
                break
            before, sent = sent, time.monotonic()
            late_ms = 1000 * (sent - before) - FRAME_MS
            self.held_back_ms += late_ms if late_ms > NOTICED_MS else 0
            frame = self.payload[n * FRAME : (n + 1) * FRAME]
            self.socket.sendto(mulaw.packet(n, n * FRAME, frame, ssrc=self.ssrc, marker=n == 0), self.to)
            if self.beside:
                self.beside(self.socket, self.to, n)

    def end(self) -> None:
        self.ended.set()
        self.join()
        self.socket.close()
