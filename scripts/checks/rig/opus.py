"""Opus by libopus itself (RFC 6716), as somebody else's encoder and decoder."""

import ctypes

import numpy as np

from .kinds import Samples

RATE, FRAME = 48000, 960  # 20 ms
VOIP = 2048


def encode(samples: Samples) -> list[bytes]:
    """Frames of 20 ms of one channel at 48 kHz."""
    library = ctypes.CDLL("libopus.so.0")
    library.opus_encoder_create.restype = ctypes.c_void_p
    error = ctypes.c_int()
    encoder = ctypes.c_void_p(library.opus_encoder_create(RATE, 1, VOIP, ctypes.byref(error)))
    if error.value != 0:
        raise RuntimeError(f"libopus: error {error.value}")
    room = ctypes.create_string_buffer(1500)
    frames = []
    for begin in range(0, len(samples) - FRAME + 1, FRAME):
        sound = np.ascontiguousarray(samples[begin : begin + FRAME], np.float32)
        pointer = sound.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        count = library.opus_encode_float(encoder, pointer, FRAME, room, len(room))
        if count < 0:
            raise RuntimeError(f"libopus: error {count}")
        frames.append(room.raw[:count])
    library.opus_encoder_destroy(encoder)
    return frames


def decode(frames: list[bytes]) -> Samples:
    """One channel at 48 kHz of frames that followed each other."""
    library = ctypes.CDLL("libopus.so.0")
    library.opus_decoder_create.restype = ctypes.c_void_p
    error = ctypes.c_int()
    decoder = ctypes.c_void_p(library.opus_decoder_create(RATE, 1, ctypes.byref(error)))
    if error.value != 0:
        raise RuntimeError(f"libopus: error {error.value}")
    room = np.zeros(RATE * 120 // 1000, np.float32)
    pointer = room.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    sound = []
    for frame in frames:
        count = library.opus_decode_float(decoder, frame, len(frame), pointer, len(room), 0)
        if count < 0:
            raise RuntimeError(f"libopus: error {count}")
        sound.append(room[:count].astype(np.float64))
    library.opus_decoder_destroy(decoder)
    return np.concatenate([*sound, np.zeros(0)])
