"""Run by scripts/bench-voice, which sees to packages and the build: voice processing beside its references, in one run."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import voice_cases
from figures import processor
from kinds import Row

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ECHO = "erle_0_3,erle_late,echo_st,dt_echo,dt_other,near_pesq,near_att_db,cpu_us_per_20ms"
PARTS = "grid,grid48,change,clipping,real,own,clean,noise,gain"
# Canceller alone, as the references run; noise and gain are measured on their own.
ECHO_ONLY = "--no-noise-suppression --no-gain-control"


class Bench:
    def __init__(self, arguments: argparse.Namespace) -> None:
        sys.path.insert(0, os.path.join(arguments.bench, "quality"))
        import aec_bench
        import score

        self.aec, self.score, self.arguments = aec_bench, score, arguments
        self.yodel = os.environ["YODEL"]
        self.corpus = voice_cases.make(os.path.join(arguments.work, "corpus"), arguments.corpus)
        aec_bench.BIN = os.path.join(arguments.work, "bin")
        aec_bench.TALKERS.update(voice_cases.PAIRS)
        for quality in ("low", "medium", "high"):
            aec_bench.EXT[f"yodel-{quality}"] = self.command(f"--quality {quality} {ECHO_ONLY}")
        aec_bench.EXT["yodel-speexdsp"] = self.command(f"--echo-canceller speexdsp {ECHO_ONLY}")
        self.sections: list[Row] = []

    def command(self, options: str) -> str:
        return f"{self.yodel} process --rate {{rate}} --far {{far}} --mic {{mic}} --out {{out}} {options}"

    def processors(self, *ours: Any) -> list[Any]:
        plain = [("none", {}), ("speex", {"tail": 200, "pp": "res"}), ("aec3", {})]
        return plain + [("ext", {"ext": f"yodel-{name}"}) for name in ours]

    def pool(self, function: Callable[[Any], Any], jobs: Any) -> list[Row]:
        from multiprocessing import get_context

        with get_context("fork").Pool(2) as pool:
            return [row for rows in pool.imap_unordered(function, jobs) for row in rows]

    def echo(
        self, title: str, cases: Any, fs: int, ours: Any, columns: Any = ECHO, bounds: Any | None = None, note: str = ""
    ) -> None:
        """`cases`: pair, room, delay, drift, loudspeaker, SER, room it changes to."""
        jobs = [
            (self.corpus, fs, pair, room, delay, ppm, nl, move, self.processors(*ours), ser)
            for pair, room, delay, ppm, nl, ser, move in cases
        ]
        self.add(title, self.pool(self.aec.one, jobs), columns, bounds, f"{len(jobs)} cases. {note}".strip())

    def add(self, title: str, rows: Any, columns: Any, bounds: Any | None = None, note: str = "", key: str = "proc") -> None:
        names = columns.split(",")
        table: dict[str, list[Row]] = {}
        for row in rows:
            table.setdefault(row[key], []).append(row)
        means = {
            name: {c: float(np.nanmean([r.get(c, np.nan) for r in group])) for c in names}
            for name, group in sorted(table.items())
        }
        errors = [r["error"] for r in rows if "error" in r]
        section = dict(title=title, note=note, columns=names, bounds=bounds or {}, rows=means, errors=errors)
        self.sections.append(section)
        print(markdown(section), flush=True)


def grid(bench: Any) -> None:
    cases = [
        (p, r, d, q, "mild", 0, None)
        for p in "AB"
        for r in ("ism_desk", "am_ir0", "seminar_clap")
        for d in (0, 40, 120, 250)
        for q in (0, 50, 200)
    ]
    bounds = {"erle_0_3": 28, "erle_late": 27, "echo_st": 4.5, "dt_echo": 4.1, "dt_other": 3.5, "near_pesq": 2.25}
    ours = ("speexdsp", "low", "medium", "high")
    bench.echo("Echo, 16 kHz, the bench's grid", cases, 16000, ours, bounds=bounds)


def grid48(bench: Any) -> None:
    cases = [
        (p, r, d, q, "mild", 0, None)
        for p in "AB"
        for r in ("ism_desk", "ism_meeting", "seminar_clap")
        for d in (40, 120, 250)
        for q in (0, 200)
    ]
    for fs in (16000, 48000):
        bench.echo(f"Echo, {fs // 1000} kHz, rooms that exist at both rates", cases, fs, ("high",))


def change(bench: Any) -> None:
    cases = [(p, r, d, 0, "mild", 0, "seminar_clap") for p in "AB" for r in ("ism_desk", "am_ir0") for d in (0, 120)]
    bench.echo("Echo path changes at 6 s", cases, 16000, ("medium", "high"), bounds={"erle_late": 22})


def clipping(bench: Any) -> None:
    cases = [(p, r, d, 0, "strong", 0, None) for p in "AB" for r in ("ism_desk", "am_ir0", "seminar_clap") for d in (0, 120)]
    bench.echo("Strongly clipping loudspeaker", cases, 16000, ("medium", "high"), bounds={"erle_late": 18})


def own(bench: Any) -> None:
    held_out = bench.arguments.held_out
    chosen = voice_cases.HELD_OUT if held_out else voice_cases.OWN
    title = "Cases held out for the final check" if held_out else "Cases of our own"
    bench.echo(title, [(*case, None) for case in chosen], 16000, ("low", "medium", "high"))


def real(bench: Any) -> None:
    folder = os.path.join(bench.corpus, "real_aec")
    clips = [f[:-8] for f in sorted(os.listdir(folder)) if f.endswith("_lpb.wav")]
    jobs = [(bench.corpus, clip, bench.processors("speexdsp", "medium", "high")) for clip in clips]
    rows = bench.pool(bench.aec.real_one, jobs)
    both = [dict(r, mean=(r["echo"] + r["other"]) / 2) for r in rows if r["talk"] == "dt" and "echo" in r]
    columns = "echo,other,mean,dns_ovrl_mos,cpu_us_per_20ms"
    bench.add("Device recordings, double talk", both, columns, {"mean": 3.9}, f"{len(both) // 6} clips.")
    bench.add("Device recordings, far end alone", [r for r in rows if r["talk"] == "st"], "erle,echo,other")
    bench.add("Device recordings, near end alone", [r for r in rows if r["talk"] == "nst"], "other,dns_ovrl_mos")


def clean(bench: Any) -> None:
    """Headset: nothing comes back, so the near end must come through untouched, far end silent or not."""
    rows = []
    talkers = [("p501_en_fm", "vctk_p286_m"), ("vctk_p286_m", "freesound33711_f")]
    for fs in (8000, 16000, 48000):
        for far_name, near_name in talkers:
            load = lambda name: bench.score.load(
                os.path.join(bench.corpus, "speech48" if fs == 48000 else "speech16", name + ".wav"), fs
            )[0]
            near = np.resize(load(near_name), 12 * fs)
            near = near * 10 ** (-26 / 20) / np.sqrt((near**2).mean())
            noise = np.random.default_rng(1).standard_normal(len(near)) * 10 ** (-65 / 20)
            for silent in (False, True):
                far = np.resize(load(far_name), len(near)) * (0 if silent else 0.5)
                for quality in ("low", "medium", "high"):
                    out, us = bench.aec.p_ext(far, near + noise, fs, {"ext": f"yodel-{quality}"})
                    ref, deg, lag = bench.score.align(near + noise, out, fs, 60)
                    k = slice(fs, None)
                    rows.append(
                        dict(
                            proc=f"yodel-{quality}, {fs // 1000} kHz, far end {'silent' if silent else 'talks'}",
                            pesq=bench.score.pesq_wb(ref[k], deg[k], fs),
                            gain_db=10 * np.log10((deg[k] @ deg[k]) / (ref[k] @ ref[k])),
                            latency_ms=lag / fs * 1e3,
                            cpu_us_per_20ms=us,
                        )
                    )
    bench.add(
        "No echo path (headset)",
        rows,
        "pesq,gain_db,latency_ms,cpu_us_per_20ms",
        {"pesq": 4.0},
        "PESQ of the output against the microphone; level may fall by 0.5 dB at most.",
    )


def table_of(bench: Any, what: str) -> tuple[Any, Any]:
    """Runs ns_bench.py and reads its Markdown back."""
    quality = os.path.join(bench.arguments.bench, "quality")
    switch = {"ns": "--no-echo-cancellation --no-gain-control", "agc": ""}[what]
    command = [sys.executable, os.path.join(quality, "ns_bench.py"), what, "--corpus", bench.corpus]
    command += ["--bin", bench.aec.BIN, "--ext", "yodel=" + bench.command(switch)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in out.splitlines() if "|" in line]
    return lines[0], lines[2:]


def noise(bench: Any) -> None:
    head, lines = table_of(bench, "ns")
    rows = [dict(zip(head[2:], map(float, line[2:]), strict=False), proc=f"{line[0]} dB: {line[1]}") for line in lines]
    bench.add(
        "Noise suppression, 16 kHz",
        rows,
        ",".join(head[2:]),
        note="16 clips a row; overall >= 2.55 at 5 dB and >= 3.0 at 15 dB, PESQ not below `speex -25`.",
    )


def gain(bench: Any) -> None:
    head, lines = table_of(bench, "agc")
    rows = [dict(zip(head[1:], map(float, line[1:]), strict=False), proc=f"{line[0]}, in at {line[1]} dBFS") for line in lines]
    bench.add("Gain control, 16 kHz", rows, ",".join(head[2:]), note="-20 +- 3 dBFS within 3 s; noise of -60 dBFS stays.")
    bench.add(
        "Echo with gain control on, after quiet speech",
        residual(bench),
        "off_dbfs,on_dbfs,rise_db",
        {},
        "Level of the output while the far end speaks alone; it must not rise.",
    )


def residual(bench: Any) -> list[Row]:
    """Near end at -42 dBFS for 10 s, which earns gain; then 10 s of echo alone."""
    rows, fs = [], 16000
    for room in ("ism_desk", "seminar_clap", "own_office"):
        case = bench.aec.make_case(bench.corpus, fs, "A", room, 60, 0)
        near = bench.aec.talk(bench.corpus, fs, ["vctk_p286_m"], 10)
        near *= 10 ** (-42 / 20) / np.sqrt((near[bench.score.activity(near, fs, -30)] ** 2).mean())
        far = np.concatenate([np.zeros(10 * fs), case["far"][: 10 * fs]])
        mic = np.concatenate([near, np.zeros(10 * fs)])
        mic[10 * fs :] += case["echo"][: 10 * fs]
        mic += np.random.default_rng(2).standard_normal(len(mic)) * 10 ** (-70 / 20)
        # What comes before is noise, not echo.
        first = np.flatnonzero(np.abs(far) > 10 ** (-50 / 20))[0]
        levels = []
        for switch in ("--no-gain-control", "--gain-control"):
            bench.aec.EXT["one"] = bench.command(switch)
            out = bench.aec.p_ext(far, mic, fs, {"ext": "one"})[0]
            levels.append(10 * np.log10((out[first:] ** 2).mean() + 1e-12))
        rows.append(dict(proc=room, off_dbfs=levels[0], on_dbfs=levels[1], rise_db=levels[1] - levels[0]))
    return rows


def markdown(section: Row) -> str:
    lines = [f"## {section['title']}", ""]
    if section["note"]:
        lines += [section["note"], ""]
    lines.append("| processor | " + " | ".join(section["columns"]) + " |")
    lines.append("|---" * (len(section["columns"]) + 1) + "|")
    for name, row in section["rows"].items():
        cells = [f"{row[c]:.2f}" if abs(row[c]) < 10 else f"{row[c]:.1f}" for c in section["columns"]]
        lines.append(f"| {name.replace('ext:ext=', '')} | " + " | ".join(cells) + " |")
    if section["bounds"]:
        wanted = [f">= {section['bounds'][c]}" if c in section["bounds"] else "" for c in section["columns"]]
        lines.append("| *wanted* | " + " | ".join(wanted) + " |")
    if section["errors"]:
        lines += ["", f"{len(section['errors'])} runs failed, the first: {section['errors'][0]}"]
    return "\n".join(lines) + "\n"


def write(bench: Any, command: str) -> None:
    folder = os.path.join(ROOT, "docs")
    head = {
        "measured": time.strftime("%Y-%m-%d %H:%M"),
        "command": command,
        "processor": processor(),
        "cores": os.cpu_count(),
    }
    with open(os.path.join(folder, "voice-figures.json"), "w") as f:
        json.dump({**head, "sections": bench.sections}, f, indent=1)
        f.write("\n")
    with open(os.path.join(folder, "voice-figures.md"), "w") as f:
        f.write(
            f"# Voice figures\n\nWritten by `{command}` on {head['measured']}, {head['cores']} cores "
            f"({head['processor']}). Means over the cases of a part; everything in a table was measured in one run. "
            "`speex` is SpeexDSP with a tail of 200 ms and its residual suppressor, `aec3` WebRTC's canceller.\n\n"
            "`erle_0_3`, `erle_late`: echo return loss enhancement in the first 3 s and from 6 to 12 s, dB. `echo_st`, "
            "`dt_echo`, `dt_other`: AECMOS, far end alone and double talk. `near_pesq`, `near_att_db`: the near end in "
            "double talk.\n\n"
        )
        f.write("\n".join(markdown(section) for section in bench.sections))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--bench", "--corpus", "--work"):
        parser.add_argument(name, required=True)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--only", default=PARTS)
    arguments = parser.parse_args()
    parts = arguments.only.split(",")
    known = {f.__name__: f for f in (grid, grid48, change, clipping, real, own, clean, noise, gain)}
    for part in parts:
        if part not in known:
            sys.exit(f"no part {part}; there are {', '.join(known)}")
    bench = Bench(arguments)
    if arguments.held_out:
        parts = ["own"]
    for part in parts:
        known[part](bench)
    if arguments.only == PARTS and not arguments.held_out:
        write(bench, "scripts/bench-voice BENCH_DIR CORPUS_DIR")


if __name__ == "__main__":
    main()
