"""Datagrams of somebody who wants to disturb an encrypted call or slip into it. Sending in another one's name needs root."""

import contextlib
import os
import random
import socket
import struct
import time
import zlib
from collections.abc import Iterator

from .wire import Address

MAGIC_COOKIE = 0x2112A442
USERNAME = 0x0006


def checksum(data: bytes) -> int:
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET


def forged(source: Address, target: Address, payload: bytes) -> bytes:
    """An IP packet whose sender is made up."""
    kind = family(source)
    addresses = socket.inet_pton(kind, source[0]) + socket.inet_pton(kind, target[0])
    udp = struct.pack("!HHHH", source[1], target[1], 8 + len(payload), 0) + payload
    sum_ = checksum(addresses + struct.pack("!II", len(udp), 17) + udp)
    udp = udp[:6] + struct.pack("!H", sum_ or 0xFFFF) + udp[8:]
    if kind == socket.AF_INET6:
        return struct.pack("!IHBB", 6 << 28, len(udp), 17, 64) + addresses + udp
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + addresses + udp


def stun(name: bytes) -> bytes:
    """A binding request with a made-up integrity; its fingerprint is right."""
    number = os.urandom(12)
    padded = name + b"\0" * (-len(name) % 4)
    attributes = struct.pack("!HH", USERNAME, len(name)) + padded + struct.pack("!HH", 0x0025, 0)
    attributes += struct.pack("!HHI", 0x0024, 4, 0x7FFFFFFF) + struct.pack("!HHQ", 0x802A, 8, random.getrandbits(64))
    attributes += struct.pack("!HH", 0x0008, 20) + os.urandom(20)
    head = struct.pack("!HHI", 1, len(attributes) + 8, MAGIC_COOKIE) + number
    print_ = zlib.crc32(head + attributes) ^ 0x5354554E
    return head + attributes + struct.pack("!HHI", 0x8028, 4, print_)


def client_hello() -> bytes:
    body = b"\xfe\xfd" + os.urandom(32) + b"\0\0" + struct.pack("!H", 4) + b"\xc0\x2b\xc0\x2f" + b"\x01\x00"
    use_srtp = struct.pack("!HHHH", 14, 5, 2, 7) + b"\0"
    curves = struct.pack("!HHHH", 10, 4, 2, 23)
    extensions = use_srtp + curves
    body += struct.pack("!H", len(extensions)) + extensions
    handshake = b"\x01" + len(body).to_bytes(3, "big") + b"\0\0" + b"\0\0\0" + len(body).to_bytes(3, "big") + body
    return b"\x16\xfe\xff" + b"\0\0" + random.getrandbits(16).to_bytes(6, "big") + struct.pack("!H", len(handshake)) + handshake


def hostile(recorded: list[bytes], name: bytes) -> Iterator[bytes]:
    """Datagrams without end: made up, taken from the call, and taken from the call and changed."""
    chance = random.Random(7)
    while True:
        for _ in range(5):
            yield stun(name)
            yield client_hello()
            yield bytes([0x80, 111]) + chance.randbytes(170)
            yield bytes([0x80, 200, 0, 6]) + chance.randbytes(24)
            yield chance.choice(recorded)
            text = bytearray(chance.choice(recorded))
            for _m in range(chance.randrange(1, 6)):
                text[chance.randrange(len(text))] = chance.randrange(256)
            yield bytes(text)
            yield bytes(text[: chance.randrange(len(text) + 1)])
            yield chance.randbytes(chance.randrange(1, 1400))


def checked_as(recorded: list[bytes]) -> bytes:
    """The name in the last binding request among these: both sides' user fragments."""
    for text in reversed(recorded):
        if len(text) < 24 or struct.unpack_from("!HHI", text)[0::2] != (1, MAGIC_COOKIE):
            continue
        place = 20
        while place + 4 <= len(text):
            kind, length = struct.unpack_from("!HH", text, place)
            if kind == USERNAME:
                return text[place + 4 : place + 4 + length]
            place += 4 + length + -length % 4
    return b"abcd:efgh"


class Liar:
    """Sends to `target` by turns from a place of his own and in the name of `source`, whom the call goes on with."""

    def __init__(self, source: Address, target: Address) -> None:
        self.source, self.target = source, target
        self.own = socket.socket(family(source), socket.SOCK_DGRAM)
        self.raw = socket.socket(family(source), socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.sent = 0

    def send(self, datagram: bytes) -> None:
        with contextlib.suppress(OSError):
            if self.sent % 2:
                self.raw.sendto(forged(self.source, self.target, datagram), (self.target[0], 0))
            else:
                self.own.sendto(datagram, self.target)
        self.sent += 1

    def send_all(self, datagrams: Iterator[bytes], rate: float) -> None:
        """At most so many a second."""
        began, count = time.monotonic(), 0
        for datagram in datagrams:
            self.send(datagram)
            count += 1
            while count > rate * (time.monotonic() - began):
                time.sleep(0.005)

    def close(self) -> None:
        self.own.close()
        self.raw.close()
