"""How long a steady tone was not heard in a recording: what a change of address costs a call."""

import statistics

import numpy as np

from . import wav
from .verdict import expect_even

# As loud as a quiet tone; what comfort noise and concealment leave is far below.
LOUD = 0.02
# A recording goes on for less after the call's last sound.
TAIL_MS = 500


def silences(path: str, channel: int) -> list[float]:
    """Milliseconds of each silence in what was heard, from the first sound on; one that lasts to the end is long."""
    rate, sound = wav.read(path)
    step = rate // 100
    frames = sound[: len(sound) // step * step, channel].reshape(-1, step)
    places = np.flatnonzero(np.sqrt(np.mean(frames**2, axis=1)) > LOUD)
    found = [10.0 * float(gap - 1) for gap in np.diff(places) if gap > 4]
    last = 10.0 * float(len(frames) - 1 - places[-1]) if len(places) else 10.0 * len(frames)
    return found + [last] * (last > TAIL_MS)


def short(found: list[float], longest: float = 1000) -> str:
    """Expects that none took longer than so many milliseconds, and says how long they took."""
    worst = max(found, default=0.0)
    expect_even(worst <= longest, f"silent for {worst:.0f} ms; all: {found}")
    return f"silent for {statistics.median(found) if found else 0:.0f} ms (median), {worst:.0f} ms at most"
