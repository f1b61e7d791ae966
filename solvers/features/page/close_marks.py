"""The marks of a small graph's close views on a page, by the display list of
`solvers.picture.overlay`: for each vertex and arc those of each state that it may be in.

Which state it is in after a step is small data; a page has no geometry of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product, zip_longest
from typing import Any, NamedTuple

import numpy as np

from solvers.core.labelling import Labelling, VertexState
from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace, MatrixTrace
from solvers.features.page.mark_table import PROBE, MarkTable
from solvers.graphs.graph import Graph
from solvers.picture.display import Disc, Mark, Pixels, TextSizes, TextStyle
from solvers.picture.overlay.close_view import CloseView
from solvers.picture.overlay.lines import path_marks, step_marks
from solvers.picture.overlay.markers import marker_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import Road, disc_radius, scale_of_radius
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.detail import (
    MOST_DETAILED,
    SHORTEST_MEAN_EDGE,
    ArcForm,
    Detail,
    DetailArc,
    detail_of,
)
from solvers.picture.scene.explanation import Explanation
from solvers.picture.scene.figure import (
    FIGURE_RADIUS,
    FIGURE_VERTICES,
    ID_INSIDE,
    RADIUS_RANGE,
    ArcState,
)
from solvers.picture.scene.scene import MOST_SCALE, DrawableGraph
from solvers.picture.scene.values import bare_distance
from solvers.system.array_types import Float64s, UInt8s

Frame = list[Mark | Pixels] | None  # the marks of a part at a scale

STATES = tuple(VertexState)
BARE, VISITED, AT_WORK = range(3)  # vertices and arcs of a run without tentative distances
_AT_HEAD = 16  # added to the code of an arc with a head at a vertex that is at work
_BARE_CODES = 32  # that of an arc of such a run, and its state
# rings around a vertex, in pixels from its disc: of the chosen one, and of an answer
PICKED_RADIUS, _PICKED_AWAY, _ANSWER_AWAY = 9.0, 5.0, 6.0

_ROOM = 48.0  # pixels around the graph, for labels
_WIDEST_STEP, _LAST_STEP = 1.5, 2.2  # from one scale to the next, and where discs are largest
_MOST_GROWTH = 64.0  # from the first scale to the one from which discs no longer grow
_BEFORE = 0.9999  # of the scale from which ids fit
_LEAST_SCALE = 20.0  # of a graph without edges
_MEASURED = TextStyle(16, 700)


class Chip(NamedTuple):
    """A tentative distance, what it replaces, and whether it has fallen."""

    text: str
    former: str = ""
    is_gained: bool = False

    def key(self, sizes: TextSizes) -> str:
        """Chips with equal ones are drawn alike but for their words."""
        former = Chip(self.former).width(sizes)
        return f"{self.width(sizes)},{former},{int(self.is_gained)}"

    def width(self, sizes: TextSizes) -> int:
        """Of its text; equal ones are equally wide in any size."""
        return round(sizes.width(self.text, _MEASURED))


@dataclass(frozen=True, eq=False)
class _Posed:
    """An iteration in which all vertices are in one state, and all arcs: in one way, and back."""

    base: Explanation
    state: VertexState = VertexState.UNREACHED
    there: ArcState = ArcState.IDLE
    back: ArcState = ArcState.IDLE
    chips: Mapping[int, Chip] = field(default_factory=dict)
    start: Float64s | None = None  # tentative distances, in place of one state
    step_path: Road | None = None

    at_end, words = True, ""

    @property
    def trace(self) -> ActivityTrace | MatrixTrace:
        return self.base.trace

    @property
    def position(self) -> int:
        return self.base.position

    @property
    def labelling(self) -> Labelling:
        return self.base.labelling

    @property
    def after(self) -> Float64s:
        return self.base.after if self.start is None else self.start

    @cached_property
    def relaxing(self) -> Set[int]:
        is_active = self.state is VertexState.ACTIVE
        return frozenset(range(len(self.after) if is_active else 0))

    @cached_property
    def improved(self) -> Set[int]:
        return {vertex for vertex, chip in self.chips.items() if chip.is_gained}

    def vertex(self, vertex: int) -> VertexState:
        if self.start is None:
            return self.state
        is_known = math.isfinite(self.start[vertex])
        return VertexState.TENTATIVE if is_known else VertexState.UNREACHED

    def arc(self, tail: int, head: int) -> ArcState:
        return self.there if tail <= head else self.back

    def value(self, vertex: int) -> str:
        return self.chips[vertex].text

    def former_value(self, vertex: int) -> str:
        return self.chips[vertex].former

    def history(self, vertex: int) -> Float64s:
        return self.base.history(vertex)


@dataclass(frozen=True, eq=False)
class RunStates:
    """What vertices and arcs of an explained run may be and show."""

    explanation: Explanation
    chips: Sequence[Mapping[str, Chip]]  # of each vertex, by their keys
    vertices: UInt8s | None = None  # (steps + 1, n), the first before the run; None for any
    arcs: UInt8s | None = None  # (steps + 1, arcs): codes

    @cached_property
    def codes(self) -> list[set[int]] | None:
        """Those of each arc; None for any."""
        return None if self.arcs is None else [set(column) for column in self.arcs.T.tolist()]


@dataclass(frozen=True, eq=False)
class CloseMarks:
    """The marks of a scene's close views at some scales."""

    scene: DrawableGraph
    step: float  # of the grid of places
    sizes: TextSizes

    @cached_property
    def scales(self) -> list[float]:
        """Where discs begin or cease to grow and ids come to fit inside, and steps between."""
        scene, (least, most) = self.scene, RADIUS_RANGE
        first = SHORTEST_MEAN_EDGE / scene.mean_length if scene.edges else _LEAST_SCALE
        most = FIGURE_RADIUS if scene.graph.n <= FIGURE_VERTICES else most
        breaks = [scale_of_radius(scene, radius) for radius in (least, ID_INSIDE, most)]
        last = min(max(first, breaks[-1]), _MOST_GROWTH * first)
        shown = [scale for scale in breaks[:-1] if first < scale < last]
        before = [breaks[1] * _BEFORE] if breaks[1] in shown else []  # an id is beside its disc
        wanted = sorted({first, last, *shown, *before})
        found = wanted[:1]
        for scale in wanted[1:]:
            count = math.ceil(math.log(scale / found[-1]) / math.log(_WIDEST_STEP) - 1e-9)
            found += np.geomspace(found[-1], scale, max(1, count) + 1)[1:].tolist()
        found.append(last * _LAST_STEP)
        return [scale for scale in found if scale <= MOST_SCALE]

    @cached_property
    def cameras(self) -> list[Camera]:
        return [self.camera(scale) for scale in self.scales]

    def camera(self, scale: float) -> Camera:
        """Shows all of the graph at a scale, with room for labels."""
        bounds = self.scene.bounds
        width, height = bounds.x1 - bounds.x0, bounds.y1 - bounds.y0
        x, y = (bounds.x0 + bounds.x1) / 2, (bounds.y0 + bounds.y1) / 2
        return Camera(x, y, scale, width * scale + 2 * _ROOM, height * scale + 2 * _ROOM)

    @cached_property
    def detail(self) -> Detail | None:
        """All vertices and arcs; None where they are too many to be drawn one by one."""
        if self.scene.graph.n > MOST_DETAILED:
            return None
        found = detail_of(self.scene, self.camera(1e3 * self.scales[-1]))
        return found if found is not None and (found.arcs or not self.scene.edges) else None

    @cached_property
    def table(self) -> MarkTable:
        return MarkTable(self.scales, np.nan_to_num(self.scene.positions), self.step)

    def drawn_arcs(self, graph: Graph) -> list[tuple[int, int, int, int, bool]]:
        """Tail and head of each drawn arc, its number in the graph, that of the opposite one
        for which it stands, too, else -1, and whether a lighter one is beside it.
        """
        numbers: dict[Road, list[int]] = {}
        for arc in np.argsort(graph.weights, kind="stable").tolist():
            numbers.setdefault((int(graph.tails[arc]), int(graph.indices[arc])), []).append(arc)
        found, places = [], dict[Road, int]()
        for arc in self.arcs:
            road = arc.tail, arc.head
            place = places[road] = places.get(road, 0) + 1 if arc.bow else 0
            own = numbers[road][place]
            opposite = -1
            if arc.form is ArcForm.BOTH_WAYS:
                opposite = numbers[arc.head, arc.tail][place]
            found.append((arc.tail, arc.head, own, opposite, arc.bow > 0))
        return found

    @property
    def arcs(self) -> Sequence[DetailArc]:
        return () if self.detail is None else self.detail.arcs

    @cached_property
    def kinds(self) -> Collection[list[int]]:
        """The numbers of arcs that are in equal states where all have one state."""
        found = dict[tuple[bool, bool], list[int]]()
        for i, arc in enumerate(self.arcs):
            kind = arc.form is ArcForm.BOTH_WAYS, arc.bow > 0
            found.setdefault(kind, []).append(i)
        return found.values()

    @property
    def vertices(self) -> list[int]:
        found: list[int] = [] if self.detail is None else self.detail.vertices.tolist()
        return found

    def view(self, content: PictureContent, camera: Camera) -> OverlayView:
        return OverlayView(camera, content, PROBE, self.sizes, self.detail)

    def codes(self, content: PictureContent) -> list[int]:
        """The state of each arc with its heads, of an explained iteration."""
        close = CloseView(self.view(content, self.cameras[-1]))
        return [_code(close, arc) for arc in self.arcs]

    def before(
        self, content: PictureContent, base: Explanation
    ) -> tuple[PictureContent, Explanation]:
        """What is shown before the first iteration."""
        trace = base.trace
        assert isinstance(trace, ActivityTrace)
        start = np.full(self.scene.graph.n, np.inf)
        start[trace.frontier(0)] = 0.0
        unit = self.scene.graph.weight_unit
        chips = {v: Chip(bare_distance(far, unit)) for v, far in enumerate(start.tolist())}
        explained = _Posed(base, chips=chips, start=start)
        return replace(content, begun=explained), explained

    def codes_both(self, content: PictureContent, base: Explanation) -> list[int]:
        """Those of an arc that stands for two, by its state and that of the opposite one."""
        arc = next((arc for arc in self.arcs if arc.form is ArcForm.BOTH_WAYS), None)
        if arc is None:
            return []
        found = []
        for there, back in product(ArcState, ArcState):
            posed = replace(content, begun=_Posed(base, there=there, back=back))
            found.append(_code(CloseView(self.view(posed, self.cameras[-1])), arc))
        return found

    def parts(
        self,
        plain: PictureContent,
        runs: Mapping[str, tuple[PictureContent, RunStates | None]],
        ways: Iterable[Road],
    ) -> dict[str, Any]:
        """The numbers of all parts by what they are of: "runs" by their names, "arcs" by
        number and state, "ways" by tail and head, "ends" and "rings".
        """
        put = _Parts(self)
        for k, camera in enumerate(self.cameras):
            put.scale = k
            view = self.view(plain, camera)
            self._add_rings(put, view)
            for name, (content, states) in runs.items():
                shown = replace(view, content=content)
                if states is None:
                    self._add_bare(put, name, shown)
                else:
                    self._add_explained(put, name, shown, states)
                    shown = _posed(shown, states)
                self._add_weights(put, name, CloseView(shown))
                for road in ways:
                    self._add_way(put, shown, road, name if states is None else "explained")
        return put.parts

    def _add_rings(self, put: _Parts, view: OverlayView) -> None:
        """Source and target, and rings around a vertex."""
        for name, vertex in ends_of(view.content).items():
            put(("ends", name), marker_marks(only_end(view, name, vertex)), [vertex])
        disc, at = disc_radius(self.scene, view.camera), view.camera.offset
        put(("rings", "picked"), ring(*at, max(PICKED_RADIUS, disc + _PICKED_AWAY)), [])
        answer = Disc(at, disc + _ANSWER_AWAY, None, PROBE.accent, 4.0)
        put(("rings", "answer"), [answer], [])

    def _add_bare(self, put: _Parts, name: str, view: OverlayView) -> None:
        """Vertices and arcs of a run without tentative distances."""
        n = self.scene.graph.n
        recorder = TraceRecorder(n)
        recorder.iteration(np.arange(n, dtype=np.int32), 0, 0, 0.0)
        at_work = Activity(n, trace=replace(recorder.finish(), distances=None))
        unlit = view.content.layers - {Layer.VISITED}
        for state, code, activity, layers in (
            (BARE, BARE, Activity(n), unlit),
            (VISITED, VISITED, Activity(n, answer=np.zeros(n)), view.content.layers),
            (AT_WORK, BARE + _AT_HEAD, at_work, unlit),
            (AT_WORK, VISITED + _AT_HEAD, at_work, view.content.layers),
        ):
            shown = replace(view.content, activity=activity, position=0, layers=layers)
            close = CloseView(replace(view, content=shown))
            put.shade = view.shade(0)
            self._add_vertices(put, "bare", close, state)
            for i, arc in enumerate(self.arcs):
                put(("arcs", i, _BARE_CODES + code), close.arc(arc), _road(arc))

    def _add_explained(self, put: _Parts, name: str, view: OverlayView, states: RunStates) -> None:
        """Those of an explained run, and its chips."""
        for place, state in enumerate(VertexState):
            posed = _posed(view, states, state=state)
            self._add_vertices(put, "explained", CloseView(posed), place)
        poses = product(ArcState, ArcState, (VertexState.INACTIVE, VertexState.ACTIVE))
        known = states.codes
        for there, back, state in poses:
            close = CloseView(_posed(view, states, state=state, there=there, back=back))
            for alike in self.kinds:
                first = self.arcs[alike[0]]
                if there is not back and first.form is not ArcForm.BOTH_WAYS:
                    continue
                code = _code(close, first)
                for i in alike:
                    if known is None or code in known[i]:
                        put(("arcs", i, code), close.arc(self.arcs[i]), _road(self.arcs[i]))
        for chips in zip_longest(*(each.items() for each in states.chips)):
            shown = {v: chip for v, chip in enumerate(chips) if chip is not None}
            of = {v: chip for v, (_, chip) in shown.items()}
            close = CloseView(_posed(view, states, chips=of))
            for vertex, (key, _) in shown.items():
                put(("runs", name, "chips", vertex, key), close.value(vertex), [vertex])

    def _add_vertices(self, put: _Parts, look: str, close: CloseView, state: int) -> None:
        for vertex in self.vertices:
            put(("vertices", look, vertex, state), close.vertex(vertex), [vertex])

    def _add_weights(self, put: _Parts, name: str, close: CloseView) -> None:
        numbers = {id(arc): i for i, arc in enumerate(self.arcs)}
        for arc, box in close.labels.weights:
            key = "runs", name, "weights", numbers[id(arc)]
            put(key, close.weight(arc, box), _road(arc))

    def _add_way(self, put: _Parts, view: OverlayView, road: Road, look: str) -> None:
        """An arc of a path and, in a lesson of all pairs, of one that a step tries."""
        key, content = f"{road[0]},{road[1]}", view.content
        shown = replace(content, path=np.array(road, np.int32))
        put(("ways", look, key), path_marks(replace(view, content=shown), None), road)
        if content.pairs is not None and isinstance(content.begun, _Posed):
            shown = replace(content, begun=replace(content.begun, step_path=road))
            put(("tried", key), step_marks(replace(view, content=shown)), road)


