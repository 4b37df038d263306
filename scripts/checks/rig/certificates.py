"""Certificates for calls by TLS, made by openssl: an authority of our own, what it signs, and what it never signed."""

import subprocess
from collections.abc import Sequence

NAMES = "DNS:yodel.test,DNS:localhost,IP:127.0.0.1"
SETTINGS = """
[ca]
default_ca=rig
[rig]
new_certs_dir=.
database=index
serial=serial
default_md=sha256
policy=any
copy_extensions=copy
unique_subject=no
[any]
commonName=supplied
"""


class Authority:
    """An authority in a folder: `file` is its certificate. What it makes are `NAME.pem` and `NAME.key` in that folder."""

    def __init__(self, folder: str, name: str = "authority") -> None:
        self.folder, self.name = folder, name
        for file, text in (("index", ""), ("serial", "1000\n"), ("settings", SETTINGS)):
            with open(f"{folder}/{file}", "w") as f:
                f.write(text)
        self.own(name, ["-addext", "basicConstraints=critical,CA:TRUE"])
        self.file = f"{folder}/{name}.pem"

    def openssl(self, *arguments: str) -> str:
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, check=False, text=True)
        assert done.returncode == 0, f"openssl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def key(self, name: str) -> None:
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")

    def own(self, name: str, more: list[str]) -> None:
        """A certificate that nobody else vouches for."""
        self.key(name)
        subject = ["-key", f"{name}.key", "-subj", f"/CN={name}", "-days", "3650"]
        self.openssl("req", "-new", "-x509", *subject, *more, "-out", f"{name}.pem")

    def sign(self, name: str, names: str = NAMES, end: str = "20451231000000Z") -> None:
        """A certificate of this authority for `names`, until `end`."""
        self.key(name)
        self.openssl(
            "req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}", "-out", "csr"
        )
        authority = ["-cert", f"{self.name}.pem", "-keyfile", f"{self.name}.key"]
        times = ["-startdate", "20200101000000Z", "-enddate", end]
        self.openssl("ca", "-batch", "-notext", "-config", "settings", *authority, *times, "-in", "csr", "-out", f"{name}.pem")

    def fingerprint(self, name: str) -> str:
        said = self.openssl("x509", "-in", f"{name}.pem", "-noout", "-fingerprint", "-sha256")
        return said.strip().split("=")[1]


def shown(port: int, *options: str, place: Sequence[str] = ()) -> str:
    """What a server on loopback shows to who connects: openssl's words; the certificate's subject is among them. `place`: the command
    that runs another one where the server is."""
    done = subprocess.run(
        [*place, "openssl", "s_client", "-connect", f"127.0.0.1:{port}", *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr
