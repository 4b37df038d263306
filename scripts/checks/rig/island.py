"""A machine of its own beside this one, in a network namespace: one network leads there, and TCP to its loopback as well.

    here 10.79.0.1 --- bridge --- 10.79.0.2 island

What happens to the island's network is not seen by the way to its loopback: a program there is asked and told all the same.
"""

import contextlib
import ctypes
import os
import socket
import subprocess
import threading
from typing import Self

from .verdict import Failed

HERE, NETWORK = "10.79.0.1", "10.79.0."
CLONE_NEWNET = 0x40000000


class Island:
    """The namespace. Use as a context manager: it never outlives the block."""

    def __init__(self) -> None:
        self.name = f"yi{os.getpid()}"
        self.servers: list[socket.socket] = []

    @property
    def place(self) -> list[str]:
        """The command that runs another one there."""
        return ["ip", "netns", "exec", self.name]

    def do(self, command: str, *, there: bool = False) -> None:
        done = subprocess.run([*(self.place if there else []), *command.split()], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{command}: {done.stderr.strip()}")

    def __enter__(self) -> Self:
        try:
            self.do(f"ip netns add {self.name}")
            self.do("ip link set lo up", there=True)
            self.do(f"ip link add {self.name}b type bridge")
            # A port that stays: what becomes of the island's link changes nothing of the network here.
            self.do(f"ip link add {self.name}v type veth peer name {self.name}n")
            self.do(f"ip link add {self.name}i type veth peer name eth netns {self.name}")
            for end in ("v", "n", "i"):
                self.do(f"ip link set {self.name}{end} up")
            for port in ("v", "i"):
                self.do(f"ip link set {self.name}{port} master {self.name}b")
            self.do(f"ip addr add {HERE}/24 dev {self.name}b")
            self.do(f"ip link set {self.name}b up")
            self.move(2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def move(self, last: int) -> None:
        """Takes its network away, and gives it back with another address, whose last number is `last`."""
        self.do("ip link set eth down", there=True)
        self.do("ip addr flush dev eth", there=True)
        self.do(f"ip addr add {NETWORK}{last}/24 dev eth", there=True)
        self.do("ip link set eth up", there=True)

    def reach(self, port: int) -> int:
        """The port on this machine's loopback that leads to that one on the island's."""
        server = socket.create_server(("127.0.0.1", 0))
        self.servers.append(server)
        threading.Thread(target=self.accept, args=(server, port), daemon=True).start()
        return int(server.getsockname()[1])

    def accept(self, server: socket.socket, port: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = server.accept()
                threading.Thread(target=self.carry, args=(near, port), daemon=True).start()

    def carry(self, near: socket.socket, port: int) -> None:
        with near, contextlib.suppress(OSError):
            # Of this thread alone: a socket belongs to where it was made.
            with open(f"/run/netns/{self.name}") as there:
                if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), CLONE_NEWNET) != 0:
                    return
            with socket.create_connection(("127.0.0.1", port)) as far:
                back = threading.Thread(target=self.pump, args=(far, near), daemon=True)
                back.start()
                self.pump(near, far)
                back.join()

    @staticmethod
    def pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
        for end in ("v", "i", "b"):
            subprocess.run(["ip", "link", "del", f"{self.name}{end}"], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)
