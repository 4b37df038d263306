"""A peer that is a plain socket: sends speech as PCMU in real time, and whatever else the test wants beside it."""

import socket
import threading
import time
from . import mulaw

FRAME = 160  # 20 ms at 8 kHz


class RTPPeer(threading.Thread):
    """Sends `samples` (8 kHz) to `to` from its own port, 20 ms a packet; calls `beside(socket, to, n)` after packet
    n."""

    def __init__(self, to, samples, beside=None, ssrc=0x59444C31):
        super().__init__(daemon=True)
        self.to, self.beside, self.ssrc = to, beside, ssrc
        self.payload = mulaw.encode(samples)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.ended = threading.Event()

    @property
    def port(self):
        return self.socket.getsockname()[1]

    def run(self):
        began = time.monotonic()
        for n in range(len(self.payload) // FRAME):
            if self.ended.wait(max(0, began + n * 0.02 - time.monotonic())):
                break
            frame = self.payload[n * FRAME : (n + 1) * FRAME]
            self.socket.sendto(mulaw.packet(n, n * FRAME, frame, ssrc=self.ssrc, marker=n == 0), self.to)
            if self.beside:
                self.beside(self.socket, self.to, n)

    def end(self):
        self.ended.set()
        self.join()
        self.socket.close()
