"""Figures with their bounds, as a JSON file and a Markdown table."""

import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from typing import Any

from kinds import Row


class Figures:
    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(
        self, what: str, value: Any, unit: str = "", at_most: float | None = None, note: str = "", at_least: float | None = None
    ) -> None:
        """`value` None means: not measured. `at_most` or `at_least` is the bound the project promises; neither where it only
        reports."""
        holds = None
        if value is not None and (at_most is not None or at_least is not None):
            holds = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        row = {"what": what, "value": value, "unit": unit, "at_most": at_most, "at_least": at_least, "holds": holds}
        row["taken"] = time.strftime("%Y-%m-%d %H:%M")
        self.rows.append(row | {"note": note})
        mark = {None: "    ", True: "ok  ", False: "MISS"}[holds]
        bound = f"  ({bounds(row)})" if bounds(row) else ""
        print(f"{mark} {what}: {text(value)} {unit}{bound}{'  ' + note if note else ''}", flush=True)

    @property
    def missed(self) -> list[Row]:
        return [row for row in self.rows if row["holds"] is False]

    def keep(self, folder: str) -> str:
        """Takes the place of the same rows in `folder`, whose others stay as they were; returns how those were taken."""
        with open(os.path.join(folder, "figures.json")) as f:
            before = json.load(f)
        fresh = {row["what"]: row for row in self.rows}
        kept = [{"taken": before["measured"], **row} for row in before["figures"]]
        rows = [fresh.pop(row["what"], row) for row in kept]
        self.rows = rows + list(fresh.values())
        return before["how"]

    def write(self, folder: str, how: str) -> None:
        os.makedirs(folder, exist_ok=True)
        head = {
            "measured": time.strftime("%Y-%m-%d"),
            "how": how,
            "processor": processor(),
            "cores": os.cpu_count(),
            "kernel": platform.release().split("-")[0],
        }
        with open(os.path.join(folder, "figures.json"), "w") as f:
            json.dump({**head, "figures": self.rows}, f, indent=1)
            f.write("\n")
        with open(os.path.join(folder, "figures.md"), "w") as f:
            f.write(
                f"# Figures\n\nWritten by `scripts/measure`, {head['measured']}: {how}, on {head['cores']} cores "
                f"({head['processor']}).\n\n| what | measured | bound | holds | taken | note |\n|---|---|---|---|---|---|\n"
            )
            for row in self.rows:
                holds = {None: "", True: "yes", False: "**no**"}[row["holds"]]
                cells = (row["what"], f"{text(row['value'])} {row['unit']}", bounds(row), holds, row["taken"], row["note"])
                f.write(f"| {' | '.join(cells)} |\n")


def bounds(row: Row) -> str:
    signs = (("≥", row["at_least"]), ("≤", row["at_most"]))
    return ", ".join(f"{sign} {bound:g}" for sign, bound in signs if bound is not None)


def text(value: Any) -> str:
    if value is None:
        return "not measured"
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def processor() -> str:
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def median(values: Sequence[float]) -> float | None:
    return round(statistics.median(values), 1) if values else None


def worst(values: Sequence[float]) -> float | None:
    return round(max(values), 1) if values else None


def difference(a: Any, b: Any) -> float | None:
    return None if a is None or b is None else round(abs(a - b), 1)
