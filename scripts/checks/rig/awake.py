#!/usr/bin/env python3
"""Keeps the processors awake, as the kernel's `idle=poll` does: a loop on each that gives way to everything else.

A virtual machine's processor that has nothing to do is given to others by its host, and comes back up to 20 ms late, which
Linux does not count as stolen time.
"""

import os
import subprocess
import sys
from typing import Self

# The loop looks so often whether it is still wanted, in rounds: some milliseconds.
ROUNDS = 100_000
# What is told beside a figure that was taken so.
TOLD = "processors kept awake"


class Awake:
    """From now on until `end`, or the block's end."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, __file__])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def keep(processor: int, parent: int) -> None:
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while os.getppid() == parent:
        for _ in range(ROUNDS):
            pass


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
