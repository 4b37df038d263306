"""A name server on loopback with a zone of its own, which may change while it is asked."""

import socket
import struct
import threading

A, SRV = 1, 33
NO_SUCH_NAME = 3


def labels(name: str) -> bytes:
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".") if part) + b"\0"


class NameServer(threading.Thread):
    """Answers by UDP what is in `zone`: addresses by name, and (priority, weight, port, target) by the name of a service."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.place = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.zone: dict[str, str | tuple[int, int, int, str]] = {}

    def __enter__(self) -> "NameServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"end", self.socket.getsockname())
        self.join()
        self.socket.close()

    def run(self) -> None:
        while True:
            query, source = self.socket.recvfrom(2048)
            if query == b"end":
                return
            if len(query) > 16:
                self.socket.sendto(self.answer(query), source)

    def answer(self, query: bytes) -> bytes:
        parts, place = [], 12
        while query[place]:
            parts.append(query[place + 1 : place + 1 + query[place]].decode().lower())
            place += 1 + query[place]
        (kind,) = struct.unpack("!H", query[place + 1 : place + 3])
        entry = self.zone.get(".".join(parts))
        data = b""
        if isinstance(entry, str) and kind == A:
            data = socket.inet_aton(entry)
        elif isinstance(entry, tuple) and kind == SRV:
            data = struct.pack("!HHH", *entry[:3]) + labels(entry[3])
        # An answer of who is responsible, which asks again of nobody.
        flags = 0x8580 | (NO_SUCH_NAME if entry is None else 0)
        reply = query[:2] + struct.pack("!HHHHH", flags, 1, bool(data), 0, 0) + query[12 : place + 5]
        if data:
            # The name by a pointer to the question; nobody is to keep it.
            reply += b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(data)) + data
        return reply
