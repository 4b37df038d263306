"""WAV files as float arrays: what the checks record and compare, and what yodel's recorder leaves behind."""

import struct
from typing import Any

import numpy as np

from .kinds import Samples

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE


class BadWAV(Exception):
    """The file cannot be played as it stands."""


def write(path: str, rate: int, samples: Any) -> None:
    """16-bit PCM; `samples` is mono (n) or interleaved by column (n, channels), -1..<1."""
    x = np.atleast_2d(np.asarray(samples, np.float64).T).T
    data = np.clip(np.rint(x * 32768), -32768, 32767).astype("<i2").tobytes()
    channels = x.shape[1]
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(data),
        b"WAVE",
        b"fmt ",
        16,
        PCM,
        channels,
        rate,
        rate * channels * 2,
        channels * 2,
        16,
        b"data",
        len(data),
    )
    with open(path, "wb") as f:
        f.write(head + data)


def read(path: str) -> tuple[int, Samples]:
    """(rate, samples (n, channels)) by what the header declares; bytes behind a short data size do not count.

    Raises BadWAV when a player that trusts the header could not play it: no format, no data, sizes beyond the file.
    """
    with open(path, "rb") as f:
        raw = f.read()
    if raw[:4] not in (b"RIFF", b"RF64") or raw[8:12] != b"WAVE":
        raise BadWAV(f"{path}: no RIFF/WAVE header")
    at, layout, long_data = 12, None, None
    while at + 8 <= len(raw):
        name, size = raw[at : at + 4], struct.unpack_from("<I", raw, at + 4)[0]
        body = at + 8
        if name == b"ds64":
            long_data = struct.unpack_from("<Q", raw, body + 8)[0]
        elif name == b"fmt ":
            kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", raw, body)
            if kind == EXTENSIBLE:
                kind = struct.unpack_from("<H", raw, body + 24)[0]
            layout = kind, channels, rate, bits
        elif name == b"data":
            if layout is None:
                raise BadWAV(f"{path}: data before format")
            if size == 0xFFFFFFFF and long_data is not None:
                size = long_data
            if body + size > len(raw):
                raise BadWAV(f"{path}: header promises {size} bytes of sound, the file holds {len(raw) - body}")
            return layout[2], decode(raw[body : body + size], layout, path)
        at = body + size + (size & 1)
    raise BadWAV(f"{path}: no data chunk")


def decode(data: bytes, layout: tuple[int, int, int, int], path: str) -> Samples:
    kind, channels, _, bits = layout
    data = data[: len(data) // (channels * bits // 8) * (channels * bits // 8)]
    if kind == PCM and bits == 16:
        x = np.frombuffer(data, "<i2") / 32768.0
    elif kind == PCM and bits == 24:
        b = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int32)
        x = (((b[:, 0] | b[:, 1] << 8 | b[:, 2] << 16) ^ 0x800000) - 0x800000) / 8388608.0
    elif kind == FLOAT and bits == 32:
        x = np.frombuffer(data, "<f4").astype(np.float64)
    else:
        raise BadWAV(f"{path}: format {kind} with {bits} bits")
    return x.reshape(-1, channels)
