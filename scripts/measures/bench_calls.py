"""Calls on the bench: two endpoints in two virtual rooms, measured on their sound (run.py, m2e.py) and their process
(cpu.py)."""

import contextlib
import datetime
import json
import math
import os
import shlex
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any, Self

from kinds import Row

# Other programs' endpoints, callee first. GStreamer's as short as it can be made to run.
GSTREAMER = [f"env BUF=20000 LAT=5000 JB=20 $BENCH/peers/gst.sh {side} opus" for side in "ba"]
BARESIP = [f"$BENCH/peers/baresip.sh {side} opus" for side in "ba"]
# Takes the right to real-time priority away from a program, also from root's.
ORDINARY = "setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice --ambient-caps=-sys_nice"

# The devices of a room: by ALSA's plug-in for the sound server, and by the server's own interface, as `default` is there.
BY_ALSA = "--device alsa:$ROOM"
BY_SERVER = "--input pulse:$MIC --output pulse:$SPK"


class Bench:
    """The bench folder with its rooms running. `yodel` is the program; logs of both sides are kept for their
    reports."""

    def __init__(self, folder: str, yodel: str, python: str = "/usr/bin/python3") -> None:
        self.folder, self.yodel, self.python = folder, yodel, python
        self.work = tempfile.mkdtemp(prefix="yodel-measure-")
        self.rooms = os.path.join(self.work, "rooms")
        self.talk = os.path.join(self.work, "talk.wav")
        self.count = 0
        # Calls that were made again, since the host was restless.
        self.made_again = 0
        self.running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        subprocess.run([f"{self.folder}/rooms.sh", "start", self.rooms], check=True, stdout=subprocess.DEVNULL)
        time.sleep(3)
        return self

    def restart_rooms(self) -> None:
        """The sound server anew, without a moment for it to settle."""
        subprocess.run([f"{self.folder}/rooms.sh", "stop", self.rooms], check=False)
        subprocess.run([f"{self.folder}/rooms.sh", "start", self.rooms], check=True, stdout=subprocess.DEVNULL)

    def __exit__(self, *_: object) -> None:
        subprocess.run([f"{self.folder}/rooms.sh", "stop", self.rooms], check=False)
        subprocess.run(["rm", "-rf", self.work], check=False)

    def commands(self, options: str = "", prefix: str = "", codec: str = "opus", device: str = BY_SERVER) -> tuple[str, str]:
        """The command lines of callee and caller; $ROOM, $MIC and $SPK are filled in by run.py."""
        self.count += 1
        port = 26000 + 4 * self.count
        tail = f"{device} --codec {codec} --no-voice-processing --json {options}"
        own = shlex.quote(self.yodel)
        return (
            f"{prefix} {own} listen rtp://127.0.0.1:{port} {tail}".strip(),
            f"{prefix} {own} call rtp://127.0.0.1:{port} {tail}".strip(),
        )

    def call(self, name: str, commands: Sequence[str], real_time: int = 2, **phases: Any) -> Row:
        """One call by run.py; its row, with `reports` and `stats` of yodel's own events where the endpoints printed
        any."""
        callee, caller = commands
        arguments = [
            self.python,
            f"{self.folder}/run.py",
            "--rooms",
            self.rooms,
            "--name",
            name,
            "--a",
            caller,
            "--b",
            callee,
            "--rt",
            str(real_time),
            "--keep",
            self.work,
        ]
        for phase, value in phases.items():
            arguments += [f"--{phase.replace('_', '-')}={value}"]
        done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True)
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        row: Row = next((r for r in rows if not r.get("summary")), {"error": f"run.py ended with {done.returncode}"})
        if "error" in row:
            print(f"     {name}: {row['error']}; {self.tail(name)}", flush=True)
        row["events"] = {side: self.events(f"{self.work}/{name}-{side}.log") for side in "ab"}
        return row

    def events(self, path: str) -> list[Row]:
        if not os.path.exists(path):
            return []
        events = []
        with open(path, errors="replace") as f:
            for line in f:
                if line.startswith("{"):
                    with contextlib.suppress(ValueError):
                        events.append(json.loads(line))
        return events

    def tail(self, name: str) -> str:
        said = []
        for side in "ab":
            path = f"{self.work}/{name}-{side}.log"
            if os.path.exists(path):
                with open(path, errors="replace") as f:
                    said += [f"{side}: {line.strip()}" for line in f.readlines()[-2:]]
        return " / ".join(said)[:500]

    def delay_series(self, name: str, impair: str, count: int, period: float) -> list[Any]:
        """Delay chirp by chirp (ms) through a call whose packets `impair` maltreats; None for what was not heard is
        left out."""
        library = f"{self.work}/impair.so"
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", library, f"{self.folder}/impair.c", "-ldl", "-lpthread"], check=True
        )
        with self.endpoints(name, self.commands(), {"LD_PRELOAD": library, "IMPAIR": impair}) as environment:
            row = self.sound(environment, f"--count={count}", f"--period={period}", f"--maxlat={0.9 * period}")
        return row.get("series_ms", [])

    def long_call(self, name: str, commands: Sequence[str], seconds: float, real_time: int) -> Row:
        """A call with a steady tone through it, then speech: its row, as `call`'s. Speech comes last because what finds its
        delay computes for seconds, and a call of ordinary priority waits for a processor all that time."""
        row: Row = {}
        with self.endpoints(name, commands, {}, real_time) as environment:
            began = time.time()
            row["tone"] = self.tone(environment, seconds)
            # Sound servers stumble when a program joins or leaves: the middle is what the call does by itself.
            row["middle"] = (began + min(10, seconds / 4), began + seconds - 5)
            row["a_to_b"] = self.sound(environment, "--count=5")
        row["events"] = {side: self.events(f"{self.work}/{name}-{side}.log") for side in "ab"}
        return row

    @contextlib.contextmanager
    def endpoints(
        self, name: str, commands: Sequence[str], variables: dict[str, str], real_time: int = 2, settle: float = 6
    ) -> Iterator[Any]:
        """Both endpoints in their rooms, callee first, in the call by the time the body runs, `settle` seconds after both were
        started; the rooms' environment."""
        environment = self.environment()
        priority = ["chrt", "-r", str(real_time)] if real_time else []
        running: list[subprocess.Popen[bytes]] = []
        self.running = running
        try:
            for side, command in zip("ba", commands, strict=True):
                log = open(f"{self.work}/{name}-{side}.log", "wb")
                running.append(
                    subprocess.Popen(
                        [*priority, "bash", "-c", f"exec {command}"],
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        env=environment | {"ROOM": f"room_{side}", "MIC": f"mic_{side}_src", "SPK": f"spk_{side}"} | variables,
                    )
                )
                time.sleep(1)
            time.sleep(settle)
            yield environment
        finally:
            for endpoint in running:
                endpoint.send_signal(signal.SIGTERM)
            for endpoint in running:
                endpoint.wait(5)

    def thread_wakeups(self, name: str, commands: Sequence[str], seconds: float) -> dict[str, float]:
        """Wakeups a second of the caller's threads in a call, those of one name together."""
        with self.endpoints(name, commands, {}):
            task = f"/proc/{self.running[1].pid}/task"
            before = voluntary_switches(task)
            began = time.monotonic()
            time.sleep(seconds)
            after, passed = voluntary_switches(task), time.monotonic() - began
        sums: dict[str, float] = {}
        for thread, (comm, switches) in after.items():
            if thread in before:
                sums[comm] = sums.get(comm, 0) + (switches - before[thread][1]) / passed
        return sums

    def sound(self, environment: dict[str, str], *options: Any) -> Row:
        """What m2e.py found on the sound from room a to room b."""
        return self.row_of([f"{self.folder}/m2e.py", "--src=a", "--dst=b", *options], environment)

    def tone(self, environment: dict[str, str], seconds: float) -> Row:
        """Gaps and jumps in a tone from room a to room b."""
        return self.long_sound(environment, "tone", seconds)

    def chirps(self, environment: dict[str, str], count: int) -> Row:
        """What `sound` finds on many chirps, 1.2 s each, without taking a processor from the endpoints afterwards."""
        return self.long_sound(environment, "chirps", count)

    def long_sound(self, environment: dict[str, str], what: str, much: float) -> Row:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "long_sound.py")
        return self.row_of([script, self.folder, what, str(much)], environment)

    def row_of(self, script: list[str], environment: dict[str, str]) -> Row:
        done = subprocess.run([self.python, *script], env=environment, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout.splitlines()[-1])

    def environment(self) -> dict[str, str]:
        values = dict(os.environ)
        with open(f"{self.rooms}/env") as f:
            for word in f.read().replace("export", "").split():
                key, value = word.split("=", 1)
                values[key] = value
        return values

    def raw_wakeups(self, period_ms: int, seconds: float) -> float:
        """Wakeups a second of arecord and aplay together at this period, four periods of buffer."""
        environment = self.environment()
        form = [
            "-q",
            "-t",
            "raw",
            "-f",
            "S16_LE",
            "-r",
            "48000",
            "-c",
            "1",
            f"--period-time={period_ms * 1000}",
            f"--buffer-time={period_ms * 4000}",
        ]
        with open("/dev/zero", "rb") as zero:
            pair = [
                subprocess.Popen(["arecord", "-D", "room_a", *form], env=environment, stdout=subprocess.DEVNULL),
                subprocess.Popen(["aplay", "-D", "room_b", *form], env=environment, stdin=zero),
            ]
            try:
                time.sleep(2)
                done = subprocess.run(
                    [
                        self.python,
                        f"{self.folder}/cpu.py",
                        "--pid",
                        str(pair[0].pid),
                        "--pid",
                        str(pair[1].pid),
                        "--seconds",
                        str(seconds),
                    ],
                    stdout=subprocess.PIPE,
                    text=True,
                    check=True,
                )
            finally:
                for process in pair:
                    process.terminate()
                    process.wait()
        return sum(p["wakeups_per_s"] for p in json.loads(done.stdout)["processes"].values())


