"""A program that is the audio end of a call: a WebSocket server that talks and listens as the service's documentation says."""

import array
import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any, Self

import websockets
from websockets.exceptions import ConnectionClosed

from .verdict import PATIENCE_S, expect


class Program:
    """Listens at `url`. What it hears is in `heard`, as 16-bit samples; with `echoes` it says that again."""

    def __init__(self, port: int, echoes: bool) -> None:
        self.port, self.echoes = port, echoes
        self.url = f"ws://127.0.0.1:{port}/"
        self.heard = array.array("h")
        self.told: list[tuple[float, dict[str, Any]]] = []
        self.connections = 0
        self.socket: Any = None
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        expect(self.ready.wait(PATIENCE_S), "the program does not listen")
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE_S)

    def run(self) -> None:
        asyncio.set_event_loop(self.loop)

        async def listen() -> None:
            await websockets.serve(self.talk, "127.0.0.1", self.port, subprotocols=["yodel.pcm"], max_size=None)  # type: ignore
            self.ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    async def talk(self, socket: Any) -> None:
        self.connections += 1
        self.socket = socket
        try:
            async for message in socket:
                if isinstance(message, str):
                    self.told.append((time.monotonic(), json.loads(message)))
                    continue
                self.heard.frombytes(message)
                if self.echoes:
                    await socket.send(message)
        except ConnectionClosed:
            pass

    def send(self, message: bytes | dict[str, Any]) -> None:
        text = json.dumps(message) if isinstance(message, dict) else message
        asyncio.run_coroutine_threadsafe(self.socket.send(text), self.loop).result(PATIENCE_S)

    def drop(self) -> None:
        """Cuts the connection without a word."""
        socket = self.socket
        self.loop.call_soon_threadsafe(socket.transport.abort)

    def until(self, what: str, holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not holds():
            expect(time.monotonic() < end, f"{what} does not come; told {[told for _, told in self.told]}")
            time.sleep(0.02)

    def marks(self) -> list[str]:
        return [told["name"] for _, told in self.told if told["type"] == "mark"]
