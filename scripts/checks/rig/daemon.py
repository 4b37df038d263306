"""A program of others as a process beside ours: started, waited for until it answers, and ended with its block."""

import contextlib
import os
import signal
import subprocess
import time
from typing import Self

from .verdict import PATIENCE_S, Failed


class Daemon:
    """A peer as a process, its output in a file. Use as a context manager."""

    name = ""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self, command: list[str]) -> None:
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def said(self) -> str:
        with open(f"{self.folder}/log", errors="replace") as f:
            return f"{self.name} said: {f.read()[-600:] or 'nothing'}"

    def answers(self) -> bool:
        raise NotImplementedError

    def __enter__(self) -> Self:
        deadline = time.monotonic() + PATIENCE_S
        while not self.answers():
            if self.process is None or self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise Failed(f"{self.name} does not start; {self.said()}")
            time.sleep(0.1)
        return self

    def kill(self) -> None:
        """It and its children are gone at once, as when a machine loses its power."""
        assert self.process
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE, check=False, text=True)
        self.process.kill()
        for child in children.stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        self.process.wait()

    def __exit__(self, *_: object) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()
