"""linphonec, from Debian, as a telephone behind Kamailio: files in place of a sound card, each SIP message in its log."""

import os
import struct
import subprocess
import time

from .daemon import Daemon
from .sip import REALM, password
from .verdict import PATIENCE_S, Failed, expect


class Linphone(Daemon):
    """Registered at Kamailio as `user`; says a file, keeps what it hears (16 kHz). It answers by itself unless `rings`.

    `encryption` is none, srtp or dtls, of which it makes a must where `must` is set. `ice`: it finds its way by ICE.
    """

    name = "linphone"

    def __init__(
        self,
        folder: str,
        port: int,
        registrar: int,
        user: str,
        says: str,
        rings: bool = False,
        transport: str = "udp",
        encryption: str = "none",
        must: bool = False,
        ice: bool = False,
    ) -> None:
        super().__init__(folder)
        self.heard_file = f"{os.path.abspath(folder)}/heard.wav"
        # Without a place for its database it does not start its transports, and does not say so.
        os.makedirs(f"{folder}/.local/share/linphone", exist_ok=True)
        keys = {"udp": "sip_port", "tcp": "sip_tcp_port", "tls": "sip_tls_port"}
        ports = "".join(f"{key}={port if kind == transport else 0}\n" for kind, key in keys.items())
        server = f"<sip:127.0.0.1:{registrar};transport={transport}>"
        # By ICE it checks from the addresses that it tells, and those are not loopback's. To an offer whose RTCP has a port of its own
        # the answer is without ICE, which has one component here.
        media = "rtcp_mux=1\n" if ice else "bind_address=127.0.0.1\n"
        policy = "nat_policy_ref=ways\n[nat_policy_0]\nref=ways\nprotocols=ice\n" if ice else ""
        text = (
            f"[sip]\n{ports}bind_address=127.0.0.1\nuse_ipv6=0\nguess_hostname=0\ncontact=<sip:{user}@127.0.0.1>\n"
            f"default_proxy=0\nmedia_encryption={encryption}\nmedia_encryption_mandatory={int(must)}\n"
            "use_info=0\nuse_rfc2833=1\nzrtp_cache_db_uri=null\n"
            f"[rtp]\naudio_rtp_port={port + 10}\n{media}[sound]\nechocancellation=0\n"
            f"[video]\nenabled=0\ncapture=0\ndisplay=0\n[net]\nmtu=1300\n{policy}"
            f"[proxy_0]\nreg_proxy={server}\nreg_route={server[:-1]};lr>\nreg_identity=sip:{user}@{REALM}\n"
            "reg_expires=60\nreg_sendregister=1\npublish=0\n"
            f"[auth_info_0]\nusername={user}\npasswd={password(user)}\nrealm={REALM}\ndomain={REALM}\n"
        )
        with open(f"{folder}/linphonerc", "w") as file:
            file.write(text)
        with open(f"{folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    "stdbuf",
                    "-oL",
                    "linphonec",
                    "-d",
                    "6",
                    "-l",
                    f"{os.path.abspath(folder)}/trace",
                    "-c",
                    f"{os.path.abspath(folder)}/linphonerc",
                ]
                + ([] if rings else ["-a"]),
                env=dict(os.environ, HOME=os.path.abspath(folder)),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=folder,
            )
        self.do("soundcard use files")
        self.do(f"play {os.path.abspath(says)}")
        self.do(f"record {self.heard_file}")

    def do(self, command: str) -> None:
        """A command of its console."""
        assert self.process and self.process.stdin
        try:
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()
        except OSError as error:
            raise Failed(f"linphone has ended: {error}; {self.said()}") from None

    def answers(self) -> bool:
        return os.path.exists(f"{self.folder}/trace") and "to [LinphoneRegistrationOk]" in self.trace()

    def log(self) -> str:
        with open(f"{self.folder}/log", errors="replace") as f:
            return f.read()

    def trace(self) -> str:
        with open(f"{self.folder}/trace", errors="replace") as f:
            return f.read()

    def wait_for(self, words: str) -> None:
        """Waits until its console has said so."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self.log():
            expect(time.monotonic() < deadline, f"it never said '{words}'; {self.said()}")
            time.sleep(0.05)

    def heard(self) -> str:
        """What it heard in its last call, once it has ended."""
        expect(os.path.exists(self.heard_file), f"it keeps nothing; {self.said()}")
        with open(self.heard_file, "r+b") as file:
            # Its header counts itself among the sound.
            size = file.seek(0, os.SEEK_END)
            for place, value in ((4, size - 8), (40, size - 44)):
                file.seek(place)
                file.write(struct.pack("<I", value))
        return self.heard_file

    def __exit__(self, *arguments: object) -> None:
        try:
            self.do("quit")
            time.sleep(0.3)
        except Failed:
            pass
        super().__exit__(*arguments)
