"""A steady tone or many chirps through a call, measured by the bench's m2e.py: `long_sound.py BENCH tone SECONDS` or
`long_sound.py BENCH chirps COUNT` prints its row.

Player and recorder get real-time priority as always, but the arithmetic does not: for a long sound it takes seconds, and a
processor that computes with real-time priority stops the endpoints that are being measured.
"""

import json
import os
import sys
import time
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


# Sound servers stumble when a program joins or leaves, as the player does: of a long tone the middle is what the call does by itself.
MIDDLE_OF_S, FIRST_S, LAST_S = 300, 10, 6
# Gaps are told by parts of the recording too, each PART_S long. What looks for gaps leaves out BESIDE_S at both ends of what it is given.
PART_S, BESIDE_S = 1, 0.2


def tone(seconds: float) -> dict[str, Any]:
    first, last = (FIRST_S, LAST_S) if seconds >= MIDDLE_OF_S else (0, 0)
    reports: list[dict[str, Any]] = []  # of what was heard, then of what was said

    def of_the_middle(report: Callable[..., Any]) -> Callable[..., Any]:
        def reported(sound: Any, rate: int, *frequency: float) -> Any:
            middle = sound[first * rate : len(sound) - last * rate]
            reports.append(report(middle, rate, *frequency))
            reports[-1]["gaps_ms"] = gaps(middle, rate, *frequency)
            return reports[-1]

        def gaps(middle: Any, rate: int, *frequency: float) -> list[tuple[int, float]]:
            """The second of the recording at which each part begins that misses some, and milliseconds that it misses. A tone begins
            after the first part."""
            found, beside = [], round(BESIDE_S * rate)
            for at in range(PART_S * rate, len(middle), PART_S * rate):
                part = report(middle[at - beside : at + PART_S * rate + beside], rate, *frequency)
                missing = part.get("gap_ms_per_min", 0) * part.get("tone_heard_s", 0) / 60
                if missing > 0:
                    found.append((first + at // rate, round(missing, 1)))
            return found

        return reported

    def timed(record: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(*arguments: Any) -> Any:
            began.append(time.monotonic())
            return record(*arguments)

        return recorded

    began: list[float] = []
    m2e.record = timed(m2e.record)
    m2e.tone_report = of_the_middle(m2e.tone_report)
    row: dict[str, Any] = m2e.tone("a", "b", seconds)
    row |= {"recording_began": began[0], "first_s": first, "part_s": PART_S}
    # A player that starts with a gap of its own makes one for whoever listens.
    row["said_gap_ms_per_min"] = reports[-1].get("gap_ms_per_min")
    return row


def main() -> None:
    what, much = sys.argv[2:]
    print(json.dumps(tone(float(much)) if what == "tone" else m2e.measure("a", "b", int(much))))


main()
