"""yodel as a process: started with `--json`, its events collected as they come, ended by a signal."""

import json
import os
import queue
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Self

from .kinds import Event
from .verdict import PATIENCE_S, Failed, until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def binary() -> str:
    """$YODEL, or the release build that scripts/yodel makes."""
    if "YODEL" not in os.environ:
        done = subprocess.run([f"{ROOT}/scripts/yodel", "--build-only"], check=True, stdout=subprocess.PIPE, text=True)
        os.environ["YODEL"] = done.stdout.strip()
    return os.environ["YODEL"]


class Endpoint:
    """One yodel process. Use as a context manager: it never outlives the block."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: dict[str, str] | None = None,
        json_events: bool = True,
        place: Sequence[str] = (),
    ) -> None:
        """`place`: the command that runs another one elsewhere, such as in a network namespace."""
        self.arguments = [binary(), *arguments, *(["--json"] if json_events else [])]
        self.errors = tempfile.TemporaryFile()
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*place, *self.arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.events: list[Event] = []
        self.lines: list[str] = []
        self.news: queue.Queue[Event | None] = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            arrived = time.monotonic()
            self.lines.append(line.rstrip("\n"))
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                event["seen"] = arrived
                self.events.append(event)
                self.news.put(event)
        self.news.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def wait_for(self, kind: str, timeout: float = PATIENCE_S) -> Event:
        """The next event of this type not yet waited for; fails with what the process said instead."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                event = self.news.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise Failed(f"no {kind} within {timeout} s; {self.last_words()}") from None
            if event is None:
                self.news.put(None)
                raise Failed(f"ended before {kind}; {self.last_words()}")
            if event.get("type") == kind:
                return event

    def of_type(self, kind: str) -> list[Event]:
        return [e for e in self.events if e.get("type") == kind]

    def until_told(self, kind: str, times: int) -> None:
        """Waits until so many events of this type have come since its start."""
        until(f"{times} times {kind}", lambda: len(self.of_type(kind)) >= times, self.last_words)

    def wait(self, timeout: float = PATIENCE_S) -> int:
        """Exit code of a process that ends by itself; a timeout shorter than PATIENCE_S would judge the machine."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"still running after {timeout} s; {self.last_words()}") from None
        self.reader.join(PATIENCE_S)
        return code

    def stop(self, number: int = signal.SIGINT, timeout: float = PATIENCE_S) -> int:
        """Exit code after a signal."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait(timeout)

    @property
    def report(self) -> Event:
        reports = self.of_type("report")
        if not reports:
            raise Failed(f"no report; {self.last_words()}")
        return reports[-1]

    def stderr(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def last_words(self) -> str:
        said = [*self.lines[-3:], *self.stderr().splitlines()[-6:]]
        return f"`yodel {' '.join(self.arguments[1:])}` (exit {self.process.poll()}) said: " + (" / ".join(said) or "nothing")


def recording_listener(port: int, record: str, codec: str = "pcmu") -> Endpoint:
    """Waits for one caller and writes what it hears to a file, for a minute at most."""
    media = ["--codec", codec, "--device", "null", "--no-voice-processing", "--record", record]
    return Endpoint(["listen", f"rtp://127.0.0.1:{port}", *media, "--duration", "60"])


choosing = threading.Lock()
# Below the ports that the kernel gives to whoever asks for none; checks that run beside each other get other ones each.
LOWEST_PORT, HIGHEST_PORT = (int(port) for port in os.environ.get("CHECK_PORTS", "10000-32000").split("-"))
next_port = LOWEST_PORT + os.getpid() * 4 % (HIGHEST_PORT - LOWEST_PORT)


def has_ipv6() -> bool:
    """Whether this machine's loopback has IPv6: some containers have none."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
            s.bind(("::1", 0))
    except OSError:
        return False
    return True


def free_ports(count: int, step: int = 2) -> int:
    """The first of `count` UDP ports in a row by `step`, even and free now, by TCP too (also the odd ones, RTCP's); cases of one
    check that run at the same time get others each."""
    global next_port
    with choosing:
        last = HIGHEST_PORT - count * step
        for first in (*range(next_port, last, 4 * step), *range(LOWEST_PORT, min(next_port, last), 4 * step)):
            taken = []
            try:
                for port in range(first, first + count * step):
                    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                        s = socket.socket(socket.AF_INET, kind)
                        taken.append(s)
                        s.bind(("127.0.0.1", port))
                next_port = first + count * step
                return first
            except OSError:
                continue
            finally:
                for s in taken:
                    s.close()
    raise Failed("no free UDP ports")


def until_bound(port: int, process: int | str = "self") -> None:
    """Waits until somebody hears what comes to a UDP port of this machine, or of the network namespace of another process."""

    def is_bound() -> bool:
        rows = []
        for family in ("udp", "udp6"):
            with open(f"/proc/{process}/net/{family}") as f:
                rows += [line.split()[1] for line in f.readlines()[1:]]
        return any(int(row.rsplit(":", 1)[1], 16) == port for row in rows)

    until(f"somebody at port {port}", is_bound)
