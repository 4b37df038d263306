"""Hears the datagrams that pass within this machine, and who sent them. Needs root."""

import socket
import struct
import threading

Address = tuple[str, int]


class Wire:
    """Those to one UDP port, or to all as long as none is set: which port a call has is told only after its first packets."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port
        self.heard: list[tuple[Address, Address, bytes]] = []
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.bind(("lo", 3))
        self.socket.settimeout(0.2)
        self.goes_on = True
        self.thread = threading.Thread(target=self.hear, daemon=True)
        self.thread.start()

    def hear(self) -> None:
        while self.goes_on:
            try:
                packet, way = self.socket.recvfrom(65536)
            except TimeoutError:
                continue
            family, start, protocol, place = (
                (socket.AF_INET, 4 * (packet[0] & 15), packet[9], packet[12:20])
                if packet[0] >> 4 == 4
                else (socket.AF_INET6, 40, packet[6], packet[8:40])
            )
            if way[2] != socket.PACKET_HOST or protocol != socket.IPPROTO_UDP:
                continue
            source, target = struct.unpack_from("!HH", packet, start)
            if self.port in (None, target):
                half = len(place) // 2
                ends = [socket.inet_ntop(family, address) for address in (place[:half], place[half:])]
                self.heard.append(((ends[0], source), (ends[1], target), packet[start + 8 :]))

    @property
    def packets(self) -> list[tuple[Address, Address, bytes]]:
        """Sender, receiver and content of each so far."""
        return [packet for packet in list(self.heard) if self.port in (None, packet[1][1])]

    def close(self) -> None:
        self.goes_on = False
        self.thread.join()
        self.socket.close()
