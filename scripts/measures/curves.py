"""Curves over a number that grows by decades, as an SVG picture: a few panels of the same width below and beside each other."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

COLOURS = ("#0072b2", "#d55e00", "#009e73")
WIDTH, HEIGHT, COLUMNS = 460, 280, 2
LEFT, RIGHT, TOP, BOTTOM = 56, 20, 52, 42


@dataclass
class Line:
    """`points`: (x, y) in ascending order of x."""

    name: str
    points: list[tuple[float, float]]


@dataclass
class Panel:
    """Several lines of one unit, and the bound that they are to stay below, if there is one."""

    title: str
    unit: str
    lines: list[Line]
    bound: float | None = None
    bound_name: str = ""
    places: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.places = sorted({x for line in self.lines for x, _ in line.points})

    @property
    def top(self) -> float:
        """Where the axis ends: a round number above everything."""
        values = [y for line in self.lines for _, y in line.points] + ([self.bound] if self.bound else [])
        most = max([*values, 1e-9]) * 1.05
        unit = 10.0 ** math.floor(math.log10(most))
        return next(unit * step for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if unit * step >= most)


def draw(panels: Sequence[Panel], title: str, x_name: str) -> str:
    """The picture's text."""
    rows = math.ceil(len(panels) / COLUMNS)
    width, height = COLUMNS * WIDTH, 34 + rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        text(width / 2, 22, title, anchor="middle", size=15),
    ]
    for index, panel in enumerate(panels):
        parts.append(f'<g transform="translate({index % COLUMNS * WIDTH} {34 + index // COLUMNS * HEIGHT})">')
        parts += drawn(panel, x_name)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def drawn(panel: Panel, x_name: str) -> list[str]:
    """One panel: its axes, its bound, and its lines with their names above it."""
    first, last = math.log(panel.places[0]), math.log(panel.places[-1])
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def across(x: float) -> float:
        return LEFT + (right - LEFT) * ((math.log(x) - first) / (last - first) if last > first else 0.5)

    def up(y: float) -> float:
        return bottom - (bottom - TOP) * y / panel.top

    parts = [text(LEFT, 16, f"{panel.title}, {panel.unit}", weight="bold")]
    for step in range(5):
        y = panel.top * step / 4
        parts.append(rule(LEFT, up(y), right, up(y), "#e2e2e2" if step else "#555555"))
        parts.append(text(LEFT - 6, up(y) + 4, f"{y:g}", anchor="end"))
    shown = -math.inf
    for place in panel.places:
        parts.append(rule(across(place), bottom, across(place), bottom + 4, "#555555"))
        # Names that would lie upon each other are left out.
        if across(place) - shown >= 24:
            parts.append(text(across(place), bottom + 17, f"{place:g}", anchor="middle"))
            shown = across(place)
    parts.append(text((LEFT + right) / 2, bottom + 34, x_name, anchor="middle"))
    if panel.bound is not None:
        parts.append(rule(LEFT, up(panel.bound), right, up(panel.bound), "#888888", "6 4"))
        parts.append(text((LEFT + right) / 2, up(panel.bound) - 5, panel.bound_name, anchor="middle", colour="#666666"))
    at = float(LEFT)
    for line, colour in zip(panel.lines, COLOURS, strict=False):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line.points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>' for x, y in line.points]
        if len(panel.lines) > 1:
            parts.append(rule(at, 31, at + 16, 31, colour, width=3))
            parts.append(text(at + 21, 35, line.name))
            at += 40 + 6.5 * len(line.name)
    return parts


def text(
    x: float, y: float, said: str, anchor: str = "start", size: int = 12, weight: str = "normal", colour: str = "#222222"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{html.escape(said)}</text>'
    )


def rule(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "none", width: float = 1) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dashes}"/>'
    )
