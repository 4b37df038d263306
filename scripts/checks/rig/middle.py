"""Somebody in the middle of calls, in a network namespace that is theirs: from when he steps in every datagram goes to him, whoever it was
for, and he shakes hands by DTLS under a certificate of his own. What goes by TCP passes him by: so does signalling by TLS.
"""

import os
import subprocess
from typing import Self

from .endpoint import until_bound
from .verdict import Failed

PORT = 9000
# Whatever a call may want of him.
SUITES = "SRTP_AEAD_AES_256_GCM:SRTP_AEAD_AES_128_GCM:SRTP_AES128_CM_SHA1_80"
RULES = f"""
table ip middle {{
  chain out {{
    type nat hook output priority -100
    meta l4proto udp dnat to 127.0.0.1:{PORT}
  }}
}}
"""


class Middle:
    """The namespace, which has nothing but its loopback, and he. Use as a context manager: neither outlives the block."""

    def __init__(self, certificate: str) -> None:
        """`certificate`: NAME of NAME.pem and NAME.key."""
        self.certificate = certificate
        self.name = f"ym{os.getpid()}"
        self.server: subprocess.Popen[bytes] | None = None

    @property
    def place(self) -> list[str]:
        """The command that runs another one there."""
        return ["ip", "netns", "exec", self.name]

    def __enter__(self) -> Self:
        try:
            self.do(["ip", "netns", "add", self.name])
            self.do([*self.place, "ip", "link", "set", "lo", "up"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def do(self, command: list[str], text: str = "") -> None:
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: {done.stderr.strip()}")

    def step_in(self) -> None:
        keys = ["-cert", f"{self.certificate}.pem", "-key", f"{self.certificate}.key", "-use_srtp", SUITES]
        self.server = subprocess.Popen(
            [*self.place, "openssl", "s_server", "-dtls1_2", "-quiet", "-accept", f"127.0.0.1:{PORT}", *keys],
            # It would end with its input.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_bound(PORT, self.server.pid)
        self.do([*self.place, "nft", "-f", "-"], RULES)

    def __exit__(self, *_: object) -> None:
        if self.server:
            self.server.kill()
            self.server.communicate()
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)
