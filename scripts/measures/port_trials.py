"""Trials of a port of many calls: the curve to the knee, long calls, calls that come and go, more calls than it carries.

Each gives a `Trial`: what was measured, and what holds of it."""

import time
from dataclasses import dataclass, field

import numpy as np
from port_load import DELAY_MS, RATE, SINGLES, SLOW_MS, Work, gaps_told, hall, missed, over, row, singles

from rig.kinds import Event
from rig.stillness import Sluggishness
from rig.verdict import PATIENCE_S, until

# What may not grow with the number of calls, and by how much.
COST_GROWS, DELAY_GROWS_MS = 0.10, 5.0
# A loop waits once a slot of 5 ms; what is above that is the scheduler's.
WAKEUPS = 200
# Memory of a call by slope, KiB, and processor time that a call-second takes on a quiet machine, ms.
MEMORY_KIB = {"pcmu": 150, "opus": 250}
COST_MS = {"pcmu": 0.9, "opus": 23.0}
# From 10 calls on a call's cost says something: a wake-up is shared by all.
FEW = 10
# Memory of its own that is more than this share of what there was is not the same.
FLAT = 0.02
# A knee is kept for so long, s; where it is not, the next number that is tried is at most this share of it.
KNEE_S, LESS = 60.0, 0.9
# A second with a turn later than this cost somebody something, ms; such seconds are one time where so many lie between them at most.
LATE_TURN_MS, LATE_APART_S = 20.0, 5.0
# Of them a listing shows.
MOST_TIMES = 10
# Arrivals that a jitter buffer remembers take their memory in so long.
FULL_MEMORY_S = 90


@dataclass
class Trial:
    """What one trial measured, told and judged."""

    what: str
    rows: list[Event] = field(default_factory=list)
    # (holds, sentence)
    verdicts: list[tuple[bool, str]] = field(default_factory=list)
    knee: int = 0
    end: str = ""
    # What the host did meanwhile.
    host: str = ""

    def judge(self, holds: bool, sentence: str) -> None:
        self.verdicts.append((bool(holds), sentence))
        print(f"{'PASS' if holds else 'FAIL'} bench-load {self.what}: {sentence}", flush=True)

    def add(self, fresh: Event) -> None:
        """A row, which is told at once."""
        if not self.rows:
            print(head(fresh), flush=True)
        self.rows.append(fresh)
        print(line(fresh), flush=True)


def head(row: Event) -> str:
    return "| " + " | ".join(row) + " |\n|" + "---|" * len(row)


def line(row: Event) -> str:
    return "| " + " | ".join(cell(value) for value in row.values()) + " |"


def cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def curve(work: Work, numbers: list[int], goes_on: bool, hold: float, limit_s: float) -> Trial:
    """A row for each number of calls, and on by the last step to the knee: the greatest number that kept what is asked of it. A
    number that misses is tried once more. No row begins after `limit_s`, but for those that tell whether the knee is kept for longer."""
    trial = Trial(f"curve {work.name}")
    step = max(1, numbers[-1] - numbers[-2]) if len(numbers) > 1 else numbers[-1]
    began, waiting, tried = time.monotonic(), list(numbers), 0
    while waiting:
        if time.monotonic() - began > limit_s:
            trial.end = f"the time of {limit_s:.0f} s was up: the knee may lie higher"
            break
        calls = waiting[0]
        fresh = row(work, calls, hold)
        why = missed(fresh)
        trial.add({**fresh, "missed": why or "nothing"})
        tried += 1
        if why and tried < 2:
            continue
        if why:
            late = fresh["load_late_p99_ms"]
            trial.end = f"{calls} calls: {why}" + (
                "" if fresh["valid"] else f"; those who made the calls were late themselves (p99 {late} ms)"
            )
            break
        trial.knee, tried = calls, 0
        waiting.pop(0)
        if not waiting and goes_on:
            waiting = [calls + step]
    else:
        trial.end = f"{trial.knee} calls were the most that were tried: the knee may lie higher"
    if goes_on:
        confirm_knee(trial, work)
    judge_curve(trial, work.codec)
    return trial


