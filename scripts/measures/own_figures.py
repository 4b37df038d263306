"""What yodel says about itself: the loopback call over real UDP in a simulated room, the same offline on bad
networks, Benchmarks."""

import json
import os
import subprocess

NETWORKS = [
    ("clean", ""),
    ("jitter 0-30 ms", "jitter=30"),
    ("120 ms spike every 5 s", "spike=5000:120"),
    ("5 % loss in bursts of 2", "loss=5,burst=2"),
]


def report(yodel, *arguments):
    done = subprocess.run(
        [yodel, "loopback", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    reports = [
        e
        for e in map(json.loads, filter(lambda s: s.startswith("{"), done.stdout.splitlines()))
        if e.get("type") == "report"
    ]
    if not reports:
        print(
            f"     loopback {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-200:]}",
            flush=True,
        )
        return None
    return reports[-1]


def loopback(yodel, figures, quick):
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


def benchmarks(root, figures, quick):
    """The Benchmarks package: ring against JACK's in one run, and what each stage of the picture costs per 20 ms."""
    command = ["swift", "run", "--package-path", os.path.join(root, "Benchmarks"), "-c", "release", "yodel-benchmarks"]
    done = subprocess.run([*command, "--json", *(["--quick"] if quick else [])], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        figures.add("Benchmarks", None, note=f"ended with {done.returncode}")
        return
    report = json.loads(done.stdout.splitlines()[-1])
    for ring in report["rings"]:
        figures.add(
            f"ring, {ring['name']}", ring["yodel_ns"], "ns", ring["jack_ns"], "bound: jack_ringbuffer in the same run"
        )
    for stage in report["stages"]:
        figures.add(
            f"cost of 20 ms, {stage['name']}",
            round(stage["per_20ms_ns"] / 1000, 2),
            "us",
            note=f"{stage['load_ratio']:.2%} of a core",
        )
