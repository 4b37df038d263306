"""RFC 3389 payloads made and heard by ffmpeg's `comfortnoise` codec.

ffmpeg has no RTP for it, so they travel in NUT files: ffprobe tells where each packet lies, and the payloads of a file
that ffmpeg wrote can be replaced by others of the same length."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import wav

PAYLOAD = 11  # level and ten coefficients, as ffmpeg writes them
RATE = 8000
PACKET_SAMPLES = 640


def _packets(path: str) -> tuple[bytes, list[tuple[int, bytes]]]:
    """A NUT file's bytes, and of each packet where its payload lies in them and what it is."""
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_packets", "-show_data", path],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    with open(path, "rb") as f:
        raw = f.read()
    packets = []
    for packet in json.loads(told)["packets"]:
        # Lines of a hex dump: "00000000: 3602 8481 7782 7f83 8c7b 87  6...w....{."
        lines = [line.split(": ", 1)[1].split("  ")[0] for line in packet["data"].split("\n") if ": " in line]
        payload = bytes.fromhex("".join(lines))
        packets.append((raw.index(payload, int(packet["pos"])), payload))
    return raw, packets


def _encode(samples: Any, path: str) -> None:
    """A NUT file of comfort noise that describes `samples` (8 kHz), a packet each 80 ms."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as f:
        wav.write(f.name, RATE, samples)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", f.name, "-c:a", "comfortnoise", "-f", "nut", path],
            check=True,
        )


def described_by_ffmpeg(samples: Any) -> list[bytes]:
    """ffmpeg's payloads for `samples` at 8 kHz, one each 80 ms."""
    with tempfile.NamedTemporaryFile(suffix=".nut") as f:
        _encode(samples, f.name)
        payloads = [payload for _, payload in _packets(f.name)[1]]
    if not payloads or any(len(p) != PAYLOAD for p in payloads):
        raise ValueError(f"ffmpeg's comfort noise is not {PAYLOAD} bytes a packet: {[len(p) for p in payloads][:5]}")
    return payloads


def heard_by_ffmpeg(payloads: Sequence[bytes]) -> Any:
    """What ffmpeg plays for these payloads of 11 bytes, 80 ms each, as samples at 8 kHz."""
    random = np.random.default_rng(1)
    with tempfile.NamedTemporaryFile(suffix=".nut") as f, tempfile.NamedTemporaryFile(suffix=".wav") as out:
        _encode(0.01 * random.standard_normal((len(payloads) + 2) * PACKET_SAMPLES), f.name)
        raw, packets = _packets(f.name)
        raw = bytearray(raw)
        for (at, old), new in zip(packets, payloads, strict=False):
            if len(old) != len(new):
                raise ValueError(f"a payload of {len(new)} bytes does not fit into {len(old)}")
            raw[at : at + len(old)] = new
        with open(f.name, "wb") as changed:
            changed.write(raw)
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", f.name, "-c:a", "pcm_s16le", out.name],
            check=True,
        )
        _, samples = wav.read(out.name)
    return samples[: len(payloads) * PACKET_SAMPLES, 0]


def bands(samples: Any, rate: int) -> Any:
    """Level of four octaves from 250 Hz on, in dB: what a listener tells backgrounds apart by."""
    x = np.asarray(samples, np.float64)
    spectrum = np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
    f = np.fft.rfftfreq(len(x), 1 / rate)
    edges = [250, 500, 1000, 2000, 3600]
    power = [spectrum[(f >= a) & (f < b)].sum() for a, b in zip(edges, edges[1:], strict=False)]
    return 10 * np.log10(np.array(power) / np.sum(np.hanning(len(x)) ** 2) / len(x) + 1e-20)
