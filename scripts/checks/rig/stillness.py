"""Notes when the machine itself stands still or is slow: a thread of real-time priority on each processor that wakes up late, or takes
longer than usual for the same work.

A virtual machine's host may take its processors away for tens of milliseconds, or for many short moments, which Linux counts
as stolen time, or does not. A call that is measured then says nothing of the program. Load of our own is not counted: it gives way to that
priority; without the right to it only stolen time is noted.
"""

import atexit
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import TypeVar

NAP_S = 0.005
# A quiet machine is at most half as late; the endpoints' shortest buffers bridge little more.
LATE_S = 0.005
PRIORITY = 60
# The host withholds this part of the processors' time from a machine that is not quiet.
STOLEN = 0.03
# It withholds less than this from one that is.
CALM = 0.01
# Sound that misses something so near a moment in which the host made the machine slow misses it for that, in seconds.
NEAR_S = 0.3

# Each LOOK_S a processor does so many rounds, some 20 microseconds. It is slow where they take more than SLOWER times as long as the fastest
# quarter of LOOKS before did at most.
LOOK_S, ROUNDS, SLOWER, LOOKS = 0.005, 1000, 2.5, 100
# The machine is slow where so many looks find it so within WITHIN_S, all processors together.
LEAST_SLOW, WITHIN_S = 8, 0.1

T = TypeVar("T")


class Stillness:
    """Watches from now on until `end`, or until the script ends: who naps for `nap_s`, and wakes up late by `late_s` or more."""

    def __init__(self, nap_s: float = NAP_S, late_s: float = LATE_S) -> None:
        self.notes, self.reading = tempfile.NamedTemporaryFile("r"), threading.Lock()
        # Opened by itself to be written: who reads must not move the place where others write.
        with open(self.notes.name, "ab") as notes:
            self.process = subprocess.Popen([sys.executable, __file__, str(nap_s), str(late_s)], stdout=notes)
        atexit.register(self.process.kill)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def unrest(self, began: float, before: tuple[int, int]) -> str | None:
        """What was seen of the host since `began` (time.monotonic()), where `processor_time()` was `before`; None when nothing."""
        if self.process.poll() is not None:
            return "nobody may see here whether the machine stands still"
        standstills = self.since(began)
        if standstills:
            return f"the machine stood still {len(standstills)} times, for up to {max(standstills):.0f} ms"
        stolen = stolen_between(before, processor_time())
        if stolen >= STOLEN:
            return f"the host withheld {100 * stolen:.0f} % of the processors' time"
        slow = self.slow(began)
        if slow:
            return f"the machine was slow {len(slow)} times"
        return None

    def since(self, began: float) -> list[float]:
        """Lengths in milliseconds of all standstills after `began` (time.monotonic())."""
        return [lateness for _, lateness in self.times(began)]

    def times(self, began: float) -> list[tuple[float, float]]:
        """When each standstill after `began` (time.monotonic()) was, as a processor saw it, and its length in milliseconds."""
        return [(at, lateness) for at, lateness, is_late in self.rows() if is_late and at >= began]

    def slow(self, began: float) -> list[tuple[float, float]]:
        """When each moment after `began` (time.monotonic()) began and ended in which the processors were slow."""
        looks = sorted(at for at, _, is_late in self.rows() if not is_late and at >= began)
        return close_together(looks, LEAST_SLOW)

    def rows(self) -> list[tuple[float, float, bool]]:
        """Each lateness in milliseconds, and how many times as long as usual slow work took; in no order."""
        with self.reading:
            self.notes.seek(0)
            # One that is just being written may be there in part.
            rows = [line.split() for line in self.notes if line.endswith("\n")]
        return [(float(at), float(much), what == "late") for what, at, much in rows]


class Sluggishness:
    """Notes moments in which the machine does everything slowly: for about 100 ms even a thread of real-time priority is some
    milliseconds late again and again. Its host does that, and Linux does not count it as stolen time."""

    NAP_S, LATE_S = 0.001, 0.002
    # So many times late within WITHIN_S, all processors together.
    LEAST = 6

    def __init__(self) -> None:
        self.stillness, self.began = Stillness(self.NAP_S, self.LATE_S), time.monotonic()

    def end(self) -> None:
        self.stillness.end()

    def longest(self) -> float:
        """Of all standstills since the beginning, those that are made as well, in ms."""
        return max((ms for _, ms in self.stillness.times(0)), default=0.0)

    def moments(self, made: list[tuple[float, float]], longest_ms: float) -> list[tuple[float, float]]:
        """When each began and ended (time.monotonic()), but for the time of stops that were `made`; and stops of the host's own that
        were longer than `longest_ms`."""
        late = [
            (at, at + ms / 1000, ms - 1000 * overlap((at, at + ms / 1000), made)) for at, ms in sorted(self.stillness.times(0))
        ]
        own = [one for one in late if one[2] >= 1000 * self.LATE_S]
        found = [(begin, end) for begin, end, ms in own if ms > longest_ms]
        return found + close_together([begin for begin, _, _ in own], self.LEAST)

    def restless_part(self, made: list[tuple[float, float]], longest_ms: float) -> float:
        """The part of the time until now that lies so near to such a moment, or to one in which all work took longer, that sound may miss
        something for that. Many packets of our own make work longer too: this excuses nothing, it is for calls that are few."""
        near, until = 0.0, 0.0
        for begin, end in sorted(self.moments(made, longest_ms) + self.stillness.slow(0)):
            near += max(0.0, end + NEAR_S - max(begin - NEAR_S, until))
            until = max(until, end + NEAR_S)
        return near / (time.monotonic() - self.began)


