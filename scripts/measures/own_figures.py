"""What yodel says about itself: the loopback call over real UDP in a simulated room, the same offline on bad
networks, Benchmarks."""

import json
import os
import signal
import statistics
import subprocess
import time

import instructions
from figures import Figures
from kinds import Row

NETWORKS = [
    ("clean", ""),
    ("jitter 0-30 ms", "jitter=30"),
    ("120 ms spike every 5 s", "spike=5000:120"),
    ("5 % loss in bursts of 2", "loss=5,burst=2"),
]


def report(yodel: str, *arguments: str) -> Row | None:
    done = subprocess.run([yodel, "loopback", "--json", *arguments], capture_output=True, text=True)
    reports = [
        e for e in map(json.loads, filter(lambda s: s.startswith("{"), done.stdout.splitlines())) if e.get("type") == "report"
    ]
    if not reports:
        print(
            f"     loopback {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-200:]}",
            flush=True,
        )
        return None
    return reports[-1]


def loopback(yodel: str, figures: Figures, quick: bool) -> None:
    seconds = "10" if quick else "60"
    live = report(yodel, "--duration", seconds)
    way = (live or {}).get("a_to_b", {})
    note = f"`yodel loopback`, {seconds} s, its own statement"
    figures.add("mouth to ear, simulated room, real UDP", way.get("mouth_to_ear_ms"), "ms", note=note)
    for key, unit in (("cpu_seconds_per_minute", "s/min"), ("peak_rss_mib", "MiB")):
        value = (live or {}).get(key, way.get(key))
        figures.add(f"two endpoints in one process: {key.rsplit('_', 1)[0].replace('_', ' ')}", value, unit, note=note)
    for name, network in NETWORKS:
        arguments = ["--offline", "--duration", "60", "--seed", "1", *(["--network", network] if network else [])]
        way = (report(yodel, *arguments) or {}).get("a_to_b", {})
        note = f"`yodel loopback {' '.join(arguments)}`"
        figures.add(f"offline, {name}: mouth to ear", way.get("mouth_to_ear_ms"), "ms", note=note)
        ratio = way.get("concealed_ratio")
        figures.add(f"offline, {name}: concealed", None if ratio is None else round(60000 * ratio), "ms/min", note=note)
    executed = instructions.offline_minute(yodel)
    figures.add(
        "offline, clean: instructions of a minute, both endpoints",
        None if executed is None else round(executed / 1e6),
        "million",
        note="callgrind, 20 s less 5 s of `yodel loopback --offline --seed 1`",
    )
    ends = [until_end(yodel) for _ in range(2 if quick else 5)]
    figures.add(
        "a call ends after SIGTERM", round(max(ends), 2), "s", 1, f"worst of {len(ends)}, median {statistics.median(ends):.2f}"
    )


def until_end(yodel: str) -> float:
    """Seconds from SIGTERM in the middle of a call to the end of the process."""
    with subprocess.Popen([yodel, "loopback", "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if '"media_started"' in line:
                break
        asked = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
        process.wait()
        return time.monotonic() - asked


def benchmarks(root: str, figures: Figures, quick: bool) -> None:
    """The Benchmarks package: ring against JACK's in one run, and what each stage of the picture costs per 20 ms."""
    command = ["swift", "run", "--package-path", os.path.join(root, "Benchmarks"), "-c", "release", "yodel-benchmarks"]
    done = subprocess.run([*command, "--json", *(["--quick"] if quick else [])], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        figures.add("Benchmarks", None, note=f"ended with {done.returncode}")
        return
    report = json.loads(done.stdout.splitlines()[-1])
    for ring in report["rings"]:
        figures.add(f"ring, {ring['name']}", ring["yodel_ns"], "ns", ring["jack_ns"], "bound: jack_ringbuffer in the same run")
    for stage in report["stages"]:
        figures.add(
            f"cost of 20 ms, {stage['name']}",
            round(stage["per_20ms_ns"] / 1000, 2),
            "us",
            note=f"{stage['load_ratio']:.2%} of a core",
        )
