"""Flows of roads for drawing: how many of all shortest paths use each, or what a change
of roads did to that. No Qt.

A road is what is drawn as one line: arcs in both directions, and parallel ones of the
same shape. Shares of all paths are on a logarithmic scale, differences on one that is
logarithmic in both directions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from solvers.features.all_sources.betweenness import Flows
from solvers.features.all_sources.flow_files import separate_roads
from solvers.graphs.graph import Graph
from solvers.picture.scene.activity import Legend
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.road_segments import arcs_of_segments, road_totals
from solvers.picture.scene.scene import DrawableGraph
from solvers.picture.scene.values import BINS, DECADES, ValueMap, log_bins, short_distance
from solvers.system.array_types import Float64s, Int64s, UInt8s
from solvers.system.kept import KeptValue
from solvers.text import format_amount, grouped
from solvers.verification.paths import lightest_arcs


@dataclass(frozen=True, eq=False)
class RoadFlows:
    """Flows of a run, or what they gained and lost since another. Compared by identity,
    so keep one while it is shown.

    ``before`` is of the same graph with other roads closed or slowed, or None.
    """

    flows: Flows
    before: Flows | None = None
    whole: RoadFlows | None = None  # for those of some of its sources, on its scale
    # an arc for each segment of the scene that was drawn last; flows of one graph can share it
    _drawn: KeptValue[Int64s] = field(default_factory=KeptValue, repr=False)

    @cached_property
    def graph(self) -> Graph:
        """The graph with all roads, to which all arrays of arcs belong."""
        return self.flows.graph.as_read

    @cached_property
    def shares(self) -> Float64s:
        """(m,) share of all paths that use the road of each arc, in either direction."""
        return self._shares_of(self.flows)

    @cached_property
    def values(self) -> Float64s:
        """(m,) what is shown of the road of each arc: its share, or the difference of
        its shares.
        """
        return self.shares if self.before is None else self.shares - self._shares_of(self.before)

    @cached_property
    def high(self) -> float:
        """The greatest value of the scale, regardless of its sign."""
        return (
            float(np.abs(self.values).max(initial=0.0)) if self.whole is None else self.whole.high
        )

    @property
    def is_difference(self) -> bool:
        return self.before is not None

    @property
    def quantity(self) -> str:
        """What the flows are a share of: "share of shortest paths up to 10 km"."""
        longest = self.flows.request.longest_path
        if longest is None:
            return "share of all shortest paths"
        within = short_distance(longest, self.flows.graph.weight_unit)
        return f"share of shortest paths up to {within}"

    @cached_property
    def legend(self) -> Legend:
        if self.before is None:
            low, high = self.high / 10.0**DECADES, self.high
            ends = (f"\N{LESS-THAN OR EQUAL TO} {share_text(low)}", share_text(high))
            # from a power of ten to the greatest
            over = math.log10(high) % 1.0 if high > 0 else 0.0
            ticks = tuple(1.0 - (over + k) / DECADES for k in range(DECADES) if over + k > 0)
            return Legend(
                self.quantity,
                low,
                high,
                "",
                ramp=Ramp.FLOWS,
                ends=ends,
                ticks=ticks,
            )
        most = share_text(self.high)
        ends = (f"loses {most}", f"gains {most}")
        title = "change of the share of paths"
        return Legend(title, -self.high, self.high, "", ramp=Ramp.FLOW_CHANGES, ends=ends)

    def shades_on(self, scene: DrawableGraph) -> UInt8s:
        """(e,) position of each drawn segment's road on the ramp; see `drawn_strength`
        for what is not drawn.
        """
        arcs = self._drawn.of(scene.drawn_parts, lambda: arcs_of_segments(scene, self.graph))
        return np.where(arcs >= 0, self.shades[arcs], self.nothing).astype(np.uint8)

    def followed_by(self, flows: Flows) -> RoadFlows:
        """Flows of some of the sources, on the same scale."""
        return replace(self, flows=flows, before=None, whole=self)

    def light(self) -> RoadFlows:
        """The same, ready to be drawn, without what only its making needs."""
        kept = replace(self)
        vars(kept)["shades"] = self.shades
        return kept

    @property
    def nothing(self) -> int:
        """The shade of a road that no path uses, or that has not changed: it is drawn
        as without flows.
        """
        return 128 if self.is_difference else 0

    @cached_property
    def shades(self) -> UInt8s:
        """(m,) position of the road of each arc on the ramp."""
        levels = self._levels
        if not self.is_difference:
            return np.where(self.values > 0, np.maximum(1.0, np.round(255 * levels)), 0.0).astype(
                np.uint8
            )
        return np.round(128.0 + np.where(levels > 0, 127.0, 128.0) * levels).astype(np.uint8)

    @cached_property
    def _levels(self) -> Float64s:
        """(m,) position on the logarithmic scale in 0..1, with the sign of the value."""
        with np.errstate(divide="ignore"):
            sizes = np.log10(np.abs(self.values) / (self.high or 1.0))
        return np.sign(self.values) * np.clip(1.0 + sizes / DECADES, 0.0, 1.0)

    @cached_property
    def histogram(self) -> ValueMap:
        """Numbers of roads by share; of those that differ by the change, on the scale
        of the shades.
        """
        graph = self.graph
        one_way = road_totals(graph, np.ones(graph.m)) == 1
        counted = one_way | (graph.tails <= graph.indices)
        things = ("road", "roads")
        if self.is_difference:
            bins = np.histogram(self._levels[counted & (self._levels != 0)], BINS, (-1.0, 1.0))
            return ValueMap(
                "Change of the share",
                None,
                *bins,
                self._change_text,
                Ramp.FLOW_CHANGES,
                things=things,
            )
        low, used = self.legend.low, counted & (self.shares > 0)
        shown = used & (self.shares >= low)  # those below the scale would flatten all other bars
        title = (
            "Share of paths"
            if shown.sum() == used.sum()
            else f"Share of paths from {share_text(low)}"
        )
        bins = log_bins(self.shares[shown], low, self.legend.high)
        return ValueMap(title, None, *bins, share_text, Ramp.FLOWS, is_log=True, things=things)

    def _change_text(self, level: float) -> str:
        """The difference at a position on the scale."""
        if level == 0:
            return "0"
        sign = "+" if level > 0 else "\N{MINUS SIGN}"
        return sign + share_text(self.high * 10.0 ** (DECADES * (abs(level) - 1.0)))

    def rows(self, tail: int, head: int) -> list[tuple[str, str]]:
        """Names and values of the road between two vertices, for its card."""
        arc = self._arc_between(tail, head)
        if arc < 0:
            return []
        paths, share = self.shares[arc] * self.flows.paths, self.shares[arc]
        about = "about " if self.flows.intervals is not None and paths else ""
        rows = [("paths", about + format_amount(paths, 4)), ("share", share_text(share))]
        if self.is_difference:
            rows.append(("before", share_text(share - self.values[arc])))
        return rows

    def greatest(self, count: int) -> list[int]:
        """Arcs of the roads of greatest value, as `separate_roads`."""
        return separate_roads(self.graph, self.values, count)

    def name(self, arc: int) -> str:
        """Name of the road of an arc; "" if it has none."""
        return "" if self.graph.roads is None else self.graph.roads.name(arc)

    def _arc_between(self, tail: int, head: int) -> int:
        found = lightest_arcs(self.graph, np.array([tail, head, tail]))
        used = [int(arc) for arc in found if arc >= 0]
        return max(used, key=lambda arc: abs(self.values[arc]), default=-1)

    def _shares_of(self, flows: Flows) -> Float64s:
        return road_totals(self.graph, flows.of_all_roads) / (flows.paths or 1.0)


def share_text(share: float) -> str:
    """A share of all paths in per cent, with two significant digits: "0.012 %"."""
    percent = 100.0 * share
    return f"{grouped(float(f'{percent:.2g}'), '.10g')} %"
