"""Layout of a connected graph of thousands to millions of vertices: pivot MDS, then
sweeps of sparse stress. No Qt.

The stress comes from edges and pivots; a pivot stands for the vertices nearest to it
(Ortmann, Klimenta and Brandes 2017). Each sweep moves every vertex towards the weighted
mean of where its pivots and neighbours want it (Gansner, Koren and North 2004). All
moves start from the places of the sweep before, so that sweeps run on all cores and
give the same result on any number.

Mutual repulsion of all vertices is a convolution on a grid, in time that hardly depends
on their number. The force between two vertices is r / (s^2 + r^2): bounded at short
range, as in t-FDP (Zhong et al. 2023), and falling with the distance as the entropy
term of maxent-stress (Gansner, Hu and North 2013). It is computed by Fourier
transforms, which suits graphs of few arcs from end to end: the cells of the grid are
much smaller than an edge.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from solvers.picture.layout.adjacency import Neighbours
from solvers.picture.layout.pivots import Pivots, pivot_mds, pivots_of
from solvers.system.array_types import Float32s, Float64s, Int16s, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.intrinsics import atomic_add, compare_exchange, load_shared, sleep_briefly
from solvers.system.jit import njit
from solvers.system.threads import (
    ThreadTeam,
    in_background,
    in_watched_threads,
    pause,
    split_evenly,
)

PIVOT_RANGE = (12, 256)
# vertices times pivots of a graph of some 100,000 vertices; smaller ones get more
# pivots ...
PIVOT_TERMS = 6e6
MOST_TERMS = 4e7  # ... and much larger ones fewer
LEAST_PIVOTS = 64  # as long as there are no more than `MOST_TERMS`
SWEEP_TERMS = 1.2e9  # vertices times pivots times sweeps
SWEEP_RANGE = (24, 60)
_SEED = 1
# arcs, by which vertices with the same distances move apart; by shallowness
_JITTER = {False: 0.03, True: 0.3}
_REPULSION = 0.1
_SOFTNESS = 0.3  # arcs
# pivots by which vertices of a deep graph are first placed: those after them change little
_MDS_COLUMNS = 32
_SEARCH_SHARE = 0.4  # of the time, for progress

Preview = Callable[[Float32s], None]

_STRESS_PIECE = 250  # vertices that a thread takes at a time
_STOP, _NEXT, _DONE = range(3)  # set to end all threads; the next piece; pieces that are done
_SPINS = 200  # pauses that a thread waits for a sweep to end before it sleeps
_PREVIEW_S = 0.1  # between two previews, roughly
# times the mean square radius of a region: below this square distance its weight stays
# the same
_NEAR = 8.0
# share of the way that a sweep moves; moving at once all the way, neighbours would swap
# places forever
_PULL = 0.7
_COINCIDENT = np.float32(1e-6)  # square of the distance at which two vertices have no direction

SIDE = 256  # cells
_MARGIN = 2.0  # cells on each side, so that every vertex lies between four cells
_REPULSION_PIECE = 100_000  # vertices between two cancellation checks


@dataclass(frozen=True, eq=False)
class LargeLayout:
    adjacency: Neighbours  # in breadth-first order
    team: ThreadTeam
    progress: Progress = SILENT

    def placed(self, advance: Callable[[float], None], preview: Preview | None) -> Float32s:
        """(n, 2) positions.

        ``advance`` is called with the share of the work done, ``preview`` with
        positions after the first searches, after pivot MDS and some ten times a second.
        """
        rng = np.random.default_rng(_SEED)
        # a deep graph draws nothing else
        drawn = in_background(self._drawn, np.random.default_rng(_SEED))
        pivots = pivots_of(
            self.adjacency,
            pivot_count(self.adjacency.n),
            self.team,
            rng,
            self.progress,
            lambda done, total: advance(_SEARCH_SHARE * done / total),
            None if preview is None else lambda hops: preview(self._by_pivots(hops, shallow=False)),
        )
        places = self._by_pivots(pivots.hops, shallow=pivots.shallow)
        if preview is not None:
            preview(places)
        jitter = self._drawn(rng) if pivots.shallow else drawn.result()
        places += (_JITTER[pivots.shallow] * jitter).astype(np.float32)
        stress = SparseStress(self.adjacency, pivots)
        sweeps, done = sweep_count(self.adjacency.n, len(pivots.vertices)), 0
        together = 1 if pivots.shallow or preview is not None else sweeps
        while done < sweeps:
            began, first, count = time.perf_counter(), done, min(together, sweeps - done)

            def watch(swept: float, first: int = first) -> None:
                advance(_SEARCH_SHARE + (1.0 - _SEARCH_SHARE) * (first + swept) / sweeps)

            places = stress.swept(places, count, self.team, watch, self._push(places, pivots))
            done += count
            if preview is not None:
                preview(places)
                each = (time.perf_counter() - began) / count
                together = 1 if pivots.shallow else max(1, int(_PREVIEW_S / each))
        return places

    def _drawn(self, rng: np.random.Generator) -> Float64s:
        return rng.standard_normal((self.adjacency.n, 2))

    def _by_pivots(self, hops: Int16s, *, shallow: bool) -> Float32s:
        columns = hops.shape[1] if shallow else min(_MDS_COLUMNS, hops.shape[1])
        return pivot_mds(hops, columns, self.team, self.progress)

    def _push(self, places: Float32s, pivots: Pivots) -> Float32s | None:
        if not pivots.shallow:
            return None
        return np.float32(_REPULSION) * repulsion(places, _SOFTNESS, self.team, self.progress)


def pivot_count(n: int) -> int:
    """Number of pivots of a connected graph of ``n`` vertices."""
    low, high = PIVOT_RANGE
    return max(low, min(max(LEAST_PIVOTS, min(high, int(PIVOT_TERMS / n))), int(MOST_TERMS / n)))


def sweep_count(n: int, pivots: int) -> int:
    """Number of sweeps over a graph of ``n`` vertices."""
    low, high = SWEEP_RANGE
    return max(low, min(high, int(SWEEP_TERMS / (n * pivots))))


@dataclass(frozen=True, eq=False)
class SparseStress:
    """The terms of one connected graph."""

    adjacency: Neighbours
    pivots: Pivots
    edge_weight: float = 1.0  # relative to a term of weight 1 / distance^2

    def swept(
        self,
        places: Float32s,
        sweeps: int,
        team: ThreadTeam,
        watch: Callable[[float], None],
        push: Float32s | None = None,
    ) -> Float32s:
        """The (n, 2) places after some sweeps; ``push`` is a further (n, 2) force, in
        units of the weights times arcs. ``watch`` is called with how many are done.
        """
        pieces = -(-len(places) // _STRESS_PIECE)
        both, state = np.stack((places, places)), np.zeros(3, np.int64)
        watch(0.0)
        sizes = self.pivots.sizes.astype(np.float32)
        reach = np.maximum(1.0, _NEAR * self.pivots.squares).astype(np.float32)
        force = np.empty((0, 2), np.float32) if push is None else push
        in_watched_threads(
            min(team.threads, pieces),
            lambda: watch(int(state[_DONE]) / pieces),
            state,
            _sweep_pieces,
            state,
            sweeps,
            both,
            self.pivots.hops,
            self.pivots.vertices,
            sizes,
            reach,
            self.adjacency.indptr,
            self.adjacency.indices,
            np.float32(self.edge_weight),
            force,
            np.float32(_PULL),
        )
        return both[sweeps % 2]


@njit
def _sweep_pieces(
    _: int,
    state: Int64s,
    sweeps: int,
    both: Float32s,  # (2, n, 2), of the even sweeps and the odd ones
    hops: Int16s,
    pivots: Int32s,
    sizes: Float32s,
    reach: Float32s,
    indptr: Int64s,
    indices: Int32s,
    edge_weight: np.float32,
    push: Float32s,
    pull: np.float32,
) -> None:
    """Take piece after piece of sweep after sweep, until ``state`` says that all are to stop.

    A piece is taken when the sweep before its own is done. So no thread waits for one that
    waits itself, and that has perhaps no processor.
    """
    n = both.shape[1]
    pieces = (n + _STRESS_PIECE - 1) // _STRESS_PIECE
    xs, ys, gathered = np.empty(len(pivots), np.float32), np.empty(len(pivots), np.float32), -1
    while True:
        piece = _next_piece(state, pieces, sweeps * pieces)
        if piece < 0:
            break
        sweep, first = piece // pieces, piece % pieces * _STRESS_PIECE
        places, after = both[sweep % 2], both[1 - sweep % 2]
        if gathered < sweep:
            for i in range(len(pivots)):
                xs[i], ys[i] = places[pivots[i], 0], places[pivots[i], 1]
            gathered = sweep
        last, weights = min(n, first + _STRESS_PIECE), (sizes, reach)
        arcs = indptr, indices, edge_weight
        _sweep(places, after, hops, xs, ys, *weights, *arcs, push, pull, first, last)
        atomic_add(state, _DONE, 1)


@njit
def _next_piece(state: Int64s, pieces: int, total: int) -> int:
    """The next piece, which the calling thread takes once all of earlier sweeps are done; -1
    after the last one, or if all are to stop.
    """
    idle = 0
    while load_shared(state, _STOP) == 0:
        piece = load_shared(state, _NEXT)
        if piece >= total:
            break
        if load_shared(state, _DONE) < piece - piece % pieces:
            idle += 1
            if idle < _SPINS:
                pause(idle)
            else:
                sleep_briefly()
        elif compare_exchange(state, _NEXT, piece, piece + 1) == piece:
            return piece
    return -1


@njit(fastmath=True, error_model="numpy")
def _sweep(
    places: Float32s,
    after: Float32s,
    hops: Int16s,
    xs: Float32s,
    ys: Float32s,
    sizes: Float32s,
    reach: Float32s,
    indptr: Int64s,
    indices: Int32s,
    edge_weight: np.float32,
    push: Float32s,
    pull: np.float32,
    first: int,
    last: int,
) -> None:
    """Places of the vertices ``first .. last - 1``; the loop over pivots is vectorised
    by the compiler.
    """
    one, nothing = np.float32(1.0), np.float32(0.0)
    for v in range(first, last):
        x, y = places[v, 0], places[v, 1]
        total, to_x, to_y = nothing, nothing, nothing
        for i in range(hops.shape[1]):
            wanted = np.float32(hops[v, i])
            square = wanted * wanted
            weight = sizes[i] * min(square, one) / max(square, reach[i])
            dx, dy = x - xs[i], y - ys[i]
            stretch = wanted / np.sqrt(dx * dx + dy * dy + _COINCIDENT)
            total += weight
            to_x += weight * (dx * (stretch - one))
            to_y += weight * (dy * (stretch - one))
        for arc in range(indptr[v], indptr[v + 1]):
            u = indices[arc]
            dx, dy = x - places[u, 0], y - places[u, 1]
            stretch = one / np.sqrt(dx * dx + dy * dy + _COINCIDENT)
            total += edge_weight
            to_x += edge_weight * (dx * (stretch - one))
            to_y += edge_weight * (dy * (stretch - one))
        if push.shape[0] > 0:
            to_x += push[v, 0]
            to_y += push[v, 1]
        if total > nothing:
            after[v, 0] = x + pull * to_x / total
            after[v, 1] = y + pull * to_y / total
        else:
            after[v, 0], after[v, 1] = x, y


def repulsion(
    places: Float32s, softness: float, team: ThreadTeam, progress: Progress = SILENT
) -> Float32s:
    """(n, 2) sum of the forces of all others on each vertex; the force is greatest at
    the distance ``softness``.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    cell = max(float((high - low).max()), 1e-6) / (SIDE - 2 * _MARGIN)
    at = (places - low) / np.float32(cell) + np.float32(_MARGIN)
    mass = np.zeros((SIDE, SIDE), np.float32)
    _spread(at, mass)
    progress.checkpoint()
    forces = _convolved(mass, softness / cell, team.threads) / np.float32(cell)
    pushed = np.empty_like(places)
    runs = split_evenly(len(places), max(team.threads, -(-len(places) // _REPULSION_PIECE)))
    team.run_over(runs, _gather, at, forces, pushed, progress=progress)
    return pushed


def _convolved(mass: Float32s, softness: float, threads: int) -> Float32s:
    """(2, SIDE, SIDE) forces in x and y on a unit mass in each cell; lengths in cells."""
    # imported here: it takes long, and graphs with coordinates need no layout
    from scipy import fft

    offsets = np.arange(2 * SIDE, dtype=np.float32)
    offsets[SIDE:] -= 2 * SIDE  # the grid is twice as wide, so that forces do not wrap around
    square = np.float32(softness**2) + offsets**2 + offsets[:, None] ** 2
    shape = (2 * SIDE, 2 * SIDE)
    spread = fft.rfft2(mass, shape, workers=threads)
    found = [
        fft.irfft2(spread * fft.rfft2(along / square, workers=threads), shape, workers=threads)[
            :SIDE, :SIDE
        ]
        for along in (offsets, offsets[:, None])
    ]
    return np.stack(found).astype(np.float32)


@njit
def _spread(at: Float32s, mass: Float32s) -> None:
    """Divide the mass of every vertex among the four cells around it."""
    for v in range(at.shape[0]):
        column, row = int(at[v, 0]), int(at[v, 1])
        right, down = at[v, 0] - column, at[v, 1] - row
        mass[row, column] += (1.0 - right) * (1.0 - down)
        mass[row, column + 1] += right * (1.0 - down)
        mass[row + 1, column] += (1.0 - right) * down
        mass[row + 1, column + 1] += right * down


@njit
def _gather(at: Float32s, forces: Float32s, pushed: Float32s, first: int, last: int) -> None:
    """The mean of the forces in the four cells around each vertex, as their masses were divided."""
    for v in range(first, last):
        column, row = int(at[v, 0]), int(at[v, 1])
        right, down = at[v, 0] - column, at[v, 1] - row
        for axis in range(2):
            above = (1.0 - right) * forces[axis, row, column] + right * forces[
                axis, row, column + 1
            ]
            below = (1.0 - right) * forces[axis, row + 1, column] + right * forces[
                axis, row + 1, column + 1
            ]
            pushed[v, axis] = (1.0 - down) * above + down * below
