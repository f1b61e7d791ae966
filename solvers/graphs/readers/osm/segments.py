"""Segments: the straight pieces of ways between two successive nodes, with lengths and travel times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.graphs.readers.osm.extract import Extract
from solvers.graphs.readers.units import great_circle
from solvers.graphs.rows import slices

_KMH = 3.6  # km/h of a metre a second


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of all ways, way by way; those with a missing end or at a barrier are left out.

    Attributes
    ----------
    tails, heads : (s,) int64
        Numbers of the nodes in `Extract.ids`.
    ways : (s,) int64
    follows : (s,) bool
        Whether a segment begins where the one before it in the same way ends.
    metres : (s,) float64
    there, back : (s,) float64
        Seconds along the way and against it; infinite where it may not be used.
    missing : int
        Segments left out because a node is not in the file.
    """

    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    ways: NDArray[np.int64]
    follows: NDArray[np.bool_]
    metres: NDArray[np.float64]
    there: NDArray[np.float64]
    back: NDArray[np.float64]
    missing: int

    def __len__(self) -> int:
        return len(self.tails)


def segments_of(extract: Extract, checkpoint: Callable[[], None]) -> Segments:
    """The usable segments of an extract.

    Parameters
    ----------
    extract : Extract
    checkpoint : callable
        Called between slices of the work; may raise to cancel.
    """
    ways, xy = extract.ways, extract.xy
    nodes = np.empty(len(ways.refs), np.int64)
    for begin, end in slices(len(nodes)):
        nodes[begin:end] = np.searchsorted(extract.ids, ways.refs[begin:end])
        checkpoint()
    way_of = np.repeat(np.arange(len(ways)), np.diff(ways.offsets))
    within = way_of[1:] == way_of[:-1]
    tails, heads = nodes[:-1], nodes[1:]
    placed = np.isfinite(xy[:, 0])
    known = placed[tails] & placed[heads]
    blocked = np.zeros(len(extract.ids), np.bool_)
    blocked[np.isin(extract.ids, ways.stopping, assume_unique=True)] = True
    kept = within & known & (tails != heads) & ~blocked[tails] & ~blocked[heads]
    chosen = np.flatnonzero(kept)
    checkpoint()
    metres = _lengths(xy, tails[chosen], heads[chosen], checkpoint)
    ways_of_chosen = way_of[chosen]
    there, back = _seconds(extract, ways_of_chosen, metres)
    follows = np.zeros(len(chosen), np.bool_)
    follows[1:] = (np.diff(chosen) == 1) & (ways_of_chosen[1:] == ways_of_chosen[:-1])
    missing = int(np.count_nonzero(within & ~known))
    return Segments(tails[chosen], heads[chosen], ways_of_chosen, follows, metres, there, back, missing)


def _lengths(
    xy: NDArray[np.float64], tails: NDArray[np.int64], heads: NDArray[np.int64], checkpoint: Callable[[], None]
) -> NDArray[np.float64]:
    metres = np.empty(len(tails))
    for begin, end in slices(len(tails)):
        metres[begin:end] = great_circle(xy[tails[begin:end]], xy[heads[begin:end]])
        checkpoint()
    return metres


def _seconds(
    extract: Extract, ways: NDArray[np.int64], metres: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Travel times in both directions; a known time of a whole way is divided by length."""
    table = extract.ways
    whole = np.bincount(ways, metres, minlength=len(table))
    timed = (table.seconds > 0) & (whole > 0)
    pace = np.divide(table.seconds, whole, out=np.zeros(len(table)), where=timed)  # seconds a metre
    times = []
    for speed in (table.forward, table.backward):
        with np.errstate(divide="ignore"):
            usual = _KMH / speed
        slowness = np.where(timed & (speed > 0), pace, usual)
        times.append(metres * slowness[ways])
    return times[0], times[1]
