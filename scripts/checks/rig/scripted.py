"""sipp by scripts that a check writes: what a peer by SIP says and expects, step by step. Straight, by UDP."""

import re

from .sipp import SIPp

# What answers to an INVITE copy: they may go out after another request has come.
SAVED = ("From", "To", "Via", "CSeq")
FOUND = len(SAVED) + 1


class ScriptedSIPp(SIPp):
    """A peer by sipp whose steps of one call are told first, and which starts with its block.

    `callee`: our port, which it calls; without one it waits to be called. `speaks`: its script sends media (`does`); otherwise what is
    sent to it comes back.
    """

    def __init__(self, folder: str, port: int, home: str = "127.0.0.1", callee: int = 0, speaks: bool = False) -> None:
        super().__init__(folder, port, home=home)
        self.family, self.host = ("IP6", f"[{home}]") if ":" in home else ("IP4", home)
        self.callee = f"{self.host}:{callee}" if callee else ""
        # In sipp's words: brackets are its own.
        self.place, self.target = f"[local_ip]:{port}", f"sip:yodel@[remote_ip]:{callee}"
        self.media = "[rtpstream_audio_port]" if speaks else str(self.reflects())
        self.contact = f"Contact: <sip:sipp@{self.place}>"
        self.steps: list[str] = []
        self.asked, self.heard = "", ""

    def __enter__(self) -> "ScriptedSIPp":
        kept = sorted(set(re.findall(r'assign_to="(\d)"', "".join(self.steps))))
        # It refuses what is kept and never looked at.
        reference = f'<Reference variables="{",".join(kept)}"/>' if kept else ""
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE scenario SYSTEM "sipp.dtd">\n<scenario name="script">'
        self.play("\n".join([head, *self.steps, reference, "</scenario>\n"]), callee=self.callee)
        super().__enter__()
        return self

    def answers(self) -> bool:
        # Who calls may be done already.
        return bool(self.callee) or super().answers()

    # What it does

    def offer(self, version: int = 1) -> str:
        lines = [
            "v=0",
            f"o=sipp 5360 {version} IN {self.family} {self.home}",
            "s=-",
            f"c=IN {self.family} {self.home}",
            "t=0 0",
            f"m=audio {self.media} RTP/AVP 0",
            "a=rtpmap:0 PCMU/8000",
        ]
        return "\n".join(lines)

    def pauses(self, seconds: float) -> None:
        self.steps.append(f'<pause milliseconds="{round(1000 * seconds)}"/>')

    def does(self, action: str) -> None:
        self.steps.append(f"<nop><action><exec {action}/></action></nop>")

    def expects(self, kind: str, what: str, field: str = "", text: str = "") -> None:
        """A `request` or a `response` comes, with that `text` in that `field`."""
        self.heard = what if kind == "request" else self.heard
        actions = []
        if (kind, what) == ("request", "INVITE"):
            for number, name in enumerate(SAVED, 1):
                actions.append(f'<ereg regexp=".*" search_in="hdr" header="{name}:" assign_to="{number}"/>')
        if field:
            actions.append(f'<ereg regexp="{text}" search_in="hdr" header="{field}:" check_it="true" assign_to="{FOUND}"/>')
        action = f"<action>{''.join(actions)}</action>" if actions else ""
        # Where the next request goes, an INVITE and its 200 say.
        routes = ' rrs="true"' if what == "INVITE" or (what == "200" and self.asked == "INVITE") else ""
        self.steps.append(f'<recv {kind}="{what}"{routes}>{action}</recv>')

    def may_hear(self, *statuses: int) -> None:
        self.steps += [f'<recv response="{status}" optional="true"/>' for status in statuses]

    def answers_with(self, status: str, *fields: str, body: str = "", invite: bool = False) -> None:
        """An answer to the last request, or to the `invite`, which may have come before it."""
        copied = ["[last_Via:]", "[last_From:]", "[last_To:]", "[last_CSeq:]"]
        if invite:
            # What it saved is the nearest proxy's.
            copied = [
                "[last_Via:]" if self.heard == "INVITE" else "Via:[$3]",
                "From:[$1]",
                "To:[$2];tag=sipp[call_number]",
                "CSeq:[$4]",
            ]
        # A final answer to INVITE is repeated until its ACK.
        self.says([f"SIP/2.0 {status}", *copied, "[last_Call-ID:]", self.contact, *fields], body, invite and status > "2")

    def asks(self, method: str, number: int, *fields: str, body: str = "") -> None:
        """A request of the call that it makes; `number`: of its CSeq. What belongs to the first INVITE goes where that went."""
        self.asked = method if method != "ACK" else self.asked
        begins = number == 1
        lines = [
            f"{method} {self.target if begins and method != 'ACK' else '[next_url]'} SIP/2.0",
            f"Via: SIP/2.0/UDP {self.place};branch={'z9hG4bKsipp[pid]' if begins and method != 'ACK' else '[branch]'}",
            f"From: <sip:sipp@{self.place}>;tag=sipp[call_number]",
            f"To: <{self.target}>{'' if begins and method != 'ACK' else '[peer_tag_param]'}",
            "Call-ID: [call_id]",
            f"CSeq: {number} {method}",
            self.contact,
            "Max-Forwards: 70",
            *fields,
        ]
        self.says(lines, body, method != "ACK")

    def acknowledges_refusal(self) -> None:
        """The ACK to a refusal of the first INVITE, which has its branch."""
        before = len(self.steps)
        self.asks("ACK", 1)
        text = self.steps[before].replace("[next_url]", self.target).replace("[branch]", "z9hG4bKsipp[pid]")
        self.steps[before] = text

    def says(self, lines: list[str], body: str, is_repeated: bool) -> None:
        lines = [*lines, *["Content-Type: application/sdp"] * bool(body), "Content-Length: [len]", "", *body.splitlines()]
        text = "\n".join(f"    {line}" for line in lines)
        again = ' retrans="500"' if is_repeated else ""
        self.steps.append(f"<send{again}><![CDATA[\n{text}\n\n  ]]></send>")
