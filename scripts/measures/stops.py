"""Calls on a machine that stands still now and then: the part `stops` of scripts/measure, about 70 minutes, as root.

All processors stop at once (rig/standing.py), or one endpoint's process alone. Other programs' calls go beside. The processors are kept
awake (rig/awake.py), so that few stops come besides those that are made. A call begins when the host is quiet, and is made again where it
was not for long. What is left of the host's own stops is in all that is measured, and in the calls without made stops as well: the delay
and its growth are judged by as many of those. The longest stop is the longest there was, whoever made it. Gaps are counted but for
moments in which the host makes the whole machine slow (rig/stillness.py); what is left out is told.
"""

import contextlib
import dataclasses
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench_calls import BARESIP, BY_ALSA, BY_SERVER, GSTREAMER, ORDINARY, delays_told, stats_between
from figures import Figures, difference, worst
from kinds import Row

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "checks"))
from rig.awake import TOLD, awake
from rig.standing import LONGEST_MS, REFUSED, Standing, bounds, may_rule, stand_once
from rig.stillness import Sluggishness, Stillness, disturbances, is_near, overlap, undisturbed

# Lengths of the stops, and the longest, in ms.
LENGTHS = (("4-12", 12), ("4-21", 21))
EVERY_S = 0.7
# A stop that lasts so much longer than any that was made is the machine's own, ms.
NOTICED_MS = 2.0
# So long after the stops the former delay is back, within so many ms, in seconds.
BACK_S, BACK_MS = 5, 3
# So often it is measured at most: where the machine itself stands still meanwhile, the stops are not over.
TRIES = 3
# So often a call is made at most, and so many are made again in all: one from which the host withheld the processors has other stops
# than those that were made.
CALLS, MOST_AGAIN = 5, 15
# A call in which the host made the machine slow, or let it stand still for longer than was made, for more than this part of it is made
# again. Without made stops that is longer than QUIET_MS, in ms: what a call's delay is the same with.
RESTLESS_PART = 0.03
QUIET_MS = 5.0
# So many cores may be busy when a call begins: those that are kept awake are.
BUSY = 99
# A call among stops is heard by so many chirps that follow each other; the first and the last PART of them are compared.
CHIRPS_OF_CALL, CHIRP_OF_CALL_S, PART = 46, 1.2, 15
# A gap at a single stop is told from the host's where no such moment is so near, in seconds.
SINGLE_NEAR_S = 1.0
# A single stop comes so long after the sound began, in seconds; a chirp each CHIRP_S, of which CHIRPS make a median, the first of them so long
# after the measuring program was started, at least and at most.
STOP_AT_S = 12.0
CHIRP_S, CHIRPS = 0.6, 8
FIRST_CHIRP_S = (0.8, 2.2)


def on_the_bench(bench: Any, figures: Figures, quick: bool) -> None:
    if not may_rule():
        return figures.add("calls on a machine that stands still", None, note=REFUSED)
    with awake():
        calls_among_stops(bench, figures, quick)


@dataclasses.dataclass
class Quiet:
    """Calls without made stops: the longest delay, and the most that one grows by in half a minute, in ms."""

    delay: float | None
    growth: float

    def bound(self, longest_ms: float) -> float | None:
        """What may be heard where the longest stop lasts so long."""
        return None if self.delay is None else self.delay + longest_ms + BACK_MS


def calls_among_stops(bench: Any, figures: Figures, quick: bool) -> None:
    calls, seconds = (1, 20) if quick else (5, 60)
    quiet = quiet_calls(bench, figures, calls)
    for lengths, longest in LENGTHS:
        what = f"stops of {lengths} ms every {EVERY_S} s"
        rows = [restless_call(bench, f"stops-{lengths}-{i}", lengths, seconds) for i in range(calls)]
        add(figures, what, rows, quiet, longest)
        by_alsa = restless_call(bench, f"stops-alsa-{lengths}", lengths, seconds, device=BY_ALSA)
        add(figures, f"{what}, by ALSA", [by_alsa], quiet, longest)
        peers(bench, figures, lengths, what, seconds)
        alone = restless_call(bench, f"stops-one-{lengths}", lengths, seconds, is_one_end=True)
        add(figures, f"{what}, of the sender alone", [alone], quiet, longest)
        figures.add(f"reason `sender`, {what}, of the sender alone", alone["sender_percent"], "%", at_least=90)
        begun_with_server(bench, figures, lengths, what, quiet.bound(longest))
    begun_with_server(bench, figures, None, "quiet", quiet.bound(0))
    for milliseconds, within in ((60, 5), (3000, 1)):
        single_stop(bench, figures, milliseconds, within)
    long_call(bench, figures, 30 if quick else 600, quiet)


