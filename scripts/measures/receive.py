"""The receive path measured: rows by the quality bench, and the page docs/receive-figures.md. See scripts/bench-receive."""

import argparse
import datetime
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import made_traces
from kinds import Row

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOSS = ["clean", "ethernet", "iid05", "iid10", "iid20", "iid30", "ge05", "ge20"]
JITTER = ["wifi24", "wifi24_spikes", "lte_tmobile", "lte_verizon"]
DEPTHS = [40, 120, 200, 400]
# What is to be reached: PLCMOS, PESQ, mean delay in ms. Within 0.05, 0.03 and 3 ms counts: that is the noise between offsets.
TARGETS = {
    "clean": (4.26, 4.43, 27),
    "ethernet": (4.28, 4.43, 42),
    "iid05": (4.17, 3.97, 71),
    "iid10": (4.1, 3.8, 80),
    "iid20": (4.0, 3.85, 97),
    "iid30": (3.8, 3.3, 100),
    "ge05": (4.05, 3.75, 110),
    "ge20": (3.9, 3.15, 120),
    "wifi24": (4.25, 4.15, 160),
    "wifi24_spikes": (4.2, 3.7, 180),
    "lte_tmobile": (4.25, 4.34, 85),
    "lte_verizon": (4.2, 3.8, 200),
}
OFFSETS = [0, 700, 1500, 2300]


