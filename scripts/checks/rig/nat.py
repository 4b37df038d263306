"""Two homes behind NATs and an internet between them, in network namespaces with real masquerading, and a STUN and TURN server.

    home a 10.78.1.2 --- NAT 10.78.1.1 | 203.0.113.11 ---+
                                                         +--- internet 203.0.113.1: STUN and TURN; nobody is at .9
    home b 10.78.2.2 --- NAT 10.78.2.1 | 203.0.113.12 ---+

TCP port 5060 of b's NAT leads to b: that is the way of signalling. The server is also reached by TCP and TLS. Each home also has an
IPv6 address, 2001:db8:1::2 and 2001:db8:2::2, in modes that end in 6.
"""

import contextlib
import os
import subprocess
from typing import Self

from .turn import TurnServer
from .verdict import Failed

SERVER = "203.0.113.1"
DEAD = "203.0.113.9"
HOMES = {"a": ("10.78.1.2", "203.0.113.11"), "b": ("10.78.2.2", "203.0.113.12")}

# What a NAT does with UDP: no translation, the same port outside for all and only answers let in, another port for each
# destination, or nothing at all: a wall. Translation, what is refused at the router, and on the way through it.
UNASKED = "iifname wan meta l4proto udp ct state new drop"
RULES = {
    "none": ("", "", ""),
    "port": ("oifname wan masquerade", UNASKED, ""),
    "sym": ("oifname wan masquerade fully-random", UNASKED, ""),
    "wall": ("oifname wan masquerade", UNASKED, "meta l4proto udp drop"),
    # IPv6 beside it needs no translation, and has a firewall.
    "sym6": ("oifname wan masquerade fully-random", UNASKED, f"meta nfproto ipv6 {UNASKED}"),
}