# How the names of the program's own threads in a call begin; all others are libraries' (libpulse's is threaded-ml).
OWN_THREADS = ("yodel", "media", "calls", "events", "recorder", "standby", "history")


def by_owner(threads: dict[str, float]) -> dict[str, dict[str, float]]:
    """Wakeups a second of threads by their name, the program's own told apart."""
    owners: dict[str, dict[str, float]] = {"ours": {}, "libraries": {}}
    for name, rate in threads.items():
        owners["ours" if name.startswith(OWN_THREADS) else "libraries"][name] = rate
    return owners


def voluntary_switches(task: str) -> dict[str, tuple[str, int]]:
    """Of each thread below /proc/PID/task its name, and how often it went to sleep."""
    threads = {}
    for thread in os.listdir(task):
        with contextlib.suppress(OSError, StopIteration):
            with open(f"{task}/{thread}/comm") as file:
                comm = file.read().strip()
            with open(f"{task}/{thread}/status") as file:
                switches = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
            threads[thread] = (comm, switches)
    return threads


def ledger(row: Row, side: str = "b", chirps_s: int = 30) -> float | None:
    """Median of the mouth-to-ear delay that yodel itself stated on one side while the chirps went through, ms: it moves
    on in what comes after them. Statistics come each second, and the chirps begin with the fifth. Where the delay changes
    in the middle of the chirps, the two medians may fall on different sides of the change."""
    stats = [e for e in row["events"][side] if e.get("type") == "stats"]
    stated = [e["mouth_to_ear_ms"] for e in stats[5 : 5 + chirps_s] if e.get("mouth_to_ear_ms") is not None]
    return statistics.median(stated) if stated else None


