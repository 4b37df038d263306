"""How much of its own voice a caller hears back when the other's room echoes: `live_echo.py BENCH YODEL [CALLS] [SECONDS]`.

Two endpoints over the bench's sound server and real UDP, the far room's loudspeaker in its microphone at -10 dB; ours, and
GStreamer's webrtcdsp beside it where it is installed. Prints a row for each call, then medians.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from typing import Any

from kinds import Row

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "checks"))
import bench_calls

from rig import speech

# BUF and LAT in microseconds: with less its canceller hears no reference
GSTREAMER = "env DSP=1 DSPOPT=gain-control=false BUF=40000 LAT=10000 JB=40"
FIGURES = ["erle_first5s_db", "erle_converged_db"]


def ours(bench: Any) -> list[str]:
    return [line.replace("--no-voice-processing ", "") for line in bench.commands()]


def webrtcdsp(bench: Any) -> list[str]:
    return [f"{GSTREAMER} {bench.folder}/peers/gst.sh {side} opus" for side in "ba"]


def call(bench: Any, name: str, commands: list[str], seconds: float) -> Row:
    """One call: the far side's echo as the near side hears it."""
    with bench.endpoints(name, commands, {}) as environment:
        # its own group: the recorder and the player end with it
        echo = subprocess.Popen(
            [bench.python, f"{HERE}/room_echo.py", "spk_b_src", "mic_b", "-10"], env=environment, start_new_session=True
        )
        try:
            row = bench.sound(environment, f"--echo={bench.talk}", f"--seconds={seconds}")
        finally:
            os.killpg(echo.pid, 15)
            echo.wait()
    states = [e["echo"] for e in bench.events(f"{bench.work}/{name}-b.log") if e.get("type") == "stats" and e.get("echo")]
    return row | {"name": name, "health": states[-1] if states else None}


def measure(bench: Any, calls: int, seconds: float) -> tuple[list[Row], Row]:
    """Rows of all calls, and their medians by program."""
    speech.write(bench.talk, 48000, 20)
    programs = {"yodel": ours} | ({"webrtcdsp": webrtcdsp} if shutil.which("gst-launch-1.0") else {})
    rows: list[Row] = []
    medians: Row = {}
    for program, commands in programs.items():
        for number in range(calls):
            row = call(bench, f"echo-{program}-{number}", commands(bench), seconds)
            rows.append(row)
            print(json.dumps(row), flush=True)
        own = [row for row in rows if row["name"].startswith(f"echo-{program}-") and row.get("far_speaker_dbfs", -99) > -80]
        medians[program] = None
        if own:
            figures = {f: round(statistics.median(row[f] for row in own), 1) for f in FIGURES}
            medians[program] = figures | {"worst_converged_db": min(row["erle_converged_db"] for row in own)}
    return rows, medians


if __name__ == "__main__":
    folder, yodel, calls, seconds = (*sys.argv[1:], *["5", "40"][len(sys.argv) - 3 :])[:4]
    with bench_calls.Bench(folder, yodel) as opened:
        print(json.dumps(measure(opened, int(calls), float(seconds))[1]))