def confirm_knee(trial: Trial, work: Work) -> None:
    """Whether the knee is kept for a minute; where it is not, fewer calls, down to those that are."""
    tried = sorted({row["calls"] for row in trial.rows}, reverse=True)
    while trial.knee:
        fresh = row(work, trial.knee, KNEE_S)
        why = missed(fresh)
        trial.add({**fresh, "missed": why or "nothing"})
        if not why:
            return
        trial.end += f"; {trial.knee} calls for {KNEE_S:.0f} s: {why}"
        trial.knee = next((calls for calls in tried if calls <= LESS * trial.knee), 0)


def judge_curve(trial: Trial, codec: str) -> None:
    kept = [row for row in trial.rows if row["missed"] == "nothing"]
    trial.judge(bool(kept), f"{trial.knee} calls kept p99(mouth_to_ear_ms)<{DELAY_MS:.0f}, gaps==0; {trial.end}")
    several = [row for row in kept if row["calls"] >= FEW]
    if not several:
        return
    first, most = several[0], max(several, key=lambda row: row["cpu_ms_per_call_s"])
    cost, worst = first["cpu_ms_per_call_s"], most["cpu_ms_per_call_s"]
    trial.judge(
        worst <= (1 + COST_GROWS) * cost,
        f"a call-second costs {cost} ms with {first['calls']} calls, {worst} ms at most ({most['calls']} calls)",
    )
    least = min(row["cpu_ms_per_call_s"] for row in several)
    if codec in COST_MS:
        trial.judge(least <= COST_MS[codec], f"{least} ms a call-second at best, {COST_MS[codec]} wanted on a quiet machine")
    delays = [
        (row["mouth_to_ear_p99_ms"] - row["single_beside_p99_ms"], row)
        for row in kept
        if row["mouth_to_ear_p99_ms"] is not None and row["single_beside_p99_ms"] is not None
    ]
    if delays:
        grown, at = max(delays, key=lambda pair: pair[0])
        trial.judge(
            grown <= DELAY_GROWS_MS,
            f"mouth to ear p99 is at most {grown:.1f} ms above that of single calls beside "
            f"({at['calls']} calls {at['mouth_to_ear_p99_ms']} ms, single ones {at['single_beside_p99_ms']} ms)",
        )
    # What is remembered of arrivals grows with the time: rows of the same length only.
    alike = [row for row in several if row["seconds"] == first["seconds"]]
    if len(alike) > 1:
        kib = float(np.polyfit([row["calls"] for row in alike], [row["rss_kib"] for row in alike], 1)[0])
        most_kib = MEMORY_KIB.get(codec, MEMORY_KIB["opus"])
        trial.judge(kib <= most_kib, f"{kib:.0f} KiB a call by slope, {most_kib} at most")
    wakeups = max(row["wakeups_per_s_loop"] for row in kept)
    trial.judge(wakeups <= WAKEUPS + 1, f"{wakeups} wake-ups a second and loop at most, {WAKEUPS} wanted")


def late_times(told: list[Event], began: float) -> list[str]:
    """When turns were late, from what a port told each second: "at 612-645 s, by 101.2 ms, 0.28 of a core"."""
    times: list[list[Event]] = []
    for event in told:
        if (event["turn_late_max_ms"] or 0) <= LATE_TURN_MS:
            continue
        if times and event["seen"] - times[-1][-1]["seen"] <= LATE_APART_S:
            times[-1].append(event)
        else:
            times.append([event])
    return [
        f"at {events[0]['seen'] - began:.0f}-{events[-1]['seen'] - began:.0f} s, "
        f"by {max(event['turn_late_max_ms'] for event in events):.0f} ms, "
        f"{max(event['processor_share'] for event in events):.2f} of a core"
        for events in times
    ]


