#!/usr/bin/python3
"""A private PulseAudio server with null sinks instead of sound hardware; never the user's own server.

Each sink stands for one cable: its monitor is what was played into it. An endpoint captures `NAME.monitor` of one
sink and plays into another. As a command it runs a program with such a server, sinks `mic` and `out`:

    rig/pulse.py [--rate HZ] COMMAND [ARGUMENT...]
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Self

START_SECONDS = 60
# How a program reaches the server's devices: what stands before their names.
INTERFACES = ("alsa:pulse:", "pulse:")


class SoundServerFailed(Exception):
    """PulseAudio did not come up; the text holds the end of its log."""


class PulseServer:
    """`with PulseServer({"mic": 48000, "out": 48000}) as server:` – sink name to rate in Hz."""

    def __init__(self, sinks: dict[str, int], latency_ms: int = 10, sink_options: str = "") -> None:
        self.sinks, self.latency_ms, self.sink_options = dict(sinks), latency_ms, sink_options
        self.folder = tempfile.mkdtemp(prefix="yodel-pulse-")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to find this server, and only this one."""
        own = {
            "HOME": self.folder,
            "XDG_RUNTIME_DIR": self.folder,
            "XDG_CONFIG_HOME": self.folder,
            "PULSE_RUNTIME_PATH": self.folder,
            "PULSE_STATE_PATH": self.folder,
            "PULSE_COOKIE": f"{self.folder}/cookie",
            "PULSE_SERVER": f"unix:{self.folder}/native",
        }
        inherited = {k: v for k, v in os.environ.items() if k not in ("PULSE_SINK", "PULSE_SOURCE", "PULSE_LATENCY_MSEC")}
        return inherited | own

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill(signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        modules = [
            f"module-native-protocol-unix socket={self.folder}/native auth-anonymous=1",
            "module-null-source source_name=hush rate=48000 channels=1",
        ]
        for name, rate in self.sinks.items():
            modules.append(f"module-null-sink sink_name={name} rate={rate} channels=1 {self.sink_options}")
            # An idle null sink renders 2 s ahead; a silent listener and player keep its blocks short.
            modules.append(f"module-loopback source=hush sink={name} latency_msec={self.latency_ms}")
        config = os.path.join(self.folder, "daemon.conf")
        with open(config, "w") as f:
            # The default, 200 ms, is a hard limit: the kernel would kill a real-time server that exceeds it.
            f.write("rlimit-rttime = -1\n")
        command = [
            "pulseaudio",
            "-n",
            "--daemonize=no",
            "--use-pid-file=no",
            "--exit-idle-time=-1",
            "--realtime=yes",
            "--high-priority=yes",
            "--log-target=stderr",
        ]
        for module in modules:
            command += ["-L", module]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = server = subprocess.Popen(
                command,
                env=self.environment | {"PULSE_CONFIG": config},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                preexec_fn=unlimited_real_time,
            )
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run(
            ["pactl", "info"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ).returncode:
            if server.poll() is not None or time.monotonic() > deadline:
                raise SoundServerFailed(f"PulseAudio did not start; its log ends:\n{self.log()[-600:]}")
            time.sleep(0.05)
        try:
            # PulseAudio drops inherited scheduling, yet its main thread moves every client's data.
            os.sched_setscheduler(server.pid, os.SCHED_RR, os.sched_param(4))
        except OSError:
            pass  # not permitted: the server runs like everything else

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends the server, by default without a good-bye; `start()` brings it back at the same address."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if os.path.exists(f"{self.folder}/native"):
            os.unlink(f"{self.folder}/native")

    def log(self) -> str:
        with open(os.path.join(self.folder, "log"), errors="replace") as f:
            return f.read()

    def play(self, path: str, sink: str) -> subprocess.Popen[bytes]:
        """Starts playing a WAV file into a sink; returns the process."""
        return subprocess.Popen(["paplay", "-d", sink, path], env=self.environment, stderr=subprocess.DEVNULL)

    def record(self, path: str, source: str) -> subprocess.Popen[bytes]:
        """Starts recording a source into a WAV file; end it with `finish`."""
        rate = self.sinks[source.removesuffix(".monitor")]
        return subprocess.Popen(
            [
                "parec",
                "-d",
                source,
                "--file-format=wav",
                "--format=s16le",
                f"--rate={rate}",
                "--channels=1",
                "--latency-msec=20",
                path,
            ],
            env=self.environment,
            stderr=subprocess.DEVNULL,
        )


def finish(process: subprocess.Popen[Any], number: int = signal.SIGINT, timeout: float = 20) -> int:
    """Ends a player or recorder so that it closes its file."""
    if process.poll() is None:
        process.send_signal(number)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def unlimited_real_time() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_RTTIME, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        pass
    # A server must outlive the Ctrl-C of its terminal until the script has ended it.
    os.setpgrp()


def main() -> None:
    arguments = sys.argv[1:]
    rate = 48000
    if arguments[:1] == ["--rate"]:
        rate, arguments = int(arguments[1]), arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with PulseServer({"mic": rate, "out": rate}) as server:
        sys.exit(
            subprocess.run(
                arguments, env=server.environment | {"YODEL_TEST_PULSE": "1", "HOME": os.environ.get("HOME", "/")}
            ).returncode
        )


if __name__ == "__main__":
    main()
