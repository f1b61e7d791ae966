"""What the vector instructions of ``solvers.system`` gain over plain loops: ``python -m
tests.benchmarks.vector_rows``.

Each intrinsic for rows of sixteen lanes beside the same loop in Python's words, as numba
compiles it: processor time a row, the median of many turns. An intrinsic that gains less
than a fifth is not worth its text.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from solvers.graphs.weights import weight_type
from solvers.system.intrinsics import ROW
from solvers.system.jit import njit
from solvers.system.lane_rows import (
    count_rows,
    end_rows,
    reached_rows,
    relax_rows,
    share_rows,
    summarise_rows,
)
from tests.benchmarks.graphs import machine_line

_ROWS, _ARCS = 2_048, 8  # rows that stay in a core's cache, and arcs of each
_TURNS, _PASSES = 41, 20


@njit
def _relax_plain(rows: Any, others: Any, picked: Any, weights: Any, infinity: Any) -> None:
    for row in range(len(rows)):
        for lane in range(ROW):
            rows[row, lane] = infinity
        for i in range(_ARCS * row, _ARCS * row + _ARCS):
            weight, p = weights[i], picked[i]
            for lane in range(ROW):
                above = others[p, lane]
                offered = above + weight
                better = above < infinity and weight < infinity and offered < rows[row, lane]
                rows[row, lane] = offered if better else rows[row, lane]
        for lane in range(ROW):
            others[row, lane] = rows[row, lane]


@njit
def _relax_vector(rows: Any, others: Any, picked: Any, weights: Any, infinity: Any) -> None:
    for row in range(len(rows)):
        first = _ARCS * row
        relax_rows(rows, row, False, others, row, picked, weights, first, first + _ARCS, infinity)


@njit
def _summarise_plain(
    rows: Any, infinity: Any, budget: Any, farthest: Any, totals: Any, reached: Any, within: Any
) -> None:
    for i in range(len(rows)):
        for lane in range(ROW):
            value = rows[i, lane]
            finite = value < infinity
            farthest[lane] = max(farthest[lane], value) if finite else farthest[lane]
            totals[lane] += value if finite else 0
            reached[lane] += finite
            within[lane] += finite and value <= budget


@njit
def _summarise_vector(
    rows: Any, infinity: Any, budget: Any, farthest: Any, totals: Any, reached: Any, within: Any
) -> None:
    summarise_rows(rows, 0, len(rows), 1, infinity, budget, farthest, totals, reached, within)


@njit
def _count_plain(
    distances: Any, counts: Any, picked: Any, weights: Any, factors: Any, masks: Any, infinity: Any
) -> None:
    for row in range(len(distances)):
        for lane in range(ROW):
            counts[row, lane] = 0.0
        for i in range(_ARCS * row, _ARCS * row + _ARCS):
            p, weight, factor, mask = picked[i], weights[i], factors[i], 0
            for lane in range(ROW):
                above = distances[p, lane]
                tight = (
                    above < infinity
                    and weight < infinity
                    and above + weight == distances[row, lane]
                )
                mask |= tight << lane
            masks[i] = mask
            if mask:
                for lane in range(ROW):
                    passed = counts[p, lane] * factor if mask >> lane & 1 else 0.0
                    counts[row, lane] += passed


@njit
def _count_vector(
    distances: Any, counts: Any, picked: Any, weights: Any, factors: Any, masks: Any, infinity: Any
) -> None:
    for row in range(len(distances)):
        first = _ARCS * row
        count_rows(
            distances,
            counts,
            row,
            False,
            picked,
            weights,
            factors,
            masks,
            first,
            first + _ARCS,
            infinity,
        )


@njit
def _reached_plain(
    distances: Any, limit: Any, mass: Any, totals: Any, arrived: Any, found: Any
) -> None:
    for row in range(len(distances)):
        mask = 0
        for lane in range(ROW):
            inside = distances[row, lane] <= limit
            mask |= inside << lane
            totals[lane] += mass * distances[row, lane] if inside else 0.0
            arrived[lane] += mass if inside else 0.0
        found[row] = mask


@njit
def _reached_vector(
    distances: Any, limit: Any, mass: Any, totals: Any, arrived: Any, found: Any
) -> None:
    for row in range(len(distances)):
        found[row] = reached_rows(distances, row, limit, mass, totals, arrived)


@njit(error_model="numpy")
def _end_plain(shares: Any, counts: Any, masks: Any, mass: Any, origins: Any, sums: Any) -> None:
    for row in range(len(shares)):
        mask, total = masks[row], 0.0
        for lane in range(ROW):
            ends = mass * origins[lane] if mask >> lane & 1 else 0.0
            shares[row, lane] += ends / counts[row, lane]
            total += ends
        sums[row] = total


@njit
def _end_vector(shares: Any, counts: Any, masks: Any, mass: Any, origins: Any, sums: Any) -> None:
    for row in range(len(shares)):
        sums[row] = end_rows(shares, counts, row, masks[row], mass, origins)


@njit
def _share_plain(
    shares: Any, counts: Any, picked: Any, factors: Any, masks: Any, flows: Any
) -> None:
    for row in range(len(shares)):
        for i in range(_ARCS * row, _ARCS * row + _ARCS):
            mask, p, factor, flow = masks[i], picked[i], factors[i], 0.0
            if mask:
                for lane in range(ROW):
                    passed = shares[row, lane] * factor if mask >> lane & 1 else 0.0
                    shares[p, lane] += passed
                    flow += passed * counts[p, lane]
                flows[i] += flow


@njit
def _share_vector(
    shares: Any, counts: Any, picked: Any, factors: Any, masks: Any, flows: Any
) -> None:
    for row in range(len(shares)):
        first = _ARCS * row
        share_rows(shares, counts, row, picked, factors, masks, flows, first, first + _ARCS)


def main() -> None:
    print(machine_line("processor time"))
    print(f"{'intrinsic':<16}{'type':<9}{'vector':>10}{'plain':>10}   gain")
    for dtype in ("int32", "float64"):
        for name, (vector, plain, arguments) in _cases(dtype).items():
            times = _medians((vector, plain), arguments)
            ours, loops = (1e9 * seconds / _ROWS / _PASSES for seconds in times)
            gain = 100 * (loops / ours - 1)
            print(f"{name:<16}{dtype:<9}{ours:>7.1f} ns{loops:>7.1f} ns{gain:>6.0f} %")


def _cases(dtype: str) -> dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]]:
    """Each intrinsic, its loop, and what makes the arguments of both."""
    rng = np.random.default_rng(1)
    kind = weight_type(dtype)
    infinity = kind.dtype.type(kind.infinity)
    rows = rng.integers(0, 100, (_ROWS, ROW)).astype(dtype)
    picked = rng.integers(0, _ROWS, _ROWS * _ARCS).astype(np.uint16)
    weights = rng.integers(1, 30, len(picked)).astype(dtype)
    factors, flows = np.ones(len(picked)), np.zeros(len(picked))
    masks = (rng.random((len(picked), ROW)) < 0.1) @ (1 << np.arange(ROW))
    masks[rng.random(len(picked)) < 0.5] = 0
    masks = masks.astype(np.uint16)
    counts, shares = (rng.random((_ROWS, ROW)) + 1 for _ in range(2))
    sums = np.int64 if kind.is_integer else np.float64
    limit = kind.dtype.type(60)
    lanes = [np.zeros(ROW) for _ in range(3)]
    return {
        "relax_rows": (
            _relax_vector,
            _relax_plain,
            (rows.copy(), rows.copy(), picked, weights, infinity),
        ),
        "summarise_rows": (
            _summarise_vector,
            _summarise_plain,
            (
                rows,
                infinity,
                limit,
                np.zeros(ROW, dtype),
                np.zeros(ROW, sums),
                np.zeros(ROW, np.int32),
                np.zeros(ROW, np.int32),
            ),
        ),
        "count_rows": (
            _count_vector,
            _count_plain,
            (rows, counts.copy(), picked, weights, 1e-3 * factors, masks.copy(), infinity),
        ),
        "reached_rows": (
            _reached_vector,
            _reached_plain,
            (rows, limit, 1.0, lanes[0], lanes[1], np.empty(_ROWS, np.uint16)),
        ),
        "end_rows": (
            _end_vector,
            _end_plain,
            (shares.copy(), counts, masks[:_ROWS], 1.0, np.ones(ROW), np.empty(_ROWS)),
        ),
        "share_rows": (
            _share_vector,
            _share_plain,
            (shares.copy(), counts, picked, 1e-9 * factors, masks, flows),
        ),
    }


def _medians(functions: tuple[Callable[..., Any], ...], arguments: Any) -> list[float]:
    """Seconds of `_PASSES` calls of each, in turns."""
    times: list[list[float]] = [[] for _ in functions]
    for turn in range(_TURNS + 1):
        for function, found in zip(functions, times, strict=True):
            began = time.process_time()
            for _ in range(_PASSES):
                function(*arguments)
            if turn:  # the first compiles
                found.append(time.process_time() - began)
    return [statistics.median(found) for found in times]


if __name__ == "__main__":
    main()
