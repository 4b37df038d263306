"""Whether one side heard the other."""

import audio_compare

from .verdict import expect_even

# Correlation of a voice with itself, through codecs, devices and jitter buffers that stretch time.
LEAST = 0.95


def hears(said: str, heard: str, whose: str, *, seconds: float, channel: int = 0, least: float = LEAST) -> str:
    """That a channel of the file `heard` has the voice of the file `said`, for so long; the figure."""
    figures = audio_compare.compare_files(said, heard, channel)
    expect_even(figures["correlation"] >= least and figures["seconds"] >= seconds, f"{whose} hears {figures}")
    return f"{whose} hears {figures['correlation']:.3f} for {figures['seconds']} s"
