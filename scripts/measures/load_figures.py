"""What scripts/bench-load measured, as it is kept beside the documentation: a JSON file, from which the tables and pictures are made."""

import json
import os
import time
from pathlib import Path

from curves import Line, Panel, draw
from figures import processor
from port_load import DELAY_MS
from port_trials import COST_MS, FEW, MEMORY_KIB, Trial, head, line

from rig.kinds import Event

HEAD = "# Many calls, measured\n\nWritten by `scripts/bench-load --write`; [capacity.md](capacity.md) tells how it is measured and read.\n"
# Of a curve's rows: what the table shows.
COLUMNS = {
    "calls": "calls",
    "seconds": "for s",
    "threads": "threads",
    "cpu_ms_per_call_s": "CPU ms a call-second",
    "wakeups_per_s_loop": "wake-ups/s a loop",
    "rss_kib": "memory KiB",
    "rss_kib_left": "left afterwards KiB",
    "mouth_to_ear_p50_ms": "mouth to ear p50 ms",
    "mouth_to_ear_p99_ms": "p99 ms",
    "single_beside_p99_ms": "single calls beside p99 ms",
    "turn_late_p99_ms": "turns late p99 ms",
    "load_late_p99_ms": "load late p99 ms",
    "missed": "missed",
}


class LoadFigures:
    """The figures of a folder; each trial takes the place of the former one of its kind."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "load-figures.json"
        self.trials: dict[str, Event] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def put(self, trial: Trial, beside: str) -> None:
        self.trials[trial.what] = {
            "taken": time.strftime("%Y-%m-%d %H:%M"),
            "cores": os.cpu_count(),
            "processor": processor(),
            "beside": beside + (f"; {trial.host}" if trial.host else ""),
            "knee": trial.knee,
            "rows": trial.rows,
            "verdicts": trial.verdicts,
        }

    def write(self) -> None:
        self.file.write_text(json.dumps(self.trials, indent=1) + "\n")
        parts = [HEAD]
        for what, trial in self.trials.items():
            parts.append(
                f"## {what[0].upper()}{what[1:]}\n\nTaken {trial['taken']} on {trial['cores']} cores ({trial['processor']}); before the "
                f"calls {trial['beside']}.\n"
            )
            rows = trial["rows"]
            if what.startswith("curve "):
                name = f"load-curve-{'-'.join(what.split()[1:])}.svg"
                (self.folder / name).write_text(picture(what.split()[1], trial))
                parts.append(f"![{what}: cost, memory, lateness and delay over the number of calls]({name})\n")
                # Rows of an older program have no figures of what is measured since.
                rows = [{title: "-" if row.get(key) is None else row[key] for key, title in COLUMNS.items()} for row in rows]
            parts.append("\n".join([head(rows[0]), *map(line, rows)]) + "\n")
            parts.append(
                "\n".join(f"- {'holds' if holds else '**does not hold**'}: {said}" for holds, said in trial["verdicts"]) + "\n"
            )
        (self.folder / "load-figures.md").write_text("\n".join(parts))


def picture(codec: str, trial: Event) -> str:
    """The curves over the number of calls; of a number that was tried twice the second row counts."""
    rows = list({row["calls"]: row for row in trial["rows"]}.values())

    several = [row for row in rows if row["calls"] >= FEW]

    def curve(name: str, key: str) -> Line:
        return Line(name, [(row["calls"], row[key]) for row in rows if row[key] is not None])

    cost = Line("", [(row["calls"], row["cpu_ms_per_call_s"]) for row in several])
    memory = Line("", [(row["calls"], row["rss_kib"] / row["calls"]) for row in several])
    panels = [
        Panel("Processor time", "ms a call-second", [cost], COST_MS.get(codec), "wanted on a quiet machine"),
        Panel("Memory", "KiB a call", [memory], MEMORY_KIB.get(codec), "at most, by slope"),
        Panel(
            "Lateness, p99", "ms", [curve("turns", "turn_late_p99_ms"), curve("those who make the calls", "load_late_p99_ms")]
        ),
        Panel(
            "Mouth to ear by way of the echo",
            "ms",
            [curve("p50", "mouth_to_ear_p50_ms"), curve("p99", "mouth_to_ear_p99_ms")],
            DELAY_MS,
            "objective",
        ),
    ]
    knee = f"{trial['knee']} calls kept the objective" if trial["knee"] else "no number of calls kept the objective"
    return draw([panel for panel in panels if panel.places], f"{codec}: {knee} ({trial['cores']} cores)", "calls at once")
