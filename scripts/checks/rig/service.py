"""`yodel softphone` as a process, asked by HTTP as a program would: requests, and the events as they come."""

import contextlib
import http.client
import json
import os
import queue
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from . import process
from .endpoint import binary
from .island import Island
from .kinds import Event
from .podman import Place
from .verdict import PATIENCE_S, Failed, expect


def new_token(folder: str) -> str:
    """The path of a file with a new token."""
    descriptor, path = tempfile.mkstemp(prefix="token-", dir=folder)
    with os.fdopen(descriptor, "w") as f:
        f.write(secrets.token_hex(32) + "\n")
    return path


class Service:
    """One service process. Use as a context manager: it never outlives the block."""

    def __init__(
        self, arguments: list[str], folder: str, island: Island | Place | None = None, *, state: str = "", sound: str = ""
    ) -> None:
        """`state`: a state folder of its own; the service then gets no token but what it finds or makes there (`link`). `sound`: the
        address of its sound server."""
        if not state and "--softphone-token-file" not in arguments:
            arguments = [*arguments, "--softphone-token-file", new_token(folder)]
        environment = {
            **os.environ,
            **({"XDG_STATE_HOME": state} if state else {}),
            **({"PULSE_SERVER": sound} if sound else {}),
        }
        # What it prints for whoever comes first; empty: it has a token.
        self.link = ""
        self.log = open(f"{folder}/service.log", "ab")
        program = island.program if isinstance(island, Place) else binary()
        self.process = subprocess.Popen(
            [*(island.place if island else []), program, "softphone", "--softphone-port", "0", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=environment,
        )
        self.path = f"{folder}/service.log"
        self.token, self.port = "", 0
        # Of the listener for figures alone; 0: there is none.
        self.metrics_port = 0
        assert self.process.stdout
        needs_metrics = "--softphone-metrics-port" in arguments
        while not (self.token and self.port and (self.metrics_port or not needs_metrics)):
            line = self.process.stdout.readline()
            if not line:
                self.process.wait(PATIENCE_S)
                raise Failed(f"the service does not start; {self.said()}")
            if line.startswith("yodel softphone at "):
                self.port = int(line.rsplit(":", 1)[1])
            elif line.startswith("metrics at "):
                self.metrics_port = int(line.rsplit(":", 1)[1].split("/")[0])
            elif line.startswith("open "):
                self.link = line.split()[1]
                break
            kept = f"{state}/yodel/token" if state else arguments[arguments.index("--softphone-token-file") + 1]
            if self.port and os.path.exists(kept):
                with open(kept) as f:
                    self.token = f.readline().strip()
        if island:
            self.port = island.reach(self.port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.close()

    def said(self) -> str:
        with open(self.path, errors="replace") as f:
            return f"the service (exit {self.process.poll()}) said: {f.read()[-800:] or 'nothing'}"

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, token: str | None = None
    ) -> tuple[int, Any]:
        """Status and body: JSON where it is JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            sent = {"Authorization": f"Bearer {self.token if token is None else token}", **(headers or {})}
            data = None
            if body is not None:
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                sent.setdefault("Content-Type", "application/json")
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            text = response.read()
            kind = response.headers.get("Content-Type", "")
            return response.status, json.loads(text) if "json" in kind else text.decode()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        status, value = self.ask("GET", path)
        expect(status == 200, f"GET {path}: {status} {value}")
        return value

    def do(self, method: str, path: str, body: Any = None, expected: int = 202) -> Any:
        status, value = self.ask(method, path, body)
        expect(status == expected, f"{method} {path}: {status} {value}; {self.said()}")
        return value

    def end(self, call: str) -> None:
        """Ends a call; it may be over before that is answered."""
        status, value = self.ask("DELETE", f"/v1/calls/{call}")
        expect(status in (200, 202), f"the end of {call}: {status} {value}; {self.said()}")

    def until(self, what: str, path: str, holds: Callable[[Any], bool]) -> Any:
        """What is at `path` once that holds."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            value = self.get(path)
            if holds(value):
                return value
            expect(time.monotonic() < deadline, f"never {what}: {value}; {self.said()}")
            time.sleep(0.1)

    def registered(self) -> None:
        self.until("registered", "/v1/accounts", lambda v: all(a["state"] == "registered" for a in v["accounts"]))

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"the service does not end; {self.said()}") from None

    def memory_mib(self) -> float:
        return process.memory_mib(self.process.pid)

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def sip_port(self) -> int:
        """Where it takes requests by SIP: the other port than HTTP's on which it takes streams."""
        own = set()
        for name in os.listdir(f"/proc/{self.process.pid}/fd"):
            with contextlib.suppress(OSError):
                own.add(os.readlink(f"/proc/{self.process.pid}/fd/{name}"))
        with open(f"/proc/{self.process.pid}/net/tcp") as f:
            rows = [line.split() for line in f.readlines()[1:]]
        ports = {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in own}
        ports -= {self.port, self.metrics_port}
        expect(len(ports) == 1, f"it listens at {ports} beside HTTP")
        return ports.pop()

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))


class Events:
    """A subscriber: the events of a service as they come. Use as a context manager."""

    def __init__(self, service: Service, last: str | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {service.token}"}
        if last is not None:
            headers["Last-Event-ID"] = last
        self.connection.request("GET", "/v1/events", headers=headers)
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        expect(self.response.status == 200, f"GET /v1/events: {self.response.status}")
        self.service = service
        self.all: list[Event] = []
        self.last: str | None = last
        self.news: queue.Queue[Event | None] = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        event: Event = {}
        try:
            for raw in self.response:
                line = raw.decode().rstrip("\n")
                if line.startswith("id: "):
                    event["id"] = line[4:]
                elif line.startswith("data: "):
                    event.update({"data": json.loads(line[6:])})
                elif not line and "data" in event:
                    data = {**event["data"], "event_id": event.get("id")}
                    self.all.append(data)
                    self.last = event.get("id") or self.last
                    self.news.put(data)
                    event = {}
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass
        self.news.put(None)

    def wait_for(self, kind: str, call: str | None = None) -> Event:
        """The next event of this type, of that call."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                event = self.news.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                event = None
            if event is None:
                raise Failed(f"no {kind} among {[e['type'] for e in self.all]}; {self.service.said()}")
            if event["type"] == kind and (call is None or event.get("call_id") == call):
                return event

    def types(self, call: str) -> list[str]:
        return [e["type"] for e in self.all if e.get("call_id") == call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream; what reads it ends with it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join(PATIENCE_S)
        self.connection.close()
