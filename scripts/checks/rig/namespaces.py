"""Whether network namespaces can be made here."""

import os
import shutil
import subprocess


def missing(*programs: str) -> str:
    """Why there can be none, or which of the programs that are needed there is not installed; empty: nothing is missing."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", *programs):
        if not shutil.which(program):
            return f"{program} is not installed"
    tried = subprocess.run(["ip", "netns", "add", f"yodel-try-{os.getpid()}"], capture_output=True, text=True)
    if tried.returncode != 0:
        return f"no network namespace: {tried.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", f"yodel-try-{os.getpid()}"], check=False)
    return ""
