"""A telephone of a few lines, called by TLS, that takes its keys out of SDP (RFC 4568) and leaves it to ffmpeg to decrypt and decode what
comes: packets of ours in other hands."""

import base64
import contextlib
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
from typing import BinaryIO, Self

import numpy as np

from .caller import HOME, field, response
from .endpoint import until_bound
from .kinds import Samples
from .verdict import PATIENCE_S

SUITE = "AES_CM_128_HMAC_SHA1_80"
RATE = 8000


def description(port: int, profile: str, tag: str, key: str) -> str:
    """PCMU at a port, and the key of what its writer sends."""
    lines = ["v=0", f"o=- 1 1 IN IP4 {HOME}", "s=-", f"c=IN IP4 {HOME}", "t=0 0", f"m=audio {port} {profile} 0"]
    lines += ["a=rtpmap:0 PCMU/8000", f"a=crypto:{tag} {SUITE} inline:{key}"]
    return "".join(f"{line}\r\n" for line in lines)


class KeyedTelephone:
    """Is busy at the first call, answers the second one, and says nothing. `keys`: what the callers will encrypt by; `own`: what it
    would. Use as a context manager."""

    def __init__(self, folder: str, certificate: str, media: int) -> None:
        """`certificate`: NAME of NAME.pem and NAME.key. `media`: the port of RTP; the next one is RTCP's."""
        self.folder, self.media = folder, media
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        self.server = socket.create_server((HOME, 0))
        self.uri = f"sips:keyed@{HOME}:{self.server.getsockname()[1]}"
        self.tag = os.urandom(4).hex()
        self.keys: list[str] = []
        self.own = base64.b64encode(os.urandom(30)).decode()
        self.decoder: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        if self.decoder and self.decoder.poll() is None:
            self.decoder.kill()
            self.decoder.wait()
        self.thread.join(PATIENCE_S)

    def serve(self) -> None:
        while True:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            with (
                contextlib.suppress(OSError),
                self.context.wrap_socket(near, server_side=True) as connection,
                connection.makefile("rb") as reader,
            ):
                while message := self.read(reader):
                    method = message.split(" ", 1)[0]
                    if method not in ("ACK", "SIP/2.0"):
                        connection.sendall(self.answer(method, message).encode())

    @staticmethod
    def read(reader: BinaryIO) -> str:
        """The next message; empty: there is none any more."""
        head = ""
        for line in reader:
            if line.strip():
                head += line.decode(errors="replace")
            elif head:
                break
        length = field(head, "content-length")
        return head + "\r\n" + reader.read(int(length[0])).decode(errors="replace") if length else head

    def answer(self, method: str, message: str) -> str:
        if method != "INVITE":
            return response(message, "200 OK", self.tag)
        line = re.search(r"(?m)^m=audio \d+ (\S+) ", message)
        key = re.search(rf"(?m)^a=crypto:(\d+) {SUITE} inline:(\S+?)\r?$", message)
        if not line or not key:
            return response(message, "488 Not Acceptable Here", self.tag)
        self.keys.append(key[2])
        if len(self.keys) == 1:
            return response(message, "486 Busy Here", self.tag)
        self.decode(key[2])
        more = f"Contact: <{self.uri}>\r\nContent-Type: application/sdp\r\n"
        return response(message, "200 OK", self.tag, more, description(self.media, line[1], key[1], self.own))

    def decode(self, key: str) -> None:
        with open(f"{self.folder}/stream.sdp", "w") as f:
            f.write(description(self.media, "RTP/SAVP", "1", key))
        with open(f"{self.folder}/ffmpeg.log", "wb") as log:
            self.decoder = subprocess.Popen(
                ["ffmpeg", "-hide_banner", "-nostdin", "-y", "-loglevel", "warning", "-protocol_whitelist", "file,rtp,udp"]
                # The description says all; it need not listen for seconds to find out more.
                + ["-analyzeduration", "0", "-probesize", "32", "-i", f"{self.folder}/stream.sdp"]
                + ["-f", "s16le", "-ar", str(RATE), "-ac", "1", f"{self.folder}/stream.pcm"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until_bound(self.media)

    def said(self) -> str:
        """What ffmpeg had to say; nothing if all packets were what their key makes."""
        with open(f"{self.folder}/ffmpeg.log", errors="replace") as log:
            return log.read()

    def heard(self) -> Samples:
        """What was decoded, at 8 kHz, once nothing more is to come."""
        assert self.decoder
        self.decoder.send_signal(signal.SIGINT)
        self.decoder.wait(PATIENCE_S)
        return np.fromfile(f"{self.folder}/stream.pcm", "<i2") / 32768
