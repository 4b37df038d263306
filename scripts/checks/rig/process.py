"""What the system tells of a running process."""

import os
from pathlib import Path


def memory_mib(process: int) -> float:
    """What it holds of the machine's memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def processor_seconds(process: int) -> float:
    """What its threads have used so far, in its own name and in the system's."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
