"""Run by scripts/bench-marks, which sees to packages and the build: what a call-second costs of each kind of work, in processor time and
in instructions, with the floor and other programs in the same minutes.

The floor is the least that a program can do: the system's calls, decoder and encoder, one thread that wakes up 200 times a second. What
binds are instructions: the same work takes up to twice the processor time in another quarter of an hour. Where the machine does not
count them, callgrind counts the program's own in virtual time, and the system's are added as they were counted elsewhere."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from figures import processor
from kinds import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checks"))
from rig import call_cost
from rig.endpoint import Endpoint, binary, free_ports
from rig.stillness import beside
from rig.verdict import PATIENCE_S, Failed

# Instructions of the system for a packet received with its time, for one sent, in batches of 8, and for a wake-up: counted on a virtual machine
# that counts them (Linux 6.18). What the disk takes is not among them.
RECEIVED, SENT, WAKE_UP = 2262, 8527, 4627
PACKETS_S, WAKE_UPS_S = 50, 200
ONE_SPEAKS = ["--talkers", "1", "--ref", "0", "--probe", "1"]
COLUMNS = {
    "calls": "{}",
    "cpu_ms": "{:.2f}",
    "minstr": "{:.2f}",
    "rtd_p50_ms": "{:.1f}",
    "rtd_p99_ms": "{:.1f}",
    "gaps": "{}",
    "rss_mib": "{:.1f}",
    "valid": "{}",
}
HEAD = (
    "| work | program | calls | CPU ms a call-second | million instructions a call-second | round trip p50 ms | p99 ms | gaps over 40 ms "
    "| memory MiB | valid |\n|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass
class Work:
    """A kind of work: how each program does it, and what it may cost of ours."""

    name: str
    codec: str
    calls: list[int]
    # Of `yodel listen --parties`.
    ours: list[str]
    # Of the reflector, and of who makes the streams.
    floor: list[str]
    streams: list[str]
    # Other programs, as refs.sh names them, with calls and codec.
    peers: list[list[str]]
    # Milliseconds of a core, million instructions a call-second.
    mark: tuple[float, float]
    # The same work of `yodel capacity`, its calls there, and options.
    virtual: tuple[str, int, list[str]] | None = None


def works(folder: str) -> list[Work]:
    echo = ["--echo"]
    return [
        Work(
            "pcmu-echo",
            "pcmu",
            [100, 300],
            echo,
            ["--transcode", "pcmu"],
            [],
            [["baresip", "100", "pcmu"], ["gst", "50", "pcmu"]],
            (0.9, 1.7),
            ("pcmu_echo", 50, []),
        ),
        Work(
            "opus-echo-10",
            "opus",
            [20],
            [*echo, "--complexity", "10"],
            ["--transcode", "opus"],
            [],
            [["baresip", "20", "opus"], ["gst", "20", "opus"]],
            (23, 138),
            ("opus_echo", 10, ["--complexity", "10"]),
        ),
        Work(
            "opus-echo-5",
            "opus",
            [20],
            [*echo, "--complexity", "5"],
            ["--transcode", "opus", "--complexity", "5"],
            [],
            [],
            (13.5, 89),
            ("opus_echo", 10, ["--complexity", "5"]),
        ),
        Work(
            "opus-record",
            "opus",
            [100],
            ["--record", folder],
            ["--transcode", "opus", "--sink"],
            [],
            [],
            (3.3, 24),
            ("opus_recording", 10, []),
        ),
        # In virtual time each of them speaks and pauses, which costs no less.
        Work(
            "pcmu-conference",
            "pcmu",
            [50],
            [],
            ["--transcode", "pcmu", "--conference", "--share"],
            ONE_SPEAKS,
            [],
            (0.85, 1.5),
            ("pcmu_conference", 50, []),
        ),
        Work(
            "opus-conference", "opus", [50], [], ["--transcode", "opus", "--conference", "--share"], ONE_SPEAKS, [], (4.6, 29)
        ),
    ]


class Bench:
    """The load bench, its programs built in a folder of their own."""

    def __init__(self, folder: str, work: str, hold: float, speech: str) -> None:
        self.folder, self.work, self.hold, self.speech = folder, work, hold, speech
        self.environment = os.environ | {"W": work, "OUT": f"{work}/rows", "H": f"{hold:g}", "WAV": speech, "LC_ALL": "C"}
        subprocess.run([f"{folder}/refs.sh", "build"], check=True, env=self.environment, stdout=subprocess.DEVNULL)

    def streams(self, port: int, calls: int, codec: str, process: int, options: list[str]) -> Row:
        """What came back of so many streams to one program."""
        command = [f"{self.work}/rtpload", "--target", f"127.0.0.1:{port}", "--steps", f"{calls}", "--hold", f"{self.hold:g}"]
        command += ["--wav", self.speech, "--codec", codec, "--pid", f"{process}", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=self.hold + 2 * PATIENCE_S + 60)
        return row(done.stdout, done.stderr)

    def floor(self, work: Work, calls: int) -> Row:
        port = free_ports(1, step=2 * calls + 2)
        command = [
            f"{self.work}/reflector",
            "--port",
            f"{port}",
            "--count",
            f"{calls}",
            *"--step 2 --tick 5".split(),
            *work.floor,
        ]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as reflector:
            try:
                time.sleep(0.5)
                return self.streams(port, calls, work.codec, reflector.pid, ["--step", "2", *work.streams])
            finally:
                reflector.kill()

    def ours(self, work: Work, calls: int) -> Row:
        port = free_ports(1)
        arguments = ["listen", f"rtp://127.0.0.1:{port}", "--device", "null", "--parties", f"{max(64, calls)}"]
        with Endpoint([*arguments, "--codec", work.codec, *work.ours]) as endpoint:
            endpoint.wait_for("call_started")
            found = self.streams(port, calls, work.codec, endpoint.process.pid, ["--step", "0", "--settle", "6", *work.streams])
            relief = {event["relief"] for event in endpoint.of_type("port_stats")} - {"none"}
            if relief:
                found["valid"] = f"gave up: {', '.join(sorted(relief))}"
            endpoint.stop()
        return found

    def counted(self, work: Work) -> float | None:
        """Million instructions of a call-second: the program's own of the same work in virtual time, and the system's."""
        if work.virtual is None:
            return None
        kind, calls, options = work.virtual
        own = call_cost.measure(binary(), kind, calls, ["--play", self.speech, *options])
        system = PACKETS_S * (RECEIVED + SENT) + WAKE_UPS_S * WAKE_UP / work.calls[-1]
        return None if own is None else own + system / 1e6

    def peer(self, command: list[str]) -> Row:
        rows = Path(f"{self.work}/rows")
        rows.unlink(missing_ok=True)
        done = subprocess.run(
            [f"{self.folder}/refs.sh", *command], capture_output=True, text=True, env=self.environment, timeout=300
        )
        return row(rows.read_text() if rows.exists() else "", done.stderr)


def row(text: str, problem: str) -> Row:
    """The last row of the bench, as it is kept here."""
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if not lines:
        raise Failed(f"the load bench gave no row: {problem.strip()[-300:]}")
    found = json.loads(lines[-1])
    return {
        "calls": found["streams"],
        "cpu_ms": found.get("peer_cpu_ms_per_call_s"),
        "minstr": found.get("peer_minstr_per_call_s"),
        "rtd_p50_ms": found.get("rtd_p50_ms"),
        "rtd_p99_ms": found.get("rtd_p99_ms"),
        "gaps": found.get("gaps_over_40"),
        "rss_mib": found.get("peer_rss_mib"),
        "valid": "yes" if found["valid"] else found["why"],
    }


def valid(measured: Callable[[], Row], tries: int = 3) -> Row:
    """A row whose streams were in time, measured again where they were not; the last one where they never were."""
    for _ in range(tries):
        found = measured()
        if found["valid"] == "yes":
            break
    return found


def line(work: str, program: str, found: Row) -> str:
    cells = ["-" if found[name] is None else form.format(found[name]) for name, form in COLUMNS.items()]
    return "| " + " | ".join([work, program, *cells]) + " |"


def verdict(work: Work, floor: Row, own: Row, counted: float | None) -> tuple[bool, str]:
    """Whether the mark holds, and the sentence that says it: instructions where they are known, else processor time, which may be too much
    by what else the machine does, and never too little.

    `counted`: of the same work in virtual time, where the machine counts none."""
    most_ms, most = work.mark
    time_taken = f"{own['cpu_ms']:.2f} ms a call-second, {own['cpu_ms'] / floor['cpu_ms']:.2f} times the floor"
    if own["valid"] != "yes":
        return False, f"{work.name}: {time_taken}; not valid: {own['valid']}"
    found = own["minstr"] or counted
    if found is None:
        return own["cpu_ms"] <= most_ms, f"{work.name}: {time_taken}, {most_ms} ms at most; this machine counts no instructions"
    how = "" if own["minstr"] else " (in virtual time, the system's added)"
    return found <= most, (
        f"{work.name}: {found:.2f} million instructions{how}, {most} at most; beside it, not judged: {time_taken}, {most_ms} ms wanted"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hold", type=float, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", required=True)
    parser.add_argument("bench")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    quiet, lines, said, failed = beside(), [], [], False
    with tempfile.TemporaryDirectory(prefix="yodel-marks-") as folder:
        speech = Path(arguments.bench, "../../corpus/speech48/vctk_p286_m.wav").resolve()
        bench = Bench(arguments.bench, folder, arguments.hold, str(speech))
        recordings = Path(folder, "recordings")
        recordings.mkdir()
        print(f"Before the calls {quiet}.\n{HEAD}", flush=True)

        def add(work: Work, program: str, found: Row) -> Row:
            lines.append(line(work.name, program, found))
            print(lines[-1], flush=True)
            return found

        for work in works(str(recordings)):
            if only and work.name not in only:
                continue
            floor = [add(work, "floor", valid(partial(bench.floor, work, calls))) for calls in work.calls][-1]
            own = [add(work, "yodel", valid(partial(bench.ours, work, calls))) for calls in work.calls][-1]
            for command in work.peers:
                add(work, command[0], valid(partial(bench.peer, command)))
            holds, sentence = verdict(work, floor, own, None if own["minstr"] else bench.counted(work))
            failed = failed or not holds
            said.append(f"- {'holds' if holds else '**does not hold**'}: {sentence}")
            print(said[-1], flush=True)
    if not only:
        Path(arguments.out, "marks-figures.md").write_text(
            f"# What a call costs, measured\n\nWritten by `scripts/bench-marks`; [capacity.md](capacity.md) tells how it is read. Taken "
            f"{time.strftime('%Y-%m-%d %H:%M')} on {os.cpu_count()} cores ({processor()}); before the calls {quiet}.\n\n{HEAD}\n"
            + "\n".join(lines + ["", *said])
            + "\n"
        )
    sys.exit(failed)


if __name__ == "__main__":
    try:
        main()
    except (Failed, subprocess.SubprocessError) as problem:
        sys.exit(f"bench-marks: {problem}")
