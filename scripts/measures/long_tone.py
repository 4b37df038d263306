"""A steady tone through a long call, measured by the bench's m2e.py: `long_tone.py BENCH SECONDS` prints its row.

Player and recorder get real-time priority as always, but the arithmetic does not: for a long tone it takes seconds, and a
processor that computes with real-time priority stops the endpoints that are being measured.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

sys.path.insert(0, sys.argv[1])
import m2e


def in_real_time(start: Callable[..., Any]) -> Callable[..., Any]:
    def started(*arguments: str, **options: Any) -> Any:
        m2e.realtime(3)
        try:
            return start(*arguments, **options)
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

    return started


m2e.record = in_real_time(m2e.record)
# A machine that stands still meanwhile must not make a gap in what is said: the player keeps more than the longest stop.
PLAYER_MS = 400


def with_reserve(play: Callable[..., Any]) -> Callable[..., Any]:
    def played(signal: Any, sink: str, rate: int, latency: int) -> Any:
        return play(signal, sink, rate, max(latency, PLAYER_MS))

    return played


m2e.play = in_real_time(with_reserve(m2e.play))


def noting(report: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*arguments: str) -> Any:
        reports.append(report(*arguments))
        return reports[-1]

    return noted


reports: list[Any] = []  # of what was heard, then of what was said
m2e.tone_report = noting(m2e.tone_report)
row = m2e.tone("a", "b", float(sys.argv[2]))
# A player that starts with a gap of its own makes one for whoever listens.
row["said_gap_ms_per_min"] = reports[-1].get("gap_ms_per_min")
print(json.dumps(row))