class Homes:
    """The namespaces. Use as a context manager: they never outlive the block."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)
        self.prefix = f"y{os.getpid()}"
        self.server: TurnServer | None = None

    def place(self, name: str) -> list[str]:
        """The command that runs another one in `name`: a, b, na, nb or inet."""
        return ["ip", "netns", "exec", f"{self.prefix}-{name}"]

    def do(self, name: str, command: str, text: str | None = None) -> None:
        done = subprocess.run([*self.place(name), *command.split()], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{command} in {name}: {done.stderr.strip()}")

    def __enter__(self) -> Self:
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self) -> None:
        for name in ("inet", "na", "nb", "a", "b"):
            subprocess.run(["ip", "netns", "add", f"{self.prefix}-{name}"], check=True)
            self.do(name, "ip link set lo up")
        self.do("inet", "ip link add br0 type bridge")
        self.do("inet", f"ip addr add {SERVER}/24 dev br0")
        self.do("inet", "ip link set br0 up")
        # Packets to addresses of homes get lost there: TURN ends an allocation whose peer has no route.
        self.do("inet", "ip link add void type veth peer name nothing")
        for end in ("void", "nothing"):
            self.do("inet", f"ip link set {end} arp off up")
        self.do("inet", "ip route add default dev void")
        for home, (inside, outside) in HOMES.items():
            router, gateway = f"n{home}", inside.removesuffix("2") + "1"
            for left, a, right, b in [("inet", router, router, "wan"), (router, "lan", home, "eth")]:
                subprocess.run(
                    ["ip", "link", "add", a, "netns", f"{self.prefix}-{left}", "type", "veth"]
                    + ["peer", "name", b, "netns", f"{self.prefix}-{right}"],
                    check=True,
                )
                self.do(left, f"ip link set {a} up")
                self.do(right, f"ip link set {b} up")
            self.do("inet", f"ip link set {router} master br0")
            self.do(router, f"ip addr add {outside}/24 dev wan")
            self.do(router, f"ip addr add {gateway}/24 dev lan")
            self.do(router, f"ip route add default via {SERVER}")
            self.do(router, "sysctl -qw net.ipv4.ip_forward=1")
            number = 1 if home == "a" else 2
            self.do(router, "sysctl -qw net.ipv6.conf.all.forwarding=1")
            self.do(router, f"ip -6 addr add 2001:db8::1{number}/64 dev wan nodad")
            self.do(router, f"ip -6 addr add 2001:db8:{number}::1/64 dev lan nodad")
            self.do(router, f"ip -6 route add 2001:db8:{3 - number}::/64 via 2001:db8::1{3 - number}")
            self.do(home, f"ip addr add {inside}/24 dev eth")
            self.do(home, f"ip route add default via {gateway}")
        self.do("inet", "sysctl -qw net.ipv4.ip_forward=1")
        self.certify()
        self.serve()

    @property
    def certificate(self) -> str:
        """What the server shows by TLS, signed by itself."""
        return f"{self.folder}/turn.pem"

    def certify(self) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            + ["-subj", "/CN=turn", "-addext", f"subjectAltName=IP:{SERVER}"]
            + ["-keyout", f"{self.folder}/turn.key", "-out", self.certificate],
            check=True,
            capture_output=True,
        )

    def serve(self) -> None:
        keys = [f"--cert={self.certificate}", f"--pkey={self.folder}/turn.key"]
        self.server = TurnServer(f"{self.folder}/turn", SERVER, options=keys, place=self.place("inet"))
        self.server.__enter__()

    def translate(self, home: str, mode: str) -> None:
        """Gives a home's NAT another way of translating; what it knew of connections is forgotten."""
        inside, outside = HOMES[home]
        translation, refusal, passage = RULES[mode]
        self.address(home, mode)
        rules = f"""
flush ruleset
table ip nat {{
  chain pre {{
    type nat hook prerouting priority -100
    iifname wan tcp dport 5060 dnat to {inside}
  }}
  chain post {{
    type nat hook postrouting priority 100
    {translation}
  }}
}}
table inet filter {{
  chain local {{
    type filter hook input priority 0
    {refusal}
  }}
  chain through {{
    type filter hook forward priority 0
    {passage}
  }}
}}
"""
        self.do(f"n{home}", "nft -f -", rules)
        # Only without translation does the internet know the way to a home's own addresses.
        with contextlib.suppress(Failed):
            self.do("inet", f"ip route del {inside.removesuffix('2')}0/24")
        if mode == "none":
            self.do("inet", f"ip route add {inside.removesuffix('2')}0/24 via {outside}")
        self.do(f"n{home}", "conntrack -F")

    def address(self, home: str, mode: str) -> None:
        """Gives a home its IPv6 address, or takes it away."""
        number = 1 if home == "a" else 2
        wanted = mode.endswith("6")
        self.do(home, f"sysctl -qw net.ipv6.conf.eth.disable_ipv6={0 if wanted else 1}")
        if wanted:
            self.do(home, f"ip -6 addr replace 2001:db8:{number}::2/64 dev eth nodad")
            self.do(home, f"ip -6 route replace default via 2001:db8:{number}::1")

    def move(self, home: str, last: int) -> None:
        """Gives a home another address, whose last number is `last`, as when a network is left for another one."""
        gateway = HOMES[home][0].removesuffix("2") + "1"
        self.do(home, "ip link set eth down")
        self.do(home, "ip addr flush dev eth")
        self.do(home, f"ip addr add {gateway.removesuffix('1')}{last}/24 dev eth")
        self.do(home, "ip link set eth up")
        self.do(home, f"ip route add default via {gateway}")

    def stop_server(self) -> None:
        if self.server is not None:
            self.server.kill()
            self.server = None

    def __exit__(self, *_: object) -> None:
        self.stop_server()
        for name in ("a", "b", "na", "nb", "inet"):
            subprocess.run(["ip", "netns", "del", f"{self.prefix}-{name}"], capture_output=True, check=False)
