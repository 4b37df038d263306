#!/usr/bin/python3
"""How alike are what was said and what was heard?

Both are band-passed 300-3400 Hz; each second of speech is aligned by itself; the figure is the median over those
seconds of the normalised correlation (1 = the same wave form, any gain). A delay that moves between seconds costs
nothing, one that moves within a second does, and so do gaps, noise and the wrong polarity.

    audio_compare.py SAID.wav HEARD.wav [--channel N]     prints one JSON object
    audio_compare.py --selftest
"""

import argparse
import json
import sys

import numpy as np

from rig import wav
from rig.kinds import Event, Samples

RATE = 48000  # fine enough that half a sample costs under 0.1 % at 3400 Hz
BAND = (300.0, 3400.0)
SPEECH_DB = -25.0  # a second counts as speech above this, against the loudest second
SEARCH_S = 0.25  # how far a second may lie from the overall delay
MAX_DELAY_S = 3.0
# The very voice, whole and in its place, however the machine stood still meanwhile: another voice stays below 0.5, the wrong
# polarity below 0.7. For checks that ask whether a sound is there, not how good it is.
SAME_VOICE = 0.8


def resample(x: Samples, rate: int) -> Samples:
    if rate == RATE:
        return np.asarray(x, np.float64)
    n = int(round(len(x) * RATE / rate))
    spectrum = np.fft.rfft(x)
    out = np.zeros(n // 2 + 1, complex)
    k = min(len(out), len(spectrum))
    out[:k] = spectrum[:k]
    return np.fft.irfft(out, n) * (n / len(x))


def band_pass(x: Samples) -> Samples:
    spectrum = np.fft.rfft(x)
    f = np.fft.rfftfreq(len(x), 1 / RATE)
    # Edges of 40 Hz: no ringing that would smear a gap over its neighbours.
    gain = np.clip((f - BAND[0]) / 40 + 0.5, 0, 1) * np.clip((BAND[1] - f) / 40 + 0.5, 0, 1)
    return np.fft.irfft(spectrum * gain, len(x))


def correlate(long: Samples, short: Samples) -> Samples:
    """Sliding dot product of `short` over `long`, one value for each full overlap."""
    n = 1 << (len(long) + len(short)).bit_length()
    full = np.fft.irfft(np.fft.rfft(long, n) * np.conj(np.fft.rfft(short, n)), n)
    return full[: len(long) - len(short) + 1]


def overall_delay(said: Samples, heard: Samples) -> int:
    """Delay in samples by which `heard` follows `said`, from the whole signals; negative when it was started later."""
    reach = int(MAX_DELAY_S * RATE)
    padded = np.concatenate((np.zeros(reach), heard, np.zeros(reach + max(0, len(said) - len(heard)))))
    return int(np.argmax(correlate(padded, said))) - reach


def compare(said: Samples, heard: Samples, said_rate: int, heard_rate: int, pieces: int = 1) -> Event:
    """{'correlation': median, 'worst', 'seconds': how many were speech, 'delay_ms', 'delay_spread_ms', 'gain_db'}. Of each second so many
    pieces are aligned by themselves, and count by their energy: where the machine stands still in each second, its delay moves in each."""
    said, heard = band_pass(resample(said, said_rate)), band_pass(resample(heard, heard_rate))
    if len(heard) < 2 * RATE or not np.any(np.abs(heard) > 1e-4):
        return {
            "correlation": 0.0,
            "worst": 0.0,
            "seconds": 0,
            "heard_s": round(len(heard) / RATE, 2),
            "note": "nothing was heard",
        }
    delay, reach = overall_delay(said, heard), int(SEARCH_S * RATE)
    level = [float(np.sqrt(np.mean(said[s : s + RATE] ** 2))) for s in range(0, len(said) - RATE + 1, RATE)]
    figures, delays, gains = [], [], []
    for i, rms in enumerate(level):
        if rms < max(level) * 10 ** (SPEECH_DB / 20):
            continue
        start = i * RATE + delay - reach
        if start < 0 or start + RATE + 2 * reach > len(heard):
            continue  # outside the recording: said before it began or after it ended
        figure, at, gain = best_in_pieces(said[i * RATE : (i + 1) * RATE], heard[start : start + RATE + 2 * reach], pieces)
        figures.append(figure)
        delays.append((at + delay - reach) * 1000 / RATE)
        gains.append(gain)
    if not figures:
        return {"correlation": 0.0, "worst": 0.0, "seconds": 0, "note": "no second of speech in common"}
    return {
        "correlation": round(float(np.median(figures)), 4),
        "worst": round(min(figures), 4),
        "seconds": len(figures),
        "delay_ms": round(float(np.median(delays)), 1),
        "delay_spread_ms": round(max(delays) - min(delays), 1),
        "gain_db": round(20 * float(np.log10(max(float(np.median(gains)), 1e-6))), 1),
    }


def best(second: Samples, window: Samples) -> tuple[float, int, float]:
    """(normalised correlation, offset, gain) of the best place of `second` within `window`."""
    dot = correlate(window, second)
    energy = np.concatenate(([0.0], np.cumsum(window**2)))
    energy = np.maximum(energy[len(second) :] - energy[: -len(second)], 0)
    own = float(np.dot(second, second))
    figure = dot / np.sqrt(np.maximum(energy * own, 1e-12))
    figure[energy < own * 1e-5] = 0  # 50 dB below what was said: silence must not win on rounding noise
    at = int(np.argmax(figure))
    return float(figure[at]), at, float(abs(dot[at]) / own)


def best_in_pieces(second: Samples, window: Samples, pieces: int) -> tuple[float, float, float]:
    """The means of what `best` says of so many pieces of `second`, by their energy."""
    length = len(second) // pieces
    starts = [piece * length for piece in range(pieces)]
    found = [best(second[at : at + length], window[at : len(window) - len(second) + length + at]) for at in starts]
    weights = [float(np.sum(second[at : at + length] ** 2)) for at in starts]
    figure, at, gain = (float(np.average(values, weights=weights)) for values in zip(*found, strict=True))
    return figure, at, gain


def compare_files(said_path: str, heard_path: str, channel: int = 0, pieces: int = 1) -> Event:
    said_rate, said = wav.read(said_path)
    heard_rate, heard = wav.read(heard_path)
    return compare(said[:, 0], heard[:, channel], said_rate, heard_rate, pieces)


def synthetic(seconds: float, seed: int) -> Samples:
    """Speech-like: noise shaped by a 4 Hz syllable rhythm, with pauses."""
    random = np.random.default_rng(seed)
    t = np.arange(seconds * RATE) / RATE
    x = random.standard_normal(len(t)) * (0.05 + np.maximum(0, np.sin(2 * np.pi * 4 * t)))
    x[(t % 5) > 4] *= 0.001
    return 0.1 * x


def selftest() -> list[str]:
    """The figure must fall for each fault, and only for faults: returns the list of statements that do not hold."""
    x = synthetic(15, seed=11)
    zero = np.zeros(int(0.083 * RATE))
    late = np.concatenate((zero, x))
    noise = np.random.default_rng(12).standard_normal(len(late))
    jumping = np.concatenate((zero, x[: 7 * RATE], np.zeros(1440), x[7 * RATE :]))
    often = np.concatenate([zero] + [np.concatenate((x[s * RATE : (s + 1) * RATE], np.zeros(480))) for s in range(15)])
    holes = late.copy()
    for second in range(15):
        holes[second * RATE : second * RATE + RATE // 4] = 0
    cases: list[tuple[str, Event, float, float]] = [
        ("a delayed, quieter copy is equal", compare(x, 0.3 * late, RATE, RATE), 0.999, 1.0),
        ("a copy at 8 kHz is equal in the band", compare(x, resample_down(late, 8000), RATE, 8000), 0.995, 1.0),
        ("a delay that moves between two seconds costs nothing", compare(x, jumping, RATE, RATE), 0.999, 1.0),
        (
            "noise 10 dB below the speech costs 3-7 %",
            compare(x, late + noise * level_in_band(x, noise, -10), RATE, RATE),
            0.93,
            0.97,
        ),
        ("a quarter of each second lost shows", compare(x, holes, RATE, RATE), 0.5, 0.93),
        ("inverted polarity shows", compare(x, -late, RATE, RATE), -1.0, 0.7),
        ("another voice shows", compare(x, synthetic(15, seed=13), RATE, RATE), -1.0, 0.5),
        ("silence shows", compare(x, 0 * late, RATE, RATE), 0.0, 0.0),
        ("a delay that moves in each second costs quarters nothing", compare(x, often, RATE, RATE, pieces=4), 0.99, 1.0),
        ("a quarter of each second lost shows in quarters", compare(x, holes, RATE, RATE, pieces=4), 0.5, 0.93),
        (
            "noise 10 dB below the speech costs quarters as much",
            compare(x, late + noise * level_in_band(x, noise, -10), RATE, RATE, pieces=4),
            0.93,
            0.97,
        ),
        ("another voice shows in quarters", compare(x, synthetic(15, seed=13), RATE, RATE, pieces=4), -1.0, 0.5),
    ]
    wrong = [f"{name}: {r}" for name, r, low, high in cases if not low <= r["correlation"] <= high]
    if abs(cases[0][1]["delay_ms"] - 83.0) > 0.1 or abs(cases[0][1]["gain_db"] + 10.5) > 0.1:
        wrong.append(f"delay 83 ms and gain -10.5 dB are read: {cases[0][1]}")
    return wrong


def resample_down(x: Samples, rate: int) -> Samples:
    n = int(round(len(x) * rate / RATE))
    return np.fft.irfft(np.fft.rfft(x)[: n // 2 + 1], n) * (n / len(x))


def level_in_band(x: Samples, noise: Samples, db: float) -> float:
    return float(10 ** (db / 20) * np.std(band_pass(x)) / np.std(band_pass(noise)))


def main() -> None:
    options = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    options.add_argument("said", nargs="?")
    options.add_argument("heard", nargs="?")
    options.add_argument("--channel", type=int, default=0, help="of HEARD, from 0 (a recording's right channel is 1)")
    options.add_argument("--selftest", action="store_true")
    given = options.parse_args()
    if given.selftest:
        wrong = selftest()
        print(
            "\n".join(
                [f"FAIL audio_compare selftest: {w}" for w in wrong] or ["PASS audio_compare selftest: 13 statements hold"]
            )
        )
        sys.exit(1 if wrong else 0)
    if not given.heard:
        options.error("SAID.wav and HEARD.wav are needed")
    print(json.dumps(compare_files(given.said, given.heard, given.channel)))


if __name__ == "__main__":
    main()
