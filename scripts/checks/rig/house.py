"""A house with the service in it: Kamailio, telephones by baresip, and `yodel softphone` registered with two accounts."""

import os
from contextlib import ExitStack

from . import sip, speech
from .service import Service

TALK_SECONDS = 8


class House:
    """A registrar, telephones, and the service with two accounts, 100 (office) and 200 (home)."""

    def __init__(self, folder: str, port: int, peers: tuple[str, ...] = ("101",), arguments: tuple[str, ...] = ()) -> None:
        self.stack = ExitStack()
        # baresip hangs up when its file is over.
        self.theirs = speech.write(f"{folder}/theirs.wav", 48000, 5 * TALK_SECONDS, 1)
        os.makedirs(f"{folder}/sounds", exist_ok=True)
        self.ours = speech.write(f"{folder}/sounds/ours.wav", 48000, TALK_SECONDS, 0)
        text = f"softphone:\n  folder: {folder}/sounds\naccounts:\n"
        for name, user in (("office", "100"), ("home", "200")):
            with open(f"{folder}/{name}", "w") as f:
                f.write(sip.password(user) + "\n")
            text += (
                f"  {name}:\n    uri: sip:{user}@{sip.REALM}\n    password_file: {folder}/{name}\n"
                f"    registrar: sip:127.0.0.1:{port}\n    transport: udp\n"
            )
        with open(f"{folder}/yodel.yaml", "w") as f:
            f.write(text)
        self.folder, self.port = folder, port
        self.names, self.arguments = peers, arguments

    def __enter__(self) -> "House":
        try:
            self.proxy = self.stack.enter_context(sip.Kamailio(f"{self.folder}/kamailio", self.port))
            self.peers = [
                self.stack.enter_context(
                    sip.Baresip(f"{self.folder}/baresip{user}", self.port + 10 + 60 * at, self.port, user, self.theirs)
                )
                for at, user in enumerate(self.names)
            ]
            self.service = self.stack.enter_context(
                Service(["--config", f"{self.folder}/yodel.yaml", *self.arguments], self.folder)
            )
            self.service.registered()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()
