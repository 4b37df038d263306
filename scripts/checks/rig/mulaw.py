"""PCMU by ITU-T G.711, and just enough RTP (RFC 3550 section 5.1) to be a peer of yodel that can misbehave on
purpose."""

import struct
from typing import Any

import numpy as np

from .kinds import Samples


def encode(samples: Any) -> bytes:
    """Float samples at 8 kHz to G.711 mu-law octets."""
    x = np.clip(np.rint(np.asarray(samples) * 32768), -32635, 32635).astype(np.int32)
    magnitude = np.abs(x) + 132
    exponent = np.floor(np.log2(magnitude)).astype(np.int32) - 7
    mantissa = (magnitude >> (exponent + 3)) & 0x0F
    return (~(np.where(x < 0, 0x80, 0) | exponent << 4 | mantissa) & 0xFF).astype(np.uint8).tobytes()


def decode(octets: bytes) -> Samples:
    """G.711 mu-law octets to float samples at 8 kHz."""
    code = ~np.frombuffer(octets, np.uint8).astype(np.int32) & 0xFF
    magnitude = ((((code & 0x0F) << 3) + 132) << ((code >> 4) & 7)) - 132
    return np.where(code & 0x80, -magnitude, magnitude) / 32768


def packet(
    sequence: int,
    timestamp: int,
    payload: bytes,
    payload_type: int = 0,
    ssrc: int = 0x59444C31,
    marker: bool = False,
    version: int = 2,
) -> bytes:
    return (
        struct.pack(
            ">BBHII",
            version << 6,
            payload_type | (0x80 if marker else 0),
            sequence & 0xFFFF,
            timestamp & 0xFFFFFFFF,
            ssrc,
        )
        + payload
    )
