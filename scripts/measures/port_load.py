"""Calls at `yodel listen --parties` without a device, made by `yodel load` on the same machine: what they cost, how they fare, and
what they leave behind."""

import contextlib
import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rig.endpoint import Endpoint, free_ports
from rig.kinds import Event
from rig.process import Use, memory_mib, use
from rig.quota import limited
from rig.stillness import Sluggishness, is_near
from rig.verdict import PATIENCE_S

# Before the measured seconds every call is up and its jitter buffer settled; after them none has ended yet.
SETTLE_S, REST_S = 3.0, 1.0
# New calls a second.
RATE = 100
# A call's delay depends on where in the packets' time its turns lie, by chance: so many at a port of their own are run beside the many.
SINGLES = 6
# What a row must keep, as `yodel capacity` has it, ms.
DELAY_MS = 100.0
# A stop of the host's that is longer is one of its moments, ms; when gaps were is told so finely, in seconds.
SLOW_MS, GAP_STEP_S = 20.0, 0.1
# The program's own threads that carry calls.
LOOPS = "calls-"


def gaps_told(report: Event, began: float, slow: list[tuple[float, float]]) -> tuple[int, int]:
    """Gaps of a load that began then (time.monotonic()), but for those near such moments; and those."""
    spans = [(began + one["at_s"], one["gaps"]) for one in report["gaps_at"]]
    of_host = sum(gaps for at, gaps in spans if is_near((at, at + GAP_STEP_S), slow))
    return report["gaps"] - of_host, of_host


@dataclass
class Work:
    """What the port does with its calls."""

    codec: str
    options: list[str]
    # That it may use; the load is not limited. Nothing: all there are.
    cores: float | None = None

    @property
    def name(self) -> str:
        return self.codec if self.cores is None else f"{self.codec} {self.cores:g} cores"


class Hall:
    """A port with room for so many calls."""

    def __init__(self, work: Work, parties: int, place: list[str]) -> None:
        self.work = work
        self.address = f"rtp://127.0.0.1:{free_ports(1)}"
        arguments = ["listen", self.address, "--parties", str(parties), "--codec", work.codec, *work.options]
        self.endpoint = Endpoint(arguments, place=place)
        self.process = self.endpoint.process.pid
        # Before the first call; `hall` looks once the port is open.
        self.empty_mib = 0.0

    def load(self, calls: int, hold: float, rate: float = RATE) -> Endpoint:
        """So many calls, each `hold` seconds long."""
        arguments = ["load", self.address, "--codec", self.work.codec, "--calls", str(calls), "--rate", str(rate)]
        return Endpoint([*arguments, "--hold", str(hold)])

    def figures(self, since: float = 0) -> list[Event]:
        """What it told of all calls each second."""
        return [event for event in self.endpoint.of_type("port_stats") if event["seen"] >= since]

    def memory_mib(self) -> float:
        return memory_mib(self.process)

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process}/fd"))

    def use(self) -> tuple[Use, Use]:
        """Of all threads, and of those that carry calls."""
        return use(self.process), use(self.process, LOOPS)


@contextlib.contextmanager
def hall(work: Work, parties: int) -> Iterator[Hall]:
    """A port that is open while the body runs, and ends in order."""
    with limited(work.cores) as command:
        place = Hall(work, parties, command)
        with place.endpoint:
            place.endpoint.wait_for("call_started")
            place.empty_mib = place.memory_mib()
            yield place
            place.endpoint.stop()


def singles(work: Work) -> contextlib.AbstractContextManager[Hall]:
    """A port for single calls beside those of another: what their delay is, the machine gives."""
    return hall(Work(work.codec, work.options), SINGLES)


def over(load: Endpoint, seconds: float) -> Event:
    """The figures of a load that is over after about so many seconds."""
    load.wait(seconds + PATIENCE_S)
    return load.of_type("load_report")[0]


def row(work: Work, calls: int, hold: float) -> Event:
    """So many calls at once: what they cost while all run, and how they fared, beside single calls at a port of their own."""
    ramp = calls / RATE
    host = Sluggishness()
    with hall(work, max(64, calls)) as place, singles(work) as lone:
        with place.load(calls, hold + ramp) as load, lone.load(SINGLES, hold + ramp) as lone_load:
            started = load.wait_for("load_started")["seen"]
            time.sleep(ramp + SETTLE_S)
            began, (all_before, loops_before) = time.monotonic(), place.use()
            time.sleep(hold - SETTLE_S - REST_S)
            passed, (all_now, loops_now) = time.monotonic() - began, place.use()
            full = place.memory_mib()
            told = place.figures(since=began)
            report = over(load, hold + 2 * ramp)
            beside = over(lone_load, ramp)["mouth_to_ear_ms"]["p99"]
        gaps, gaps_of_host = gaps_told(report, started, host.moments([], SLOW_MS))
        host.end()
        time.sleep(2)
        left = place.memory_mib()
        refused = (place.figures() or [{"refused": {}}])[-1]["refused"]
    used, loops = all_now.since(all_before), loops_now.since(loops_before)
    delay, own = report["mouth_to_ear_ms"], report["generator"]
    return {
        "codec": work.codec,
        "calls": calls,
        "seconds": hold,
        "connected": report["connected"],
        "threads": loops.threads,
        "cpu_ms_per_call_s": round(1000 * used.ran_s / passed / calls, 3),
        "waited_for_core": round(loops.waited_s / passed / max(1, loops.threads), 3),
        "wakeups_per_s_loop": round(loops.sleeps / passed / max(1, loops.threads)),
        "rss_kib": round(1024 * (full - place.empty_mib)),
        "rss_kib_left": round(1024 * (left - place.empty_mib)),
        "mouth_to_ear_p50_ms": delay["p50"],
        "mouth_to_ear_p99_ms": delay["p99"],
        "single_beside_p99_ms": beside,
        "packets_lost": report["packets_lost"],
        "gaps": gaps,
        "gaps_of_host": gaps_of_host,
        "gaps_excused": report["gaps_excused"],
        "correlation_min": report["correlation"]["min"],
        "turn_late_p99_ms": middle(told, "turn_late_p99_ms"),
        "relief": sorted({event["relief"] for event in told}),
        "refused": refused,
        "load_late_p99_ms": own["late_p99_ms"],
        "load_late_max_ms": own["late_max_ms"],
        "valid": own["valid"],
    }


def middle(told: list[Event], name: str) -> float | None:
    """Of a figure of each second."""
    values = [event[name] for event in told if event[name] is not None]
    return round(statistics.median(values), 2) if values else None


def missed(row: Event) -> str:
    """What a row did not keep; nothing: all."""
    delay = row["mouth_to_ear_p99_ms"]
    wrong = [
        (row["connected"] < row["calls"], f"{row['connected']} of {row['calls']} connected"),
        (row["gaps"] > 0, f"{row['gaps']} gaps"),
        (row["packets_lost"] > 0, f"{row['packets_lost']} packets lost"),
        (delay is not None and delay >= DELAY_MS, f"mouth to ear p99 {delay} ms"),
    ]
    return ", ".join(text for is_wrong, text in wrong if is_wrong)