def quiet_calls(bench: Any, figures: Figures, calls: int) -> Quiet:
    """The worst of so many calls, as of those among stops: between two the delay differs by a period of the device."""
    rows = [on_a_quiet_host(bench, partial(quiet_call, bench, f"stops-none{number}")) for number in range(calls)]
    delays = known([one for row in rows for one in row["delays"]])
    grown = known([row["growth"] for row in rows])
    note = f"{each('at first and at the end', delays)}; {TOLD}{anew(rows)}"
    figures.add("mouth to ear, quiet, which the stops are judged by", worst(delays), "ms", note=note)
    figures.add("growth in half a minute, quiet, which the stops are judged by", worst(grown), "ms", note=each("calls", grown))
    return Quiet(worst(delays), max([0.0, *grown]))


def quiet_call(bench: Any, name: str) -> Row:
    host = Sluggishness()
    with bench.endpoints(name, bench.commands(), {}) as environment:
        heard = heard_in(*parts(bench, environment))
    restless = host.restless_part([], QUIET_MS)
    host.end()
    return heard | {"restless": restless}


def heard_in(first: Row, last: Row) -> Row:
    """The delay in two parts of a call, and how much more it is in the last."""
    return {"delays": [first.get("median_ms"), last.get("median_ms")], "growth": rise(mean(first), mean(last))}


def on_a_quiet_host(bench: Any, call: Callable[[], Row]) -> Row:
    """What a call gives; `made_again` tells how often it was made again for that, `is_disturbed` that the host was restless even so."""
    tries = min(CALLS, 1 + MOST_AGAIN - bench.made_again)
    row, again, disturbed = undisturbed(call, tries, was_restless)
    bench.made_again += again
    return row | {"made_again": again, "is_disturbed": disturbed}


def was_restless(row: Row) -> bool:
    return bool(row["restless"] > RESTLESS_PART)


def anew(rows: list[Row]) -> str:
    """How often these calls were made again, and which of them were disturbed even then."""
    text = disturbances(sum(row["made_again"] for row in rows), sum(row["is_disturbed"] for row in rows))
    return f"; {text}" if text else ""


def restless_call(
    bench: Any, name: str, lengths: str, seconds: float, is_one_end: bool = False, device: str = BY_SERVER
) -> Row:
    return on_a_quiet_host(bench, partial(call_among_stops, bench, name, lengths, seconds, is_one_end, device))


def call_among_stops(bench: Any, name: str, lengths: str, seconds: float, is_one_end: bool, device: str) -> Row:
    """A call of about two minutes that begins among stops, or has them at the caller alone; they end some seconds before it does:
    what is heard from caller to callee, and what the callee says of it."""
    with contextlib.ExitStack() as stack:
        host = Sluggishness()
        stack.callback(host.end)
        standing = None if is_one_end else stack.enter_context(Standing(lengths, EVERY_S))
        environment = stack.enter_context(bench.endpoints(name, bench.commands(device=device), {}, settle=2))
        if standing is None:
            standing = stack.enter_context(Standing(lengths, EVERY_S, processes=[bench.running[1].pid]))
        tone = bench.tone(environment, seconds)
        longest_made = bounds(lengths)[1] + NOTICED_MS
        slow = host.moments([] if is_one_end else standing.made(), longest_made)
        first, last = parts(bench, environment)
        longest = host.longest()
        restless = host.restless_part([] if is_one_end else standing.made(), longest_made)
        standing.end()
        after, tries = delay_afterwards(bench, environment)
    events = bench.events(f"{bench.work}/{name}-b.log")
    reasons = [event.get("buffer_target_reason") for event in stats_between(events, first["span"][0], last["span"][1])]
    return {
        "tone": tone,
        "gaps": gaps_of_the_call(tone, slow),
        **heard_in(first, last),
        "longest": longest,
        "restless": restless,
        "after": after.get("median_ms"),
        "tries": tries,
        "errors": [error(events, heard) for heard in (first, last)],
        "sender_percent": round(100 * reasons.count("sender") / len(reasons)) if reasons else None,
    }


