"""An echo of RTP whose books and delay are known: who calls it can be held to them."""

import heapq
import itertools
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import Self

# A packet that comes late is sent on at once; what is beyond is the machine's.
DELAY_S = 0.040
SO_TIMESTAMPNS = 35
# Of each caller's packets these do not come back.
LOST = range(100, 105)


@dataclass
class Book:
    """What came from one caller's port, and what went back there."""

    received: int = 0
    # When each packet that went back had come, as the kernel has it, and when it left; in seconds.
    came: list[float] = field(default_factory=list)
    left: list[float] = field(default_factory=list)

    @property
    def delays(self) -> list[float]:
        return [left - came for came, left in zip(self.came, self.left, strict=True)]

    def pauses(self, longer_than: float) -> int:
        """How often nothing went back for longer than so many seconds; who had to wait for a processor pauses, too."""
        return sum(later - earlier > longer_than for earlier, later in itertools.pairwise(self.left))


class KnownEcho:
    """Sends each packet back to where it came from, `DELAY_S` after it came, but for those that it loses. RTCP is not answered."""

    def __init__(self, port: int) -> None:
        self.books: dict[int, Book] = {}
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for offset, one in enumerate(self.sockets):
            one.bind(("127.0.0.1", port + offset))
        self.sockets[0].setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sockets[0].setblocking(False)
        self.is_ending = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_ending = True
        self.thread.join()
        for one in self.sockets:
            one.close()

    def run(self) -> None:
        # (due, arrival, source port, packet), by the clock of the kernel's stamps
        waiting: list[tuple[float, float, int, bytes]] = []
        while not self.is_ending:
            left = waiting[0][0] - time.time() if waiting else 0.1
            select.select([self.sockets[0]], [], [], min(0.1, max(0, left)))
            while (came := self.take()) is not None:
                arrival, port, packet = came
                book = self.books.setdefault(port, Book())
                book.received += 1
                if book.received - 1 not in LOST:
                    heapq.heappush(waiting, (arrival + DELAY_S, arrival, port, packet))
            while waiting and waiting[0][0] <= time.time():
                _, arrival, port, packet = heapq.heappop(waiting)
                self.sockets[0].sendto(packet, ("127.0.0.1", port))
                self.books[port].came.append(arrival)
                self.books[port].left.append(time.time())

    def take(self) -> tuple[float, int, bytes] | None:
        """A packet that has come: when, from which port."""
        try:
            packet, extra, _, source = self.sockets[0].recvmsg(2048, 64)
        except BlockingIOError:
            return None
        seconds, nanoseconds = struct.unpack("qq", extra[0][2]) if extra else divmod(time.time_ns(), 1_000_000_000)
        return seconds + nanoseconds / 1e9, source[1], packet
