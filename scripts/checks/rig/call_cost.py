"""Instructions of a second of a call in virtual time, beside the figures that are checked in. They are the same on a slow machine
and on a busy one, so that more of them means that the program does more."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "measures"))

import instructions

FIGURES = Path(__file__).with_name("call_cost.json")
# What may be more than the figure says before it is a regression.
TOLERANCE = 0.15
SHORT_S, LONG_S = 1, 3


def figures() -> dict[str, dict[str, float]]:
    """Of each kind of work of `yodel capacity`: its calls at once, and millions of instructions a call-second."""
    found: dict[str, dict[str, float]] = json.loads(FIGURES.read_text())
    return found


def measure(yodel: str, work: str, calls: float, more: Sequence[str] = ()) -> float | None:
    """Millions of instructions of a call-second, with `more` options of `yodel capacity`; None when valgrind cannot say."""

    def count(seconds: int) -> int | None:
        options = ["--offline", "--work", work, "--virtual-seconds", str(seconds), "--codec", work.split("_")[0], *more]
        return instructions.count([yodel, "capacity", *options])

    short, long = count(SHORT_S), count(LONG_S)
    return None if short is None or long is None else (long - short) / (LONG_S - SHORT_S) / calls / 1e6


def verdict(measured: float, figure: float) -> tuple[bool, str]:
    """Whether it is no regression, and the sentence that says so."""
    more = measured / figure - 1
    text = f"{measured:.3f} million instructions a call-second, {100 * more:+.1f} % of {figure:.3f}"
    return more <= TOLERANCE, text
