"""Debian's chromium without a screen, with a file as its microphone, driven over the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from typing import Any, Self

import websocket  # type: ignore[import]

from .endpoint import ROOT
from .island import Island
from .verdict import PATIENCE_S, Failed

PICTURES = f"{ROOT}/.build/pictures"

FLAGS = (
    "--headless=new --no-sandbox --no-first-run --disable-gpu --disable-dev-shm-usage --disable-extensions "
    "--disable-background-networking --disable-component-update --autoplay-policy=no-user-gesture-required "
    "--use-fake-ui-for-media-stream --use-fake-device-for-media-stream --remote-debugging-port=0"
).split()


class Chromium:
    """One browser with one page. Use as a context manager: it never outlives the block."""

    def __init__(self, folder: str, microphone: str, *flags: str, repeats: bool = False, island: Island | None = None) -> None:
        """`island`: where it runs, if not here."""
        self.island = island
        self.profile = f"{folder}/profile"
        shutil.rmtree(self.profile, ignore_errors=True)
        os.makedirs(self.profile)
        self.log = open(f"{folder}/chromium.log", "ab")
        self.process = subprocess.Popen(
            [
                *(island.place if island else []),
                "chromium",
                *FLAGS,
                *flags,
                f"--user-data-dir={self.profile}",
                f"--use-file-for-fake-audio-capture={microphone}" + ("" if repeats else "%noloop"),
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, "HOME": self.profile},
        )
        try:
            self.socket = websocket.create_connection(self.address(), timeout=PATIENCE_S, suppress_origin=True)
        except BaseException:
            self.__exit__()
            raise
        self.number = 0
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def address(self) -> str:
        end = time.monotonic() + 3 * PATIENCE_S
        port = 0
        while time.monotonic() < end:
            try:
                if not port:
                    with open(f"{self.profile}/DevToolsActivePort") as f:
                        port = int(f.readline())
                    port = self.island.reach(port) if self.island else port
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE_S) as answer:
                    pages = [page for page in json.load(answer) if page["type"] == "page"]
                if pages:
                    return str(pages[0]["webSocketDebuggerUrl"])
            except (OSError, ValueError):
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise Failed(f"chromium does not start (exit {self.process.poll()})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def do(self, method: str, **parameters: Any) -> Any:
        """Sends a command and waits for its result; what the page logs meanwhile is kept."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            self.note(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise Failed(f"{method}: {message['error']}")
                return message["result"]

    def note(self, message: Any) -> None:
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(told["exceptionDetails"].get("exception", {}).get("description", told)))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.errors.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
            self.errors.append(str([argument.get("value") for argument in told["args"]]))

    def open(self, url: str) -> None:
        self.do("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'")

    def ask(self, expression: str) -> Any:
        """The value of JavaScript in the page; promises are awaited."""
        result = self.do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise Failed(f"{expression[:80]}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait_for(self, condition: str, seconds: float = PATIENCE_S) -> None:
        end = time.monotonic() + seconds
        while not self.ask(condition):
            if time.monotonic() > end:
                raise Failed(f"the page never came to: {condition}; it says {self.ask('document.body.innerText')!r}")
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        self.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def picture(self, name: str) -> None:
        """Keeps the whole page as it looks now, as .build/pictures/NAME.png."""
        os.makedirs(PICTURES, exist_ok=True)
        data = self.do("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(f"{PICTURES}/{name}.png", "wb") as f:
            f.write(base64.b64decode(data))

    def record(self, stream: str) -> None:
        """Records `stream`, an expression, as soon as there is one."""
        self.ask(
            """void (async () => {
              let stream;
              while (!(stream = STREAM)) await new Promise((done) => setTimeout(done, 10));
              const parts = [];
              const recorder = new MediaRecorder(stream, { mimeType: 'audio/webm;codecs=opus', audioBitsPerSecond: 128000 });
              recorder.ondataavailable = (event) => parts.push(event.data);
              window.recorded = new Promise((done) => { recorder.onstop = () => done(new Blob(parts)); });
              window.recorder = recorder;
              recorder.start(200);
            })()""".replace("STREAM", stream)
        )

    def recorded(self, path: str) -> str:
        """Ends the recording and writes it as a WAV file of 48 kHz."""
        data = self.ask(
            """(async () => {
              if (window.recorder.state !== 'inactive') window.recorder.stop();
              const bytes = new Uint8Array(await (await window.recorded).arrayBuffer());
              let text = '';
              for (let at = 0; at < bytes.length; at += 32768)
                text += String.fromCharCode(...bytes.subarray(at, at + 32768));
              return btoa(text);
            })()"""
        )
        done = subprocess.run(
            ["ffmpeg", "-y", "-v", "error", "-i", "-", "-ar", "48000", "-ac", "1", path],
            input=base64.b64decode(data),
            stderr=subprocess.PIPE,
        )
        if done.returncode:
            raise Failed(f"what the page heard cannot be read: {done.stderr.decode()[-300:]}")
        return path
