"""A telephone of a few lines that calls through a registrar by UDP with an MD5 digest, in PCMU, and notes when what came: the same
yardstick for every callee."""

import hashlib
import os
import re
import select
import socket
import time
from dataclasses import dataclass

import numpy as np

from . import mulaw
from .sip import REALM, password
from .verdict import expect

HOME = "127.0.0.1"
LONGEST_S = 20.0


@dataclass
class Times:
    """Milliseconds: from the INVITE that was let in to the first 18x and to the 200, from that to the first sound."""

    ring: float
    answer: float
    sound: float


def status(message: str) -> int:
    found = re.match(r"SIP/2\.0 (\d{3})", message)
    return int(found[1]) if found else 0


def field(message: str, name: str) -> list[str]:
    return re.findall(rf"(?im)^{name}\s*:\s*(.*?)\r$", message)


def response(request: str, status: str, tag: str, more: str = "", body: str = "") -> str:
    """The answer to a request: its code and words, our tag, fields of its own (each line ended), a body."""
    copied = "".join(f"Via: {via}\r\n" for via in field(request, "via"))
    to = field(request, "to")[0]
    return (
        f"SIP/2.0 {status}\r\n{copied}From: {field(request, 'from')[0]}\r\n"
        f"To: {to if 'tag=' in to else f'{to};tag={tag}'}\r\nCall-ID: {field(request, 'call-id')[0]}\r\n"
        f"CSeq: {field(request, 'cseq')[0]}\r\n{more}Content-Length: {len(body)}\r\n\r\n{body}"
    )


def digest(challenge: str, method: str, uri: str, user: str) -> str:
    """The answer to a challenge (RFC 2617, qop=auth or none)."""
    line = re.search(r"(?im)^(www|proxy)-authenticate:\s*digest (.*?)\r$", challenge)
    expect(line, f"no challenge: {challenge[:200]!r}")
    assert line
    said = {name.lower(): quoted or bare for name, quoted, bare in re.findall(r'(\w+)=(?:"([^"]*)"|([^,\s]+))', line[2])}

    def md5(text: str) -> str:
        return hashlib.md5(text.encode()).hexdigest()

    secret = md5(f"{user}:{said['realm']}:{password(user)}")
    own, more = said["nonce"], ""
    if "qop" in said:
        client = os.urandom(8).hex()
        own, more = f"{own}:00000001:{client}:auth", f', qop=auth, nc=00000001, cnonce="{client}"'
    response = md5(f"{secret}:{own}:{md5(f'{method}:{uri}')}")
    name = "Authorization" if line[1].lower() == "www" else "Proxy-Authorization"
    return (
        f'{name}: Digest username="{user}", realm="{said["realm"]}", nonce="{said["nonce"]}", uri="{uri}", '
        f'response="{response}", algorithm=MD5{more}\r\n'
    )


class Caller:
    """Use as a context manager."""

    def __init__(self, proxy: int, user: str) -> None:
        self.proxy, self.user = proxy, user
        self.signalling, self.media = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for s in (self.signalling, self.media):
            s.bind((HOME, 0))
        self.signalling.connect((HOME, proxy))
        self.here = f"{HOME}:{self.signalling.getsockname()[1]}"

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_: object) -> None:
        self.signalling.close()
        self.media.close()

    def message(self, method: str, uri: str, call: str, number: int, to: str, more: str = "", body: str = "") -> None:
        kind = "Content-Type: application/sdp\r\n" if body else ""
        head = (
            f"{method} {uri} SIP/2.0\r\nVia: SIP/2.0/UDP {self.here};rport;branch=z9hG4bK{os.urandom(8).hex()}\r\n"
            f"Max-Forwards: 70\r\nFrom: <sip:{self.user}@{REALM}>;tag={call[:8]}\r\nTo: {to}\r\nCall-ID: {call}\r\n"
            f"CSeq: {number} {method}\r\nContact: <sip:{self.user}@{self.here}>\r\n{more}{kind}"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )
        self.signalling.send(head.encode())

    def wait(self, until: float) -> str:
        """The next message; empty when none comes."""
        ready, _, _ = select.select([self.signalling], [], [], max(0.0, until - time.perf_counter()))
        try:
            return self.signalling.recv(65536).decode(errors="replace") if ready else ""
        except OSError:
            return ""

    def call(self, callee: str, seconds: float) -> Times:
        """Calls, hears for so long, and hangs up."""
        while select.select([self.media], [], [], 0)[0]:
            self.media.recv(4096)
        uri, call = f"sip:{callee}@{REALM}", os.urandom(12).hex()
        offer = (
            f"v=0\r\no=- 1 1 IN IP4 {HOME}\r\ns=-\r\nc=IN IP4 {HOME}\r\nt=0 0\r\n"
            f"m=audio {self.media.getsockname()[1]} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\na=ptime:20\r\n"
        )
        limit = time.perf_counter() + LONGEST_S
        number, ring, answer, credentials = 1, 0.0, "", ""
        began = time.perf_counter()
        self.message("INVITE", uri, call, number, f"<{uri}>", body=offer)
        while status(answer := self.wait(limit)) < 200:
            expect(answer, f"{callee} does not answer")
            if status(answer) in (401, 407):
                break
            if status(answer) > 100 and not ring:
                ring = time.perf_counter()
        if status(answer) in (401, 407):
            to = field(answer, "to")[0]
            credentials = digest(answer, "INVITE", uri, self.user)
            branch = field(answer, "via")[0]
            ack = (
                f"ACK {uri} SIP/2.0\r\nVia: {branch}\r\nMax-Forwards: 70\r\nFrom: <sip:{self.user}@{REALM}>;tag={call[:8]}\r\n"
                f"To: {to}\r\nCall-ID: {call}\r\nCSeq: {number} ACK\r\nContent-Length: 0\r\n\r\n"
            )
            self.signalling.send(ack.encode())
            number += 1
            began = time.perf_counter()
            self.message("INVITE", uri, call, number, f"<{uri}>", credentials, offer)
            while status(answer := self.wait(limit)) < 200:
                expect(answer, f"{callee} does not answer")
                if status(answer) > 100 and not ring:
                    ring = time.perf_counter()
        done = time.perf_counter()
        expect(status(answer) == 200, f"{callee} answered {status(answer)}")
        target = re.search(r"<([^>]*)>", field(answer, "contact")[0])
        assert target
        routes = [one.strip() for line in field(answer, "record-route") for one in line.split(",")][::-1]
        way = "".join(f"Route: {one}\r\n" for one in routes)
        to = field(answer, "to")[0]
        self.message("ACK", target[1], call, number, to, way)
        sound = self.first_sound(done, seconds)
        self.message("BYE", target[1], call, number + 1, to, way)
        while status(said := self.wait(time.perf_counter() + 2)) and " BYE" not in "".join(field(said, "cseq")):
            pass
        return Times(1000 * ((ring or done) - began), 1000 * (done - began), 1000 * sound)

    def first_sound(self, since: float, seconds: float) -> float:
        """Seconds from then to the first packet that is no silence; hears on until they are over."""
        first, loud = float("inf"), 0.01
        while (left := since + seconds - time.perf_counter()) > 0:
            ready, _, _ = select.select([self.media], [], [], left)
            if not ready:
                break
            packet = self.media.recv(4096)
            now = time.perf_counter()
            if len(packet) > 12 and packet[1] & 0x7F == 0 and float(np.abs(mulaw.decode(packet[12:])).max()) > loud:
                first = min(first, now - since)
        return max(0.0, first)
