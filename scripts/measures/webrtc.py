#!/usr/bin/python3
"""How fast and with how much delay a browser's call to `yodel softphone` comes about: headless Chromium, medians of many calls.
Writes webrtc-figures.md."""

import argparse
import base64
import contextlib
import datetime
import functools
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "checks"))

import numpy as np

from rig import speech, wav
from rig.chromium import Chromium
from rig.endpoint import free_ports
from rig.service import Service
from rig.stillness import beside
from rig.turn import PASSWORD, USER, TurnServer
from rig.verdict import PATIENCE_S, Failed

RATE = 48_000
# Sound after the first one: for the delay the browser's buffer settles first.
SHORT_SECONDS, LONG_SECONDS, SETTLE_SECONDS = 0.2, 7.0, 3.0
# Issue 21, point 3, ms.
MOST = {"play": 100.0, "echo": 135.0, "trip": 100.0, "relay": 60.0}


@contextlib.contextmanager
def page(folder: str) -> Iterator[str]:
    """Serves an empty page, for a peer that has none; its URL."""
    Path(folder, "index.html").write_text("<!doctype html><title>calls</title>")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def relay(folder: str) -> Iterator[list[dict[str, str]]]:
    """coturn on loopback; the browser's list of servers."""
    port = free_ports(1)
    with TurnServer(f"{folder}/turn", "127.0.0.1", port, ["--no-tls", "--allow-loopback-peers"]):
        yield [{"urls": f"turn:127.0.0.1:{port}?transport=udp", "username": USER, "credential": PASSWORD}]


def samples(text: str) -> Any:
    return np.frombuffer(base64.b64decode(text), "<i2") / 32768


def delay(said: Any, heard: Any) -> float:
    """Milliseconds from what was said to the same as it is heard again, once the buffer has settled: median over seconds."""
    found = []
    for start in range(int(SETTLE_SECONDS * RATE), len(said) - 2 * RATE, RATE):
        piece, window = said[start : start + RATE], heard[start : start + 2 * RATE]
        if np.sqrt(np.mean(piece**2)) < 0.01:
            continue
        size = len(window) + len(piece)
        match = np.fft.irfft(np.fft.rfft(window, size) * np.conj(np.fft.rfft(piece, size)), size)[: len(window)]
        found.append(1000 * float(np.argmax(match)) / RATE)
    if not found:
        raise Failed("nothing was said that could be found again")
    return statistics.median(found)


class Caller:
    """A browser that calls one URL, from a page of the same server: our service lets no other page ask."""

    def __init__(self, browser: Chromium, place: str, url: str, token: str) -> None:
        self.browser, self.url, self.token = browser, url, token
        browser.do("Page.setBypassCSP", enabled=True)
        browser.open(place)
        browser.ask((Path(__file__).parent / "webrtc.js").read_text() + ";\nvoid 0")

    def call(self, query: str, ice: list[dict[str, str]] | None = None, sound: bool = False) -> dict[str, Any]:
        options = {
            "url": self.url + query,
            "token": self.token,
            "ice": ice or [],
            "relay": ice is not None,
            "seconds": LONG_SECONDS if sound else SHORT_SECONDS,
            "wantsSound": sound,
        }
        result: dict[str, Any] = self.browser.ask(f"measure({json.dumps(options)})")
        if sound:
            result["delay"] = delay(samples(result.pop("said")), samples(result.pop("heardSound")))
        return result


def row(name: str, calls: list[dict[str, Any]]) -> str:
    def middle(what: str) -> str:
        values = [call[what] for call in calls if what in call]
        if not values:
            return ""
        return f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})"

    columns = ["answer", "ice", "dtls", "sound", "delay", "buffer"]
    return f"| {name} | {len(calls)} | {' | '.join(middle(what) for what in columns)} |"


def median(calls: list[dict[str, Any]], what: str) -> float:
    return statistics.median(call[what] for call in calls if what in call)


@contextlib.contextmanager
def reference(folder: str, peer: str, python: str, kind: str) -> Iterator[str]:
    """The other peer's URL while it runs; `kind`: its option for what becomes of what it hears."""
    port = free_ports(1)
    with open(f"{folder}/reference.log", "wb") as log:
        process = subprocess.Popen([python, f"{peer}/reference_peer.py", kind, "--port", str(port)], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not subprocess.run(["ss", "-Hltn", "sport", "=", f":{port}"], capture_output=True, check=True).stdout:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"the reference peer does not start (exit {process.poll()})")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/call"
    finally:
        process.terminate()
        process.wait()