class _Parts:
    """Collects the marks of parts scale by scale."""

    def __init__(self, close: CloseMarks):
        self._close, self.scale, self.shade = close, 0, ""
        self._parts: dict[tuple[object, ...], tuple[list[Frame], Sequence[int], str]] = {}

    def __call__(
        self, key: tuple[object, ...], marks: Iterable[Mark | Pixels], near: Sequence[int]
    ) -> None:
        frames: list[Frame] = [None] * len(self._close.scales)
        frames, *_ = self._parts.setdefault(key, (frames, near, self.shade))
        if frames[self.scale] is None:  # runs may have equal parts
            frames[self.scale] = list(marks)

    @property
    def parts(self) -> dict[str, Any]:
        """The numbers of the parts by the words of their keys, one within the other."""
        found: dict[str, Any] = {}
        for key in sorted(self._parts, key=lambda words: [*map(str, words)]):  # alike together
            into = found
            for word in key[:-1]:
                into = into.setdefault(str(word), {})
            frames, near, shade = self._parts[key]
            number = self._close.table.part(frames, self._close.cameras, near, shade)
            into[str(key[-1])] = number
        return found


def ring(x: float, y: float, radius: float) -> list[Mark]:
    """What marks the chosen vertex."""
    looks = ((PROBE.halo, 5.0), (PROBE.accent, 2.5))
    return [Disc((x, y), radius, None, colour, width) for colour, width in looks]