def gaps_of_the_call(tone: Row, slow: list[tuple[float, float]]) -> Row:
    """Gaps in a tone but for the parts in which the host made the machine slow, ms a minute of the rest; and what those parts are."""
    if "gap_ms_per_min" not in tone:
        return {}
    heard, length, first, began = tone["tone_heard_s"], tone["part_s"], tone["first_s"], tone["recording_began"]

    def is_slow(part: float) -> bool:
        return is_near((began + part, began + part + length), slow)

    left_out = length * sum(is_slow(first + part) for part in range(length, math.ceil(heard) + length, length))
    host = sum(ms for part, ms in tone["gaps_ms"] if is_slow(part))
    own = max(0.0, tone["gap_ms_per_min"] * heard / 60 - host)
    minutes = max(heard - left_out, length) / 60
    return {"ms": round(own, 1), "ms_per_min": round(own / minutes, 1), "host_ms": round(host, 1), "left_out_s": left_out}


def parts(bench: Any, environment: dict[str, str]) -> tuple[Row, Row]:
    """The delay at first and half a minute later, as `delay`. One program listens all the while: one that joins makes the sound
    servers' blocks lie elsewhere, by up to 5 ms, which is no growth of the call's. Nothing is known where the last part may be missing."""
    began = time.time()
    series = bench.chirps(environment, CHIRPS_OF_CALL).get("series_ms", [])
    if len(series) <= CHIRPS_OF_CALL - PART:
        series = []
    found = []
    for first in (0, CHIRPS_OF_CALL - PART):
        row: Row = {"span": (began + first * CHIRP_OF_CALL_S, began + (first + PART) * CHIRP_OF_CALL_S)}
        some = series[-PART:] if first else series[:PART]
        found.append(row | ({"series_ms": some, "median_ms": statistics.median(some)} if some else {}))
    return found[0], found[1]


def delay(bench: Any, environment: dict[str, str], count: int) -> Row:
    """Chirps from caller to callee: their row, and when they went through."""
    began = time.time()
    row: Row = bench.sound(environment, f"--count={count}")
    return row | {"span": (began, time.time())}


def delay_afterwards(bench: Any, environment: dict[str, str]) -> tuple[Row, int]:
    """The delay when the stops are over, those of the machine's own as well; and the measuring that it took."""
    stillness, tries = Stillness(), 0
    while True:
        began = time.monotonic()
        time.sleep(BACK_S)
        heard = delay(bench, environment, 8)
        tries += 1
        if tries == TRIES or not stillness.since(began):
            stillness.end()
            return heard, tries


def mean(heard: Row) -> float | None:
    series = heard.get("series_ms")
    return statistics.mean(series) if series else None


def error(events: list[Row], heard: Row) -> float | None:
    """What the callee told of the delay meanwhile, against what was heard, ms."""
    told = delays_told(events, *heard["span"])
    return difference(statistics.median(told) if told else None, heard.get("median_ms"))