def measure(folder: str, count: int, peer: str | None, python: str) -> tuple[list[str], list[str]]:
    """Rows of the table, and what takes longer than it may."""
    microphone, tone = f"{folder}/microphone.wav", f"{folder}/tone.wav"
    speech.write(microphone, RATE, 30, 0)
    # Never silent: the first sound is the first sample that comes through.
    rate, said = wav.read(microphone)
    time_s = np.arange(len(said)) / rate
    wav.write(microphone, rate, np.clip(said[:, 0] + 0.03 * np.sin(2 * np.pi * 300 * time_s), -1, 1))
    wav.write(tone, RATE, 0.2 * np.sin(2 * np.pi * 440 * np.arange(60 * RATE) / RATE))
    rows, calls = [], {}
    arguments = ["--softphone-device", "null", "--softphone-folder", folder, "--no-voice-processing"]
    with Service(arguments, folder) as service:
        with Chromium(folder, microphone, "--disable-web-security", repeats=True) as browser:
            home = f"http://127.0.0.1:{service.port}/"
            caller = Caller(browser, home, f"{home}v1/webrtc", service.token)
            first, second = caller.call("?echo=true"), caller.call("?echo=true")
            calls["play"] = [caller.call(f"?play={os.path.basename(tone)}") for _ in range(count)]
            calls["echo"] = [caller.call("?echo=true") for _ in range(count)]
            calls["trip"] = [caller.call("?echo=true", sound=True) for _ in range(max(1, count // 4))]
            with relay(folder) as ice:
                calls["relay"] = [caller.call(f"?play={os.path.basename(tone)}", ice) for _ in range(count)]
            rows += [
                row("`play`", calls["play"]),
                row("`echo`", calls["echo"]),
                row("`echo`, round trip", calls["trip"]),
                row("`play`, through TURN", calls["relay"]),
                row("first call of browser and service", [first]),
                row("second call", [second]),
            ]
            if peer:
                for kind, name in (
                    ("--reflect", "packets straight back, the floor"),
                    ("--echo", "the rig's reference peer, echo"),
                ):
                    with page(folder) as elsewhere, reference(folder, peer, python, kind) as other:
                        caller = Caller(browser, elsewhere, other, "")
                        rows.append(row(name, [caller.call("") for _ in range(count)]))
                        trip = [caller.call("", sound=True) for _ in range(max(1, count // 4))]
                        rows.append(row("the same, round trip", trip))
    missed = []
    for what, has in (
        ("play", median(calls["play"], "sound")),
        ("echo", median(calls["echo"], "sound")),
        ("trip", median(calls["trip"], "delay")),
        ("relay", median(calls["relay"], "sound") - median(calls["play"], "sound")),
    ):
        if has > MOST[what]:
            missed.append(f"{what}: {has:.0f} ms, {MOST[what]:.0f} wanted")
    return rows, missed


def main() -> None:
    options = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    options.add_argument("--count", type=int, default=20, help="calls of each kind (20)")
    options.add_argument("--peer", help="folder of the bench's reference_peer.py, to be measured beside it")
    options.add_argument("--peer-python", default="python3", help="the Python that has aiortc (python3)")
    options.add_argument("--out", required=True, help="the folder of webrtc-figures.md")
    given = options.parse_args()
    before = beside()
    with tempfile.TemporaryDirectory() as folder:
        rows, missed = measure(folder, given.count, given.peer, given.peer_python)
    text = [
        "# A browser's call, measured",
        "",
        f"Written by `scripts/bench-webrtc` on {datetime.date.today():%Y-%m-%d}, {os.cpu_count()} cores: headless Chromium calls",
        "`yodel softphone` on the same machine. Milliseconds after the POST of the offer: medians, and in brackets the range. *Delay* is what",
        "passes from the browser's microphone to its loudspeaker by way of our echo; *buffer* is the part that lies in Chromium's own jitter",
        "buffer. The first sound through TURN is of the browser's own relay.",
        f"Before the calls {before}.",
        "",
        "| call | calls | answer | ICE | DTLS | first sound | delay | buffer |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        "Wanted: first sound at most 100 with `play`, 135 with `echo`, delay at most 100, through TURN at most 60 more than without.",
        f"Missed: {'; '.join(missed) or 'nothing'}.",
        "",
    ]
    Path(given.out, "webrtc-figures.md").write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