class Rows:
    """What was measured, kept from run to run."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows = {}
        if os.path.exists(path):
            for line in open(path):
                row = json.loads(line)
                self.rows[row["key"]] = row

    def get(self, key: str, measure: Callable[[], Row]) -> Row:
        if key not in self.rows:
            row = measure()
            row["key"] = key
            self.rows[key] = row
            with open(self.path, "a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{key}: {figures(row)}", file=sys.stderr, flush=True)
        return self.rows[key]


def figures(row: Row) -> str:
    if not row or "plcmos" not in row:
        return "–"
    if math.isnan(row["plcmos"]):
        return f"{row['pesq']:.2f} @{row['delay_ms']:.0f}"
    return f"{row['plcmos']:.2f} / {row['pesq']:.2f} @{row['delay_ms']:.0f}"


class Bench:
    def __init__(self, options: argparse.Namespace) -> None:
        sys.path.insert(0, os.path.join(options.bench, "quality"))
        import plc_bench

        self.plc = plc_bench
        # Scores that this page does not show take half of the time.
        plc_bench.S.visqol = plc_bench.S.stoi = lambda *_: float("nan")
        self.options = options
        self.rows = Rows(os.path.join(options.work, "rows.jsonl"))
        # Another program measures anew.
        state = os.stat(os.environ["YODEL"])
        with open(os.path.join(options.bench, "quality", "baseline", "plc_neteq.jsonl")) as file:
            self.stored = {(row["trace"], row["fec"]): row for row in map(json.loads, file)}
        self.version = f"{state.st_size}-{int(state.st_mtime)}"

    def run(self, name: str, trace: str, fec: int, ext: tuple[str, str] | None = None, depth: int = 0) -> Row:
        key = f"{name} {os.path.basename(trace)} {fec}" + (f" {self.version}" if name.startswith("ours") else "")

        def measure() -> Row:
            job = (
                self.options.corpus,
                os.path.join(self.options.work, "bin"),
                16000,
                trace,
                os.path.basename(trace)[:-4],
                fec,
                depth,
                -1 if fec else 0,
                ext,
                1,
            )
            row = self.plc.job(job)
            if "error" in row:
                raise SystemExit(f"{key}: {row['error']}")
            return row

        return self.rows.get(key, measure)

    def ours(self, trace: str, fec: int = 1, more: str = "", name: str = "ours") -> Row:
        command = os.environ["YODEL"] + " replay --rate {rate} --in {in} --trace {trace} --fec {fec} --out {out} " + more
        return self.run(name, trace, fec, ("ours", command))

    def neteq(self, trace: str, fec: int = 1) -> Row:
        """WebRTC itself in real time, 70 s, if asked for; else the row that the bench keeps of it."""
        if not self.options.neteq:
            return self.stored[os.path.basename(trace)[:-4], fec]
        script = os.path.join(self.options.bench, "quality", "neteq_ref.py")
        command = f"{sys.executable} {script} {{rate}} {{in}} {{trace}} {{out}} {{fec}}"
        return self.run("neteq", trace, fec, ("neteq", command))

    def fixed(self, trace: str, depth: int) -> Row:
        return self.run(f"fixed{depth}", trace, 1, depth=depth)

    def trace(self, name: str) -> str:
        return os.path.join(self.options.corpus, "traces", name + ".csv")

    def shifted(self, name: str, offset: int) -> str:
        if offset == 0:
            return self.trace(name)
        path = os.path.join(self.options.work, f"{name}+{offset}.csv")
        made_traces.shifted(self.trace(name), offset, path)
        return path

    def over_line(self, row: Row, trace: str) -> float:
        """PESQ of `row` over the line through the fixed buffers at the same delay."""
        points = [(f["delay_ms"], f["pesq"]) for f in (self.fixed(trace, depth) for depth in DEPTHS)]
        delay = row["delay_ms"]
        if delay <= points[0][0]:
            return row["pesq"] - points[0][1]
        for (d0, p0), (d1, p1) in itertools.pairwise(points):
            if delay <= d1:
                return row["pesq"] - (p0 + (p1 - p0) * (delay - d0) / (d1 - d0))
        return row["pesq"] - points[-1][1]


def target(name: str) -> str:
    plcmos, pesq, delay = TARGETS[name]
    return f"{plcmos:.2f} / {pesq:.2f} @{delay}"


def missed(row: Row, name: str) -> str:
    """By how much a row misses its target, in words; what is reached is not said."""
    plcmos, pesq, delay = TARGETS[name]
    parts = []
    if row["plcmos"] < plcmos - 0.05:
        parts.append(f"PLCMOS -{plcmos - row['plcmos']:.2f}")
    if row["pesq"] < pesq - 0.03:
        parts.append(f"PESQ -{pesq - row['pesq']:.2f}")
    if row["delay_ms"] > delay + 3:
        parts.append(f"+{row['delay_ms'] - delay:.0f} ms")
    return ", ".join(parts)


def behind(row: Row, other: Row) -> str:
    """Where a row without copies falls behind NetEQ's: more delay, less PESQ, PLCMOS lower by more than 0.1."""
    parts = []
    if row["delay_ms"] > other["delay_ms"]:
        parts.append(f"+{row['delay_ms'] - other['delay_ms']:.0f} ms")
    if row["pesq"] < other["pesq"]:
        parts.append(f"PESQ -{other['pesq'] - row['pesq']:.2f}")
    if row["plcmos"] < other["plcmos"] - 0.1:
        parts.append(f"PLCMOS -{other['plcmos'] - row['plcmos']:.2f}")
    return ", ".join(parts)


def kilobits(row: Row) -> str:
    return f"{row['info']['kbps']:.0f}"


