"""Contrast of every meaning with the canvas, and the differences in Oklab of all pairs
below 0.07, as tables.

A difference is the least over all colours of both, for each of four ways to see; about
0.02 can just be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from solvers.picture.colours import DARK, LIGHT
from solvers.picture.scene.ramps import Ramp, ramp_colours
from tests.gui.style.colour_vision import VISION, apart, channels, contrast

MARKS = (
    "path",
    "frontier",
    "trail",
    "source",
    "target",
    "closed",
    "warning",
    "cycle",
    "road_great",
    "canvas",
)
RAMPS = {
    "distance": Ramp.DISTANCES,
    "flows": Ramp.FLOWS,
    "farther": Ramp.INCREASES,
    "communities": Ramp.COMMUNITIES,
}


def lines() -> Iterator[str]:
    """The tables, as Markdown."""
    for title, tokens in (("Light", LIGHT), ("Dark", DARK)):
        colours = {mark: channels(getattr(tokens, mark)) for mark in MARKS}
        colours |= {name: ramp_colours(ramp, tokens.dark) for name, ramp in RAMPS.items()}
        contrasts = (
            f"{mark} {contrast(getattr(tokens, mark), tokens.canvas):.1f}"
            for mark in (*MARKS[:-1], "text")
        )
        yield f"\n## {title}\n\nContrast with the canvas: {', '.join(contrasts)}.\n"
        yield f"| pair | least | {' | '.join(VISION)} |"
        yield "| --- " * (2 + len(VISION)) + "|"
        rows = []
        for one, other in combinations(colours, 2):
            seen = [apart(colours[one], colours[other], vision) for vision in VISION]
            if min(seen) < 0.07:
                rows.append((min(seen), f"{one}, {other}", seen))
        for least, pair, seen in sorted(rows):
            yield f"| {pair} | {least:.3f} | {' | '.join(f'{value:.3f}' for value in seen)} |"


if __name__ == "__main__":
    print("\n".join(lines()))