def ends_of(content: PictureContent) -> dict[str, int]:
    """The vertices that have markers."""
    ends = {"target": content.target, "source": content.source}
    placed = content.scene.positions
    return {
        name: vertex
        for name, vertex in ends.items()
        if vertex is not None and np.isfinite(placed[vertex]).all()
    }


def _posed(view: OverlayView, states: RunStates, **pose: Any) -> OverlayView:
    """The view of an iteration in which all is in the states of a ``pose``."""
    begun = _Posed(states.explanation, **pose)
    return replace(view, content=replace(view.content, begun=begun))


def only_end(view: OverlayView, name: str, vertex: int) -> OverlayView:
    """The view with one marker."""
    source, target = (vertex, None) if name == "source" else (None, vertex)
    marked = replace(view.content, source=source, target=target)
    return replace(view, content=marked)


def _code(close: CloseView, arc: DetailArc) -> int:
    """State and heads of an arc as one number."""
    head, tail = close.heads(arc)
    ends = (head, arc.head), (tail, arc.tail)
    is_at_work = any(has_head and vertex in close.frontier for has_head, vertex in ends)
    return 4 * close.state(arc) + 2 * head + tail + _AT_HEAD * is_at_work


def _road(arc: DetailArc) -> list[int]:
    return [arc.tail] if arc.tail == arc.head else [arc.tail, arc.head]
