"""The page of `yodel softphone` in a real browser: opened, called from, looked at closer, and what was heard on either side."""

import time

from . import sip
from .chromium import Chromium
from .hearing import LEAST, hears
from .service import Service
from .verdict import expect

TALK_SECONDS = 10
# A voice that comes back is coded twice, and the browser stretches it while its buffer settles.
LEAST_OF_ECHO = 0.85
# So that what is compared is ours and not the browser's echo control.
RAW = "{echoCancellation: false, noiseSuppression: false, autoGainControl: false}"


def visit(browser: Chromium, service: Service, query: str = "") -> None:
    """Opens the page, and waits until it knows what there is."""
    browser.open(f"http://127.0.0.1:{service.port}/{query}#token={service.token}")
    browser.wait_for("document.querySelector('#service')?.textContent === 'connected to the service'")
    browser.ask(f"void (talk.constraints = {RAW})")


def talk(browser: Chromium, service: Service, query: str = "") -> tuple[str, float]:
    """Opens the page and calls the echo. The call's id, and the milliseconds from the click to the connection."""
    visit(browser, service, query)
    browser.record("talk.heard")
    began = time.monotonic()
    browser.click("#echo")
    browser.wait_for("document.querySelector('#state').textContent === 'connected'")
    took = 1000 * (time.monotonic() - began)
    return str(browser.ask("talk.place.split('/').pop()")), took


def ended(service: Service, number: str, reason: str) -> None:
    record = service.until("over", f"/v1/calls/{number}", lambda call: call["state"] == "ended")
    expect(record["end_reason"] == reason, f"{record}")


def judge(said: str, heard: str, whose: str, least: float = LEAST) -> str:
    return hears(said, heard, whose, seconds=TALK_SECONDS // 2, least=least)


def shown(browser: Chromium, *names: str) -> str:
    """What the page says of the delay; every figure has to be there."""
    texts = {name: browser.ask(f"document.querySelector('#{name}').textContent") for name in names}
    expect(all(text.endswith(" ms") for text in texts.values()), f"the page shows {texts}")
    return ", ".join(f"{name} {text}" for name, text in texts.items())


def written(browser: Chromium, service: Service, proxy: int) -> None:
    """A text comes to the account 100 by the server at port `proxy`: it is shown and told, and answered to somebody who is not there;
    what became of that is shown too."""
    said = sip.answer_to(
        "MESSAGE",
        proxy,
        to=f"sip:100@{sip.REALM}",
        fields={"Content-Type": "text/plain"},
        body="are you there?",
        sender=f"sip:nobody@{sip.REALM}",
    )
    expect(said.startswith("SIP/2.0 200 "), f"the text is answered {said!r}")
    newest = "document.querySelector('#texts li')"
    browser.wait_for(f"{newest}?.textContent.includes('are you there?')")
    browser.wait_for("document.querySelector('#texts-state').textContent.startsWith('a text from ')")
    browser.ask(f"{newest}.querySelector('button').click()")
    browser.wait_for("document.activeElement.id === 'text-words'")
    browser.ask("void (document.querySelector('#text-words').value = 'not any more')")
    browser.click("#text-send")
    browser.wait_for(f"{newest}.textContent.includes('not any more') && {newest}.textContent.includes('not delivered: 404')")
    last = service.get("/v1/messages")["messages"][-1]
    expect(last["text"] == "not any more" and last["account"] == "office" and last["state"] == "failed", f"{last}")


def looked_at(browser: Chromium) -> None:
    """Looks closer at the call that runs: its messages, what was agreed on, its delay, and curves of some seconds."""
    browser.click("#look-open")
    browser.wait_for("[...document.querySelectorAll('#ladder strong')].some((one) => one.textContent.startsWith('INVITE '))")
    browser.wait_for("!!document.querySelector('#negotiation tr') && !!document.querySelector('#negotiation-sum').textContent")
    browser.wait_for("document.querySelector('#look-out').textContent.endsWith(' ms')")
    browser.wait_for("!!document.querySelector('#ledger rect')")
    for chart in ("levels", "buffers"):
        browser.wait_for(f"document.querySelector('#{chart} polyline').getAttribute('points').split(' ').length > 2")
    browser.wait_for("document.querySelector('#echo-state').textContent.startsWith('Echo: ')")
