"""Matrices of all-pairs runs in a page: a shade for each cell after each kept phase,
and the tiles that it writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.core.result import Result
from solvers.core.trace import MatrixTrace, start_snapshot
from solvers.features.page.pack import Packer
from solvers.features.page.pairs import pack_lesson
from solvers.picture.matrix import Mark, MatrixContent, Role, finite_extremes, sample_of
from solvers.picture.matrix_pixels import EARLIER, MARK_STYLES, MarkStyle, Pattern
from solvers.picture.scene.colour_scale import ColourScale
from solvers.system.array_types import Float32s, Float64s, Int64s, UInt8s
from solvers.text import format_count

_MOST_SHADES = 4_000_000  # cells of all kept phases of a run
_ROLES = list(Role)[::-1]
# of pixels that a pattern covers; a page has the mean colour
_SHARES = {
    Pattern.SOLID: 1.0,
    Pattern.HATCHED: 4 / 7,
    Pattern.DOTTED: 1 / 9,
    Pattern.VEILED: 2 / 9,
}
UNREACHABLE = 255  # a shade; the others are 0 to 254, from near to far


def matrix_scene(results: Sequence[Result]) -> dict[str, Any] | None:
    """What the page needs to know of the matrices; None if no run has any."""
    lasts = [steps[-1][1] for result in results if (steps := _snapshots(result.trace))]
    if not lasts:
        return None
    scales = [ColourScale.of(*finite_extremes(last), sample_of(last)) for last in lasts]
    low, high = min(one.low for one in scales), max(one.high for one in scales)
    return {
        "matrix": True,
        "bounds": (-0.5, -0.5, 0.5, 0.5),
        "metresPerUnit": 0,
        "meanLength": 0,
        "edges": 0,
        "low": low,
        "high": high,
        "roles": [[role.value, *_look(MARK_STYLES[role])] for role in _ROLES],
        "earlier": EARLIER,
    }


def _look(style: MarkStyle) -> tuple[str, float, float]:
    return style.token, style.opacity * _SHARES[style.pattern], style.least


def pack_matrix(
    packer: Packer, number: int, result: Result, scene: Mapping[str, Any], left_out: list[str]
) -> dict[str, object] | None:
    """Put the phases of a run into the packer; None if it recorded none."""
    trace = result.trace
    if not isinstance(trace, MatrixTrace) or not (snapshots := _snapshots(trace)):
        return None
    side = len(snapshots[0][1])
    thin = -(-len(snapshots) * side * side // _MOST_SHADES)
    # the last one in any case
    shown = [(-1, start_snapshot(result.graph, side)), *snapshots[::-1][::thin][::-1]]
    taken = np.array([k for k, _ in shown])
    places = np.arange(len(trace)) if thin == 1 else taken[1:]
    if thin > 1:
        kept, whole = format_count(len(places)), format_count(len(trace))
        left_out.append(f"{result.variant.full_title}: {kept} of {whole} phases are kept.")
    shades = shades_of(np.stack([matrix for _, matrix in shown]), scene)
    packer.floats(f"{number}.shades", shades, "u1")
    # the newest of each phase
    packer.integers(f"{number}.images", np.searchsorted(taken, places, side="right") - 1)
    steps = [trace.steps[k] for k in places]
    content = MatrixContent(result.graph, None, trace)
    shown_at = [replace(content, position=int(k)) for k in places]
    tiles = [_tiles(one.marks()) for one in shown_at]
    roles = np.concatenate(tiles)
    packer.integers(f"{number}.positions", places)
    packer.integers(f"{number}.tileCounts", np.array([len(one) for one in tiles]), steps=False)
    packer.integers(f"{number}.tiles", roles, steps=False)
    packer.integers(f"{number}.active", np.array([step.cells for step in steps]), steps=False)
    spans = np.concatenate(([0], places[:-1] + 1))
    packer.floats(f"{number}.ms", np.add.reduceat([step.ms for step in trace.steps], spans), "f4")
    return {
        "length": len(trace),
        "places": [one.words for one in shown_at],
        "side": side,
        "roles": np.unique(roles[:, 0]).tolist(),
        "lesson": pack_lesson(packer, number, result) if thin == 1 else None,
    }


def _tiles(marks: Sequence[Mark]) -> Int64s:
    """(k, 6) role, whether written now, and ranges of rows and columns."""
    heads = [[[_ROLES.index(mark.role)], [int(mark.now)]] for mark in marks]
    rows = [np.insert(m.tiles, 0, head, axis=1) for m, head in zip(marks, heads, strict=True)]
    return np.concatenate([np.empty((0, 6), np.int64), *rows])


def _snapshots(trace: object) -> list[tuple[int, Float32s]]:
    """Positions and matrices of the phases that have one."""
    if not isinstance(trace, MatrixTrace):
        return []
    return [(k, step.snapshot) for k, step in enumerate(trace.steps) if step.snapshot is not None]


def shades_of(distances: Float32s | Float64s, scene: Mapping[str, Any]) -> UInt8s:
    """Detours of early phases may be longer than any last distance: they have the
    farthest shade.
    """
    low, high = scene["low"], scene["high"]
    scale = 255.0 / (high - low) if high > low else 0.0  # as `matrix_pixels` has it
    known = np.isfinite(distances)
    shades = np.clip((np.where(known, distances, low) - low) * scale, 0, UNREACHABLE - 1)
    return np.where(known, shades, UNREACHABLE).astype(np.uint8)
