"""Real speech: Debian's asterisk-core-sounds-en-g722 (studio prompts, 16 kHz), the same at every run."""

import functools
import glob
import os
import subprocess

import numpy as np

from . import wav
from .kinds import Samples

# The longest prompts that are talk from end to end; a caller and a callee get different ones.
VOICES = ["demo-instruct", "priv-callee-options", "demo-congrats", "basic-pbx-ivr-main", "demo-echotest"]
# A tenth of a second above -40 dBFS is sound.
AUDIBLE = 10 ** (-40 / 20)


def find(name: str) -> str:
    found = glob.glob(f"/usr/share/asterisk/sounds/*/{name}.g722")
    if not found:
        raise FileNotFoundError(f"{name}.g722: install asterisk-core-sounds-en-g722")
    return found[0]


@functools.lru_cache(maxsize=8)
def decoded(rate: int, voice: int) -> Samples:
    """The whole prompt; cases that say the same need not decode it again."""
    out = subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-f",
            "g722",
            "-i",
            find(VOICES[voice]),
            "-ar",
            str(rate),
            "-ac",
            "1",
            "-f",
            "f32le",
            "-",
        ],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ).stdout
    return np.frombuffer(out, "<f4").astype(np.float64)


def samples(rate: int, seconds: float, voice: int = 0) -> Samples:
    """Mono float speech of exactly `seconds`, peak -6 dBFS; a short prompt repeats."""
    x = np.resize(decoded(rate, voice % len(VOICES)), int(rate * seconds))
    return x * (0.5 / np.max(np.abs(x)))


def write(path: str, rate: int, seconds: float, voice: int = 0) -> str:
    wav.write(path, rate, samples(rate, seconds, voice))
    return os.path.abspath(path)


def write_dense(path: str, seconds: int) -> str:
    """Speech with its pauses cut out, so that silence means that nothing came through."""
    x = samples(48000, 70)
    blocks = x[: len(x) // 4800 * 4800].reshape(-1, 4800)
    loud = blocks[np.sqrt(np.mean(blocks**2, axis=1)) > 2 * AUDIBLE]
    wav.write(path, 48000, np.resize(loud.ravel(), 48000 * seconds))
    return path