def long_calls(work: Work, calls: int, minutes: float) -> Trial:
    """So many calls for so many minutes: their delay beside that of single calls at a port of their own, their gaps but for moments in which the
    host makes the whole machine slow, the memory."""
    trial = Trial(f"{minutes:g} minutes {work.name}")
    seconds, ramp = 60 * minutes, calls / RATE
    memory: list[tuple[float, float]] = []
    host = Sluggishness()
    with (
        hall(work, max(64, calls)) as place,
        singles(work) as lone,
        place.load(calls, seconds + ramp) as load,
        lone.load(SINGLES, seconds + ramp) as lone_load,
    ):
        started = load.wait_for("load_started")["seen"]
        began = time.monotonic()
        (before, _), sampled = place.use(), 0.0
        while load.process.poll() is None and time.monotonic() - began < seconds:
            time.sleep(min(5.0, seconds / 20))
            sampled = time.monotonic() - began
            memory.append((sampled, place.memory_mib()))
        used = place.use()[0].since(before)
        told = place.figures(since=began)
        report = over(load, ramp + seconds)
        beside = over(lone_load, ramp)["mouth_to_ear_ms"]["p99"]
    gaps, gaps_of_host = gaps_told(report, started, host.moments([], SLOW_MS))
    host.end()
    lates = late_times(told, began)
    own, delay = report["generator"], report["mouth_to_ear_ms"]
    settled = [mib for at, mib in memory if at >= min(FULL_MEMORY_S + ramp, sampled / 2)]
    part = max(1, len(settled) // 6)
    first, last = float(np.median(settled[:part])), float(np.median(settled[-part:]))
    late = [event["turn_late_max_ms"] for event in told if event["turn_late_max_ms"] is not None]
    trial.add(
        {
            "calls": calls,
            "minutes": minutes,
            "connected": report["connected"],
            "packets": report["packets_received"],
            "packets_lost": report["packets_lost"],
            "gaps": gaps,
            "gaps_of_host": gaps_of_host,
            "gaps_excused": report["gaps_excused"],
            "single_beside_p99_ms": beside,
            "mouth_to_ear_p50_ms": delay["p50"],
            "mouth_to_ear_p99_ms": delay["p99"],
            "cpu_ms_per_call_s": round(1000 * used.ran_s / sampled / calls, 3),
            "rss_first_mib": round(first, 2),
            "rss_last_mib": round(last, 2),
            "turn_late_max_ms": max(late, default=None),
            "turns_left_out": told[-1]["turns_left_out"] if told else None,
            "load_late_p99_ms": own["late_p99_ms"],
            "load_late_max_ms": own["late_max_ms"],
        }
    )
    trial.judge(report["connected"] == calls, f"{report['connected']} of {calls} calls connected")
    lost = report["packets_lost"]
    trial.judge(
        gaps == 0 and lost == 0,
        f"{gaps} gaps ({gaps_of_host} more when the host made the machine slow, {report['gaps_excused']} while the load was late), "
        f"{lost} packets lost; "
        f"turns more than {LATE_TURN_MS:.0f} ms late {len(lates)} times{': ' * bool(lates)}{'; '.join(lates[:MOST_TIMES])}",
    )
    if beside is not None and delay["p99"] is not None:
        trial.judge(
            delay["p99"] <= beside + DELAY_GROWS_MS,
            f"mouth to ear p99 {delay['p99']} ms, {beside} ms of single calls beside",
        )
    trial.judge(last <= (1 + FLAT) * first, f"memory {first:.2f} MiB once all ran, {last:.2f} MiB at the end")
    return trial


def come_and_go(work: Work, calls: int) -> Trial:
    """So many calls of a second, a hundred at once: nothing of them is left, and each has its report."""
    trial = Trial(f"come and go {work.name}")

    def gone(total: int) -> bool:
        figures = place.figures()[-1:]
        return bool(figures) and figures[0]["calls"] == 0 and figures[0]["calls_in_all"] == total

    with hall(work, 1000) as place:
        # What is made once is there after these.
        warm = over(place.load(2 * RATE, 1), 3)["connected"]
        until("an empty port", lambda: gone(warm))
        before, descriptors = place.memory_mib(), place.descriptors()
        load = place.load(calls, 1)
        report = over(load, calls / RATE + 2)
        until("an empty port again", lambda: gone(warm + report["connected"]))
        # What the last second's look gives back.
        time.sleep(2)
        after, descriptors_after = place.memory_mib(), place.descriptors()
        reports = len(place.endpoint.of_type("report")) - warm
    trial.add(
        {
            "calls": calls,
            "connected": report["connected"],
            "reports": reports,
            "rss_before_mib": round(before, 2),
            "rss_after_mib": round(after, 2),
            "descriptors_before": descriptors,
            "descriptors_after": descriptors_after,
        }
    )
    trial.judge(report["connected"] == calls, f"{report['connected']} of {calls} calls connected")
    trial.judge(reports == report["connected"], f"{reports} reports of {report['connected']} calls")
    trial.judge(descriptors_after == descriptors, f"{descriptors} descriptors before, {descriptors_after} after")
    trial.judge(after <= (1 + FLAT) * before + 1, f"memory {before:.2f} MiB before, {after:.2f} MiB after")
    return trial


def overload(work: Work, knee: int) -> Trial:
    """Twice as many as the knee: who was there first keeps what he had, others are turned away, and soon after it is as before."""
    trial = Trial(f"overload {work.name}")
    running, burst_s = max(1, int(0.8 * knee)), 8.0
    others = 2 * knee - running
    ramp = running / RATE
    host = Sluggishness()
    with hall(work, 4 * knee + 64) as place, place.load(running, 2 * ramp + burst_s + 15) as load:
        started = load.wait_for("load_started")["seen"]
        time.sleep(ramp + 4)
        burst = over(place.load(others, burst_s, rate=2 * RATE), burst_s + others / RATE)
        ended = time.monotonic()
        until("a port that lets people in", lambda: any(event["admits"] for event in place.figures(since=ended)))
        back_s = time.monotonic() - ended
        refused = {name: count for name, count in place.figures()[-1]["refused"].items() if count}
        relief = sorted({event["relief"] for event in place.figures()})
        report = over(load, PATIENCE_S)
    gaps, gaps_of_host = gaps_told(report, started, host.moments([], SLOW_MS))
    host.end()
    trial.add(
        {
            "running": running,
            "others": others,
            "others_let_in": burst["connected"],
            "refused": refused,
            "relief": relief,
            "gaps": gaps,
            "gaps_of_host": gaps_of_host,
            "gaps_excused": report["gaps_excused"],
            "packets_lost": report["packets_lost"],
            "mouth_to_ear_p99_ms": report["mouth_to_ear_ms"]["p99"],
            "back_s": round(back_s, 1),
        }
    )
    kept, delay = gaps == 0 and report["packets_lost"] == 0, report["mouth_to_ear_ms"]["p99"]
    trial.judge(
        kept and delay is not None and delay < DELAY_MS,
        f"{running} calls that ran: {gaps} gaps ({gaps_of_host} more when the host made the machine slow), {report['packets_lost']} packets lost, mouth to ear p99 {delay} ms",
    )
    turned_away = refused.get("late", 0) + refused.get("resources", 0)
    trial.judge(
        burst["connected"] < others and turned_away > 0,
        f"{burst['connected']} of {others} more were let in, refused {cell(refused)}; given up before: {cell(relief)}",
    )
    trial.judge(back_s <= 5, f"people are let in again {back_s:.1f} s after it")
    return trial
