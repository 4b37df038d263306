"""Networks made up for the receive path: what the recorded traces do not show. Each is drawn from its own seed."""

import random
from collections.abc import Callable, Iterator
from typing import Any

FRAME = 20.0
COUNT = 3100


def gilbert_elliott(rng: Any, loss: float, run: float) -> Iterator[Any]:
    """Loss in bursts of a mean length, and a little jitter."""
    bad = False
    leave, enter = 1 / run, loss / (run * (1 - loss))
    for _ in range(COUNT):
        bad = rng.random() >= leave if bad else rng.random() < enter
        yield None if bad else 15 + rng.expovariate(1 / 3)


def spikes(rng: Any, every: float, height: float) -> Iterator[Any]:
    """A stall now and then, after which all packets come at once."""
    end = -1.0
    due = rng.uniform(0.5, 1.5) * every
    for k in range(COUNT):
        now = k * FRAME
        if now >= due:
            end = now + rng.uniform(0.6, 1.4) * height
            due = now + rng.uniform(0.5, 1.5) * every
        yield max(20 + rng.expovariate(1 / 2), end - now)


def route_change(rng: Any, step: float) -> Iterator[Any]:
    """The path becomes longer by a step after 20 s and short again after 40 s."""
    for k in range(COUNT):
        yield 25 + (step if 1000 <= k < 2000 else 0) + rng.expovariate(1 / 4)


def drift(rng: Any, ppm: float) -> Iterator[Any]:
    """The sender's clock runs slow or fast."""
    for k in range(COUNT):
        yield 60 + k * FRAME * ppm * 1e-6 + rng.expovariate(1 / 3)


def bufferbloat(rng: Any, top: float) -> Iterator[Any]:
    """A queue that fills in 4 s and empties again, every 10 s."""
    for k in range(COUNT):
        phase = (k * FRAME / 1000) % 10
        queue = top * (phase / 4 if phase < 4 else max(0, 1 - (phase - 4) / 1.5))
        yield 20 + queue + rng.expovariate(1 / 5)


def quiet_then_busy(rng: Any, spread: float) -> Iterator[Any]:
    """Calm for 20 s, then jitter, then calm."""
    for k in range(COUNT):
        busy = 1000 <= k < 2200
        yield 20 + (rng.uniform(0, spread) if busy else rng.expovariate(1 / 1.5))


def in_order(delays: Any) -> Iterator[Any]:
    """Delays of packets that do not overtake each other."""
    last = 0.0
    for k, delay in enumerate(delays):
        last = max(last, k * FRAME + delay)
        yield last - k * FRAME


def contention(rng: Any, load: float, top: float) -> Iterator[Any]:
    """Wi-Fi among others: calm spells and busy ones of some seconds, with many short stalls and few long ones up to `top`."""
    busy = False
    end = -1.0
    for k in range(COUNT):
        now = k * FRAME
        if rng.random() < (1 if busy else load) / 150:
            busy = not busy
        if busy and now >= end and rng.random() < 0.12:
            end = now + min(top, 25 * rng.paretovariate(1.5))
        yield max(12 + rng.expovariate(1 / (6 if busy else 1.5)), end - now)


def handover(rng: Any, outages: Any) -> Iterator[Any]:
    """Mobile uplink in slots of 5 ms; at the given seconds nothing comes for so many milliseconds, then all."""
    end = -1.0
    left = list(outages)
    for k in range(COUNT):
        now = k * FRAME
        if left and now >= left[0][0] * 1000:
            end = now + left.pop(0)[1]
        yield max(5 * round((25 + rng.gammavariate(2, 5)) / 5), end - now)


# Name, maker, its arguments, seed, and whether constants may be chosen by it.
MADE: list[tuple[str, Callable[..., Iterator[Any]], Any, int, bool]] = [
    ("ge10_run2", gilbert_elliott, (0.10, 2.0), 11, True),
    ("ge08_run4", gilbert_elliott, (0.08, 4.0), 12, False),
    ("spikes_3s_150", spikes, (3000, 150), 21, True),
    ("spikes_8s_300", spikes, (8000, 300), 22, False),
    ("route_100", route_change, (100,), 31, True),
    ("route_250", route_change, (250,), 32, False),
    ("drift_slow_300", drift, (300,), 41, True),
    ("drift_fast_200", drift, (-200,), 42, False),
    ("bloat_200", bufferbloat, (200,), 51, True),
    ("bloat_400", bufferbloat, (400,), 52, False),
    ("busy_60", quiet_then_busy, (60,), 61, True),
    ("busy_120", quiet_then_busy, (120,), 62, False),
    ("spikes_3s_180", spikes, (3000, 180), 2, True),
    ("spikes_6s_130", spikes, (6000, 130), 101, False),
    ("contention_150", contention, (1.0, 150), 5, True),
    ("contention_300", contention, (0.4, 300), 6, True),
    ("contention_200", contention, (0.7, 200), 105, False),
    ("handover", handover, ([(14, 700), (38, 1000)],), 11, True),
]


# What is queued on its way comes in order; the older ones stay as they were measured.
ORDERED = (contention, handover)


def write(folder: str) -> list[tuple[str, str, bool]]:
    """Writes every trace into `folder`, as seq,send_ms,arrive_ms; returns name, path and whether it was used to tune."""
    made = []
    for name, maker, arguments, seed, tuned in MADE:
        rng = random.Random(seed)
        path = f"{folder}/{name}.csv"
        with open(path, "w") as file:
            file.write("seq,send_ms,arrive_ms\n")
            delays = maker(rng, *arguments)
            for k, delay in enumerate(in_order(delays) if maker in ORDERED else delays):
                arrival = "" if delay is None else f"{k * FRAME + max(delay, 0.1):.2f}"
                file.write(f"{k},{k * FRAME:.1f},{arrival}\n")
        made.append((name, path, tuned))
    return made


def shifted(path: str, offset: int, target: str) -> None:
    """The trace at `path` from its line `offset` on, round to where it began."""
    delays = []
    for line in open(path).read().split("\n")[1:]:
        fields = line.split(",")
        if len(fields) >= 3:
            delays.append(float(fields[2]) - float(fields[1]) if fields[2] else None)
    with open(target, "w") as file:
        file.write("seq,send_ms,arrive_ms\n")
        for k in range(len(delays)):
            delay = delays[(k + offset) % len(delays)]
            file.write(f"{k},{k * FRAME:.1f},{'' if delay is None else f'{k * FRAME + delay:.2f}'}\n")
