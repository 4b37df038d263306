"""Peers of calls by SIP, from Debian, on loopback: Kamailio as registrar and proxy with digest, baresip as another telephone."""

import glob
import json
import os
import re
import socket
import time

from .daemon import Daemon
from .verdict import PATIENCE_S, expect, until

REALM = "yodel.test"


def password(user: str) -> str:
    return f"secret-{user}"


KAMAILIO = """
listen=udp:127.0.0.1:@PORT@
listen=tcp:127.0.0.1:@PORT@
children=1
auto_aliases=no
alias="@REALM@"
log_stderror=yes
debug=1
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("usrloc", "db_mode", 0)
# Such a contact would have to be looked up within a call.
modparam("registrar", "gruu_enabled", 0)

request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  force_rport();
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
    sl_send_reply("404", "Not Here"); exit;
  }
  if (is_method("OPTIONS") && uri == myself && $rU == $null) { sl_send_reply("200", "OK"); exit; }
  remove_hf("Route");
  if (is_method("REGISTER|INVITE")) {
    if (!pv_auth_check("@REALM@", "secret-$au", "0", "0")) { auth_challenge("@REALM@", "1"); exit; }
    consume_credentials();
  }
  if (is_method("REGISTER")) { save("location"); exit; }
  if ($rU =~ "^status-[3-6][0-9][0-9]$") { $var(code) = $(rU{s.substr,7,3}{s.int}); sl_send_reply("$var(code)", "As Asked"); exit; }
  if (is_method("INVITE")) record_route();
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  t_relay();
}
"""


TLS = """
enable_tls=yes
listen=tls:127.0.0.1:@TLS@
loadmodule "tls.so"
modparam("tls", "config", "@FOLDER@/tls.cfg")
"""


def is_answered(port: int) -> bool:
    """Whether somebody answers OPTIONS by UDP, within half a second."""
    return bool(answer_to("OPTIONS", port, seconds=0))


def answer_to(
    method: str,
    port: int,
    seconds: float = PATIENCE_S,
    to: str = "",
    fields: dict[str, str] | None = None,
    body: str = "",
    sender: str = "sip:check@127.0.0.1",
) -> str:
    """The answer by UDP to a request outside of calls, which is repeated for so long (RFC 3261 section 17.1), to `to` where that is
    given; empty without one."""
    deadline = time.monotonic() + seconds
    to = to or f"sip:127.0.0.1:{port}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        s.settimeout(0.5)
        own = s.getsockname()[1]
        lines = [
            f"{method} {to} SIP/2.0",
            f"Via: SIP/2.0/UDP 127.0.0.1:{own};branch=z9hG4bK{os.urandom(8).hex()};rport",
            f"From: <{sender}>;tag={os.urandom(4).hex()}",
            f"To: <{to}>",
            f"Call-ID: {os.urandom(8).hex()}",
            f"CSeq: 1 {method}",
            f"Contact: <sip:check@127.0.0.1:{own}>",
            "Max-Forwards: 70",
            *(f"{name}: {value}" for name, value in (fields or {}).items()),
            f"Content-Length: {len(body)}",
        ]
        while True:
            try:
                s.sendto(("\r\n".join(lines) + "\r\n\r\n" + body).encode(), ("127.0.0.1", port))
                said = s.recv(4096).decode(errors="replace")
                return said if said.startswith("SIP/2.0 ") else ""
            except OSError:
                if time.monotonic() >= deadline:
                    return ""


