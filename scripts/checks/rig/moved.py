"""A page's call whose ends get other addresses in mid-call, on islands: an interface goes down and comes back with another one."""

import contextlib
import time

import numpy as np

from . import namespaces, silence, wav
from .chromium import Chromium
from .island import Island
from .page import ended, talk
from .service import Events, Service
from .verdict import expect, expect_even

PAUSE_S = 4
RATE = 48_000


def elsewhere(folder: str, changes: int = 3) -> str:
    """The service's machine loses its network and gets another address, and the page does nothing: the echo is back within a second."""
    return moved(folder, changes, by_turns=False)


def in_turn(folder: str, changes: int = 2) -> str:
    """The service's machine and the browser's, which is another one, get other addresses by turns: the echo is back within a second.

    The page looks for ways anew as soon as the browser says that there is a network again: half a second later."""
    return moved(folder, changes, by_turns=True)


def moved(folder: str, changes: int, *, by_turns: bool) -> str:
    """A call of the page's to the echo, in which so many changes happen."""
    if why := namespaces.missing():
        return f"skipped: {why}"
    said = f"{folder}/tone.wav"
    wav.write(said, RATE, 0.3 * np.sin(2 * np.pi * 440 * np.arange(10 * RATE) / RATE))
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(Island())
        seat = stack.enter_context(Island(beside=home)) if by_turns else None
        service = stack.enter_context(Service([], folder, home))
        events = stack.enter_context(Events(service))
        if seat:
            seat.mirror(service.port)
        browser = stack.enter_context(Chromium(folder, said, repeats=True, island=seat))
        number, _ = talk(browser, service)
        if not by_turns:
            browser.ask("void (restartHandset = async () => {})")
        time.sleep(PAUSE_S)
        for change in range(changes):
            (seat if seat and change % 2 else home).move(77 + change)
            time.sleep(PAUSE_S)
        heard = browser.recorded(f"{folder}/heard.wav")
        told = events.types(number)
        record = service.get(f"/v1/calls/{number}")
        expect(record["state"] == "active", f"{record}; told {told}")
        browser.click("#hangup")
        ended(service, number, "local_hangup")
        expect(told.count("ice") > changes, f"told {told}")
        expect(not by_turns or not browser.errors, f"the console says {browser.errors}")
        expect(service.stop() == 0, service.said())
    found = silence.silences(heard, 0)
    # The machine makes silences too.
    expect_even(len(found) <= 2 * changes, f"silent {found} for {changes} changes")
    return f"{changes} other addresses: {silence.short(found)}"
