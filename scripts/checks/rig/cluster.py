"""Several services behind one Kamailio, by the configuration of docker/kubernetes, and sipp as the carrier whose callers they answer."""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from typing import Self

from . import sip, sipp
from .endpoint import ROOT
from .service import Events, Service
from .verdict import PATIENCE_S, Failed, expect

# What a caller does: he waits for the answer, talks, and hangs up. Anything else that comes is a failure of sipp's.
CALLER = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="caller">
  <send retrans="500"><![CDATA[
    INVITE sip:[field0]@@REALM@ SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:carrier@[local_ip]:[local_port]>;tag=[pid]Carrier[call_number]
    To: <sip:[field0]@@REALM@>
    Call-ID: [call_id]
    CSeq: 1 INVITE
    Contact: <sip:carrier@[local_ip]:[local_port]>
    Max-Forwards: 70
    Content-Type: application/sdp
    Content-Length: [len]

    v=0
    o=carrier 53655765 2353687637 IN IP[local_ip_type] [local_ip]
    s=-
    c=IN IP[local_ip_type] [local_ip]
    t=0 0
    m=audio @MEDIA@ RTP/AVP 0
    a=rtpmap:0 PCMU/8000
  ]]></send>
  <recv response="100" optional="true"/>
  <recv response="180" optional="true"/>
  <recv response="183" optional="true"/>
  <recv response="200" rrs="true" timeout="@PATIENCE@"/>
  <send><![CDATA[
    ACK [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    [routes]
    From: <sip:carrier@[local_ip]:[local_port]>;tag=[pid]Carrier[call_number]
    To: <sip:[field0]@@REALM@>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 1 ACK
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
  <pause milliseconds="@HOLD@"/>
  <send retrans="500"><![CDATA[
    BYE [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    [routes]
    From: <sip:carrier@[local_ip]:[local_port]>;tag=[pid]Carrier[call_number]
    To: <sip:[field0]@@REALM@>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: 2 BYE
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>
  <recv response="200"/>
</scenario>
"""


class Callers:
    """Calls by sipp: each has to be answered within `patience_s`, to go on for `hold_s`, and to end by the caller's word."""

    def __init__(
        self, folder: str, port: int, proxy: int, users: list[str], *, hold_s: float, rate: float, patience_s: float = 20
    ) -> None:
        os.makedirs(folder, exist_ok=True)
        self.folder, self.port, self.proxy, self.rate = folder, port, proxy, rate
        self.reflector = sipp.Reflector()
        self.reflector.start()
        text = CALLER.replace("@REALM@", sip.REALM).replace("@MEDIA@", str(self.reflector.port))
        text = text.replace("@HOLD@", str(round(1000 * hold_s))).replace("@PATIENCE@", str(round(1000 * patience_s)))
        with open(f"{folder}/caller.xml", "w") as f:
            f.write(text)
        with open(f"{folder}/users.csv", "w") as f:
            f.write("SEQUENTIAL\n" + "".join(f"{user}\n" for user in users))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, count: int) -> Self:
        command = ["sipp", "-sf", f"{self.folder}/caller.xml", "-inf", f"{self.folder}/users.csv", "-i", "127.0.0.1"]
        command += ["-p", str(self.port), "-t", "u1", "-m", str(count), "-r", str(self.rate), "-nostdin"]
        command += ["-trace_err", "-error_file", f"{self.folder}/errors", "-timeout", str(int(4 * PATIENCE_S))]
        command += [f"127.0.0.1:{self.proxy}"]
        with open(f"{self.folder}/log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        return self

    def enough(self) -> Self:
        """Nobody new calls; those who talk do so to their end."""
        assert self.process
        self.process.send_signal(signal.SIGUSR1)
        return self

    def finish(self) -> int:
        """Waits until all are over; the number that were as they should be."""
        assert self.process
        try:
            code = self.process.wait(4 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.close()
            raise Failed("the callers do not come to an end") from None
        good, bad = self.counts()
        expect(code == 0 and bad == 0, f"sipp ended with {code}: {good} calls as they should be, {bad} not; {self.errors()}")
        return good

    def counts(self) -> tuple[int, int]:
        with open(f"{self.folder}/log", errors="replace") as f:
            said = f.read()
        numbers = [re.findall(rf"{name} call\s*\|\s*\d+\s*\|\s*(\d+)", said) for name in ("Successful", "Failed")]
        expect(all(numbers), f"sipp said: {said[-600:]}")
        return int(numbers[0][-1]), int(numbers[1][-1])

    def errors(self) -> str:
        with contextlib.suppress(OSError), open(f"{self.folder}/errors", errors="replace") as f:
            return f.read()[:900]
        return ""

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.reflector.is_alive():
            self.reflector.end()


class Instance:
    """A service that answers every caller with silence, and its SIP port."""

    def __init__(self, folder: str, config: str, port: int) -> None:
        os.makedirs(folder, exist_ok=True)
        self.port = port
        self.service = Service(["--config", config, "--softphone-sip-port", str(port)], folder)
        self.answered = 0
        try:
            self.events = Events(self.service)
        except BaseException:
            self.service.__exit__()
            raise
        self.answering = threading.Thread(target=self.answer, daemon=True)
        self.answering.start()

    def answer(self) -> None:
        while (event := self.events.news.get()) is not None:
            if event["type"] != "call_incoming":
                continue
            with contextlib.suppress(OSError, ValueError):
                if self.service.ask("POST", f"/v1/calls/{event['call_id']}/answer")[0] == 202:
                    self.answered += 1

    def ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.service.ask("GET", "/readyz")[0] != 200:
            expect(time.monotonic() < deadline, f"never ready; {self.service.said()}")
            time.sleep(0.1)

    def metric(self, name: str) -> float:
        text = str(self.service.get("/metrics"))
        rows = [line for line in text.splitlines() if line.startswith(name + " ")]
        expect(len(rows) == 1, f"{name}: {rows}")
        return float(rows[0].split()[1])

    def active(self) -> int:
        return sum(call["state"] == "active" for call in self.service.get("/v1/calls")["calls"])

    def end(self) -> None:
        """Tells it to end; it drains."""
        self.service.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.service.process.kill()
        self.service.process.wait()

    def close(self) -> None:
        self.service.__exit__()
        self.events.close()


class Cluster:
    """Kamailio, and as many services as are started. Use as a context manager: none outlives the block."""

    def __init__(self, folder: str, port: int, users: list[str], settings: str = "", dispatched: int = 0) -> None:
        """`port`: the first of 60 that are free. `dispatched`: services at the ports from `port` + 10 on get what no account has."""
        os.makedirs(f"{folder}/kamailio", exist_ok=True)
        self.folder, self.port, self.users = folder, port, users
        self.stack = contextlib.ExitStack()
        self.started = 0
        self.config = f"{folder}/yodel.yaml"
        with open(self.config, "w") as f:
            f.write(f"softphone:\n  device: 'null'\n{settings}media:\n  codec: pcmu\nnetwork:\n  allow: [127.0.0.0/8]\n")
            f.write("accounts:\n" if users else "")
            for user in users:
                with open(f"{folder}/{user}", "w") as password:
                    password.write(sip.password(user) + "\n")
                f.write(
                    f"  of{user}:\n    uri: sip:{user}@{sip.REALM}\n    password_file: {folder}/{user}\n"
                    f"    registrar: sip:127.0.0.1:{port}\n    transport: udp\n"
                )
        with open(f"{folder}/dispatcher.list", "w") as f:
            f.writelines(f"1 sip:127.0.0.1:{self.sip_port(at)}\n" for at in range(dispatched))
        # As it stands in docker/kubernetes, but for addresses and passwords.
        with open(f"{ROOT}/docker/kubernetes/kamailio.cfg") as f:
            text = f.read()
        text = text.replace("eth0:5060", f"127.0.0.1:{port}").replace("house.test", sip.REALM)
        text = text.replace("!192.0.2.10!", "!127.0.0.1!").replace(
            "!/etc/kamailio/dispatcher.list!", f"!{folder}/dispatcher.list!"
        )
        lines = "".join(f'  $sht(passwords=>{user}) = "{sip.password(user)}";\n' for user in users or ["nobody"])
        self.text = text.replace('  $sht(passwords=>100) = "office-of-the-house";\n', lines)

    def sip_port(self, at: int) -> int:
        return self.port + 10 + 2 * at

    def __enter__(self) -> Self:
        try:
            self.proxy = self.stack.enter_context(
                sip.Kamailio(f"{self.folder}/kamailio", self.port, more='loadmodule "ctl.so"\n', text=self.text)
            )
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def start(self) -> Instance:
        at = self.started
        self.started += 1
        instance = Instance(f"{self.folder}/{at}", self.config, self.sip_port(at))
        self.stack.callback(instance.close)
        return instance

    def callers(self, users: list[str], *, hold_s: float, rate: float, patience_s: float = 20) -> Callers:
        number = len(os.listdir(self.folder))
        callers = Callers(
            f"{self.folder}/callers{number}",
            self.port + 2 + 2 * (number % 4),
            self.port,
            users,
            hold_s=hold_s,
            rate=rate,
            patience_s=patience_s,
        )
        self.stack.callback(callers.close)
        return callers

    def contacts(self) -> int:
        """Contacts that the registrar holds in all, by its own word."""
        return self.ask_proxy("ul.dump").count("Address:")

    def with_place(self) -> int:
        """Services that the dispatcher takes to be there and not full: they are active, and answer what they are asked."""
        return self.ask_proxy("dispatcher.list").count("FLAGS: AP")

    def ask_proxy(self, what: str) -> str:
        done = subprocess.run(
            ["kamcmd", "-s", f"unixs:{self.folder}/kamailio/run/kamailio_ctl", what], capture_output=True, text=True
        )
        expect(done.returncode == 0, f"kamcmd: {done.stderr}")
        return done.stdout