def main_table(bench: Any) -> list[str]:
    lines = [
        "| trace | to reach | ours | kbit/s | missed by | without copies | kbit/s | NetEQ | behind NetEQ by |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in LOSS + JITTER:
        trace = bench.trace(name)
        full = bench.ours(trace)
        plain = bench.ours(trace, more="--no-redundancy", name="ours-no-copies")
        neteq = bench.neteq(trace)
        lines.append(
            f"| {name} | {target(name)} | {figures(full)} | {kilobits(full)} | {missed(full, name)} | {figures(plain)} | "
            f"{kilobits(plain)} | {figures(neteq)} | {behind(plain, neteq)} |"
        )
    return lines


def slow_reports(bench: Any) -> list[str]:
    lines = ["| trace | reports every 5 s | every 1 s |", "| --- | --- | --- |"]
    for name in ["iid10", "iid20", "iid30", "ge05", "ge20"]:
        trace = bench.trace(name)
        slow = bench.ours(trace, more="--reports 5", name="ours-5s")
        lines.append(f"| {name} | {figures(slow)} | {figures(bench.ours(trace))} |")
    return lines


def jitter_table(bench: Any, offsets: list[int]) -> list[str]:
    lines = [
        "| trace, offset | ours, no copies | over the line | fixed 40 | fixed 120 | fixed 200 | fixed 400 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    differences = []
    for name in JITTER:
        rows = []
        for offset in offsets:
            trace = bench.shifted(name, offset)
            row = bench.ours(trace, more="--no-redundancy", name="ours-no-copies")
            over = bench.over_line(row, trace)
            rows.append(row)
            differences.append(over)
            fixed = " | ".join(figures(bench.fixed(trace, depth)) for depth in DEPTHS)
            lines.append(f"| {name}, {offset} | {figures(row)} | {over:+.2f} | {fixed} |")
        if len(rows) > 1:
            mean = {key: statistics.mean(row[key] for row in rows) for key in ("plcmos", "pesq", "delay_ms")}
            over = statistics.mean(differences[-len(rows) :])
            lines.append(f"| **{name}, mean** | {figures(mean)} | {over:+.2f} | | | | |")
    lines += ["", f"Mean {statistics.mean(differences):+.2f}, least {min(differences):+.2f} PESQ."]
    return lines


def made_table(bench: Any) -> list[str]:
    # PLCMOS hardly tells a moved delay from none, and takes most of the time.
    plcmos = bench.plc.S.plcmos
    bench.plc.S.plcmos = lambda *_: float("nan")
    folder = os.path.join(bench.options.work, "made")
    os.makedirs(folder, exist_ok=True)
    differences = []
    lines = [
        "| trace | held back | ours | over the line | fixed 40 | fixed 120 | fixed 200 | fixed 400 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, path, tuned in made_traces.write(folder):
        row = bench.ours(path, more="--no-redundancy", name="ours-no-copies")
        over = bench.over_line(row, path)
        differences.append(over)
        fixed = " | ".join(figures(bench.fixed(path, depth)) for depth in DEPTHS)
        lines.append(f"| {name} | {'' if tuned else 'yes'} | {figures(row)} | {over:+.2f} | {fixed} |")
    bench.plc.S.plcmos = plcmos
    lines += ["", f"Mean {statistics.mean(differences):+.2f}, least {min(differences):+.2f} PESQ."]
    return lines


def narrowband(bench: Bench, trace: str, ours: Any) -> Row:
    """PESQ (P.862, narrowband) of G.711 through a trace, and its mean delay."""
    import numpy
    import pesq
    import score

    speech, segments = bench.plc.program(bench.options.corpus, 16000)
    speech = score.resample(speech, 16000, 8000)
    with tempfile.TemporaryDirectory() as folder:
        source, target = folder + "/in.raw", folder + "/out.raw"
        numpy.clip(speech * 32768, -32768, 32767).astype("<i2").tofile(source)
        if ours:
            command = [
                os.environ["YODEL"],
                "replay",
                "--rate",
                "8000",
                "--codec",
                "pcmu",
                "--in",
                source,
                "--trace",
                trace,
                "--fec",
                "0",
                "--out",
                target,
            ]
        else:
            command = [os.path.join(bench.options.work, "bin", "spandsp_plc"), source, trace, target]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        heard = numpy.fromfile(target, "<i2") / 32768
    values = []
    for start, end, _ in segments:
        start, end = max(0, start // 2 - 1200), end // 2 + 1200
        reference, degraded, _ = score.align(speech[start:end], heard[start : end + 4000], 8000, 500)
        values.append(pesq.pesq(8000, reference, degraded, "nb"))
    return {"pesq": float(numpy.mean(values)), "delay_ms": float(text.split()[0]) if ours else None}


def g711_table(bench: Any) -> list[str]:
    binary = os.path.join(bench.options.work, "bin", "spandsp_plc")
    if not os.path.exists(binary):
        source = os.path.join(ROOT, "scripts", "measures", "spandsp_plc.c")
        subprocess.run(["cc", "-O2", source, "-o", binary, "-lspandsp", "-lm"], check=True)
    folder = os.path.join(bench.options.work, "made")
    os.makedirs(folder, exist_ok=True)
    made = {name: path for name, path, _ in made_traces.write(folder)}
    traces = {name: bench.trace(name) for name in ["clean", "iid05", "iid10", "ge05", "ge20"]}
    traces["ge10_run2"] = made["ge10_run2"]
    lines = ["| trace | ours | spandsp `plc_fillin` |", "| --- | --- | --- |"]
    for name, path in traces.items():
        ours = bench.rows.get(f"g711 ours {name} {bench.version}", lambda: narrowband(bench, path, True))
        theirs = bench.rows.get(f"g711 spandsp {name}", lambda: narrowband(bench, path, False))
        lines.append(f"| {name} | {ours['pesq']:.2f} @{ours['delay_ms']:.0f} | {theirs['pesq']:.2f} |")
    return lines


def kept(path: str, heading: str) -> list[str]:
    """What the page says under a heading that is not measured this time: it stays."""
    if not os.path.exists(path):
        return []
    sections = ("\n" + open(path).read()).split("\n## ")
    return next((["", *f"## {text}".rstrip().split("\n")] for text in sections[1:] if text.startswith(heading)), [])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--neteq", action="store_true")
    parser.add_argument("--offsets", type=lambda text: [int(word) for word in text.split(",")])
    options = parser.parse_args()
    bench = Bench(options)
    day = datetime.date.today().isoformat()
    how = "run in real time over the same traces" if options.neteq else "rows that the bench keeps of earlier runs"
    asked = "--quick " * options.quick + "--neteq " * options.neteq
    if options.offsets:
        asked += f"--offsets {','.join(map(str, options.offsets))} "
    page = [
        "# The receive path, measured",
        "",
        f"Taken on {day} with `scripts/bench-receive {asked}BENCH_DIR`. Seven utterances of 60 s "
        "in all, 16 kHz, Opus in packets of 20 ms, device pulls of 10 ms. Figures are PLCMOS / PESQ @ mean delay in ms: "
        "network and buffer, without the codec's look-ahead. One set of constants for all rows. The sender hears of loss by "
        "RTCP alone, every second unless said otherwise, so that the first seconds are unprotected. NetEQ is WebRTC with its "
        f"own Opus and in-band FEC: {how}; it does not repeat exactly (0.1 PLCMOS, 0.14 PESQ, 12 ms). Rates are of the payload. An empty cell under *missed* or *behind* means that nothing is.",
        "",
        "## Recorded and drawn networks",
        "",
    ]
    page += main_table(bench)
    page += ["", "## How soon the sender hears of loss", ""] + slow_reports(bench)
    page += [
        "",
        "## Jitter, against fixed buffers",
        "",
        "*Over the line*: PESQ above the line through the fixed buffers of 40, 120, 200 and 400 ms at the same delay. "
        "*Offset*: the packet at which the recording is entered.",
        "",
    ]
    page += jitter_table(bench, options.offsets or ([0] if options.quick else OFFSETS))
    path = os.path.join(ROOT, "docs", "receive-figures.md")
    if options.quick:
        page += kept(path, "Made-up networks")
    else:
        page += [
            "",
            "## Made-up networks",
            "",
            f"Taken on {day}. Drawn by `scripts/measures/made_traces.py`; *held back*: no constant was chosen by it. "
            "PESQ @ mean delay alone.",
            "",
        ]
        page += made_table(bench)
    page += [
        "",
        "## G.711",
        "",
        "PESQ (narrowband) of G.711 at 8 kHz. spandsp stands behind a buffer deep enough for every packet.",
        "",
    ]
    page += g711_table(bench)
    page += kept(path, "Live")
    with open(path, "w") as file:
        file.write("\n".join(page) + "\n")


main()
