"""What the system tells of a running process."""

import os
from dataclasses import dataclass
from pathlib import Path


def memory_mib(process: int) -> float:
    """What it holds of the machine's memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def processor_seconds(process: int) -> float:
    """What its threads have used so far, in its own name and in the system's."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Use:
    """What some threads together have used so far."""

    threads: int = 0
    # Time on a processor, and time in which they could have run and none was free.
    ran_s: float = 0.0
    waited_s: float = 0.0
    # Times that they went to sleep: as often they are woken up.
    sleeps: int = 0

    def since(self, before: "Use") -> "Use":
        """What has come since then, of as many threads."""
        return Use(self.threads, self.ran_s - before.ran_s, self.waited_s - before.waited_s, self.sleeps - before.sleeps)


def use(process: int, named: str = "") -> Use:
    """Of the process's threads whose names begin so, of those that run now."""
    total = Use()
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            if not (task / "comm").read_text().startswith(named):
                continue
            ran, waited, _ = (task / "schedstat").read_text().split()
            status = (task / "status").read_text().splitlines()
        except OSError:
            # It has ended meanwhile.
            continue
        total.threads += 1
        total.ran_s += int(ran) / 1e9
        total.waited_s += int(waited) / 1e9
        total.sleeps += next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))
    return total