def rise(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else round(after - before, 1)


def known(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def left_out(gaps: list[Row]) -> str:
    """In words, what `gaps_of_the_call` left out, call by call."""
    said = ", ".join(f"{one.get('host_ms')} in {one.get('left_out_s')} s" for one in gaps)
    return f"left out, when the host made the machine slow, ms: {said}"


def add(figures: Figures, what: str, rows: list[Row], quiet: Quiet, longest_ms: float) -> None:
    """The worst of all calls each."""
    delays = known([one for row in rows for one in row["delays"]])
    gaps = known([row["gaps"].get("ms_per_min") for row in rows])
    grown = known([row["growth"] for row in rows])
    above = known([rise(quiet.delay, row["after"]) for row in rows])
    errors = known([one for row in rows for one in row["errors"]])
    said = ", ".join(str(row["tone"].get("said_gap_ms_per_min")) for row in rows)
    longest = max([longest_ms, *(row["longest"] for row in rows)])
    note = each("in the middle and at the end", delays) + (
        f"; the longest stop: {longest:.0f} ms" if longest > longest_ms else ""
    )
    figures.add(f"mouth to ear, {what}", worst(delays), "ms", quiet.bound(longest), note)
    figures.add(f"growth in half a minute, {what}", worst(grown), "ms", quiet.growth + BACK_MS, each("calls", grown))
    note = f"{left_out([row['gaps'] for row in rows])}; the player's own: {said}"
    figures.add(f"gaps, {what}", worst(gaps), "ms/min", 10, f"{each('calls', gaps)}; {note}")
    figures.add(f"ledger against measured, {what}", worst(errors), "ms", 10)
    again = sum(row["tries"] - 1 for row in rows)
    note = each("calls", above) + (f"; {again} times again, since the machine itself stood still" if again else "") + anew(rows)
    figures.add(f"above a quiet call's delay {BACK_S} s after {what}", worst(above), "ms", BACK_MS, note)


def each(what: str, values: list[float]) -> str:
    return f"{what}: " + ", ".join(f"{value:.1f}" for value in values)


def peers(bench: Any, figures: Figures, lengths: str, what: str, seconds: float) -> None:
    """Others on the same machine, a call each."""
    for name, program, commands in (("GStreamer", "gst-launch-1.0", GSTREAMER), ("baresip", "baresip", BARESIP)):
        if shutil.which(program):
            with Standing(lengths, EVERY_S):
                row = bench.call(f"{program}-stops-{lengths}", commands, count=25, tone_seconds=seconds, quiet=BUSY)
            gaps = row.get("tone", {}).get("gap_ms_per_min")
            figures.add(f"{name}, {what}", row.get("a_to_b", {}).get("median_ms"), "ms", None, f"gaps {gaps} ms/min")


def begun_with_server(bench: Any, figures: Figures, lengths: str | None, what: str, bound: float | None) -> None:
    bench.restart_rooms()
    with contextlib.ExitStack() as stack:
        if lengths:
            stack.enter_context(Standing(lengths, EVERY_S))
        environment = stack.enter_context(bench.endpoints(f"server-{lengths}", bench.commands(), {}, settle=2))
        first = delay(bench, environment, 10).get("median_ms")
        time.sleep(20)
        last = delay(bench, environment, 10).get("median_ms")
    what = f"mouth to ear, begun with the sound server, {what}"
    figures.add(what, worst(known([first, last])), "ms", bound, f"first {first}, then {last}")


def single_stop(bench: Any, figures: Figures, milliseconds: float, within: float) -> None:
    """One stop in a quiet call: of all processors where Linux lets them stand so long, else of both programs. Gaps and delay are
    measured in a call each: two stops are no single one."""
    name, what = f"one-stop-{milliseconds}", f"one stop of {milliseconds:g} ms"
    is_all = milliseconds <= LONGEST_MS
    if is_all:
        gaps_at_single_stop(bench, figures, f"{name}-gaps", what, milliseconds)
    with bench.endpoints(name, bench.commands(), {}) as environment:
        stopped = [] if is_all else [one.pid for one in bench.running]
        count = math.ceil((STOP_AT_S + milliseconds / 1000 + within) / CHIRP_S) + 2 * CHIRPS
        with stop_after(STOP_AT_S, milliseconds, stopped):
            row = bench.sound(environment, f"--count={count}", f"--period={CHIRP_S}", f"--maxlat={0.9 * CHIRP_S}")
    heard = row.get("series_ms", [])
    # When the first chirp came is known to a second. Those that were missed were missed in the stop.
    first = math.ceil((STOP_AT_S + milliseconds / 1000 + within - FIRST_CHIRP_S[0]) / CHIRP_S) - (count - len(heard))
    last = math.floor((STOP_AT_S - FIRST_CHIRP_S[1]) / CHIRP_S)
    before, after = heard[max(0, last - CHIRPS) : last], heard[first : first + CHIRPS]
    above = rise(statistics.median(before), statistics.median(after)) if before and after else None
    note = f"{each('before', before)}; {each('after', after)}"
    figures.add(f"above its former delay {within:g} s after {what}", above, "ms", BACK_MS, note)


def gaps_at_single_stop(bench: Any, figures: Figures, name: str, what: str, milliseconds: float) -> None:
    """Measured again, `TRIES` times at most, where the host made the machine slow at about the time of the stop."""
    for _ in range(TRIES):
        host = Sluggishness()
        with bench.endpoints(name, bench.commands(), {}) as environment, stop_after(STOP_AT_S, milliseconds, []) as made:
            tone = bench.tone(environment, 2 * STOP_AT_S)
        slow = host.moments(made, milliseconds + NOTICED_MS)
        host.end()
        if not any(overlap((begin - SINGLE_NEAR_S, end + SINGLE_NEAR_S), slow) for begin, end in made):
            break
    gaps = gaps_of_the_call(tone, slow)
    note = f"{left_out([gaps])}; the player's own: {tone.get('said_gap_ms_per_min')} ms/min"
    figures.add(f"gaps, {what}", gaps.get("ms"), "ms", milliseconds, note)


@contextlib.contextmanager
def stop_after(seconds: float, milliseconds: float, processes: list[int]) -> Iterator[list[tuple[float, float]]]:
    """One stop, so long after the body began to run; when that was, to the time that its program takes to start (time.monotonic())."""
    made: list[tuple[float, float]] = []

    def stand() -> None:
        began = time.monotonic()
        stand_once(milliseconds, processes)
        made.append((began, time.monotonic()))

    timer = threading.Timer(seconds, stand)
    timer.start()
    yield made
    timer.join()


def long_call(bench: Any, figures: Figures, seconds: float, quiet: Quiet) -> None:
    lengths, longest = LENGTHS[0]
    what = f"{seconds / 60:g} min call, ordinary priority, stops of {lengths} ms"
    host = Sluggishness()
    with Standing(lengths, EVERY_S) as standing:
        row = bench.long_call("long-stops", bench.commands(prefix=ORDINARY), seconds, 0)
        slow = host.moments(standing.made(), longest + NOTICED_MS)
    longest_ms = max(longest, host.longest())
    host.end()
    tone, told = row.get("tone", {}), delays_told(row["events"]["b"], *row["middle"])
    gaps = gaps_of_the_call(tone, slow)
    note = f"from these seconds on, ms: {tone.get('gaps_ms')}; the player's own: {tone.get('said_gap_ms_per_min')}"
    figures.add(f"{what}: gaps", gaps.get("ms_per_min"), "ms/min", 0, f"{left_out([gaps])}; {note}")
    note = f"heard at last: {row.get('a_to_b', {}).get('median_ms')}; the longest stop: {longest_ms:.0f} ms"
    figures.add(f"{what}: longest delay it states", worst(told), "ms", quiet.bound(longest_ms), note)


def main_job(yodel: str, figures: Figures, calls: int) -> None:
    """The first thing that a newcomer sees."""
    lengths, verdicts = LENGTHS[1][0], []
    what = f"`yodel loopback`, stops of {lengths} ms: calls that do not end good"
    if not may_rule():
        return figures.add(what, None, note=REFUSED)
    for _ in range(calls):
        with Standing(lengths, EVERY_S):
            done = subprocess.run([yodel, "loopback"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        said = [line for line in done.stdout.splitlines() if line.startswith("verdict: ")]
        verdicts.append(said[-1].removeprefix("verdict: ") if said else f"exit {done.returncode}")
    bad = [one for one in verdicts if one != "good"]
    figures.add(what, len(bad), "", 0, "; ".join(verdicts))
