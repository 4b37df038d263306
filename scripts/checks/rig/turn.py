"""A STUN and TURN server: coturn. As a command, in `scripts/checks`, it runs a program with one on loopback, which every yodel that
this program starts knows by its environment:

    python3 -m rig.turn COMMAND [ARGUMENT...]
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .daemon import Daemon
from .endpoint import free_ports

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


def main() -> None:
    port = free_ports(1)
    options = ["--no-tls", "--allow-loopback-peers"]
    with tempfile.TemporaryDirectory() as folder, TurnServer(f"{folder}/turn", "127.0.0.1", port, options):
        Path(folder, "password").write_text(f"{PASSWORD}\n")
        server = f"127.0.0.1:{port}"
        known = {"STUN": server, "TURN": server, "TURN_USER": USER, "TURN_PASSWORD_FILE": f"{folder}/password"}
        environment = os.environ | {f"YODEL_{key}": value for key, value in known.items()}
        sys.exit(subprocess.run(sys.argv[1:], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
