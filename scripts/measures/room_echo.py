"""A room's echo: what its loudspeaker plays comes back to its microphone: `room_echo.py SOURCE SINK GAIN_DB` until killed.

PulseAudio's own module-loopback between two channels of one null sink has the server rewind without end (45-98 % of two
cores, all streams stand still for seconds, with plain arecord and aplay too); a recorder and a player cost 1 %.
"""

import contextlib
import os
import signal
import subprocess
import sys

import numpy as np

FORMAT = ["--raw", "--format=s16le", "--rate=48000", "--channels=1"]


def main(source: str, sink: str, gain_db: str) -> None:
    gain = 10 ** (float(gain_db) / 20)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(3))
    recorder = subprocess.Popen(["parec", "-d", source, "--latency-msec=5", *FORMAT], stdout=subprocess.PIPE)
    player = subprocess.Popen(["pacat", "-d", sink, "--latency-msec=20", *FORMAT], stdin=subprocess.PIPE)
    assert recorder.stdout and player.stdin
    try:
        while block := os.read(recorder.stdout.fileno(), 9600):
            samples = np.frombuffer(block, np.int16) * gain
            player.stdin.write(samples.astype(np.int16).tobytes())
            player.stdin.flush()
    finally:
        recorder.kill()
        player.kill()


main(*sys.argv[1:])
