"""sipp as a callee by SIP that sends back what it hears."""

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

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]

    def run(self) -> None:
        while True:
            packet, source = self.socket.recvfrom(2048)
            if len(packet) < 12:
                return
            self.socket.sendto(packet[:8] + b"SIPp" + packet[12:], source)

    def end(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"end", ("127.0.0.1", self.port))
        self.join(PATIENCE_S)
        self.socket.close()


class EchoingSIPp(Daemon):
    """A callee by sipp: answers one call in PCMU; what is sent to it comes back.

    After `change_after_s` it changes to PCMA. With `refuses_encryption` it refuses what offers a certificate: two calls.
    """

    name = "sipp"

    def __init__(
        self, folder: str, port: int, transport: str, change_after_s: float | None = None, refuses_encryption: bool = False
    ) -> None:
        super().__init__(folder)
        self.port, self.transport = port, transport
        self.reflector = Reflector()
        self.reflector.start()
        with open(f"{folder}/callee.xml", "w") as f:
            change = "" if change_after_s is None else CHANGE.replace("@AFTER@", str(round(1000 * change_after_s)))
            refusal = 'next="7" test="2"' if refuses_encryption else ""
            media = self.reflector.port
            scenario = (
                SCENARIO.replace("@CHANGE@", change)
                .replace("@REFUSAL@", refusal)
                .replace("@PCMU@", description(1, 0, "PCMU", media))
            )
            f.write(scenario.replace("@PCMA@", description(2, 8, "PCMA", media)))
        self.launch(
            ["sipp", "-sf", f"{folder}/callee.xml", "-i", "127.0.0.1", "-mi", "127.0.0.1", "-p", str(port)]
            + [
                "-mp",
                str(port + 4),
                "-t",
                "t1" if transport == "tcp" else "u1",
                "-m",
                "3" if refuses_encryption else "1",
                "-nostdin",
            ]
        )

    def __exit__(self, *arguments: object) -> None:
        super().__exit__(*arguments)
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
        with socket.socket(socket.AF_INET, kind) as s:
            try:
                s.bind(("127.0.0.1", self.port))
            except OSError:
                return True
            return False
