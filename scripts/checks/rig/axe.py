"""axe-core, which finds what keeps people from using a page: in the package `axe-playwright-python` of PyPI, kept in .build/axe."""

import glob
import subprocess
import venv
from typing import Any

from .chromium import Chromium
from .endpoint import ROOT
from .verdict import expect

PACKAGE = "axe-playwright-python==0.1.8"
FOLDER = f"{ROOT}/.build/axe"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def source() -> str:
    pattern = f"{FOLDER}/{PACKAGE}/**/axe.min.js"
    if not glob.glob(pattern, recursive=True):
        venv.create(f"{FOLDER}/venv", with_pip=True)
        pip = [f"{FOLDER}/venv/bin/pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
        subprocess.run([*pip, "--target", f"{FOLDER}/{PACKAGE}", PACKAGE], check=True)
    found = glob.glob(pattern, recursive=True)
    expect(found, f"{PACKAGE} has no axe.min.js")
    with open(found[0], encoding="utf-8") as f:
        return f.read()


def rules(browser: Chromium) -> int:
    """Holds the page as it is now against WCAG A and AA. The number of rules that it was held against."""
    if not browser.ask("typeof window.axe === 'object'"):
        browser.ask(f"void (() => {{ {source()} }})()")
    found: Any = browser.ask(
        f"""axe.run(document, {{ runOnly: {TAGS} }}).then((result) => ({{
          passes: result.passes.length,
          violations: result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' ')),
        }}))"""
    )
    expect(not found["violations"], f"{found['violations']}")
    expect(found["passes"] > 10, f"axe-core held it against {found['passes']} rules only")
    return int(found["passes"])


def looks(browser: Chromium, name: str) -> int:
    """The same in light and in dark, on a screen and on a telephone; pictures of each are kept by this name."""
    count = 0
    for scheme in ("light", "dark"):
        browser.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in (1280, 360):
            browser.do("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
            count += rules(browser)
            browser.picture(f"{name}-{scheme}-{width}")
            wide = browser.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            expect(wide <= 0, f"at {width} pixels the page is {wide} too wide")
    browser.do("Emulation.clearDeviceMetricsOverride")
    return count
