"""The far end of a call as one who can say when a sound was heard there: yodel, whose microphone and loudspeaker are pipes."""

import array
import math
import subprocess
import tempfile
import threading
import time
from typing import Self

from . import sip
from .endpoint import binary
from .verdict import PATIENCE_S, Failed, expect, until

RATE = 48000
LOUD = 2000


class FarEnd:
    """Answers calls at `port`. `loud`: from when to when, on the clock of `time.monotonic`, something loud was at its loudspeaker."""

    def __init__(self, port: int, codec: str = "pcmu") -> None:
        self.port, self.uri = port, f"sip:far@127.0.0.1:{port}"
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary(), "listen", f"sip:127.0.0.1:{port}", "--auto-answer", "--device", "pipe:-", "--no-voice-processing"]
            + ["--codec", codec, "--ice", "off"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        self.lock = threading.Lock()
        self.spans: list[tuple[float, float]] = []
        self.blocks = 0
        threading.Thread(target=self.hear, daemon=True).start()

    def __enter__(self) -> Self:
        try:
            until("a far end that answers", lambda: sip.is_answered(self.port))
        except Failed:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.errors.close()

    def hear(self) -> None:
        assert self.process.stdout
        reader = self.process.stdout
        while block := reader.read1(65536):  # type: ignore[attr-defined]
            now = time.monotonic()
            self.blocks += 1
            samples = array.array("h", block[: len(block) // 2 * 2])
            loud = [index for index, sample in enumerate(samples) if abs(sample) > LOUD]
            if not loud:
                continue
            # A block is played from when it is asked for on.
            first, last = now + loud[0] / RATE, now + loud[-1] / RATE
            with self.lock:
                if self.spans and first - self.spans[-1][1] < 0.06:
                    self.spans[-1] = (self.spans[-1][0], last)
                else:
                    self.spans.append((first, last))

    def loud(self, since: float) -> list[tuple[float, float]]:
        """What began after `since`."""
        with self.lock:
            return [span for span in self.spans if span[0] >= since]

    def beep(self, milliseconds: int = 20) -> float:
        """Says something short; when."""
        assert self.process.stdin
        count = RATE * milliseconds // 1000
        sound = array.array("h", (int(16000 * math.sin(2 * math.pi * 1000 * n / RATE)) for n in range(count)))
        said = time.monotonic()
        self.process.stdin.write(sound.tobytes())
        self.process.stdin.flush()
        return said

    def until_loud(self, since: float, what: str) -> tuple[float, float]:
        """The first loud span after `since`, once it is over."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            spans = self.loud(since)
            if spans and (len(spans) > 1 or time.monotonic() - spans[0][1] > 0.2):
                return spans[0]
            if time.monotonic() > deadline:
                self.errors.seek(0)
                raise Failed(f"{what} is not heard at the far end; {self.errors.read()[-500:].decode(errors='replace')}")
            expect(self.process.poll() is None, "the far end has ended")
            time.sleep(0.02)
