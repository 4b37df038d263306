"""sipp as a peer by SIP, which may send back what it hears."""

import socket
import subprocess
import threading

from .daemon import Daemon
from .verdict import PATIENCE_S, Failed


def description(version: int, payload_type: int, codec: str, port: int) -> str:
    """The callee's session description, its `version`th, in sipp's words."""
    return f"""v=0
    o=user1 53655765 {2353687636 + version} IN IP[local_ip_type] [local_ip]
    s=-
    c=IN IP[local_ip_type] [local_ip]
    t=0 0
    m=audio {port} RTP/AVP {payload_type}
    a=rtpmap:{payload_type} {codec}/8000"""


# sipp's own callee, but for the port of its media: its echo would keep the SSRC, and our own packets are not heard twice.
SCENARIO = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="callee">
  <recv request="INVITE" rrs="true" @REFUSAL@><action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="1"/>
    <ereg regexp="a=fingerprint" search_in="body" assign_to="2"/>
  </action></recv>
  <Reference variables="1,2"/>
  <send><![CDATA[
    SIP/2.0 180 Ringing
    [last_Via:]
    [last_From:]
    [last_To:];tag=[pid]SIPpTag[call_number]
    [last_Call-ID:]
    [last_CSeq:]
    Contact: <sip:[local_ip]:[local_port];transport=[transport]>
    Content-Length: 0

  ]]></send>
  <send retrans="500"><![CDATA[
    SIP/2.0 200 OK
    [last_Via:]
    [last_From:]
    [last_To:];tag=[pid]SIPpTag[call_number]
    [last_Call-ID:]
    [last_CSeq:]
    Contact: <sip:[local_ip]:[local_port];transport=[transport]>
    Content-Type: application/sdp
    Content-Length: [len]

    @PCMU@
  ]]></send>
  <recv request="ACK"/>@CHANGE@
  <recv request="BYE"/>
  <send next="8"><![CDATA[
    SIP/2.0 200 OK
    [last_Via:]
    [last_From:]
    [last_To:]
    [last_Call-ID:]
    [last_CSeq:]
    Content-Length: 0

  ]]></send>
  <label id="7"/>
  <send retrans="500"><![CDATA[
    SIP/2.0 488 Not Acceptable Here
    [last_Via:]
    [last_From:]
    [last_To:];tag=[pid]SIPpTag[call_number]
    [last_Call-ID:]
    [last_CSeq:]
    Content-Length: 0

  ]]></send>
  <recv request="ACK"/>
  <label id="8"/>
</scenario>
"""


# In mid-call the callee offers PCMA in place of PCMU.
CHANGE = """
  <pause milliseconds="@AFTER@"/>
  <send retrans="500"><![CDATA[
    INVITE [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:echo@[local_ip]:[local_port]>;tag=[pid]SIPpTag[call_number]
    To:[$1]
    [last_Call-ID:]
    CSeq: 1 INVITE
    Contact: <sip:[local_ip]:[local_port];transport=[transport]>
    Max-Forwards: 70
    Content-Type: application/sdp
    Content-Length: [len]

    @PCMA@
  ]]></send>
  <recv response="100" optional="true"/>
  <recv response="200" rrs="true"/>
  <send><![CDATA[
    ACK [next_url] SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: <sip:echo@[local_ip]:[local_port]>;tag=[pid]SIPpTag[call_number]
    To:[$1]
    [last_Call-ID:]
    CSeq: 1 ACK
    Contact: <sip:[local_ip]:[local_port];transport=[transport]>
    Max-Forwards: 70
    Content-Length: 0

  ]]></send>"""


class Reflector(threading.Thread):
    """Sends each RTP packet back to where it came from, as a source of its own."""

    def __init__(self, home: str = "127.0.0.1") -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(family(home), socket.SOCK_DGRAM)
        self.socket.bind((home, 0))
        self.home = home
        self.port: int = self.socket.getsockname()[1]

    def run(self) -> None:
        while True:
            packet, source = self.socket.recvfrom(2048)
            if len(packet) < 12:
                return
            self.socket.sendto(packet[:8] + b"SIPp" + packet[12:], source)

    def end(self) -> None:
        with socket.socket(family(self.home), socket.SOCK_DGRAM) as s:
            s.sendto(b"end", (self.home, self.port))
        self.join(PATIENCE_S)
        self.socket.close()


def family(home: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in home else socket.AF_INET


class SIPp(Daemon):
    """A peer by sipp, with a scenario of its own; `reflector`: what is sent to its media comes back."""

    name = "sipp"

    def __init__(self, folder: str, port: int, transport: str = "udp", home: str = "127.0.0.1") -> None:
        super().__init__(folder)
        self.port, self.transport, self.home = port, transport, home
        self.reflector: Reflector | None = None

    def reflects(self) -> int:
        """The port of its media from now on."""
        self.reflector = Reflector(self.home)
        self.reflector.start()
        return self.reflector.port

    def play(self, scenario: str, calls: int = 1, callee: str = "") -> None:
        """Runs a scenario; `callee`: whom it calls, HOST:PORT."""
        with open(f"{self.folder}/scenario.xml", "w") as f:
            f.write(scenario)
        own = ["-i", self.home, "-mi", self.home, "-p", str(self.port), "-mp", str(self.port + 4)]
        way = ["-t", "t1" if self.transport == "tcp" else "u1"]
        target = [callee] if callee else []
        self.launch(["sipp", "-sf", f"{self.folder}/scenario.xml", *target, *own, *way, "-m", str(calls), "-nostdin"])

    def __exit__(self, *arguments: object) -> None:
        super().__exit__(*arguments)
        if self.reflector:
            self.reflector.end()

    def verdict(self) -> int:
        """sipp's exit code: 0 when each message came as its scenario says."""
        assert self.process
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"the call never ended for sipp; {self.said()}") from None

    def answers(self) -> bool:
        """It counts whatever is sent to it as a call: only that its port is taken is looked at."""
        kind = socket.SOCK_STREAM if self.transport == "tcp" else socket.SOCK_DGRAM
        with socket.socket(family(self.home), kind) as s:
            try:
                s.bind((self.home, self.port))
            except OSError:
                return True
            return False


class EchoingSIPp(SIPp):
    """A callee by sipp: answers one call in PCMU; what is sent to it comes back.

    After `change_after_s` it changes to PCMA. With `refuses_encryption` it refuses what offers a certificate: two calls.
    """

    def __init__(
        self, folder: str, port: int, transport: str, change_after_s: float | None = None, refuses_encryption: bool = False
    ) -> None:
        super().__init__(folder, port, transport)
        media = self.reflects()
        change = "" if change_after_s is None else CHANGE.replace("@AFTER@", str(round(1000 * change_after_s)))
        refusal = 'next="7" test="2"' if refuses_encryption else ""
        scenario = SCENARIO.replace("@CHANGE@", change).replace("@REFUSAL@", refusal)
        for codec, text in (("PCMU", description(1, 0, "PCMU", media)), ("PCMA", description(2, 8, "PCMA", media))):
            scenario = scenario.replace(f"@{codec}@", text)
        self.play(scenario, calls=3 if refuses_encryption else 1)
