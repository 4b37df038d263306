"""A registrar and a telephone in one, of a few lines, by UDP: it asks for a password, answers, and speaks in PCMU over a line
that loses packets in bursts; holds are agreed to."""

import os
import re
import socket
import threading
import time
from typing import Self

from . import mulaw
from .caller import HOME, field, response
from .kinds import Samples

FRAME = 160  # 20 ms at 8 kHz


def is_lost(number: int) -> bool:
    """Four packets in a row of each 132: 3 %."""
    return number // 4 % 33 == 7


class LossyTelephone:
    """Use as a context manager. `sent`: payloads that were sent and not lost."""

    def __init__(self, samples: Samples) -> None:
        self.payload = mulaw.encode(samples)
        self.signalling, self.media = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for s in (self.signalling, self.media):
            s.bind((HOME, 0))
        self.signalling.settimeout(0.2)
        self.port = self.signalling.getsockname()[1]
        self.tag = os.urandom(4).hex()
        self.sent: list[bytes] = []
        self.ended = threading.Event()
        self.speaker: threading.Thread | None = None
        self.server = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Self:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.server.join()
        if self.speaker:
            self.speaker.join()
        self.signalling.close()
        self.media.close()

    def serve(self) -> None:
        while not self.ended.is_set():
            try:
                octets, source = self.signalling.recvfrom(65536)
            except OSError:
                continue
            message = octets.decode(errors="replace")
            method = message.split(" ", 1)[0]
            if method not in ("ACK", "SIP/2.0") and field(message, "cseq"):
                self.signalling.sendto(self.answer(method, message).encode(), source)

    def answer(self, method: str, message: str) -> str:
        more, body = f"Contact: <sip:101@{HOME}:{self.port}>\r\n", ""
        status = "200 OK"
        if method in ("REGISTER", "INVITE") and not field(message, "authorization"):
            status = "401 Unauthorized"
            more = f'WWW-Authenticate: Digest realm="{HOME}", nonce="{os.urandom(8).hex()}", algorithm=MD5, qop="auth"\r\n'
        elif method == "REGISTER":
            more = f"Contact: {field(message, 'contact')[0]}\r\nExpires: 600\r\n"
        elif method == "INVITE":
            body = self.description(message)
            more += "Content-Type: application/sdp\r\n"
        return response(message, status, self.tag, more, body)

    def description(self, offer: str) -> str:
        """The answer to an offer; the first one has the telephone speak."""
        port = re.search(r"(?m)^m=audio (\d+) ", offer)
        if port and not self.speaker:
            self.speaker = threading.Thread(target=self.speak, args=((HOME, int(port[1])),), daemon=True)
            self.speaker.start()
        direction = re.search(r"(?m)^a=(sendonly|inactive)\r?$", offer)
        line = {"sendonly": "a=recvonly\r\n", "inactive": "a=inactive\r\n"}[direction[1]] if direction else ""
        return (
            f"v=0\r\no=- 1 {int(time.monotonic() * 1000)} IN IP4 {HOME}\r\ns=-\r\nc=IN IP4 {HOME}\r\nt=0 0\r\n"
            f"m=audio {self.media.getsockname()[1]} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n{line}"
        )

    def speak(self, to: tuple[str, int]) -> None:
        began = time.monotonic()
        for number in range(len(self.payload) // FRAME):
            if self.ended.wait(max(0, began + number * 0.02 - time.monotonic())):
                return
            frame = self.payload[number * FRAME : (number + 1) * FRAME]
            if not is_lost(number):
                self.sent.append(frame)
                self.media.sendto(mulaw.packet(number, number * FRAME, frame, marker=number == 0), to)
