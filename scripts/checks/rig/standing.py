#!/usr/bin/env python3
"""Makes a machine stand still now and then, as a host does that takes a virtual machine's processors away; needs root.

    standing.py [--every 0.7] [--ms 4-12] [--seed 1] [--pid PID]... (--seconds S | --once | -- COMMAND...)

All processors at once, by a loop on each at the highest real-time priority: nothing else runs meanwhile, sound servers neither.
With --pid these processes alone, by signals. For S seconds, once and at once, or as long as COMMAND runs, whose exit code it
takes.
"""

import argparse
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Self

PRIORITY = 99
# Linux leaves others so much of each second, whatever the priority (sched_rt_runtime_us).
LONGEST_MS = 900.0
# One that waits for the next stop looks so often whether it is still wanted.
NAP_S = 0.2
# It begins so long after the processes that stand were begun, or those that begin them.
LEAD_S, START_S = 0.2, 0.5
REFUSED = "the highest real-time priority is refused, so the machine does not stand still: run it as root"

# When it begins, in seconds since the start, and for how many seconds.
Stop = tuple[float, float]


class Standing:
    """Stops from now on until `end`, or the block's end; of `processes` alone where some are named."""

    def __init__(self, lengths: str, every: float = 0.7, seed: int = 1, processes: Sequence[int] = ()) -> None:
        if not may_rule():
            raise PermissionError(REFUSED)
        self.begin, self.stops = time.monotonic() + START_S, partial(plan, every, *bounds(lengths), seed)
        options = [f"--every={every}", f"--ms={lengths}", f"--seed={seed}", f"--begin={self.begin}", f"--seconds={86_400}"]
        self.process = subprocess.Popen([sys.executable, __file__, *options, *(f"--pid={one}" for one in processes)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()

    def made(self) -> list[tuple[float, float]]:
        """When each stop that was due by now began and ended (time.monotonic())."""
        due = itertools.takewhile(lambda stop: self.begin + stop[0] < time.monotonic(), self.stops())
        return [(self.begin + at, self.begin + at + seconds) for at, seconds in due]


def stand_once(milliseconds: float, processes: Sequence[int] = ()) -> None:
    """One stop; returns when it is over."""
    options = [f"--ms={milliseconds}", "--once", *(f"--pid={one}" for one in processes)]
    subprocess.run([sys.executable, __file__, *options], check=True)


def bounds(lengths: str) -> tuple[float, float]:
    """The shortest and the longest, in ms, of `4-12`, or of one length."""
    low, _, high = lengths.partition("-")
    return float(low), float(high or low)


def plan(every: float, low: float, high: float, seed: int) -> Iterator[Stop]:
    """Exponential intervals, every length as likely; the same for all who know the seed."""
    draw, at = random.Random(seed), 0.0
    while True:
        at += draw.expovariate(1 / every)
        yield at, draw.uniform(low, high) / 1000


def starts(stops: Iterable[Stop], begin: float, parent: int) -> Iterator[float]:
    """When each of them is over, handed out when it begins; ends with the parent."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    for at, seconds in stops:
        while (left := begin + at - time.monotonic()) > 0:
            if os.getppid() != parent:
                return
            time.sleep(min(left, NAP_S))
        yield begin + at + seconds


def hold(processor: int, ends: Iterable[float]) -> None:
    os.sched_setaffinity(0, {processor})
    for end in ends:
        while time.monotonic() < end:
            pass


def halt(processes: Sequence[int], ends: Iterable[float]) -> None:
    def tell(what: signal.Signals) -> None:
        for one in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, what)

    for end in ends:
        try:
            tell(signal.SIGSTOP)
            time.sleep(max(0.0, end - time.monotonic()))
        finally:
            tell(signal.SIGCONT)


def begin_standing(stops: list[Iterator[Stop]], begin: float, processes: Sequence[int], processors: Sequence[int]) -> list[int]:
    """A process for each processor, or one for all of `processes`, with a copy of the plan each; their ids."""
    parent, children = os.getpid(), []
    for number, copy in enumerate(stops):
        child = os.fork()
        if child == 0:
            ends = starts(copy, begin, parent)
            if processes:
                halt(processes, ends)
            else:
                hold(processors[number], ends)
            os._exit(0)
        children.append(child)
    return children


def may_rule() -> bool:
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except PermissionError:
        return False
    os.sched_setscheduler(0, *before)
    return True


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--every", type=float, default=0.7, help="mean time from stop to stop, in seconds")
    options.add_argument("--ms", default="4-12", help="length, or the shortest and the longest")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--pid", type=int, action="append", default=[])
    options.add_argument(
        "--begin", type=float, default=time.monotonic() + LEAD_S, help="when the plan begins (time.monotonic())"
    )
    options.add_argument("--seconds", type=float)
    options.add_argument("--once", action="store_true")
    options.add_argument("command", nargs="*")
    given = options.parse_args()
    lengths = bounds(given.ms)
    if not 0 < lengths[0] <= lengths[1] or (lengths[1] > LONGEST_MS and not given.pid):
        options.error(f"--ms {given.ms}: stops of all processors last up to {LONGEST_MS:.0f} ms")
    if (given.seconds is not None) + given.once + bool(given.command) != 1:
        options.error("say for how long: --seconds, --once, or -- COMMAND")
    if not may_rule():
        options.error(REFUSED)
    # Children that halt others let them go on before they end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    processors = sorted(os.sched_getaffinity(0))
    copies = 1 if given.pid else len(processors)
    one: list[Stop] = [(0.0, lengths[0] / 1000)]
    stops = [iter(one) if given.once else plan(given.every, *lengths, given.seed) for _ in range(copies)]
    children, code = begin_standing(stops, given.begin, given.pid, processors), 0
    try:
        if given.command:
            code = subprocess.run(given.command).returncode
        elif not given.once:
            time.sleep(given.seconds)
    finally:
        for child in children:
            if not given.once:
                os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
    sys.exit(code)


if __name__ == "__main__":
    main()
