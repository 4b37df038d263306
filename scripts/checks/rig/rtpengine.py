"""rtpengine, from Debian, between two telephones at Kamailio: what one side encrypts it decrypts, and encrypts anew for the other."""

import contextlib
import socket

from .daemon import Daemon
from .sip import KAMAILIO, Kamailio

# A callee's name says which kind its side gets; the caller gets back what it offered.
MEDIA = """
loadmodule "rtpengine.so"
modparam("rtpengine", "rtpengine_sock", "udp:127.0.0.1:@CONTROL@")

onreply_route[MEDIA] {
  if (has_body("application/sdp")) rtpengine_manage("replace-origin replace-session-connection");
}

route[MEDIA] {
  $var(same) = "replace-origin replace-session-connection ICE=remove";
  # AES-GCM by keys in SDP is silent one way in this version.
  $var(sdes) = "SDES-no-AEAD_AES_256_GCM SDES-no-AEAD_AES_128_GCM";
  if ($avp(media) == "rtp") rtpengine_manage("$var(same) RTP/AVP");
  else if ($avp(media) == "sdes") rtpengine_manage("$var(same) RTP/SAVP DTLS=off $var(sdes)");
  else if ($avp(media) == "dtls") rtpengine_manage("$var(same) UDP/TLS/RTP/SAVP SDES-off DTLS=active");
  else rtpengine_manage("$var(same)");
  t_on_reply("MEDIA");
}
"""
CHOICE = """if (!lookup("location")) { sl_send_reply"""
CHOSEN = """if ($rU =~ "^to-(rtp|sdes|dtls)-") {
    $avp(media) = $(rU{s.select,1,-});
    $rU = $(rU{s.select,2,-});
    route(MEDIA);
  }
  if (!lookup("location")) { sl_send_reply"""
IN_DIALOG = """if (loose_route()) { t_relay(); exit; }"""
BRIDGED = """if (loose_route()) {
      if (is_method("INVITE|UPDATE|ACK") && has_body("application/sdp")) route(MEDIA);
      if (is_method("BYE")) rtpengine_delete();
      t_relay(); exit;
    }"""


class RTPEngine(Daemon):
    """In user space, on loopback; `control` is where Kamailio asks it."""

    name = "rtpengine"

    def __init__(self, folder: str, control: int, first_port: int) -> None:
        super().__init__(folder)
        self.control = control
        place = ["--interface=127.0.0.1", f"--listen-ng=127.0.0.1:{control}", "--table=-1"]
        ports = [f"--port-min={first_port}", f"--port-max={first_port + 39}"]
        self.launch(["rtpengine", "--config-file=none", "--foreground", "--log-stderr", "--log-level=6", *place, *ports])

    def answers(self) -> bool:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s, contextlib.suppress(OSError):
            s.settimeout(0.5)
            s.connect(("127.0.0.1", self.control))
            s.send(b"1 d7:command4:pinge")
            return b"pong" in s.recv(999)
        return False


def proxy(folder: str, port: int, control: int, certificate: str) -> Kamailio:
    """Kamailio that has media go through the engine for callees named `to-rtp-USER`, `to-sdes-USER`, `to-dtls-USER`."""
    text = KAMAILIO.replace(CHOICE, CHOSEN).replace(IN_DIALOG, BRIDGED)
    assert text.count("route(MEDIA)") == 2, "the proxy's configuration has another form"
    return Kamailio(folder, port, certificate=certificate, more=MEDIA.replace("@CONTROL@", str(control)), text=text)
