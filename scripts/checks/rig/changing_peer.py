"""A telephone that is none of ours: speaks Opus by libopus, later PCMU in the same stream, and keeps what it is sent."""

import select
import socket
import struct
import threading
import time

import numpy as np

from . import mulaw, opus
from .kinds import Samples

FRAME_S = 0.02
OPUS, PCMU = 111, 0
RATE = opus.RATE


class ChangingPeer(threading.Thread):
    """Sends `samples` (48 kHz) to `to` in real time, 20 ms a packet, in Opus until `change_s` and in PCMU from there on."""

    def __init__(self, to: tuple[str, int], samples: Samples, change_s: float) -> None:
        super().__init__(daemon=True)
        self.to = to
        before, after = samples[: int(change_s * RATE)], samples[int(change_s * RATE) :]
        narrow = mulaw.encode(low_pass(after)[:: RATE // 8000])
        self.packets = [(OPUS, 960, frame) for frame in opus.encode(before)]
        self.packets += [(PCMU, 160, narrow[n : n + 160]) for n in range(0, len(narrow) - 159, 160)]
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.received: list[bytes] = []
        self.ended = threading.Event()

    def run(self) -> None:
        began, stamp = time.monotonic(), 90000
        for n, (kind, units, payload) in enumerate(self.packets):
            while not self.ended.is_set() and (left := began + n * FRAME_S - time.monotonic()) > 0:
                self.listen(left)
            if self.ended.is_set():
                break
            marker = n == 0 or self.packets[n - 1][0] != kind
            self.socket.sendto(mulaw.packet(n, stamp, payload, payload_type=kind, marker=marker), self.to)
            stamp += units

    def listen(self, seconds: float) -> None:
        if select.select([self.socket], [], [], seconds)[0]:
            self.received.append(self.socket.recv(2048))

    def end(self) -> None:
        self.ended.set()
        self.join()
        self.socket.close()

    def heard(self) -> Samples:
        """What came, in the order in which it was sent, at 48 kHz: first Opus, then PCMU."""
        frames: dict[int, dict[int, bytes]] = {OPUS: {}, PCMU: {}}
        for packet in self.received:
            kind, number = struct.unpack(">xBH", packet[:4])
            if kind & 0x7F in frames:
                frames[kind & 0x7F][number] = packet[12:]
        wide, narrow = ([frames[kind][n] for n in in_order(frames[kind])] for kind in (OPUS, PCMU))
        return np.concatenate((opus.decode(wide), widened(mulaw.decode(b"".join(narrow)))))


def low_pass(samples: Samples) -> Samples:
    """Below 3.6 kHz, so that each sixth sample tells the rest."""
    spectrum = np.fft.rfft(samples)
    spectrum[np.fft.rfftfreq(len(samples), 1 / RATE) > 3600] = 0
    return np.fft.irfft(spectrum, len(samples))


def widened(samples: Samples) -> Samples:
    """From 8 kHz to 48 kHz."""
    if not len(samples):
        return samples
    return np.fft.irfft(np.pad(np.fft.rfft(samples), (0, len(samples) * 5 // 2)), len(samples) * 6) * 6


def in_order(numbers: dict[int, bytes]) -> list[int]:
    """Sequence numbers as they were sent, across their wrap."""
    if not numbers:
        return []
    first = next(iter(numbers))
    return sorted(numbers, key=lambda n: (n - first + 32768) % 65536)
