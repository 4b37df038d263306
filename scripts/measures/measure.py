#!/usr/bin/python3
"""Run by scripts/measure, which sees to packages and the build: takes the figures and writes them under docs/."""

import argparse
import os
import shutil
import signal
import statistics
import sys
import time
from typing import Any

import bench_calls
import live_echo
import own_figures
import stops
from bench_calls import GSTREAMER, ORDINARY
from figures import Figures, difference, median, worst
from kinds import Row

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "checks"))
from rig import speech
from rig.stillness import Stillness

PARTS = ("clean", "networks", "cost", "echo", "long", "stops", "loopback", "benchmarks")
BEST_PEER_MS = 93.9  # GStreamer, Opus 20 ms, on the same bench
BARESIP_LIKE_US = '"opus_stereo no" "opus_sprop_stereo no" "opus_application voip" "opus_complexity {complexity}"'
OPUS_COMPLEXITY = 5
# Impairment, most delay in ms, most gaps in ms a minute.
NETWORKS = (
    ("jitter 0-30 ms", "jitter=30,warm=2000", 95, 0),
    ("spikes of 120 ms every 5 s", "spike=5000:120,warm=2000", 200, 0),
    ("5 % loss in bursts of 2", "loss=5,burst=2", 120, 150),
)


def clean_delay(bench: Any, figures: Figures, repeats: int) -> None:
    medians, errors = [], []
    for i in range(repeats):
        row = bench.call(f"clean{i}", bench.commands(), count=25)
        if row.get("a_to_b", {}).get("found"):
            medians.append(row["a_to_b"]["median_ms"])
            stated = bench_calls.ledger(row)
            errors += [] if stated is None else [abs(stated - medians[-1])]
    note = f"{len(medians)} calls: " + ", ".join(f"{m:.1f}" for m in medians)
    figures.add("mouth to ear, Opus 20 ms, clean", median(medians), "ms", BEST_PEER_MS, note + "; aim 75")
    figures.add("ledger against measured, clean", worst(errors), "ms", 10, "largest difference of any call")
    row = bench.call("clean-alsa", bench.commands(device=bench_calls.BY_ALSA), count=25)
    figures.add("mouth to ear, Opus 20 ms, clean, by ALSA", row.get("a_to_b", {}).get("median_ms"), "ms", BEST_PEER_MS)


def bad_networks(bench: Any, figures: Figures, seconds: float) -> None:
    """Bad lines, the best peer in the same run on the same lines."""
    stillness = Stillness()
    for what, impair, most_ms, most_gaps in NETWORKS:
        name, began = impair.split("=")[0], time.monotonic()
        row = bench.call(name, bench.commands(), count=25, tone_seconds=seconds, impair=impair)
        heard = row.get("a_to_b", {})
        figures.add(f"mouth to ear, {what}", heard.get("median_ms"), "ms", most_ms, f"at most {heard.get('max_ms')}")
        tone = row.get("tone", {})
        note = stood_still(stillness.since(began))
        figures.add(f"gaps, {what}", tone.get("gap_ms_per_min"), "ms/min", most_gaps, note)
        figures.add(f"ledger against measured, {what}", difference(bench_calls.ledger(row), heard.get("median_ms")), "ms", 10)
        if shutil.which("gst-launch-1.0"):
            peer = bench.call(f"gst-{name}", GSTREAMER, count=25, tone_seconds=seconds, impair=impair)
            gaps = peer.get("tone", {}).get("gap_ms_per_min")
            figures.add(f"GStreamer, {what}", peer.get("a_to_b", {}).get("median_ms"), "ms", None, f"gaps {gaps} ms/min")

    # One series alone says little. The caller has sent for about 8.5 s when the first chirp comes.
    period, backs, began = 0.6, [], time.monotonic()
    for i in range(3):
        series = bench.delay_series(f"spike{i}", "spike=20000:120,warm=8000", count=100, period=period)
        backs += bench_calls.times_back(series, 100, period, first_ms=20_000 - 8_500, every_ms=20_000)
    figures.add(
        "back at its delay after a spike of 120 ms",
        max((seconds for seconds, _ in backs), default=None),
        "s",
        5,
        f"a spike every 20 s; the worst of: {', '.join(str(seconds) for seconds, _ in backs)}; 5 s after at most "
        f"{max((left for _, left in backs), default=0):.0f} ms above it; {stood_still(stillness.since(began))}",
    )


