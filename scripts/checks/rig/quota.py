"""A part of the processors for a program: a control group whose processor time is limited (version 1 or 2; needs root)."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from .verdict import PATIENCE_S, Failed

ROOT = Path("/sys/fs/cgroup")
# The kernel shares time out anew each period, us: short, so that who has used his part waits less than a packet's time.
PERIOD_US, LEAST_US = 5000, 1000


def group(cores: float) -> Path:
    """A new group that may use so many cores. Its programs have no real-time priority: that is not limited so."""
    name, quota = f"yodel-bench-{os.getpid()}", int(cores * PERIOD_US)
    if quota < LEAST_US:
        raise Failed(f"--cores {cores} is too little; give {LEAST_US / PERIOD_US} or more")
    first = next((folder for folder in (ROOT / "cpu", ROOT / "cpu,cpuacct") if (folder / "cgroup.procs").exists()), None)
    made = (first or ROOT) / name
    try:
        if first:
            made.mkdir()
            (made / "cpu.cfs_period_us").write_text(f"{PERIOD_US}")
            (made / "cpu.cfs_quota_us").write_text(f"{quota}")
        else:
            with contextlib.suppress(OSError):
                (ROOT / "cgroup.subtree_control").write_text("+cpu")
            made.mkdir()
            (made / "cpu.max").write_text(f"{quota} {PERIOD_US}")
    except OSError as problem:
        with contextlib.suppress(OSError):
            made.rmdir()
        raise Failed(f"--cores needs root and a control group of processors that may be written: {problem}") from problem
    return made


@contextlib.contextmanager
def limited(cores: float | None) -> Iterator[list[str]]:
    """The command that runs another one within so many cores; nothing where there is no limit."""
    if cores is None:
        yield []
        return
    made = group(cores)
    try:
        yield ["/bin/sh", "-c", f'echo $$ > {made}/cgroup.procs && exec "$@"', "limited"]
    finally:
        end = time.monotonic() + PATIENCE_S
        while made.exists() and time.monotonic() < end:
            with contextlib.suppress(OSError):
                made.rmdir()
            time.sleep(0.05)
