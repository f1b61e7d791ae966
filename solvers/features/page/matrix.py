"""Matrices of all-pairs runs in a page: a shade for each cell after each kept phase,
and the tiles that it writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.core.result import Result
from solvers.core.trace import MatrixTrace, Work, start_snapshot
from solvers.features.page.pack import Packer
from solvers.features.page.pairs import pack_lesson
from solvers.text import format_count

_MOST_SHADES = 4_000_000  # cells of all kept phases of a run
UNREACHABLE = 255  # a shade; the others are 0 to 254, from near to far


def matrix_scene(results: list[Result]) -> dict[str, object] | None:
    """What the page needs to know of the matrices; None if no run has any."""
    ranges = [_range(steps) for result in results if (steps := _snapshots(result.trace))]
    if not ranges:
        return None
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    return {
        "matrix": True,
        "bounds": (-0.5, -0.5, 0.5, 0.5),
        "metresPerUnit": 0,
        "meanLength": 0,
        "edges": 0,
        "low": low,
        "high": high,
    }


def pack_matrix(
    packer: Packer, number: int, result: Result, scene: dict[str, object], left_out: list[str]
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
    low, high = (float(str(scene[name])) for name in ("low", "high"))
    packer.floats(
        f"{number}.shades", np.stack([_shades(matrix, low, high) for _, matrix in shown]), "u1"
    )
    # the newest of each phase
    packer.integers(f"{number}.images", np.searchsorted(taken, places, side="right") - 1)
    steps = [trace.steps[k] for k in places]
    packer.integers(f"{number}.positions", places)
    packer.integers(
        f"{number}.tileCounts", np.array([len(step.tiles) for step in steps]), steps=False
    )
    packer.integers(
        f"{number}.tiles", np.concatenate([step.tiles.reshape(-1) for step in steps]), steps=False
    )
    packer.integers(f"{number}.phases", np.array([step.phase for step in steps]), steps=False)
    packer.integers(f"{number}.active", np.array([step.cells for step in steps]), steps=False)
    packer.integers(
        f"{number}.relaxed", np.array([step.relaxed or 0 for step in steps]), steps=False
    )
    spans = np.concatenate(([0], places[:-1] + 1))
    packer.floats(f"{number}.ms", np.add.reduceat([step.ms for step in trace.steps], spans), "f4")
    tiled = trace.work is Work.TILES
    total = format_count(trace.steps[-1].step + 1)
    words = [
        f"step {format_count(one.step + 1)} of {total}" + (f", phase {one.phase}" if tiled else "")
        for one in steps
    ]
    return {
        "length": len(trace),
        "iterations": len(trace),
        "stride": 1,
        "gathered": 1,
        "complete": thin == 1,
        "places": words,
        "side": side,
        "n": trace.n,
        "tiled": tiled,
        "lesson": pack_lesson(packer, number, result) if thin == 1 else None,
    }


def _snapshots(trace: object) -> list[tuple[int, NDArray[np.float32]]]:
    """Positions and matrices of the phases that have one."""
    if not isinstance(trace, MatrixTrace):
        return []
    return [(k, step.snapshot) for k, step in enumerate(trace.steps) if step.snapshot is not None]


def _range(snapshots: list[tuple[int, NDArray[np.float32]]]) -> tuple[float, float]:
    last = snapshots[-1][1]
    known = last[np.isfinite(last)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def _shades(matrix: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """Detours of early phases may be longer than any last distance: they have the
    farthest shade.
    """
    scale = (UNREACHABLE - 1) / (high - low) if high > low else 0.0
    known = np.isfinite(matrix)
    shades = np.clip((np.where(known, matrix, low) - low) * scale, 0, UNREACHABLE - 1)
    return np.where(known, shades, UNREACHABLE).astype(np.uint8)
