#!/usr/bin/env python3
"""Keeps the processors awake, as the kernel's `idle=poll` does: a loop on each that gives way to everything else.

A virtual machine's processor that has nothing to do is given to others by its host, and comes back up to 36 ms late (seen here),
which Linux does not count as stolen time.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

# The loop rests for REST_S after so many rounds, some milliseconds, and looks whether it is still wanted. Without rests, two to three times
# as many stops of 3 ms were seen by themselves, most at multiples of 100 ms, as where a host grants so much of each.
ROUNDS, REST_S = 60_000, 0.0002
# What is told beside a figure that was taken so.
TOLD = "processors kept awake"


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """As long as the body runs."""
    process = subprocess.Popen([sys.executable, __file__])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def keep(processor: int, parent: int) -> None:
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while os.getppid() == parent:
        for _ in range(ROUNDS):
            pass
        time.sleep(REST_S)


def main() -> None:
    parent = os.getppid()
    first, *others = os.sched_getaffinity(0)
    for processor in others:
        own = os.getpid()
        if os.fork() == 0:
            return keep(processor, own)
    keep(first, parent)


if __name__ == "__main__":
    main()