def stats_between(events: list[Row], begin: float, end: float) -> list[Row]:
    """One side's statistics that were told between two times (time.time())."""
    return [
        e
        for e in events
        if e.get("type") == "stats"
        and begin <= datetime.datetime.fromisoformat(e["time"].replace("Z", "+00:00")).timestamp() <= end
    ]


def delays_told(events: list[Row], begin: float, end: float) -> list[float]:
    """The mouth-to-ear delays that one side told between two times (time.time()), ms."""
    told = (e.get("mouth_to_ear_ms") for e in stats_between(events, begin, end))
    return [delay for delay in told if delay is not None]


def xruns(row: Row) -> int | None:
    """Capture and playback xruns of both sides, from their reports; None without a report."""
    reports = [e for side in "ab" for e in row["events"][side] if e.get("type") == "report"]
    return sum(xrun_count(r) for r in reports) if len(reports) == 2 else None


def xrun_count(figures: Row) -> int:
    """Of one side's figures."""
    counts = figures.get("xruns") or {}
    return int(counts.get("capture", 0) + counts.get("playback", 0))


def xruns_in_the_middle(row: Row) -> int | None:
    """The same while nothing but the tone went on, from the statistics of each second."""
    total = 0
    for side in "ab":
        counts = [xrun_count(e) for e in stats_between(row["events"][side], *row["middle"]) if e.get("xruns")]
        if len(counts) < 2:
            return None
        total += counts[-1] - counts[0]
    return total


def times_back(
    series: list[Any], count: int, period: float, first_ms: float, every_ms: float, above_ms: float = 10, within: float = 5
) -> list[tuple[float, float]]:
    """For each spike the seconds until the delay was its former again, which is the median of the five chirps before, and
    what was left above it after `within` seconds, ms. Where chirps were missed nobody knows which those were: none."""
    if len(series) != count:
        return []
    backs = []
    # When a call began and when its first chirp came is known to a second or so.
    slack = round(1.2 / period)
    for spike in range(round(first_ms / 1000 / period), count - slack - 1, round(every_ms / 1000 / period)):
        if spike < slack + 5:
            continue
        former = statistics.median(series[spike - slack - 5 : spike - slack])
        excess = [delay - former for delay in series[spike - slack :]]
        start = next((i for i in range(2 * slack) if excess[i] > above_ms), None)
        if start is None:
            backs.append((0.0, 0.0))
            continue
        length = ([e > above_ms for e in excess[start:]] + [False]).index(False)
        left = excess[start + math.ceil(within / period) :][:1]
        backs.append((round(length * period, 1), max([0.0, *left])))
    return backs