class Kamailio(Daemon):
    """Registrar of any user with the password secret-USER, proxy that stays on the way; status-NNN is answered NNN."""

    name = "kamailio"

    def __init__(
        self, folder: str, port: int, certificate: str | None = None, more: str = "", first: str = "", text: str = KAMAILIO
    ) -> None:
        """`certificate`: NAME of NAME.pem and NAME.key: by TLS it is at the port after the next. `more`: lines of its configuration;
        `first`: what it does with each request before all else. `text`: another configuration."""
        super().__init__(folder)
        self.port = port
        text = text.replace("@PORT@", str(port)).replace("@REALM@", REALM)
        with open(f"{folder}/kamailio.cfg", "w") as f:
            text = text.replace("  force_rport();", f"  force_rport();\n  {first}")
            f.write(text.replace("\nrequest_route", (TLS if certificate else "") + more + "\nrequest_route"))
        if certificate:
            with open(f"{folder}/tls.cfg", "w") as f:
                f.write(
                    f"[server:default]\nmethod = TLSv1.2+\ncertificate = {certificate}.pem\nprivate_key = {certificate}.key\n"
                )
            with open(f"{folder}/kamailio.cfg") as f:
                text = f.read().replace("@TLS@", str(port + 2)).replace("@FOLDER@", folder)
            with open(f"{folder}/kamailio.cfg", "w") as f:
                f.write(text)
        os.makedirs(f"{folder}/run", exist_ok=True)
        run = f"{folder}/run"
        self.launch(["kamailio", "-f", f"{folder}/kamailio.cfg", "-DD", "-E", "-Y", run, "-w", run, "-m", "64", "-M", "8"])

    def answers(self) -> bool:
        return is_answered(self.port)


# A server that tells whether voice messages wait, to those who subscribe with their own password.
ANSWERING_MACHINE = """
loadmodule "presence.so"
loadmodule "presence_mwi.so"
modparam("presence", "subs_db_mode", 0)
modparam("presence", "publ_cache", 2)
modparam("presence", "server_address", "sip:127.0.0.1:@PORT@")
"""
ANSWERING_ROUTE = """
  if (is_method("PUBLISH|SUBSCRIBE")) {
    if (is_method("SUBSCRIBE") && !has_totag()) {
      if (!pv_auth_check("@REALM@", "secret-$au", "0", "0")) { auth_challenge("@REALM@", "1"); exit; }
      consume_credentials();
    }
    if (!t_newtran()) { sl_reply_error(); exit; }
    if (is_method("PUBLISH")) handle_publish(); else handle_subscribe();
    t_release(); exit;
  }
"""


class AnsweringMachine(Kamailio):
    """A registrar that is told of voice messages (PUBLISH), and tells those who subscribe (RFC 3842)."""

    def __init__(self, folder: str, port: int) -> None:
        more, first = (
            text.replace("@PORT@", str(port)).replace("@REALM@", REALM) for text in (ANSWERING_MACHINE, ANSWERING_ROUTE)
        )
        # What it has published last: the next one takes its place (RFC 3903).
        self.tag = ""
        super().__init__(folder, port, more=more, first=first)

    def publish(self, user: str, waiting: bool, voice: str) -> None:
        """What is on the machine of `user`: `voice` is NEW/OLD."""
        body = f"Messages-Waiting: {'yes' if waiting else 'no'}\r\nVoice-Message: {voice} (0/0)\r\n"
        fields = {"Event": "message-summary", "Expires": "600", "Content-Type": "application/simple-message-summary"}
        if self.tag:
            fields["SIP-If-Match"] = self.tag
        said = answer_to("PUBLISH", self.port, to=f"sip:{user}@{REALM}", fields=fields, body=body)
        tag = re.search(r"(?mi)^SIP-ETag: *(\S+)", said)
        expect(said.startswith("SIP/2.0 200 ") and tag, f"PUBLISH is answered {said!r}; {self.said()}")
        self.tag = tag[1] if tag else ""


