"""What scripts/bench-sip measured, as it is kept in docs/sip-figures.md: a section each part."""

import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

HEAD = (
    "# What signalling costs\n\nTaken with `scripts/bench-sip --write`, through Kamailio on loopback, all programs of Debian 12, those of "
    "a part in the same run. A mark that is missed says so."
)


def put(file: Path, parts: Iterable[str], beside: str) -> None:
    """Writes `parts`, each from its heading on, in the place of what stood under the same headings; other sections stay as they are.

    `beside` says what else the machine did before they were taken."""
    former = file.read_text() if file.exists() else ""
    sections = {heading(section): section for section in re.split(r"^(?=## )", former, flags=re.MULTILINE)[1:]}
    taken = f"Taken {time.strftime('%Y-%m-%d', time.gmtime())} on {os.cpu_count()} cores; before it {beside}."
    for part in parts:
        sections[heading(part)] = f"{heading(part)}\n\n{taken}\n\n{part.removeprefix(heading(part)).strip()}"
    file.write_text("\n\n".join([HEAD, *(section.strip() for section in sections.values())]) + "\n")


def heading(section: str) -> str:
    return section.split("\n", 1)[0]
