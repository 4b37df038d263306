"""Programs at the ends of calls, as the service's documentation says, in both dialects: a WebSocket server that a call connects to
(`Program`), or a client that comes to a call (`Visitor`)."""

import array
import asyncio
import base64
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Self

import websockets
from websockets.exceptions import ConnectionClosed

from . import mulaw
from .service import Service
from .verdict import PATIENCE_S, expect

PCM, MEDIA_STREAM = "yodel.pcm", "yodel.media-stream"


class Talker:
    """What is said and heard over a connection. What it hears is in `heard`, as 16-bit samples, and in `arrivals` with when each
    packet came; with `echoes` it says that again. `is_reading`: one that does not read stalls."""

    def __init__(self, dialect: str | None, echoes: bool, encoding: str = "l16") -> None:
        self.dialect, self.echoes, self.encoding = dialect, echoes, encoding
        self.heard = array.array("h")
        self.tracks: dict[str, array.array[int]] = {}
        self.arrivals: list[tuple[float, int]] = []
        self.told: list[tuple[float, dict[str, Any]]] = []
        self.connections = 0
        self.socket: Any = None
        self.is_reading = True
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        expect(self.ready.wait(PATIENCE_S), "the program is not there")
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE_S)

    async def begin(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.begin())
        self.ready.set()
        self.loop.run_forever()

    async def talk(self, socket: Any) -> None:
        self.connections += 1
        self.socket = socket
        try:
            while True:
                while not self.is_reading:
                    await asyncio.sleep(0.05)
                message = await socket.recv()
                arrived = time.monotonic()
                if isinstance(message, bytes):
                    self.take(message, arrived, "inbound")
                    if self.echoes:
                        await socket.send(message)
                    continue
                value = json.loads(message)
                if value.get("event") != "media":
                    self.told.append((arrived, value))
                    continue
                sound = base64.b64decode(value["media"]["payload"], validate=True)
                self.take(sound, arrived, value["media"]["track"])
                if self.echoes:
                    await socket.send(self.media(sound))
        except ConnectionClosed:
            pass

    def take(self, sound: bytes, arrived: float, track: str) -> None:
        samples = array.array("h")
        if self.encoding == "mulaw":
            samples.extend(int(32768 * sample) for sample in mulaw.decode(sound))
        else:
            samples.frombytes(sound)
        self.heard.extend(samples)
        self.tracks.setdefault(track, array.array("h")).extend(samples)
        self.arrivals.append((arrived, max((abs(sample) for sample in samples), default=0)))

    @property
    def is_media_stream(self) -> bool:
        return self.dialect != PCM

    def media(self, sound: bytes) -> str:
        return json.dumps({"event": "media", "media": {"payload": base64.b64encode(sound).decode()}})

    def write(self, text: str | bytes) -> None:
        asyncio.run_coroutine_threadsafe(self.socket.send(text), self.loop).result(PATIENCE_S)

    def say(self, sound: bytes) -> None:
        """In messages of a second at most at 48 kHz."""
        for start in range(0, len(sound), 96_000):
            part = sound[start : start + 96_000]
            self.write(self.media(part) if self.is_media_stream else part)

    def mark(self, name: str) -> None:
        self.write(
            json.dumps({"event": "mark", "mark": {"name": name}} if self.is_media_stream else {"type": "mark", "name": name})
        )

    def clear(self) -> None:
        self.write(json.dumps({"event": "clear"} if self.is_media_stream else {"type": "clear"}))

    def drop(self) -> None:
        """Cuts the connection without a word."""
        socket = self.socket
        self.loop.call_soon_threadsafe(socket.transport.abort)

    def until(self, what: str, holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not holds():
            expect(time.monotonic() < end, f"{what} does not come; told {[told for _, told in self.told][-8:]}")
            time.sleep(0.01)

    def events(self, name: str) -> list[tuple[float, dict[str, Any]]]:
        """What was told of a kind, with when it came."""
        return [(at, told) for at, told in list(self.told) if told.get("type", told.get("event")) == name]

    def marks(self) -> list[str]:
        return [(told.get("mark") or told)["name"] for _, told in self.events("mark")]


class Program(Talker):
    """Listens at `url`; `dialect` None: a program that knows no subprotocol, as those of media-stream services."""

    def __init__(self, port: int, echoes: bool, dialect: str | None = PCM, encoding: str = "l16") -> None:
        super().__init__(dialect, echoes, encoding)
        self.port = port
        self.url = f"ws://127.0.0.1:{port}/"

    async def begin(self) -> None:
        known: Any = [self.dialect] if self.dialect else None
        await websockets.serve(self.talk, "127.0.0.1", self.port, subprotocols=known, max_size=None, ping_interval=None)  # type: ignore


class Visitor(Talker):
    """Comes to a call of a service, by its own connection."""

    def __init__(
        self, port: int, token: str, path: str, echoes: bool = False, dialect: str | None = PCM, encoding: str = "l16"
    ) -> None:
        super().__init__(dialect, echoes, encoding)
        self.url = f"ws://127.0.0.1:{port}{path}"
        self.headers = {"Authorization": f"Bearer {token}"}

    async def begin(self) -> None:
        known: Any = [self.dialect] if self.dialect else None
        socket = await websockets.connect(  # type: ignore
            self.url, subprotocols=known, extra_headers=self.headers, max_size=None, ping_interval=None
        )
        self.task = asyncio.ensure_future(self.talk(socket))
        while self.socket is None:
            await asyncio.sleep(0.01)

    def leave(self) -> None:
        asyncio.run_coroutine_threadsafe(self.socket.close(), self.loop).result(PATIENCE_S)


def unmasked(service: Service, path: str) -> None:
    """A client that does not mask its frames is told so, and its connection closed (RFC 6455 section 5.1)."""
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {service.token}", "Connection: Upgrade"]
    lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    with socket.create_connection(("127.0.0.1", service.port), PATIENCE_S) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = client.recv(65536)
        expect(answer.startswith(b"HTTP/1.1 101 "), f"the upgrade was answered {answer[:100]!r}")
        client.sendall(b"\x81\x02{}")
        while piece := client.recv(65536):
            answer += piece
    expect(answer.endswith(b"\x88\x02\x03\xea"), f"frames without a mask were answered {answer[-8:]!r}")
