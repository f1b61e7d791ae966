"""Activity of a run for drawing: when each vertex was visited, its shade, the current
frontier. No Qt.

Shades may come in distance bands (isochrones) of round width, with a contour at the
start of each. The scale of a ring layout says which circles of the picture stand for
which distances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solvers.core.result import Result
from solvers.core.trace import ActivityTrace
from solvers.graphs.graph import Graph
from solvers.graphs.weights import exact_distance, to_float
from solvers.picture.scene.ramps import Ramp, RegionRamps
from solvers.system.array_types import AnyArray, Bools, Float64s, Int32s, Int64s, UInt8s, UInt32s
from solvers.system.jit import njit
from solvers.units import SECONDS_PER_UNIT

TRAIL_SHARE = 60  # the trail covers this fraction of the run's pictures,
TRAIL_RANGE = (4, 24)  # limited to this range of pictures
TRAIL_VERTICES = 150_000  # and to this number of vertices, to bound the time per frame

_NO_OWNERS, _NO_TRACE = np.empty(0, np.uint8), np.empty(0, np.int32)
NEVER = np.iinfo(np.int32).max  # ``reveal`` of a vertex that is never reached

_MOST_BANDS = 11
_CONTOUR = 0.5  # factor of a colour's brightness at the start of a band
_PALE = 0.3  # lightening of every other band, so that adjacent bands differ


@dataclass(frozen=True)
class Sign:
    """A vertex beside which a sign stands that the legend explains, and perhaps an arc."""

    title: str
    corners: tuple[tuple[float, float], ...]  # of its outline around its middle; none of a disc
    lines: tuple[tuple[tuple[float, float], ...], ...]  # that are drawn on it
    n: int  # vertices of the graph
    vertex: int
    arc: tuple[int, int] | None = None
    dashes: tuple[float, ...] = ()  # of the arc


@dataclass(frozen=True)
class Legend:
    """Meaning of the shades."""

    quantity: str
    low: float  # low, high: values of the first and the last shade, in ``unit``
    high: float
    unit: str
    step: float = 0.0  # width of the bands; 0 for none
    # where bands end, ascending, in place of even ones; the last ends at ``high``
    bounds: tuple[float, ...] = ()
    ramp: Ramp | RegionRamps = Ramp.DISTANCES
    # words for the first and the last shade, in place of the values
    ends: tuple[str, str] | None = None
    ticks: tuple[float, ...] = ()  # marked places of the bar, in 0..1, such as powers of ten
    sign: Sign | None = None

    @property
    def has_bands(self) -> bool:
        return self.step > 0.0 or len(self.bounds) > 1


@dataclass(frozen=True)
class _Shading:
    reveal: Int32s
    shade: UInt8s
    legend: Legend | None


@dataclass(frozen=True, eq=False)
class Activity:
    """Distances and trace of the displayed run; either may be missing.

    Derived arrays are computed at first use (O(n), in the renderer's thread).
    """

    n: int  # number of vertices of the graph
    answer: AnyArray | None = None  # (n,)
    trace: ActivityTrace | None = None
    unit: str = ""  # unit of the distances
    # vertices farther than this do not count as visited, and the shades end here; None for no limit
    budget: float | None = None
    bounds: tuple[float, ...] = ()  # smaller budgets, ascending, whose bands are told apart
    # (n,): of several sources: which is nearest; vertices have shades of a ramp for each
    owners: UInt8s | None = None
    regions: int = 1  # number of sources

    @cached_property
    def distances(self) -> Float64s | None:
        """(n,) float64, inf where unreachable."""
        return None if self.answer is None else to_float(self.answer)

    def distance(self, vertex: int) -> int | float | None:
        """The distance to a vertex, an int for integer weights; inf if unreachable,
        None if nothing is known.
        """
        return None if self.answer is None else exact_distance(self.answer, vertex)

    @property
    def reveal(self) -> Int32s:
        """(n,) recorded iteration from which each vertex is visited, or NEVER; empty if
        nothing is known.
        """
        return self._shading.reveal

    @property
    def shade(self) -> UInt8s:
        """(n,) index into the 256 shades: near to far, or early to late."""
        return self._shading.shade

    @property
    def legend(self) -> Legend | None:
        return self._shading.legend

    def same_as(self, other: Activity) -> bool:
        """True if ``other`` is of the same run and budget, so that derived arrays can be reused."""
        if (self.budget, self.bounds) != (other.budget, other.bounds):
            return False
        if self.owners is not other.owners:
            return False
        if self.trace is not other.trace or self.answer is None or other.answer is None:
            return self.trace is other.trace and self.answer is other.answer
        return same_row(self.answer, other.answer)

    @property
    def last(self) -> int:
        """The last recorded iteration; 0 without a trace."""
        return max(0, len(self.trace) - 1) if self.trace is not None else 0

    def frontier(self, k: int, gathered: int = 1) -> Int32s:
        """Vertices active in the ``gathered`` recorded iterations up to ``k``: a view;
        empty without a trace.
        """
        if self.trace is None or not 0 <= k < len(self.trace):
            return np.empty(0, np.int32)
        first = max(0, k + 1 - gathered)
        return self.trace.vertices[self.trace.offsets[first] : self.trace.offsets[k + 1]]

    def trail(self, k: int, gathered: int = 1) -> list[tuple[Int32s, float]]:
        """Frontiers of the pictures before that of ``k``, oldest first, each with its
        freshness in 0..1.

        A picture shows ``gathered`` recorded iterations.
        """
        if self.trace is None:
            return []
        low, high = TRAIL_RANGE
        length = min(high, max(low, len(self.trace) // (TRAIL_SHARE * gathered)))
        found: list[tuple[Int32s, float]] = []
        budget = TRAIL_VERTICES
        for age in range(1, length + 1):
            last = k - age * gathered
            frontier = self.frontier(last, gathered)
            budget -= len(frontier)
            if last < 0 or budget < 0:
                break
            found.append((frontier, 1.0 - age / (length + 1)))
        return found[::-1]

    def climbs(self, k: int) -> list[Int32s]:
        """The vertices of each climb up to recorded iteration ``k``: of phases with one
        vertex an iteration.
        """
        trace, found = self.trace, []
        if trace is None:
            return []
        for phase in trace.phases:
            first = -(-phase.first // trace.stride)
            last = min(k + 1, -(-phase.last // trace.stride))
            if phase.unit == "vertex" and first < last:
                found.append(trace.vertices[trace.offsets[first] : trace.offsets[last]])
        return found

    @cached_property
    def _shading(self) -> _Shading:
        if self.distances is None and self.trace is None:
            return _Shading(np.empty(0, np.int32), np.empty(0, np.uint8), None)
        first = _NO_TRACE if self.trace is None else self.trace.first_active
        if self.distances is None:
            values = np.where(first >= 0, first.astype(np.float64), np.inf)
            quantity, unit = "first active in iteration", ""
        else:
            values, unit = self.distances, self.unit
            quantity = "travel time" if unit in SECONDS_PER_UNIT else "distance"
        limit = np.inf if self.budget is None or self.distances is None else self.budget
        low, high = _extent(values)
        any_reached = low <= high
        low, high = (low, high) if any_reached else (0.0, 0.0)
        high = max(low, limit) if np.isfinite(limit) else high
        ramp: Ramp | RegionRamps = Ramp.DISTANCES
        owners, levels = _NO_OWNERS, 256
        if self.owners is not None and self.regions > 1:
            ramp = RegionRamps(self.regions)
            owners = self.owners
            levels = ramp.levels
            quantity = f"{quantity} from the nearest source"
        bounds = (*self.bounds, high) if self.bounds and np.isfinite(limit) else ()
        legend = Legend(quantity, low, high, unit, bounds=bounds, ramp=ramp)
        reveal, shade = _reveal_and_shade(
            values,
            first,
            self.last,
            low,
            high,
            limit,
            owners,
            levels,
            np.array(bounds, np.float64),
            _first_shades(legend, levels),
        )
        return _Shading(reveal, shade, legend if any_reached else None)


def same_row(one: AnyArray, other: AnyArray) -> bool:
    """True if two arrays share their memory; each access to a matrix row creates a new view."""
    same = one.__array_interface__["data"] == other.__array_interface__["data"]
    return bool(same and one.shape == other.shape and one.dtype == other.dtype)


def activity_of(
    graph: Graph,
    result: Result | None,
    trace: ActivityTrace | None,
    budget: float | None = None,
    bounds: tuple[float, ...] = (),
) -> Activity:
    """The activity of a result and a trace on ``graph``, within a budget and in the bands of
    smaller ones; data of another graph is ignored.

    An all-pairs result contributes the row of its source.
    """
    answer = None
    if result is not None and result.distances is not None and result.graph is graph:
        answer = (
            result.distances if result.distances.ndim == 1 else result.distances[result.source or 0]
        )
    if trace is not None and len(trace.first_active) != graph.n:
        trace = None
    return Activity(graph.n, answer, trace, graph.weight_unit, budget, bounds)


def _extent(values: Float64s) -> tuple[float, float]:
    """The least and the greatest finite value; the least is infinite if there is none."""
    low, high = float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf))
    return low, high if high < np.inf else _greatest_finite(values)


@njit
def _greatest_finite(values: Float64s) -> float:
    high = -np.inf
    for value in values:
        if high < value < np.inf:
            high = value
    return high


@njit
def _reveal_and_shade(
    values: Float64s,
    first: Int32s,
    last: int,
    low: float,
    high: float,
    limit: float,
    owners: UInt8s,
    levels: int,
    bounds: Float64s,
    first_shades: Int64s,
) -> tuple[Int32s, UInt8s]:
    """Reveal and shade of every vertex, but for those farther than ``limit``. Bands with
    ``bounds`` share no shade: each begins with its own of ``first_shades``.

    Without a trace, ``first`` is empty. A vertex that was reached but never active (such as
    one without arcs) is revealed at the last iteration.
    """
    n = values.shape[0]
    reveal, shade = np.empty(n, np.int32), np.empty(n, np.uint8)
    per_unit = (levels - 1.0) / (high - low) if high > low else 0.0
    # loops of few conditions, which are vectorised: live mode shades for each picture
    for v in range(n):
        within = values[v] <= limit and values[v] < np.inf
        shade[v] = np.uint8((values[v] - low) * per_unit) if within else np.uint8(0)
        reveal[v] = np.int32(0) if within else np.int32(NEVER)
    if bounds.shape[0] > 0:
        for v in range(n):
            if reveal[v] == 0:
                band = np.searchsorted(bounds, values[v])
                least, after = first_shades[band], first_shades[band + 1]
                shade[v] = np.uint8(max(least, min(after - 1, np.int64(shade[v]))))
    for v in range(owners.shape[0]):
        shade[v] += np.uint8(owners[v] * levels) if reveal[v] == 0 else np.uint8(0)
    for v in range(first.shape[0]):
        if reveal[v] == 0:
            reveal[v] = first[v] if first[v] >= 0 else last
        elif first[v] >= 0 and limit == np.inf:
            reveal[v] = first[v]
    return reveal, shade


def round_step(low: float, high: float) -> float:
    """Smallest of 1, 2, 5, 10, 20 ... that gives at most `_MOST_BANDS` bands; 0 for an
    empty range.
    """
    if not high > low:
        return 0.0
    power = 10.0 ** math.floor(math.log10((high - low) / _MOST_BANDS))
    return next(
        step * power for step in (1, 2, 5, 10, 20) if (high - low) / (step * power) <= _MOST_BANDS
    )


def _first_shades(legend: Legend, levels: int) -> Int64s:
    """The first shade of each band with bounds, and the number of shades."""
    if not legend.bounds:
        return np.array([0, levels])
    span = max(legend.high - legend.low, np.finfo(np.float64).tiny)
    ends = (np.array(legend.bounds[:-1]) - legend.low) / span
    starts = np.clip(np.ceil(ends * (levels - 1.0)).astype(np.int64), 0, levels - 1)
    return np.concatenate(([0], starts, [levels]))


def band_shades(legend: Legend) -> tuple[Int64s, Bools]:
    """For each of the 256 shades: the middle shade of its band, and whether its band
    starts there.
    """
    levels = legend.ramp.levels if isinstance(legend.ramp, RegionRamps) else 256
    region, level = np.divmod(np.arange(256), levels)
    last = levels - 1.0
    values = legend.low + level * (legend.high - legend.low) / last
    if legend.bounds:
        starts = _first_shades(legend, levels)[:-1]
        bands = np.searchsorted(starts, level, side="right") - 1
        ends = np.array((legend.low, *legend.bounds))
        middles = (ends[bands] + ends[bands + 1]) / 2
    else:
        bands = np.floor(values / legend.step + 1e-9)
        middles = (bands + 0.5) * legend.step
    middles = np.clip(middles, legend.low, legend.high)
    own = region * levels + np.round(
        (middles - legend.low) * last / (legend.high - legend.low)
    ).astype(np.int64)
    return np.minimum(own, 255), np.concatenate(([False], bands[1:] != bands[:-1])) & (level > 0)


def band_colours(colours: Float64s, legend: Legend) -> Float64s:
    """(256, 3) colours of the shades, equal within a band; unchanged if the legend has no step."""
    if not legend.has_bands:
        return colours
    own, begins = band_shades(legend)
    pale = np.where(np.cumsum(begins) % 2 == 1, _PALE, 0.0)[:, None]
    return colours[own] * (1.0 - pale) + 255.0 * pale


def banded(shades: UInt32s, legend: Legend) -> UInt32s:
    """(256,) opaque ARGB shades in bands; unchanged if the legend has no step."""
    if not legend.has_bands:
        return shades
    begins = band_shades(legend)[1]
    channels = np.stack([(shades >> shift) & 0xFF for shift in (16, 8, 0)]).astype(np.float64)
    red, green, blue = np.round(
        band_colours(channels.T, legend).T * np.where(begins, _CONTOUR, 1.0)
    ).astype(np.uint32)
    return np.uint32(0xFF000000) | (red << 16) | (green << 8) | blue


@dataclass(frozen=True)
class RingScale:
    """Circles around one point, by distance."""

    centre: tuple[float, float]  # world coordinates
    radius: float  # world units, of the circle of distance ``high``
    low: float  # low, high: distances of the centre and of the outermost vertex that is reached
    high: float
    unit: str = ""
    whole: bool = False  # whether all distances are whole numbers

    @classmethod
    def of(
        cls, positions: Float64s, low: float, high: float, unit: str = "", *, whole: bool = False
    ) -> RingScale:
        """The scale of a layout of radius 1 around (0, 0), as `build_scene` places it:
        centred, longer side 1.
        """
        least, most = positions.min(axis=0), positions.max(axis=0)
        extent = float((most - least).max()) or 1.0
        x, y = (-(least + most) / 2 / extent).tolist()
        return cls((x, y), 1.0 / extent, low, high, unit, whole)

    @property
    def circles(self) -> list[tuple[float, float]]:
        """(distance, radius in world units) of circles at round distances, the innermost first."""
        step = max(
            round_step(self.low, self.high), 1.0 if self.whole and self.high > self.low else 0.0
        )
        if step <= 0.0:
            return []
        first, last = int(np.floor(self.low / step)) + 1, int(np.floor(self.high / step + 1e-9))
        per_unit = self.radius / (self.high - self.low)
        return [(k * step, (k * step - self.low) * per_unit) for k in range(first, last + 1)]
