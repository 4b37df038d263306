"""Containers by podman, as scripts/container-test gives it: $ENGINE, and $COMPOSE where a file starts several; and the API of a
service in one of them."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from .endpoint import ROOT
from .verdict import PATIENCE_S, expect

DOCKER = f"{ROOT}/docker"
# Starting several containers on a busy machine.
LONG_S = 3 * PATIENCE_S
# As strict as a careful operator would run it.
LOCKED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


def given(name: str) -> str:
    """What scripts/container-test gives to the checks that it runs."""
    if name not in os.environ:
        sys.exit(f"${name} is not set: scripts/container-test runs this check")
    return os.environ[name]


def command(*arguments: str) -> list[str]:
    """The command of the engine, for a process of its own."""
    return [*given("ENGINE").split(), *arguments]


def engine(*arguments: str, given: bytes = b"") -> bytes:
    """What it writes to standard output; `given` is its standard input."""
    return done(command(*arguments), given)


def up(what: str) -> str:
    """Starts what the compose file names; `what` that is."""
    done([*given("COMPOSE").split(), "up", "-d"])
    return what


def down(patience_s: int) -> str:
    done([*given("COMPOSE").split(), "down", "-t", str(patience_s)])
    return "gone"


def done(words: list[str], given: bytes = b"") -> bytes:
    ran = subprocess.run(words, input=given, capture_output=True, cwd=DOCKER)
    said = (ran.stdout + ran.stderr)[-1500:].decode(errors="replace")
    expect(ran.returncode == 0, f"{' '.join(words)}: exit {ran.returncode}: {said}")
    return ran.stdout


class Place:
    """A container that the program runs in, for `Service`; on this machine's network, and with that folder alone."""

    program = "/usr/local/bin/yodel"

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self.place = command(
            *("run", "--rm", "--name", name, "--network", "host", *LOCKED, "--tmpfs", "/tmp", "-v", f"{folder}:{folder}"),
            *("--entrypoint", "/usr/bin/env", given("IMAGE")),
        )

    def reach(self, port: int) -> int:
        """Its loopback is this machine's."""
        return port


def logs(name: str) -> str:
    """All that a container said; nothing where there is none."""
    ran = subprocess.run(command("logs", name), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ran.stdout.decode(errors="replace")


def name_of(service: str) -> str:
    """The container of a service of the compose file."""
    names = engine("ps", "-a", "--format", "{{.Names}}").decode().split()
    found = [name for name in names if name.endswith((f"_{service}_1", f"-{service}-1"))]
    expect(len(found) == 1, f"{service}: {found}")
    return found[0]


def finds(service: str, name: str) -> str:
    """Until a container's name server tells it that name.

    The bridge of podman's network takes the lowest hardware address of its ports, which another container may bring: who was
    there before does not reach the name server for half a minute, until its kernel asks anew where that is."""
    question = command("exec", name_of(service), "getent", "hosts", name)
    until(f"{name} found", lambda: subprocess.run(question, capture_output=True).returncode == 0)
    return name


def until(what: str, holds: Callable[[], Any], name: str = "") -> Any:
    """What `holds` gives once it gives something; otherwise the end of what that container said is told."""
    deadline = time.monotonic() + LONG_S
    while not (value := holds()):
        expect(time.monotonic() < deadline, f"never {what}; {logs(name)[-800:] if name else ''}")
        time.sleep(0.3)
    return value


def ask(method: str, url: str, body: Any = None, token: str = "token-of-the-house") -> tuple[int, Any]:
    """Status and body of a request; 0 where nobody answers."""
    sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None
    except OSError:
        return 0, None
