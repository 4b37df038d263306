"""The page of `yodel softphone` as the handset of calls by SIP, through Kamailio with baresip: made, answered and joined by clicks."""

import time

from . import sip, speech
from .chromium import Chromium
from .endpoint import free_ports
from .house import House
from .page import RAW, TALK_SECONDS, ended, judge, looked_at, shown, visit
from .service import Events
from .verdict import expect

# The page as if in the background, and what it notifies of.
UNSEEN = """void (() => {
  window.notified = [];
  window.Notification = class { static permission = 'granted'; constructor(text) { window.notified.push(text); } };
  Object.defineProperty(document, 'hidden', { get: () => true });
})()"""

# A key that is held down, and another one; the page's requests for them, as it makes them.
KEYS = """void (() => {
  const send = window.fetch;
  window.digits = [];
  window.fetch = (path, options) => {
    if (String(path).endsWith('/dtmf')) window.digits.push(JSON.parse(options.body).digits);
    return send(path, options);
  };
  for (const [key, repeat] of [['5', false], ['5', true], ['5', true], ['7', false]])
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, repeat, bubbles: true }));
})()"""

# From now on the service cannot be asked; what it tells and the media go on.
UNREACHED = "void (window.fetch = () => Promise.reject(new TypeError('Failed to fetch')))"


def dialled(folder: str) -> str:
    """A number is dialled on the page: the browser is the handset of a call through Kamailio; held, muted, keys, hung up there."""
    said = speech.write(f"{folder}/said.wav", 48000, TALK_SECONDS + 3, 0)
    with House(folder, free_ports(1, step=150)) as house, Events(house.service) as events:
        with Chromium(folder, said) as browser:
            service, peer = house.service, house.peers[0]
            visit(browser, service)
            browser.record("talk.heard")
            browser.ask("void (document.querySelector('#to').value = '101')")
            browser.click("#call")
            browser.wait_for("document.querySelector('#state').textContent === 'connected'")
            number = next(c["id"] for c in service.get("/v1/calls")["calls"] if c["kind"] == "sip")
            expect(service.get(f"/v1/calls/{number}")["codec"] == "opus", "not Opus from end to end")
            time.sleep(TALK_SECONDS)
            heard = browser.recorded(f"{folder}/heard.wav")
            figures = shown(browser, "delay", "delay-out", "delay-in")
            looked_at(browser)
            for button, state in (("#mute", "true"), ("#mute", "false"), ("#hold", "true"), ("#hold", "false")):
                browser.click(button)
                browser.wait_for(f"document.querySelector('{button}').getAttribute('aria-pressed') === '{state}'")
            browser.click("#keys")
            browser.click("#keypad button")
            browser.wait_for(f"performance.getEntriesByName(location.origin + '/v1/calls/{number}/dtmf').length")
            browser.ask(KEYS)
            browser.wait_for("window.digits.join('') === '57'")
            browser.ask("pressed.then(() => null)")
            peer.do("hangup")
            ended(service, number, "remote_hangup")
            browser.wait_for("!talk.peer")
            browser.wait_for("document.querySelector('#state').textContent === 'the other side hung up'")
            told = events.types(number)
            expect({"call_muted", "call_held", "call_resumed"} <= set(told), f"told {told}")
            service.until("over", "/v1/calls", lambda v: all(c["state"] == "ended" for c in v["calls"]))
            expect(not browser.errors, f"the console says {browser.errors}")
        expect(service.stop() == 0, service.said())
        theirs = judge(said, peer.heard(), "baresip")
    return f"{theirs}, {judge(house.theirs, heard, 'the browser')}; {figures}"


