"""Mouth to ear between the page's browser and a far end whose microphone and loudspeaker are pipes: as measured, and as stated."""

import statistics
import time

import numpy as np

from . import wav
from .chromium import Chromium
from .endpoint import free_ports
from .far_end import FarEnd
from .page import visit
from .service import Service
from .verdict import PATIENCE_S, expect, expect_even

# One beep and a pause, again and again: the browser's microphone.
PERIOD_S, BEEP_S, RATE = 1.1, 0.03, 48_000
BEEPS = 8
# By so much the page's figure may differ.
MOST_MS = 20.0

# Notes when something loud is at the microphone (`mouth`) and comes out of the connection (`ear`), by the page's clock, ms. A piece of
# sound is there when its last sample is.
LISTEN = """void (async () => {
  window.loud = { mouth: [], ear: [] };
  const listen = async (name, track) => {
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
    for (let last = -1e9; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const now = performance.now();
      const samples = new Float32Array(value.numberOfFrames);
      value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
      const at = samples.findIndex((one) => Math.abs(one) > 0.1);
      if (at >= 0) {
        const time = now - 1000 * (samples.length - at) / value.sampleRate;
        if (time - last > 300) window.loud[name].push(time);
        last = time;
      }
      value.close();
    }
  };
  listen('mouth', talk.microphone.getAudioTracks()[0].clone());
  listen('ear', talk.heard.getAudioTracks()[0]);
})()"""

# What the browser plays out by, ms.
PLAYING = """(async () => {
  const found = [...(await talk.peer.getStats()).values()].find((one) => one.type === 'media-playout');
  return found?.totalSamplesCount ? 1000 * found.totalPlayoutDelay / found.totalSamplesCount : 0;
})()"""

# The stages of the delay as the page shows them, a text each.
STAGES = """[...document.querySelectorAll('#stages tr')].map((row) =>
  [...row.children].map((cell) => cell.textContent).join(' '))"""


def between(starts: list[float], ends: list[float], at_most: float = 900) -> list[float]:
    """From each start to the first end after it, ms, where there is one."""
    found = []
    for start in starts:
        after = [end - start for end in ends if 0 < end - start < at_most]
        if after:
            found.append(min(after))
    return found


def clock(browser: Chromium) -> float:
    """What the page's clock is behind ours, ms."""
    behind = []
    for _ in range(9):
        before = time.monotonic()
        page = float(browser.ask("performance.now()"))
        after = time.monotonic()
        behind.append((after - before, 500 * (before + after) - page))
    return min(behind)[1]


def stated(browser: Chromium, name: str) -> float:
    return float(browser.ask(f"document.querySelector('#{name}').textContent").split()[0])


def measured(folder: str) -> str:
    """Both ways at once, with what the far end tells of its part in the page's sum."""
    beep = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(int(BEEP_S * RATE)) / RATE)
    sound = np.concatenate((np.zeros(int((PERIOD_S - BEEP_S) * RATE)), beep))
    wav.write(f"{folder}/beeps.wav", RATE, sound)
    with open(f"{folder}/plain.yaml", "w") as f:
        f.write("softphone:\n  calls: 8\n")
    port = free_ports(1, step=50)
    with (
        FarEnd(port, "opus") as far_end,
        Service(["--config", f"{folder}/plain.yaml"], folder) as service,
        Chromium(folder, f"{folder}/beeps.wav", repeats=True) as browser,
    ):
        visit(browser, service)
        browser.ask(f"void (document.querySelector('#to').value = '{far_end.uri}')")
        browser.click("#call")
        browser.wait_for("document.querySelector('#state').textContent === 'connected' && !!talk.heard")
        # What the far end tells of itself comes by RTCP.
        told = "document.querySelector('#unknown').textContent.startsWith('Not known: what your microphone')"
        browser.wait_for(told, 2 * PATIENCE_S)
        browser.ask(LISTEN)
        behind = clock(browser)
        said = []
        outward, inward = [], []
        for _ in range(BEEPS):
            said.append(1000 * far_end.beep() - behind)
            time.sleep(PERIOD_S + 0.03)
            outward.append(stated(browser, "delay-out"))
            inward.append(stated(browser, "delay-in"))
        loud = browser.ask("window.loud")
        heard = [1000 * first - behind for first, _ in far_end.loud(time.monotonic() - (BEEPS + 1) * PERIOD_S)]
        browser.picture("mouth-to-ear")
        playing = float(browser.ask(PLAYING))
        stages = browser.ask(STAGES)
        expect(not browser.errors, f"the console says {browser.errors}")
        expect(service.stop() == 0, service.said())
    out, into = between(loud["mouth"], heard), between(said, loud["ear"])
    expect(
        len(out) >= BEEPS // 2 and len(into) >= BEEPS // 2, f"{len(out)} and {len(into)} of {BEEPS} beeps were heard; {loud}"
    )
    # What comes out of the connection is still to be played.
    ways = [("to them", statistics.median(out), statistics.median(outward))]
    ways += [("to us", statistics.median(into) + playing, statistics.median(inward))]
    words = ", ".join(f"{way} {real:.0f} ms, stated {page:.0f}" for way, real, page in ways)
    expect_even(all(abs(real - page) <= MOST_MS for _, real, page in ways), f"{words}; {stages}, stated {outward} and {inward}")
    return words
