"""A STUN and TURN server: coturn."""

import subprocess
from collections.abc import Sequence

from .daemon import Daemon

USER, PASSWORD = "rig", "secret-rig"


class TurnServer(Daemon):
    """At an address, by UDP, and by TCP and TLS where its options name no other wish. Use as a context manager."""

    name = "turnserver"

    def __init__(
        self, folder: str, address: str, port: int = 3478, options: Sequence[str] = (), place: Sequence[str] = ()
    ) -> None:
        """`place`: the command that runs another one elsewhere, such as in a network namespace."""
        super().__init__(folder)
        self.port, self.place = port, place
        where = [f"--listening-ip={address}", f"--relay-ip={address}", f"--listening-port={port}"]
        who = ["--lt-cred-mech", f"--user={USER}:{PASSWORD}", "--realm=rig"]
        files = ["--log-file=stdout", f"--pidfile={folder}/pid", f"--userdb={folder}/db"]
        self.launch([*place, "turnserver", "-n", *where, *who, "--no-cli", "--no-dtls", *files, *options])

    def answers(self) -> bool:
        listening = [*self.place, "ss", "-Hlun", "sport", "=", f":{self.port}"]
        return bool(subprocess.run(listening, capture_output=True, check=True).stdout)
