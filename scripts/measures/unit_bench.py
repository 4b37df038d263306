#!/usr/bin/env python3
"""Converter beside libsoxr, TimePitch beside librubberband, in one run; called by scripts/bench-units."""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import soundfile
import soxr
from kinds import Row, Samples
from pesq import pesq

PAIRS = [(44100, 48000), (48000, 44100), (8000, 48000), (48000, 8000), (16000, 48000), (48000, 16000)]
SPEEDS = [0.5, 0.7, 0.8, 1.25, 1.5, 2.0]


def run_unit(program: str, arguments: list[Any], samples: Samples) -> Samples:
    words = [program] + [str(word) for word in arguments]
    done = subprocess.run(words, input=samples.astype("<f4").tobytes(), stdout=subprocess.PIPE, check=True)
    return np.frombuffer(done.stdout, "<f4").astype(float)


class RubberBand:
    """librubberband's C interface, offline."""

    FINER = 0x20000000

    def __init__(self) -> None:
        self.lib = ctypes.CDLL("librubberband.so.2")
        self.lib.rubberband_new.restype = ctypes.c_void_p
        self.lib.rubberband_new.argtypes = [ctypes.c_uint, ctypes.c_uint, ctypes.c_int, ctypes.c_double, ctypes.c_double]
        block = ctypes.POINTER(ctypes.POINTER(ctypes.c_float))
        for name in ("rubberband_study", "rubberband_process"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p, block, ctypes.c_uint, ctypes.c_int]
        self.lib.rubberband_available.argtypes = [ctypes.c_void_p]
        self.lib.rubberband_retrieve.argtypes = [ctypes.c_void_p, block, ctypes.c_uint]
        self.lib.rubberband_retrieve.restype = ctypes.c_uint
        self.lib.rubberband_delete.argtypes = [ctypes.c_void_p]
        self.lib.rubberband_set_expected_input_duration.argtypes = [ctypes.c_void_p, ctypes.c_uint]
        self.lib.rubberband_set_max_process_size.argtypes = [ctypes.c_void_p, ctypes.c_uint]

    def stretch(self, samples: Samples, rate: int, speed: float, options: int) -> Samples:
        data = np.ascontiguousarray(samples, np.float32)
        state = self.lib.rubberband_new(rate, 1, options, 1 / speed, 1.0)
        self.lib.rubberband_set_expected_input_duration(state, len(data))
        self.lib.rubberband_set_max_process_size(state, len(data))
        channel = data.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        pointer = (ctypes.POINTER(ctypes.c_float) * 1)(channel)
        self.lib.rubberband_study(state, pointer, len(data), 1)
        self.lib.rubberband_process(state, pointer, len(data), 1)
        pieces = []
        while (count := self.lib.rubberband_available(state)) > 0:
            piece = np.zeros(count, np.float32)
            target = (ctypes.POINTER(ctypes.c_float) * 1)(piece.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
            got = self.lib.rubberband_retrieve(state, target, count)
            pieces.append(piece[:got])
        self.lib.rubberband_delete(state)
        return np.concatenate(pieces).astype(float)


def residue_db(samples: Samples, frequency: float, rate: int) -> tuple[float, float]:
    """Everything but the tone, against the tone, in dB; the tone's level, in dB of full scale."""
    time = np.arange(len(samples)) / rate
    basis = np.stack([np.cos(2 * np.pi * frequency * time), np.sin(2 * np.pi * frequency * time)], 1)
    fit, *_ = np.linalg.lstsq(basis, samples, rcond=None)
    tone = basis @ fit
    level = 10 * np.log10(2 * np.mean(tone**2) + 1e-30)
    return 10 * np.log10(np.mean((samples - tone) ** 2) / (np.mean(tone**2) + 1e-30) + 1e-30), level


def convert_all(program: str, start: int, target: int, frequency: float) -> dict[str, Samples]:
    time = np.arange(start * 2) / start
    tone = 0.5 * np.sin(2 * np.pi * frequency * time)
    outputs = {f"yodel_q{quality}": run_unit(program, ["converter", start, target, quality], tone) for quality in (5, 10)}
    for name in ("MQ", "HQ", "VHQ"):
        outputs[f"soxr_{name.lower()}"] = soxr.resample(tone.astype(np.float32), start, target, quality=name).astype(float)
    return {name: output[target // 2 : target * 3 // 2] for name, output in outputs.items()}


def converters(program: str) -> list[Row]:
    rows = []
    for start, target in PAIRS:
        low = min(start, target)
        row: Row = {"from_hz": start, "to_hz": target}
        for name, sound in convert_all(program, start, target, 997).items():
            residue, level = residue_db(sound, 997, target)
            row[name] = {"thd_n_db": round(residue, 1), "gain_997_db": round(level + 6.0206, 3)}
        for part in (0.5, 0.8, 0.9):
            for name, sound in convert_all(program, start, target, part * low / 2).items():
                _, level = residue_db(sound, part * low / 2, target)
                row[name][f"gain_at_{part}_nyquist_db"] = round(level + 6.0206, 3)
        # Upwards a tone near the old limit has an image above it, downwards one above the new limit folds over.
        worst = 0.85 * low / 2 if target > start else low / 2 + 0.75 * (start - low) / 2
        for name, sound in convert_all(program, start, target, worst).items():
            if target > start:
                window = np.blackman(len(sound))
                spectrum = np.abs(np.fft.rfft(sound * window)) / np.sum(window) * 2
                above = spectrum[int(len(spectrum) * (low / 2 * 1.02) / (target / 2)) :]
                row[name]["image_db"] = round(20 * np.log10(above.max() / 0.5 + 1e-15), 1)
            else:
                row[name]["image_db"] = round(10 * np.log10(2 * np.mean(sound**2) / 0.25 + 1e-30), 1)
        rows.append(row)
    return rows


def there_and_back(stretch: Any, samples: Samples, speed: float) -> Samples:
    return stretch(stretch(samples, speed), 1 / speed)


def stretchers(program: str, files: dict[str, str]) -> list[Row]:
    band = RubberBand()
    tools = {
        "yodel": lambda samples, speed: run_unit(program, ["time-pitch", 16000, speed], samples),
        "rubberband_r2": lambda samples, speed: band.stretch(samples, 16000, speed, 0),
        "rubberband_r3": lambda samples, speed: band.stretch(samples, 16000, speed, RubberBand.FINER),
    }
    rows = []
    for speed in SPEEDS:
        row = {"speed": speed}
        for name, stretch in tools.items():
            scores = []
            for file in files:
                samples, rate = soundfile.read(file)
                assert rate == 16000, f"{file} is not at 16 kHz"
                samples = (samples if samples.ndim == 1 else samples[:, 0])[: 16000 * 12]
                back = there_and_back(stretch, samples, speed)
                count = min(len(back), len(samples))
                scores.append(pesq(16000, samples[:count], back[:count], "wb"))
            row[name] = round(float(np.mean(scores)), 3)
        rows.append(row)
        print(row, file=sys.stderr)
    return rows


def page(result: Row) -> str:
    lines = ["# Figures of the units", "", "Made by `scripts/bench-units`; " + result["material"] + ".", ""]
    lines += ["## Converter beside libsoxr", ""]
    lines += ["| from | to | | THD+N at 997 Hz, dB | gain at 0.5 / 0.8 / 0.9 of the lower limit, dB | image or alias, dB |"]
    lines += ["|---|---|---|---|---|---|"]
    for row in result["converter"]:
        for name in ("yodel_q5", "yodel_q10", "soxr_mq", "soxr_hq", "soxr_vhq"):
            one = row[name]
            gains = " / ".join(f"{one[f'gain_at_{part}_nyquist_db']:+.2f}" for part in (0.5, 0.8, 0.9))
            lines.append(
                f"| {row['from_hz']} | {row['to_hz']} | {name} | {one['thd_n_db']:.1f} | {gains} | {one['image_db']:.1f} |"
            )
    lines += [
        "",
        "Image: of a tone at 0.85 of the lower limit upwards; alias: of one three quarters of the way from the lower to the "
        'upper limit downwards. "Limit" is half a rate.',
        "",
    ]
    lines += ["## TimePitch beside librubberband", "", "PESQ (wide band) of speech played at a speed and back again.", ""]
    lines += ["| speed | yodel | Rubber Band R2 | Rubber Band R3 |", "|---|---|---|---|"]
    for row in result["time_pitch"]:
        lines.append(f"| {row['speed']} | {row['yodel']:.2f} | {row['rubberband_r2']:.2f} | {row['rubberband_r3']:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("speech", nargs="+")
    options = parser.parse_args()
    result = {
        "material": f"{len(options.speech)} files of speech at 16 kHz, 12 s of each at most",
        "converter": converters(options.program),
        "time_pitch": stretchers(options.program, options.speech),
    }
    (options.out / "unit-figures.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.out / "unit-figures.md").write_text(page(result))


main()
