"""yodel on a terminal of its own, where keys are pressed and lines are read."""

import fcntl
import os
import pty
import select
import shlex
import signal
import struct
import termios
import time
from typing import Self

from .verdict import PATIENCE_S, expect

COLUMNS = 72


class Terminal:
    """yodel under a shell with job control, on a terminal of its own."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        # The shell comes back when the program stops, waits for a key, and brings it to the foreground again.
        script = f'{shlex.join(command)}; echo shell-sees-$?; if [ -n "$(jobs)" ]; then read -r; fg; echo shell-sees-$?; fi'
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(
                "bash",
                ["bash", "--norc", "-mc", script],
                (environment or dict(os.environ)) | {"LANG": "C.UTF-8", "TERM": "xterm"},
            )
        # A terminal that others hold too is never seen to be gone.
        os.set_inheritable(self.fd, False)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.seen = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def wait_for(self, text: str, timeout: float = PATIENCE_S) -> str:
        """Reads on until `text` has been shown after what was waited for before."""
        deadline = time.monotonic() + timeout
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, deadline - time.monotonic()))
            expect(ready, f"no {text!r} within {timeout} s; shown: {self.seen[-300:]!r}")
            try:
                self.seen += os.read(self.fd, 4096).decode(errors="replace")
            except OSError:
                expect(False, f"ended before {text!r}; shown: {self.seen[-300:]!r}")
        before, _, self.seen = self.seen.partition(text)
        return before

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    @property
    def is_raw(self) -> bool:
        return not termios.tcgetattr(self.fd)[3] & (termios.ICANON | termios.ECHO)
