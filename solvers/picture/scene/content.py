"""Content of the graph picture as one immutable value, from which screen and exports draw. No Qt.

The rows of the hover card of a vertex or a road are made from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from solvers.core.result import Result
from solvers.core.trace import MatrixTrace
from solvers.graphs.route import road_names_at
from solvers.picture.scene.activity import Activity, Legend, round_step
from solvers.picture.scene.explanation import Explanation, explanation_of, sentence_without
from solvers.picture.scene.levels import LevelView
from solvers.picture.scene.lit_roads import LitRoads, RoadLevels, RoadValues
from solvers.picture.scene.paths import PathTree, predecessor_row
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.scene import DrawableGraph
from solvers.picture.scene.values import Shading, VertexValues
from solvers.running.answers.answer import PathAnswer
from solvers.system.array_types import Int32s
from solvers.text import format_count, format_distance, plural, printable
from solvers.units import SECONDS_PER_UNIT


class Layer(Enum):
    """Layers that can be shown and hidden; the value is the displayed name."""

    EDGES = "edges"
    VISITED = "visited"
    FRONTIER = "frontier"
    PATH = "path"
    MARKERS = "markers"
    CYCLE = "negative cycle"
    SO_FAR = "tentative distances"
    BANDS = "distance bands"
    TREE = "shortest-path tree"
    LEVELS = "levels of the hierarchy"
    SEPARATORS = "separators"
    PROMINENCE = "prominent roads"
    NAMES = "names of roads"
    ROADS = "changed roads"
    DIFFERENCE = "difference by changed roads"


# shown by default
FIRST_LAYERS = frozenset(Layer) - {Layer.BANDS, Layer.TREE, Layer.LEVELS, Layer.DIFFERENCE}


@dataclass(frozen=True, eq=False)
class OtherWay:
    """A way beside the path."""

    place: int  # which sets its colour
    vertices: Int32s
    text: str  # for the legend


@dataclass(frozen=True, eq=False)
class PictureContent:
    """What the graph picture shows, independent of the view."""

    scene: DrawableGraph
    activity: Activity
    position: int = 0  # recorded iteration of the trace
    source: int | None = None
    target: int | None = None
    path: Int32s | None = None  # (k,)
    cycle: tuple[int, ...] = ()
    layers: frozenset[Layer] = field(default=FIRST_LAYERS)
    tree: PathTree | None = None  # limited to the chosen depth
    values: VertexValues | None = None  # shown in place of the run's distances
    # sources besides ``source``: vertices show the distance from the nearest. None in
    # place of one in hand
    more_sources: tuple[int | None, ...] = ()
    levels: LevelView | None = None  # whose separators are marked
    road_marks: tuple[RoadMarks, ...] = ()  # the first lies over the others
    # (k,): the shortest path before roads were changed
    path_before: Int32s | None = None
    gathered: int = 1  # number of recorded iterations up to ``position`` that are shown together
    flows: RoadValues | None = None  # shown in place of distances and values
    prominence: RoadLevels | None = None  # of the roads; None if it is not known
    pairs: MatrixTrace | None = None  # of a run between all pairs
    # how far an iteration has come: shown while it is the one of ``position``
    begun: Explanation | None = None
    other_ways: tuple[OtherWay, ...] = ()  # beside the path

    def has(self, layer: Layer) -> bool:
        return layer in self.layers

    @property
    def shown_prominence(self) -> RoadLevels | None:
        """Sets width and brightness of roads; None with the layer off or flows shown."""
        return self.prominence if self.has(Layer.PROMINENCE) and self.flows is None else None

    @property
    def lit_roads(self) -> LitRoads | None:
        """What gives roads width, colour and light of their own: flows or, where
        nothing else is shown, prominence.
        """
        alone = self.legend is None and self.levels is None and self.activity.trace is None
        return self.shown_prominence if alone else self.flows

    @property
    def known_path(self) -> Int32s | None:
        """The path once the play-back is at the end of the run, which does not know it before."""
        return self.path if self.position >= self.activity.last else None

    @property
    def frontier(self) -> Int32s:
        """Vertices that are active in the iterations shown."""
        return self.activity.frontier(self.position, self.gathered)

    @property
    def trail(self) -> list[tuple[Int32s, float]]:
        """As of `Activity.trail`, before the iterations shown."""
        return self.activity.trail(self.position, self.gathered)

    @property
    def shading(self) -> Shading | None:
        """What colours the roads by their vertices: the values, else the run unless
        visited edges are hidden.
        """
        if self.flows is not None:
            return None
        if self.values is not None:
            return self.values
        return self.activity if self.has(Layer.VISITED) else None

    @cached_property
    def legend(self) -> Legend | None:
        """Meaning of the shades, with bands if shown; None without shades."""
        if self.flows is not None:
            return self.flows.legend
        legend = self.shading.legend if self.shading is not None else None
        if legend is None or legend.ends is not None or legend.bounds:
            return legend
        if not self.has(Layer.BANDS):
            return legend
        return replace(legend, step=round_step(legend.low, legend.high))

    @cached_property
    def explanation(self) -> Explanation | None:
        """What is explained of the iteration or phase; None for larger graphs, with the layer
        off, or while other values are shown.
        """
        if not self.has(Layer.SO_FAR) or self.values is not None or self.flows is not None:
            return None
        trace = self.pairs or self.activity.trace
        return explanation_of(self.scene.graph, trace, self.position, self.source, self.begun)

    @cached_property
    def sentence(self) -> str:
        """Sentence about the iteration of a small graph; "" for larger ones or with the
        layer off.
        """
        if self.explanation is not None:
            return self.explanation.words
        if not self.has(Layer.SO_FAR):
            return ""
        return sentence_without(self.scene.graph, self.activity.trace, self.position)

    def in_tree(self, tail: int, head: int) -> bool:
        """True if the arc belongs to the shortest-path tree and the tree is shown."""
        return self.has(Layer.TREE) and self.tree is not None and self.tree.holds(tail, head)


def vertex_rows(
    content: PictureContent, result: Result | None, vertex: int
) -> list[tuple[str, str]]:
    """Names and values: id, distance (of an explained iteration that so far, too), predecessor,
    level, iterations, degree.
    """
    graph, activity = content.scene.graph, content.activity
    rows = [("vertex", printable(str(graph.vertex_id(vertex))))]
    if (distance := activity.distance(vertex)) is not None:
        name = "travel time" if graph.weight_unit in SECONDS_PER_UNIT else "distance"
        rows.append((name, format_distance(distance, graph.weight_unit)))
    if content.values is not None and content.values.words_of is not None:
        rows.append((content.values.legend.quantity, content.values.words_of(vertex)))
    if (source := _nearest_source(content, vertex)) is not None:
        rows.append(("nearest source", graph.vertex_label(source)))
    if content.explanation is not None:
        so_far = float(content.explanation.after[vertex])
        known = math.isfinite(so_far)
        rows.append(("so far", format_distance(so_far, graph.weight_unit) if known else "∞"))
    predecessor = _predecessor(content, result, vertex)
    if predecessor is not None:
        rows.append(("predecessor", printable(str(graph.vertex_id(predecessor)))))
    if content.levels is not None:
        rows.append(("level", content.levels.level_words(vertex)))
    if activity.trace is not None:
        rows.append(("active", _active_words(content, vertex)))
    if names := road_names_at(graph, vertex):
        rows.append(("roads", names))
    rows.append(("degree", plural(int(graph.out_degrees[vertex]), "arc out", "arcs out")))
    return rows


def road_rows(content: PictureContent, tail: int, head: int) -> list[tuple[str, str]]:
    """Names and values of the road between two vertices: its flow, and if it has a name
    this, length and time.
    """
    flow = [] if content.flows is None else content.flows.rows(tail, head)
    graph = content.scene.graph.uncut
    if graph.roads is None:
        return flow
    road = PathAnswer.of_road(graph, tail, head) or PathAnswer.of_road(graph.as_read, tail, head)
    return [*(road.facts() if road is not None else ()), *flow]


def _nearest_source(content: PictureContent, vertex: int) -> int | None:
    """The nearest of several sources; None for one source, and where none reaches."""
    if content.activity.owners is None:
        return None
    sources, place = (content.source, *content.more_sources), int(content.activity.owners[vertex])
    return sources[place] if place < len(sources) else None


def _active_words(content: PictureContent, vertex: int) -> str:
    trace = content.activity.trace
    assert trace is not None
    first = int(trace.first_active[vertex]) * trace.stride
    last = int(trace.last_active[vertex]) * trace.stride
    if first < 0:
        return "never"
    return (
        f"iteration {format_count(first + 1)}"
        if first == last
        else f"iterations {format_count(first + 1)} to {format_count(last + 1)}"
    )


def _predecessor(content: PictureContent, result: Result | None, vertex: int) -> int | None:
    row = (
        predecessor_row(result)
        if result is not None and result.graph is content.scene.graph
        else None
    )
    if row is None:
        return None
    before = int(row[vertex])
    return before if before >= 0 else None
