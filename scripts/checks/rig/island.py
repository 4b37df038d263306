"""A machine of its own beside this one, in a network namespace: one network leads there, and TCP to its loopback as well.

    here 10.79.0.1 --- bridge --- 10.79.0.2 island
                           +----- 10.79.0.3 another one beside it

What happens to the island's network is not seen by the way to its loopback: a program there is asked and told all the same.
"""

import contextlib
import ctypes
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from typing import Self

from .verdict import Failed

HERE, NETWORK = "10.79.0.1", "10.79.0."
CLONE_NEWNET = 0x40000000


class Island:
    """The namespace. Use as a context manager: it never outlives the block."""

    def __init__(self, beside: Self | None = None) -> None:
        """`beside`: the island whose network this one joins."""
        self.beside = beside
        self.name: str = f"yi{os.getpid()}" + ("o" if beside else "")
        self.bridge: str = beside.bridge if beside else f"{self.name}b"
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
            self.do(f"ip link add {self.name}i type veth peer name eth netns {self.name}")
            self.do(f"ip link set {self.name}i up")
            if not self.beside:
                self.connect()
            self.do(f"ip link set {self.name}i master {self.bridge}")
            self.move(3 if self.beside else 2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self) -> None:
        """Makes the network, with this machine in it."""
        self.do(f"ip link add {self.bridge} type bridge")
        # A port that stays: what becomes of the island's link changes nothing of the network here.
        self.do(f"ip link add {self.name}v type veth peer name {self.name}n")
        for end in ("v", "n"):
            self.do(f"ip link set {self.name}{end} up")
        self.do(f"ip link set {self.name}v master {self.bridge}")
        self.do(f"ip addr add {HERE}/24 dev {self.bridge}")
        self.do(f"ip link set {self.bridge} up")

    def move(self, last: int) -> None:
        """Takes its network away, and gives it back with another address, whose last number is `last`."""
        self.do("ip link set eth down", there=True)
        self.do("ip addr flush dev eth", there=True)
        self.do(f"ip addr add {NETWORK}{last}/24 dev eth", there=True)
        self.do("ip link set eth up", there=True)

    def reach(self, port: int) -> int:
        """The port on this machine's loopback that leads to that one on the island's."""
        server = socket.create_server(("127.0.0.1", 0))
        self.lead(server, port, self.enter)
        return int(server.getsockname()[1])

    def mirror(self, port: int) -> None:
        """Has that port on the island's loopback lead to the same on this machine's."""
        made: list[socket.socket] = []

        def make() -> None:
            self.enter()
            made.append(socket.create_server(("127.0.0.1", port)))

        maker = threading.Thread(target=make)
        maker.start()
        maker.join()
        if not made:
            raise Failed(f"port {port} is taken on {self.name}")
        self.lead(made[0], port, lambda: None)

    def enter(self) -> None:
        """Takes the calling thread there, and it alone: its sockets belong to where they were made."""
        with open(f"/run/netns/{self.name}") as there:
            if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), f"cannot enter {self.name}")

    def lead(self, server: socket.socket, port: int, enter: Callable[[], None]) -> None:
        self.servers.append(server)
        threading.Thread(target=self.accept, args=(server, port, enter), daemon=True).start()

    def accept(self, server: socket.socket, port: int, enter: Callable[[], None]) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = server.accept()
                threading.Thread(target=self.carry, args=(near, port, enter), daemon=True).start()

    def carry(self, near: socket.socket, port: int, enter: Callable[[], None]) -> None:
        with near, contextlib.suppress(OSError):
            enter()
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
        for link in (f"{self.name}v", f"{self.name}i", *([] if self.beside else [self.bridge])):
            subprocess.run(["ip", "link", "del", link], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)
