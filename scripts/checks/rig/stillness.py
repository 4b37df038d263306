"""Notes when the machine itself stands still: a thread of real-time priority on each processor that wakes up late.

A virtual machine's host may take its processors away for tens of milliseconds. A call that is measured then says nothing of
the program. Load of our own is not counted: it gives way to that priority; without the right to it nothing is noted.
"""

import atexit
import os
import subprocess
import sys
import tempfile
import threading
import time

NAP_S = 0.005
# What the shortest of the endpoints' buffers bridge.
LATE_S = 0.010
PRIORITY = 60


class Stillness:
    """Watches from now on until the script ends."""

    def __init__(self):
        self.notes, self.reading = tempfile.TemporaryFile("a+"), threading.Lock()
        self.process = subprocess.Popen([sys.executable, __file__], stdout=self.notes)
        atexit.register(self.process.kill)

    def since(self, began):
        """Lengths in milliseconds of all standstills after `began` (time.monotonic())."""
        with self.reading:
            self.notes.seek(0)
            rows = [line.split() for line in self.notes]
        return [float(lateness) for at, lateness in rows if float(at) >= began]


def watch(processor):
    parent = os.getppid()
    os.sched_setaffinity(0, {processor})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    while os.getppid() == parent:
        due = time.monotonic() + NAP_S
        time.sleep(NAP_S)
        late = time.monotonic() - due
        if late >= LATE_S:
            os.write(1, f"{due:.3f} {1000 * late:.1f}\n".encode())


def main():
    first, *others = os.sched_getaffinity(0)
    for processor in others:
        if os.fork() == 0:
            watch(processor)
            return
    watch(first)


if __name__ == "__main__":
    try:
        main()
    except PermissionError:
        pass
