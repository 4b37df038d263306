"""Strangers at the HTTP port of `yodel softphone`, and bearers who misbehave there: half requests, bodies without end, streams that
nobody reads, floods of offers and of guesses. Each says how it was met."""

from __future__ import annotations

import contextlib
import os
import random
import re
import socket
import threading
import time
from collections.abc import Callable

from .service import Service
from .verdict import PATIENCE_S, expect, until

HOME = "127.0.0.1"
SDP = {"Content-Type": "application/sdp"}


class Raw:
    """A connection on which anything may be said."""

    def __init__(self, port: int, said: bytes = b"") -> None:
        self.socket = socket.create_connection((HOME, port), PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.say(said)

    def say(self, text: bytes) -> Raw:
        with contextlib.suppress(OSError):
            self.socket.sendall(text)
        return self

    def status(self) -> int:
        """Of the next answer; 0: closed without one."""
        return self.answers(1)[0]

    def answers(self, most: int = 10**6) -> list[int]:
        """Status codes until `most` have come or the connection is closed; [0]: none came."""
        text = b""
        codes: list[int] = []
        with contextlib.suppress(OSError):
            while len(codes) < most and (piece := self.socket.recv(65536)):
                text += piece
                codes = [int(code) for code in re.findall(rb"HTTP/1\.[01] ([0-9]{3}) ", text)]
        return codes or [0]

    def is_closed(self, seconds: float = 0) -> bool:
        self.socket.settimeout(seconds or 0.001)
        try:
            while self.socket.recv(65536):
                pass
        except (TimeoutError, BlockingIOError):
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        self.socket.close()


def get(path: str, service: Service, *lines: str, method: str = "GET", version: str = "1.1", token: bool = True) -> bytes:
    own = [f"Authorization: Bearer {service.token}"] if token else []
    head = "\r\n".join([f"{method} {path} HTTP/{version}", "Host: localhost", *own, *lines])
    return f"{head}\r\n\r\n".encode()


def is_well(service: Service) -> None:
    """Whoever bears the token is answered, whatever the others do."""
    status, _ = service.ask("GET", "/v1/accounts")
    expect(status == 200, f"a proper request is answered {status}; {service.said()}")


def half_requests(service: Service) -> Callable[[], str]:
    """Six hundred connections that begin and do not go on. What is left of them is judged later."""
    starts = [
        b"",
        b"G",
        b"POST /v1/calls HTTP/1.1\r\nHost: localhost\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 3000,
    ]
    crowd = [Raw(service.port, starts[n % len(starts)]) for n in range(600)]
    for _ in range(3):
        for stranger in crowd[-64:]:
            stranger.say(b"a")
        is_well(service)
    # Who has no place is sent away once the service comes to it.
    until("strangers sent away", lambda: sum(not stranger.is_closed() for stranger in crowd) <= 128)
    held = sum(not stranger.is_closed() for stranger in crowd)
    expect(held > 0, "no stranger keeps a place")

    def ends() -> str:
        deadline = time.monotonic() + PATIENCE_S
        while crowd and time.monotonic() < deadline:
            for stranger in [one for one in crowd if one.is_closed()]:
                stranger.close()
                crowd.remove(stranger)
            time.sleep(0.2)
        expect(not crowd, f"{len(crowd)} half requests are still waited for")
        return f"{held} of 600 half requests kept a place for a while"

    return ends


def slow_body(service: Service) -> Callable[[], str]:
    """A body that never ends is answered 408."""
    slow = Raw(service.port, get("/v1/calls", service, "Content-Length: 1000", "Content-Type: application/json", method="POST"))
    slow.say(b'{"to"')

    def ends() -> str:
        code = slow.status()
        expect(code == 408, f"a body that does not come is answered {code}")
        expect(slow.is_closed(PATIENCE_S), "and its connection stays")
        return "408 for a body without end"

    return ends


def deaf_subscribers(service: Service) -> Callable[[], str]:
    """A thousand streams that nobody reads: some are served, the others are told to come later."""
    deaf, codes = [], []
    for _ in range(1000):
        stream = Raw(service.port)
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.append(stream.say(get("/v1/events", service)))
    for stream in deaf:
        stream.socket.settimeout(PATIENCE_S)
        with contextlib.suppress(OSError):
            codes.append(int(stream.socket.recv(64).split()[1]))
    served, refused = codes.count(200), codes.count(503)
    expect(served + refused == 1000 and 0 < served <= 256, f"{served} served, {refused} refused, {codes[:5]}")
    is_well(service)

    def ends() -> str:
        for stream in deaf:
            stream.close()
        service.until("without subscribers", "/metrics", lambda text: "yodel_event_subscribers 0\n" in text)
        return f"{served} of 1,000 streams served"

    return ends


def odd_requests(service: Service) -> str:
    """Whatever HTTP knows and we do not need: an answer or the end of the connection, never a wait."""
    form = "Content-Type: application/json"
    chunked = get("/v1/calls", service, "Transfer-Encoding: chunked", form, method="POST")
    bearer = f"Authorization: Bearer {service.token}\r\n".encode()
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    socket_lines = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", key)
    asked = {
        "many headers": (get("/healthz", service, *[f"X-{n}: {n}" for n in range(5000)]), {400, 431, 0}),
        "a long header": (get("/healthz", service, "X: " + "x" * 70_000), {400, 431, 0}),
        "a long target": (get("/" + "a" * 1_000_000, service), {400, 404, 414, 0}),
        "no name": (b"GET /healthz HTTP/1.1\r\n: x\r\n\r\n", {400, 0}),
        "two lengths": (
            get("/v1/calls", service, "Content-Length: 2", "Content-Length: 3", form, method="POST") + b"{}",
            {400, 0},
        ),
        "length and chunks": (chunked.replace(b"\r\n", b"\r\nContent-Length: 5\r\n", 1) + b"2\r\n{}\r\n0\r\n\r\n", {400, 0}),
        "a negative length": (get("/v1/calls", service, "Content-Length: -1", form, method="POST"), {400, 0}),
        "a length of 1 GiB": (
            get("/v1/calls", service, "Content-Length: 1073741824", form, method="POST") + b"x" * 10**6,
            {413},
        ),
        "a length beyond numbers": (get("/v1/calls", service, f"Content-Length: {10**30}", form, method="POST"), {400, 413, 0}),
        "chunks without end": (
            chunked + b"4000\r\n" + b"x" * 0x4000 + b"\r\n" + (b"4000\r\n" + b"x" * 0x4000 + b"\r\n") * 40,
            {413},
        ),
        "small chunks": (chunked + b"".join(b"1\r\n%c\r\n" % c for c in b'{"to": 5}') + b"0\r\n\r\n", {400}),
        "a body too long to be asked for": (
            get("/v1/calls", service, "Expect: 100-continue", "Content-Length: 1073741824", form, method="POST"),
            {413},
        ),
        "bad chunks": (chunked + b"ZZ\r\n{}\r\n", {400, 0}),
        "deep json": (get("/v1/calls", service, "Content-Length: 60000", form, method="POST") + b"[" * 60_000, {400}),
        "http/1.0": (get("/v1/calls", service, version="1.0"), {200}),
        "http/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505, 0}),
        "http/9.9": (b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n", {400, 505, 0}),
        "an upgrade": (
            get("/v1/calls", service, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
            + get("/v1/calls", service),
            {200},
        ),
        "HTTP/2 instead": (get("/v1/calls", service, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"), {200}),
        "HTTP/2 instead, with a body": (
            get("/v1/calls", service, "Connection: Upgrade", "Upgrade: h2c", "Content-Length: 2", form, method="POST") + b"{}",
            {400},
        ),
        "a WebSocket without a key": (get("/v1/calls/none/stream", service, *socket_lines[:-1]), {404}),
        "a WebSocket of no call": (get("/v1/calls/none/stream", service, *socket_lines), {404}),
        "a WebSocket without the token": (get("/v1/calls/none/stream", service, *socket_lines, token=False), {401}),
        "a tunnel": (b"CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n" + bearer + b"\r\n", {400, 404, 405, 0}),
        "an absolute target": (get("http://evil.example/v1/calls", service), {421}),
        "another host": (get("/healthz", service).replace(b"localhost", b"evil.example"), {421}),
        "no host": (b"GET /v1/calls HTTP/1.1\r\n" + bearer + b"\r\n", {400, 421}),
        "a page from elsewhere": (
            get("/v1/calls", service, "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"),
            {403},
        ),
        "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(500), {400, 0}),
        "noise": (os.urandom(20_000), {400, 0}),
    }
    for name, (request, allowed) in asked.items():
        connection = Raw(service.port, request)
        connection.socket.settimeout(PATIENCE_S)
        if 0 in allowed:
            with contextlib.suppress(OSError):
                connection.socket.shutdown(socket.SHUT_WR)
        codes = connection.answers(1)
        expect(codes[0] in allowed, f"{name}: {codes[0]} in place of {sorted(allowed)}; {service.said()}")
        connection.close()
    waiting = Raw(service.port, get("/v1/calls", service, "Expect: 100-continue", "Content-Length: 2", form, method="POST"))
    code = waiting.status()
    expect(code == 100, f"a body that waits to be asked for: {code}")
    code = waiting.say(b"{}").status()
    expect(code == 400, f"a body that was asked for: {code}")
    waiting.close()
    for path in ("../../etc/passwd", "/etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "a\u0000.wav", "link.wav", "x" * 900):
        wish = {"to": f"sip:status-486@{HOME}:9", "audio": {"play": path}}
        status, problem = service.ask("POST", "/v1/calls", wish)
        expect(status == 400 and problem["at"] in ("audio.play", "play"), f"play {path!r}: {status} {problem}")
    is_well(service)
    return f"{len(asked)} odd requests"


def pipelining(service: Service) -> str:
    """Thousands of requests before the first answer is read; whoever reads then has them all."""
    many = 3000
    connection = Raw(service.port)
    writer = threading.Thread(target=connection.say, args=(get("/v1/accounts", service) * many,))
    writer.start()
    time.sleep(0.3)
    is_well(service)
    connection.socket.settimeout(PATIENCE_S)
    seen, tail = 0, b""
    while seen < many and (piece := connection.socket.recv(65536)):
        tail += piece
        seen += tail.count(b"HTTP/1.1 200 OK\r\n")
        tail = tail[tail.rfind(b"\r\n") :] if b"HTTP/1.1 200 OK\r\n" in tail else tail[-32:]
    writer.join()
    expect(seen == many, f"{seen} of {many} answers")
    connection.close()
    return f"{many} requests in one go"


def guesses(service: Service) -> str:
    """Wrong tokens as fast as they are taken: refused, then told to slow down; the right one is let in all the while."""
    seen: dict[int, int] = {}
    stop = threading.Event()

    def guess() -> None:
        while not stop.is_set():
            request = get("/v1/calls", service, f"Authorization: Bearer {random.getrandbits(64):x}", token=False)
            connection = Raw(service.port, request * 20)
            for code in connection.answers(20):
                seen[code] = seen.get(code, 0) + 1
            connection.close()

    crowd = [threading.Thread(target=guess) for _ in range(4)]
    for thread in crowd:
        thread.start()
    try:
        for _ in range(20):
            is_well(service)
            time.sleep(0.05)
        # Two hundred at once are answered, on a slow machine too.
        until("told to slow down", lambda: seen.get(429, 0) > 0, lambda: f"{seen}")
    finally:
        stop.set()
    for thread in crowd:
        thread.join()
    expect(seen.get(401, 0) > 0 and seen.get(429, 0) > 0 and 200 not in seen, f"{seen}")
    return f"guesses answered {seen}"


def offer(candidates: list[str]) -> bytes:
    lines = [
        "v=0", f"o=- {random.getrandbits(60)} 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=rtcp-mux", "a=mid:0", "a=sendrecv",
        "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=setup:actpass",
        "a=fingerprint:sha-256 " + ":".join(["AB"] * 32), "a=rtpmap:111 opus/48000/2",
        *[f"a=candidate:{text}" for text in candidates],
    ]  # fmt: skip
    return ("\r\n".join(lines) + "\r\n").encode()


def offers(service: Service) -> str:
    """Offers that nobody stands behind: long ones, ones full of candidates of other people's and of our own ports, and many."""
    places = ["224.0.0.1 5353", "255.255.255.255 9", "0.0.0.0 1", f"{HOME} {service.port}", f"{HOME} 53", "192.0.2.7 99999"]
    hostile = [f"{n} 1 udp {n + 1} {places[n % len(places)]} typ host" for n in range(900)]
    expect(service.ask("POST", "/v1/webrtc", offer(hostile * 30), SDP)[0] == 413, "an offer of 1 MiB is taken")
    status, answer = service.ask("POST", "/v1/webrtc", offer(hostile), SDP)
    expect(status in (201, 400), f"900 candidates: {status} {answer}")
    codes = []
    for _ in range(40):
        status, answer = service.ask("POST", "/v1/webrtc", offer(["1 1 udp 1 192.0.2.7 4000 typ host"]), SDP)
        codes.append(status)
    expect(set(codes) <= {201, 429} and codes.count(429) >= 30, f"offers answered {codes}")
    is_well(service)
    for record in service.get("/v1/calls")["calls"]:
        if record["kind"] == "browser" and record["state"] != "ended":
            service.end(record["id"])
    service.until(
        "without offers",
        "/v1/calls",
        lambda v: all(record["state"] == "ended" for record in v["calls"] if record["kind"] == "browser"),
    )
    return f"{codes.count(201)} of 40 offers taken"