class Baresip(Daemon):
    """A telephone registered at Kamailio that answers by itself, says a file and records what it hears.

    `encryption` is its `mediaenc`: dtls_srtp, srtp-mand, srtp; empty: plain. `ice`: it finds its way by ICE.
    """

    name = "baresip"

    def __init__(
        self, folder: str, port: int, registrar: int, user: str, says: str, encryption: str = "", ice: bool = False
    ) -> None:
        super().__init__(folder)
        self.control = port + 2
        os.makedirs(f"{folder}/rec", exist_ok=True)
        account = (
            f'<sip:{user}@{REALM}>;auth_user={user};auth_pass={password(user)};outbound="sip:127.0.0.1:{registrar}";'
            "regint=60;answermode=auto;audio_codecs=opus/48000/2,pcmu"
        )
        account += f";mediaenc={encryption}" if encryption else ""
        account += ";medianat=ice\n" if ice else "\n"
        modules = "".join(
            f"module {m}.so\n" for m in ("opus", "g711", "aubridge", "aufile", "sndfile", "srtp", "dtls_srtp", *["ice"] * ice)
        )
        modules += "".join(f"module_app {m}.so\n" for m in ("account", "menu", "ctrl_tcp"))
        config = (
            f"poll_method epoll\nsip_listen 127.0.0.1:{port}\nnet_interface 127.0.0.1\naudio_source aufile,{says}\n"
            f"audio_player aubridge,null{port}\naudio_alert aubridge,alert{port}\n"
            "ausrc_srate 48000\nauplay_srate 48000\nausrc_channels 1\nauplay_channels 1\naudio_txmode thread\n"
            # It waits for a second handshake where RTCP has a port of its own.
            f"rtcp_mux {'yes' if ice or encryption == 'dtls_srtp' else 'no'}\n"
            f"rtp_ports {port + 10}-{port + 39}\nsnd_path {folder}/rec\nmodule_path /usr/lib/baresip/modules\n{modules}"
            f"ctrl_tcp_listen 127.0.0.1:{self.control}\n"
        )
        for name, text in (("accounts", account), ("contacts", ""), ("config", config)):
            with open(f"{folder}/{name}", "w") as f:
                f.write(text)
        self.launch(["baresip", "-f", folder, "-v"])

    def answers(self) -> bool:
        try:
            self.do("reginfo")
        except OSError:
            return False
        with open(f"{self.folder}/log", errors="replace") as f:
            return "200 OK" in f.read()

    def do(self, command: str, parameters: str = "") -> None:
        """A command of its own by its control port, as a netstring of JSON."""
        message = json.dumps({"command": command, "params": parameters, "token": "check"}).encode()
        with socket.create_connection(("127.0.0.1", self.control), PATIENCE_S) as s:
            s.sendall(b"%d:%s," % (len(message), message))
            s.recv(4096)

    def heard(self) -> str:
        """The recording of its last call, once that is over: only then its header tells how long it is."""
        files: list[str] = []

        def is_whole() -> bool:
            found = [path for path in glob.glob(f"{self.folder}/rec/*-dec.wav") if os.path.getsize(path) > 1000]
            files[:] = sorted(found, key=os.path.getmtime)
            return bool(files) and sound_bytes(files[-1]) > 0

        until("a recording that is whole", is_whole, self.said)
        return files[-1]


def sound_bytes(path: str) -> int:
    """What the header of a WAV file promises; 0: it is still being written."""
    with open(path, "rb") as f:
        head = f.read(256)
    place = head.find(b"data")
    return int.from_bytes(head[place + 4 : place + 8], "little") if place > 0 else 0


def write_accounts(
    folder: str, port: int, transport: str = "udp", wrong: bool = False, more: str = "", registrar: str = "127.0.0.1"
) -> list[str]:
    """A configuration with one account, 100, whose password is in a file.

    `more`: further lines of the account. Without a `port`, the `registrar`'s name tells it; without a `registrar`, the domain's.
    """
    with open(f"{folder}/password", "w") as f:
        f.write(("wrong" if wrong else password("100")) + "\n")
    with open(f"{folder}/yodel.yaml", "w") as f:
        place = f"    registrar: sip:{registrar}{f':{port}' if port else ''}\n" if registrar else ""
        f.write(
            f"accounts:\n  office:\n    uri: sip:100@{REALM}\n    password_file: {folder}/password\n"
            f"{place}    transport: {transport}\n{more}"
        )
    return ["--config", f"{folder}/yodel.yaml", "--account", "office"]
