"""Instructions that the program executes: what something costs, the same on a slow machine and on a busy one."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence


def count(arguments: list[str], only: Sequence[str] = ()) -> int | None:
    """Instructions of user space that `arguments[0]` executes with the rest; None when valgrind cannot say.

    `only`: functions; counted is what they and what they call execute.

    callgrind, since perf's counters are absent in most virtual machines. Its reader of debug information fails on that of new
    compilers, so a copy without it is run."""
    within = [f"--toggle-collect={function}" for function in only]
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "program")
        subprocess.run(["objcopy", "--strip-debug", arguments[0], copy], check=True)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *within, copy, *arguments[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if found and done.returncode == 0 else None


def offline_minute(yodel: str) -> int | None:
    """Instructions of a minute of an offline call, without start and end; None when they could not be counted."""
    call = [yodel, "loopback", "--offline", "--seed", "1", "--duration"]
    short, long = (count([*call, seconds]) for seconds in ("5", "20"))
    return None if short is None or long is None else 4 * (long - short)
