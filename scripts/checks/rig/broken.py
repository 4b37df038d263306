"""A machine that lacks something: `yodel check` in a mount namespace of its own, in which the kernel's files, devices and disks are
what a case says. What is recorded stands in place of what this machine has; nothing outside of the namespace changes."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

from .endpoint import binary
from .kinds import Event
from .verdict import PATIENCE_S, Failed

# A container of podman's: that is how it is known.
PODMAN = "mount -t tmpfs tmpfs /run; touch /run/.containerenv\n"

# /proc as here, but for /proc/asound, which is there and empty: as a runtime masks it.
MASKED_SOUND = """
mkdir -p realproc; mount --rbind /proc realproc; mount -t tmpfs tmpfs /proc
for entry in realproc/*; do ln -s "$PWD/$entry" "/proc/${entry##*/}"; done
rm -f /proc/asound; mkdir /proc/asound
"""

# /dev as here, but for the cards.
NO_CARDS = """
mkdir -p realdev; mount --rbind /dev realdev; mount -t tmpfs tmpfs /dev
for entry in realdev/*; do ln -s "$PWD/$entry" "/dev/${entry##*/}"; done
rm -rf /dev/snd
"""
CARDS = NO_CARDS + "mkdir /dev/snd; touch /dev/snd/controlC0 /dev/snd/pcmC0D0p /dev/snd/pcmC0D0c\n"

CLOCKS = "/sys/devices/system/clocksource/clocksource0"


def shows(path: str, text: str) -> str:
    """The kernel's file `path` says that."""
    name = path.strip("/").replace("/", "-")
    return f"printf '%s\\n' '{text}' >{name}; mount --bind {name} {path}\n"


@dataclass
class Host:
    """What is broken, and what has to be found."""

    # Beginning of the finding's subject, its grade, and words of its detail and of its remedy.
    subject: str
    grade: str
    detail: list[str]
    remedy: list[str]
    # Exit code; trouble elsewhere on the machine may come first where it is None.
    code: int | None = 2
    # Shell commands in the namespace, in a folder of its own.
    lines: str = ""
    # The configuration.
    settings: str = ""
    # What runs the program: limits and capabilities.
    through: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    # The process stands still for 60 ms again and again.
    stands_still: bool = False


def missing() -> str:
    """Why there can be no namespaces here; empty: there can."""
    if os.geteuid() != 0:
        return "mount namespaces need root"
    for program in ("unshare", "setpriv", "prlimit"):
        if not shutil.which(program):
            return f"{program} is not installed"
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"no mount namespace: {tried.stderr.strip()}"


def look(host: Host, folder: str) -> tuple[int, list[Event]]:
    """The findings of `yodel check` there, and its exit code."""
    with open(f"{folder}/yodel.yaml", "w") as f:
        f.write(host.settings)
    os.makedirs(f"{folder}/home", exist_ok=True)
    script = f'cd {shlex.quote(folder)}\n{PODMAN}{host.lines}\nexec "$@"\n'
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LD_PRELOAD", "YODEL")}
    environment = {**kept, "HOME": f"{folder}/home", **host.environment}
    command = ["unshare", "-m", "--propagation", "private", "bash", "-ec", script, "host", *host.through]
    command += [binary(), "check", "--json", "--config", f"{folder}/yodel.yaml"]
    with open(f"{folder}/said", "wb") as said, open(f"{folder}/errors", "wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=errors, env=environment)
        if host.stands_still:
            threading.Thread(target=hold_up, args=[process], daemon=True).start()
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failed("`yodel check` does not end") from None
    with open(f"{folder}/said") as f:
        lines = f.read().splitlines()
    with open(f"{folder}/errors", errors="replace") as f:
        complaints = f.read()
    if not lines:
        raise Failed(f"it found nothing (exit {code}): {complaints[-600:]}")
    return code, [json.loads(line) for line in lines]


def hold_up(process: subprocess.Popen[bytes]) -> None:
    """A machine that is not ours alone."""
    while process.poll() is None:
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.06)
        process.send_signal(signal.SIGCONT)
