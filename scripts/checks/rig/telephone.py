"""A browser as a telephone of other people's: SIP over WebSocket (RFC 7118) to a Kamailio that carries no media."""

import json
import os

from . import sip
from .chromium import Chromium
from .verdict import until

# Who comes by WebSocket has no address of its own: Kamailio keeps where it is reached in its registration and in its contacts.
WEBSOCKET = """
tcp_accept_no_cl=yes
loadmodule "xhttp.so"
loadmodule "nathelper.so"
loadmodule "websocket.so"
modparam("nathelper|registrar", "received_avp", "$avp(RECEIVED)")
modparam("auth", "algorithm", "SHA-256")

event_route[xhttp:request] {
  if ($hdr(Upgrade) =~ "websocket") { ws_handle_handshake(); exit; }
  xhttp_reply("200", "OK", "text/html", "<!DOCTYPE html><title>telephone</title>");
}
onreply_route { add_contact_alias(); }
"""
# So is who comes by TCP or TLS without a port of his own.
WHENCE = """
  if (is_method("REGISTER") && nat_uac_test(64)) fix_nated_register();
  if (is_method("INVITE")) add_contact_alias();
"""
TEXT = sip.KAMAILIO.replace("if (loose_route()) {", 'if (loose_route()) { if ($du == "") handle_ruri_alias();')


class WebSocketKamailio(sip.Kamailio):
    """As `Kamailio`, with digests by SHA-256; WebSockets, and an empty page to open them from, are at its TCP port."""

    def __init__(self, folder: str, port: int, certificate: str | None = None) -> None:
        super().__init__(folder, port, certificate, more=WEBSOCKET, first=WHENCE, text=TEXT)


class Telephone(Chromium):
    """A telephone in a page, registered at a `WebSocketKamailio`; it takes calls at once and says the file `says` in each."""

    def __init__(self, folder: str, registrar: int, user: str, says: str) -> None:
        super().__init__(folder, says)
        try:
            self.open(f"http://127.0.0.1:{registrar}/")
            with open(f"{os.path.dirname(__file__)}/telephone.js") as f:
                self.do("Runtime.evaluate", expression=f.read())
            who = json.dumps([f"ws://127.0.0.1:{registrar}", user, sip.REALM, sip.password(user)])
            self.ask(f"telephone.register(...{who})")
            self.record("telephone.heard")
        except BaseException:
            self.__exit__()
            raise

    def told(self) -> list[str]:
        """What happened to it, oldest first."""
        return list(self.ask("telephone.told"))

    def until_told(self, what: str) -> None:
        until(what, lambda: what in self.told(), lambda: f"the page told {self.told()}; its console says {self.errors}")