def close_together(times: list[float], least: int) -> list[tuple[float, float]]:
    """From when to when so many of these times, which are in order, lie within WITHIN_S."""
    found: list[tuple[float, float]] = []
    for first, last in zip(times, times[least - 1 :], strict=False):
        if last - first > WITHIN_S:
            continue
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def is_near(span: tuple[float, float], moments: list[tuple[float, float]]) -> bool:
    """Whether what was heard in a span may be the doing of one of these moments: it ends at most NEAR_S before, or begins NEAR_S after."""
    return overlap((span[0] - NEAR_S, span[1] + NEAR_S), moments) > 0


def overlap(span: tuple[float, float], others: list[tuple[float, float]]) -> float:
    """Seconds of a span that lie in others."""
    return sum(max(0.0, min(span[1], end) - max(span[0], begin)) for begin, end in others)


def processor_time() -> tuple[int, int]:
    """(All, stolen) time of all processors in ticks, since the machine started."""
    with open("/proc/stat") as file:
        # user, nice, system, idle, iowait, irq, softirq, steal; guests' time is in the first two again
        ticks = [int(field) for field in file.readline().split()[1:9]]
    return sum(ticks), ticks[7] if len(ticks) > 7 else 0


def stolen_between(before: tuple[int, int], now: tuple[int, int]) -> float:
    """The part of the processors' time that the host withheld between two `processor_time()`."""
    total, stolen = (later - earlier for later, earlier in zip(now, before, strict=True))
    return stolen / total if total else 0


def wait_for_quiet(at_most_s: float = 120, quiet_s: float = 10) -> None:
    """Until for `quiet_s` the host has withheld next to nothing, and the machine was neither still nor slow: that lasts for seconds or for
    minutes. No longer than `at_most_s`."""
    last = time.monotonic() + at_most_s
    stillness = Stillness()
    while time.monotonic() < last:
        before, began = processor_time(), time.monotonic()
        time.sleep(quiet_s)
        if stolen_between(before, processor_time()) < CALM and not stillness.since(began) and not stillness.slow(began):
            break
    stillness.end()


def undisturbed(
    measured: Callable[[], T], tries: int = 3, was_restless: Callable[[T], bool] = lambda _: False
) -> tuple[T, int, bool]:
    """What `measured` gives on a quiet host: it is waited for, and measured again, `tries` times at most, where the host withheld the
    processors meanwhile, or `was_restless` says so of what came out. Then how often it was measured again, and whether the host was like
    that in the last one too."""
    for again in range(tries):
        wait_for_quiet()
        before = processor_time()
        result = measured()
        if stolen_between(before, processor_time()) < STOLEN and not was_restless(result):
            return result, again, False
    return result, tries - 1, True


def disturbances(again: int, disturbed: int) -> str:
    """In words, how often was measured again, and in how many of those that count the host did so even then; empty: nothing to tell."""
    text = f"made again {again} times, since the host withheld the processors or made the machine slow" if again else ""
    still = f"it did so in {disturbed} of those that count" if disturbed else ""
    return "; ".join(part for part in (text, still) if part)


def beside(seconds: float = 2.0) -> str:
    """What else the machine does now, in words for a report of figures."""

    def busy() -> int:
        with open("/proc/stat") as file:
            ticks = [int(field) for field in file.readline().split()[1:9]]
        return sum(ticks) - ticks[3] - ticks[4]

    before, (all_before, stolen_before) = busy(), processor_time()
    time.sleep(seconds)
    all_now, stolen_now = processor_time()
    took = max(1, all_now - all_before)
    cores = os.cpu_count() or 1
    said = f"{cores * (busy() - before) / took:.1f} of {cores} cores were busy with other work"
    stolen = 100 * (stolen_now - stolen_before) / took
    return said + (f", and the host withheld {stolen:.0f} % of their time" if stolen >= 1 else "")


def watch(processor: int, nap_s: float, late_s: float) -> None:
    parent = os.getppid()
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    looks: list[float] = []
    usual, next_look = math.inf, 0.0
    while os.getppid() == parent:
        due = time.monotonic() + nap_s
        time.sleep(nap_s)
        woke = time.monotonic()
        if woke - due >= late_s:
            os.write(1, f"late {due:.3f} {1000 * (woke - due):.1f}\n".encode())
        if woke < next_look:
            continue
        next_look = woke + LOOK_S
        for _ in range(ROUNDS):
            pass
        took = time.monotonic() - woke
        looks.append(took)
        if len(looks) > LOOKS:
            looks, usual = [], sorted(looks)[LOOKS // 4]
        if took > SLOWER * usual:
            os.write(1, f"slow {woke:.3f} {took / usual:.1f}\n".encode())


def main() -> None:
    nap_s, late_s = map(float, sys.argv[1:])
    first, *others = os.sched_getaffinity(0)
    for processor in others:
        if os.fork() == 0:
            watch(processor, nap_s, late_s)
            return
    watch(first, nap_s, late_s)


if __name__ == "__main__":
    try:
        main()
    except PermissionError:
        pass
