"""What the golden runs are fed with: speech-like sound, an echo of it, a trace and a capture.

Everything is made of additions, multiplications and divisions of IEEE doubles and of integers, so that every machine makes the
same bytes. No file comes from elsewhere, but for the capture of a call of ours, which yodel itself has written.
"""

import os
import struct
import wave
from collections.abc import Iterator
from itertools import repeat

# The capture of a call between two yodels (Opus, 20 ms): 5 s with pull notes, so that a replay gives what the call heard.
OWN_CAPTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "call.pcapng")

# Poles of three formants at 16 kHz as (2 r cos(angle), -r^2): 500, 1500 and 2500 Hz, 80 to 120 Hz wide.
FORMANTS = ((1.931, -0.969), (1.640, -0.965), (1.091, -0.954))
RATE = 16000


class Dice:
    """Knuth's 64-bit linear congruential generator (MMIX), upper bits only."""

    def __init__(self, seed: int) -> None:
        self.state = seed * 2 + 1

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % limit

    def noise(self) -> float:
        return self.below(1 << 16) / 32768.0 - 1.0


def speech(seconds: float, seed: int) -> list[float]:
    """Syllables of pulses and noise through formants, with pauses; 16 kHz, peak 0.5."""
    dice = Dice(seed)
    sound: list[float] = []
    total = int(seconds * RATE)
    while len(sound) < total:
        for _ in range(4 + dice.below(6)):
            sound += syllable(dice)
        sound += repeat(0.0, (3 + dice.below(6)) * RATE // 10)
    sound = sound[:total]
    peak = max(abs(sample) for sample in sound)
    return [0.5 * sample / peak for sample in sound]


def syllable(dice: Dice) -> list[float]:
    length, period = RATE // 10 + dice.below(RATE // 8), 90 + dice.below(60)
    loudness, voiced = 0.3 + dice.below(70) / 100.0, dice.below(4) > 0
    memory, out = [[0.0, 0.0] for _ in FORMANTS], []
    for i in range(length):
        sample = (1.0 if i % period == 0 else 0.02 * dice.noise()) if voiced else 0.1 * dice.noise()
        for (near, far), past in zip(FORMANTS, memory, strict=True):
            sample += near * past[0] + far * past[1]
            past[1], past[0] = past[0], sample
        out.append(sample * loudness * min(1.0, i / 400.0, (length - i) / 400.0))
    return out


def microphone(far: list[float], near: list[float], seed: int) -> list[float]:
    """An echo of `far` 35 ms late with some reflections, `near` over it, and a little noise."""
    dice = Dice(seed)
    path = [(560, 0.25), (571, -0.12), (603, 0.09), (680, 0.06), (822, -0.04), (1130, 0.02)]
    out = []
    for i in range(len(far)):
        echo = sum(gain * far[i - delay] for delay, gain in path if i >= delay)
        out.append(echo + (near[i] if i < len(near) else 0.0) + 0.0005 * dice.noise())
    return out


def integers(sound: list[float]) -> list[int]:
    return [max(-32768, min(32767, int(sample * 32767.0))) for sample in sound]


def write_wav(path: str, sound: list[float]) -> None:
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in integers(sound)))


def write_trace(path: str, seed: int) -> None:
    """900 packets of 20 ms: a base of 25 ms, jitter, two spikes, a burst and single losses, a change of route."""
    dice = Dice(seed)
    with open(path, "w") as file:
        file.write("seq,send_ms,arrive_ms\n")
        for i in range(900):
            sent = 20 * i
            late = 25 + dice.below(12) + (60 if i > 600 else 0)
            if 250 <= i < 262 or 430 <= i < 436:
                late += 240 - 20 * (i % 12)
            lost = dice.below(100) < 3 or 700 <= i < 704
            file.write(f"{i},{sent}," + ("" if lost else f"{sent + late}.{dice.below(10)}") + "\n")


def mulaw(sample: int) -> int:
    """G.711 mu-law of a 16-bit sample."""
    sign, magnitude = (0x80, -sample) if sample < 0 else (0, sample)
    magnitude = min(magnitude, 32635) + 132
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | (magnitude >> (exponent + 3)) & 0x0F) & 0xFF


def datagrams(sound: list[float], seed: int) -> Iterator[tuple[float, bytes]]:
    """(Arrival in s, RTP) of PCMU, 20 ms a packet at 8 kHz: jitter, single losses, a copy, swapped neighbours."""
    dice = Dice(seed)
    octets = bytes(mulaw(sample) for sample in integers(sound)[::2])
    arrivals = []
    for i in range(len(octets) // 160):
        header = struct.pack(">BBHII", 0x80, 0x80 if i == 0 else 0, (65000 + i) % 65536, 160 * i, 0x59444C31)
        packet = header + octets[160 * i : 160 * i + 160]
        at = 1.0 + 0.02 * i + dice.below(30) / 1000.0
        if dice.below(100) >= 4:
            arrivals.append((at, i, packet))
        if dice.below(100) < 2:
            arrivals.append((at + 0.004, i, packet))
    for at, _, packet in sorted(arrivals):
        yield at, packet


def write_pcap(path: str, packets: Iterator[tuple[float, bytes]]) -> None:
    """A classic pcap of raw IPv4, as other programs write it."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for at, payload in packets:
            udp = struct.pack(">HHHH", 4000, 5004, 8 + len(payload), 0) + payload
            head = struct.pack(
                ">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
            )
            seconds, micros = int(at), int(at * 1000000.0) % 1000000
            file.write(struct.pack("<IIII", seconds, micros, len(head + udp), len(head + udp)) + head + udp)


def make(folder: str) -> None:
    """Writes all inputs into `folder`."""
    far, near = speech(12, 11), speech(12, 12)
    write_wav(f"{folder}/far.wav", far)
    write_wav(f"{folder}/near.wav", near)
    # The other one talks alone at first, then both at a time.
    quiet = [sample if i > 6 * RATE else 0.0 for i, sample in enumerate(near)]
    write_wav(f"{folder}/microphone.wav", microphone(far, quiet, 13))
    write_wav(f"{folder}/speech.wav", speech(18, 14))
    write_trace(f"{folder}/trace.csv", 15)
    write_pcap(f"{folder}/foreign.pcap", datagrams(near, 16))