def answered(folder: str) -> str:
    """A call rings on the page, which notifies of it where nobody looks, and after a reload of it; a click answers it, and a click
    ends it. The next one is refused."""
    said = speech.write(f"{folder}/said.wav", 48000, TALK_SECONDS + 3, 0)
    with House(folder, free_ports(1, step=150)) as house, Events(house.service) as events:
        with Chromium(folder, said) as browser:
            service, peer = house.service, house.peers[0]
            visit(browser, service)
            browser.ask(UNSEEN)
            peer.do("dial", f"sip:100@{sip.REALM}")
            browser.wait_for("!!document.querySelector('#incoming .answer')")
            browser.wait_for("window.notified.length === 1 && window.notified[0].endsWith(' calls')")
            browser.ask("void (window.former = true)")
            browser.do("Page.reload")
            browser.wait_for("!window.former && !!document.querySelector('#incoming .answer')")
            browser.ask(f"void (talk.constraints = {RAW})")
            browser.record("talk.heard")
            browser.click("#incoming .answer")
            number = str(events.wait_for("call_answered")["call_id"])
            browser.wait_for("document.querySelector('#state').textContent === 'connected'")
            time.sleep(TALK_SECONDS)
            heard = browser.recorded(f"{folder}/heard.wav")
            browser.click("#hangup")
            ended(service, number, "local_hangup")
            browser.wait_for("!talk.peer && document.querySelector('#talk').hidden")
            peer.do("dial", f"sip:200@{sip.REALM}")
            browser.wait_for("!!document.querySelector('#incoming .refuse')")
            browser.click("#incoming .refuse")
            browser.wait_for("!document.querySelector('#incoming .refuse')")
            calls = service.until("over", "/v1/calls", lambda v: all(c["state"] == "ended" for c in v["calls"]))["calls"]
            expect(calls[-1]["account"] == "home" and calls[-1]["answered"] is None, f"{calls[-1]}")
            expect(not browser.errors, f"the console says {browser.errors}")
        expect(service.stop() == 0, service.said())
        # The refused call has no recording.
        theirs = judge(said, peer.heard(), "baresip")
    return f"{theirs}, {judge(house.theirs, heard, 'the browser')}"


def parties(folder: str) -> str:
    """A call takes the place of an echo test; it stays on hold, though the other side takes back a hold of its own, while
    another one runs. The two become one conversation, and their other sides are left to each other; then one is sent away, and
    one is hung up while the service cannot be asked."""
    said = speech.write(f"{folder}/said.wav", 48000, 60, 0)
    with House(folder, free_ports(1, step=210), ("101", "102")) as house, Chromium(folder, said) as browser:
        service = house.service
        visit(browser, service)

        # The accounts come a moment after the connection.
        browser.wait_for("!!document.querySelector('#account').value")

        def dial(user: str) -> str:
            browser.ask(f"void (document.querySelector('#to').value = '{user}')")
            browser.click("#call")
            to = f"sip:{user}@{sip.REALM}"
            calls = service.until(
                f"a call to {user}",
                "/v1/calls",
                lambda v: any(c["to"] == to and c["state"] == "active" for c in v["calls"]),
            )["calls"]
            return str([c["id"] for c in calls if c["to"] == to][-1])

        browser.click("#echo")
        browser.wait_for("document.querySelector('#state').textContent === 'connected'")
        first = dial("101")
        house.peers[0].do("hold")
        service.until("held by them", f"/v1/calls/{first}", lambda c: c["held"]["by_peer"])
        second = dial("102")
        service.until("held", f"/v1/calls/{first}", lambda c: c["held"]["by_us"])
        house.peers[0].do("resume")
        record = service.until("resumed by them", f"/v1/calls/{first}", lambda c: not c["held"]["by_peer"])
        expect(record["held"]["by_us"], f"two callers hear each other: {record}")
        browser.wait_for("!!document.querySelector('#others .join')")
        browser.click("#others .join")
        service.until("joined", f"/v1/calls/{first}", lambda c: not c["held"]["by_us"])
        browser.wait_for("!document.querySelector('#others .join') && !!document.querySelector('#others .connect')")
        browser.click("#others .connect")
        for number in (first, second):
            service.until("over", f"/v1/calls/{number}", lambda c: c["state"] == "ended")
        reasons = {service.get(f"/v1/calls/{number}")["end_reason"] for number in (first, second)}
        expect("transferred" in reasons, f"they ended for {reasons}")
        browser.wait_for("!talk.peer")
        for peer in house.peers:
            peer.do("hangup")
        number = dial("101")
        browser.click("#transfer-open")
        browser.ask("void (document.querySelector('#transfer-to').value = '102')")
        browser.click("#transfer-go")
        service.until("sent away", f"/v1/calls/{number}", lambda c: c["state"] == "ended" and c["end_reason"] == "transferred")
        browser.wait_for("!talk.peer")
        for peer in house.peers:
            peer.do("hangup")
        number = dial("101")
        browser.wait_for("document.querySelector('#state').textContent === 'connected'")
        browser.ask(UNREACHED)
        browser.click("#hangup")
        browser.wait_for("!talk.peer && document.querySelector('#state').textContent === 'you hung up'")
        service.until("over", f"/v1/calls/{number}", lambda c: c["state"] == "ended")
        expect(not browser.errors, f"the console says {browser.errors}")
        expect(service.stop() == 0, service.said())
    return f"joined, connected ({', '.join(sorted(reasons))}), sent away, hung up unasked"