def long_call(bench: Any, figures: Figures, seconds: float) -> None:
    stillness = Stillness()
    for name, prefix, real_time in (("real-time priority", "", 2), ("ordinary priority", ORDINARY, 0)):
        began = time.monotonic()
        row = bench.long_call(f"long-{real_time}", bench.commands(prefix=prefix), seconds, real_time)
        what = f"{seconds / 60:g} min call, {name}"
        tone = row.get("tone", {})
        note = f"the player's own: {tone.get('said_gap_ms_per_min')}; {stood_still(stillness.since(began))}"
        figures.add(f"{what}: gaps", tone.get("gap_ms_per_min"), "ms/min", 0, note)
        figures.add(
            f"{what}: xruns",
            bench_calls.xruns_in_the_middle(row),
            "",
            0 if real_time else None,
            f"all of it, measuring programs' start and end too: {bench_calls.xruns(row)}",
        )
        figures.add(f"{what}: mouth to ear", row.get("a_to_b", {}).get("median_ms"), "ms")


def stood_still(lengths: list[float]) -> str:
    """In words, what kept every program of the machine from running, ms each time."""
    longest = f", for up to {max(lengths):.0f} ms" if lengths else ""
    return f"the machine stood still {len(lengths)} times{longest}"


def cost(bench: Any, figures: Figures, seconds: float, repeats: int) -> None:
    """CPU against baresip in the same run, wakeups against arecord and aplay, memory. Both programs take turns: one figure
    alone moves by a tenth with whatever else the machine does."""
    raw = bench.raw_wakeups(20, min(seconds, 20))
    opus = f"--period 20 --bitrate 28000 --complexity {OPUS_COMPLEXITY}"
    for codec, options, peer, extra in (
        ("opus", opus, "opus", BARESIP_LIKE_US.format(complexity=OPUS_COMPLEXITY)),
        # baresip opens the device at the codec's rate and leaves resampling to the sound server.
        ("pcmu", "--period 20 --rate 8000", "PCMU", ""),
    ):
        theirs, ours = [], []
        for i in range(repeats):
            baresip = [f"$BENCH/peers/baresip.sh {side} {peer} {extra}".strip() for side in "ba"]
            theirs.append(process_cost(bench, f"baresip-{codec}{i}", baresip, seconds))
            ours.append(process_cost(bench, f"cost-{codec}{i}", bench.commands(options, codec=codec), seconds))
        figures.add(
            f"CPU, {codec}, 20 ms periods",
            middle(ours, "cpu_s_per_min"),
            "s/min",
            middle(theirs, "cpu_s_per_min"),
            f"bound: baresip in the same run; medians of {repeats}: ours {spread(ours)}, baresip {spread(theirs)}",
        )
        figures.add(
            f"wakeups, {codec}, 20 ms periods",
            middle(ours, "wakeups_per_s"),
            "/s",
            round(raw + 150, 1),
            f"bound: arecord + aplay ({raw:.0f}) + 150",
        )
        figures.add(f"peak RSS, {codec}", middle(ours, "peak_rss_mib"), "MiB", 24)
    for name, way, device in (("server", "", bench_calls.BY_SERVER), ("alsa", ", by ALSA", bench_calls.BY_ALSA)):
        row = process_cost(bench, f"cost-default-{name}", bench.commands(device=device), seconds)
        for key, unit, most in (("cpu_s_per_min", "s/min", 4), ("wakeups_per_s", "/s", 1100), ("peak_rss_mib", "MiB", None)):
            bound = most if device == bench_calls.BY_SERVER else None
            figures.add(f"default periods, opus{way}: {key.split('_')[0]}", row.get(key), unit, bound)
        threads = bench.thread_wakeups(f"threads-default-{name}", bench.commands(device=device), seconds)
        for whose, rates in bench_calls.by_owner(threads).items():
            each = ", ".join(f"{name} {rate:.0f}" for name, rate in sorted(rates.items(), key=lambda one: -one[1]) if rate >= 1)
            total = round(sum(rates.values()), 1) if threads else None
            figures.add(f"default periods, opus{way}: wake-ups, {whose}", total, "/s", None, each)


def echo(bench: Any, figures: Figures, calls: int, seconds: float) -> None:
    """A far room that returns the caller's voice at -10 dB; webrtcdsp beside it where GStreamer is installed."""
    rows, medians = live_echo.measure(bench, calls, seconds)
    for program, figure in medians.items():
        if figure is None:
            continue
        is_ours = program == "yodel"
        each = ", ".join(f"{r['erle_converged_db']:.0f}" for r in rows if program in r["name"] and "erle_converged_db" in r)
        note = f"medians of {calls} calls: {each}"
        figures.add(f"echo taken off, {program}, first 5 s", figure["erle_first5s_db"], "dB", at_least=15 if is_ours else None)
        figures.add(
            f"echo taken off, {program}, converged",
            figure["erle_converged_db"],
            "dB",
            note=note,
            at_least=30 if is_ours else None,
        )
        worst_call = figure["worst_converged_db"]
        figures.add(f"echo taken off, {program}, worst call", worst_call, "dB", at_least=20 if is_ours else None)


def process_cost(bench: Any, name: str, commands: list[str], seconds: float) -> Row:
    return bench.call(name, commands, count=2, cpu_seconds=seconds, talk=bench.talk).get("cpu_a", {})


def middle(rows: list[Row], key: str) -> float | None:
    values = [row[key] for row in rows if row.get(key) is not None]
    return round(statistics.median(values), 2) if values else None


def spread(rows: list[Row]) -> str:
    return ", ".join(f"{row['cpu_s_per_min']:.2f}" for row in rows if row.get("cpu_s_per_min") is not None)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bench")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--only", help="some parts; the other rows stay: " + ",".join(PARTS))
    given = options.parse_args()
    parts = given.only.split(",") if given.only else PARTS
    if unknown := set(parts) - set(PARTS):
        options.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    # Endpoints and sound servers are ended on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    yodel, figures, quick = os.environ["YODEL"], Figures(), given.quick
    docs, is_whole = os.path.join(ROOT, "docs"), False
    try:
        if given.bench:
            with bench_calls.Bench(given.bench, yodel) as bench:
                speech.write(bench.talk, 48000, 20)
                for part, measure in (
                    ("clean", lambda: clean_delay(bench, figures, repeats=1 if quick else 5)),
                    ("networks", lambda: bad_networks(bench, figures, seconds=15 if quick else 30)),
                    ("cost", lambda: cost(bench, figures, seconds=15 if quick else 25, repeats=1 if quick else 3)),
                    ("echo", lambda: echo(bench, figures, calls=1 if quick else 5, seconds=40)),
                    ("long", lambda: long_call(bench, figures, seconds=30 if quick else 600)),
                    ("stops", lambda: stops.on_the_bench(bench, figures, quick)),
                ):
                    if part in parts:
                        measure()
        else:
            print("no bench folder given: delay, gaps and cost against other programs are not measured", flush=True)
        if "stops" in parts:
            stops.main_job(yodel, figures, calls=1 if quick else 5)
        if "loopback" in parts:
            own_figures.loopback(yodel, figures, quick)
        if "benchmarks" in parts:
            own_figures.benchmarks(ROOT, figures, quick)
        is_whole = not given.only
    finally:
        # What was taken counts also where something ends it early.
        missed = figures.missed
        if figures.rows:
            how = "calls on the bench, loopback and benchmarks"
            if not is_whole:
                how = figures.keep(docs)
            elif not given.bench:
                how = "loopback and benchmarks only, without the call bench"
            elif quick:
                how += ", shortened"
            figures.write(docs, how)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
