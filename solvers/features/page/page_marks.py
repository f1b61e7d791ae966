"""All marks that a page draws over the pixels of a graph, as data: those of close views with
the states of each run, and path, pins and scale bar of any view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from solvers.core.result import Result
from solvers.core.trace import MatrixTrace
from solvers.features.page.close_marks import (
    PICKED_RADIUS,
    STATES,
    Chip,
    CloseMarks,
    RunStates,
    ends_of,
    only_end,
    ring,
)
from solvers.features.page.mark_table import PROBE, MarkTable
from solvers.features.page.pack import Packer
from solvers.picture.display import Mark, Pixels, TextSizes
from solvers.picture.overlay.cards import MARGIN, scale_card
from solvers.picture.overlay.legend import MOST_BAR, scale_bar
from solvers.picture.overlay.lines import path_marks
from solvers.picture.overlay.markers import marker_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.scene.activity import Activity, activity_of
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.close_arcs import Road
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import DrawableGraph

_BARS = (0.401 * MOST_BAR, MOST_BAR)  # pixels: the least and the greatest scale bar of 2 m
_POWERS = range(-2, 8)  # of ten metres
_WIDE = 1e5  # pixels of a view in which nothing is near an edge
_START = -1  # before the first iteration


@dataclass(frozen=True, eq=False)
class PageMarks:
    """The marks of a scene for some runs.

    ``positions`` are the kept recorded iterations of each, ``pairs`` the chips
    of a lesson of all pairs, ``ways`` the arcs of paths from the source, ``step``
    that of the grid of places.
    """

    scene: DrawableGraph
    results: Sequence[Result]
    ends: tuple[int | None, int | None]
    positions: Sequence[Sequence[int]]
    pairs: Sequence[Mapping[str, Chip]]
    ways: Sequence[Road]
    step: float
    sizes: TextSizes
    words: dict[float, str]  # of tentative distances; those of runs are added

    def pack(self, packer: Packer) -> dict[str, object]:
        """Put the marks into the packer; what else a page needs of them."""
        source, target = self.ends
        plain = PictureContent(self.scene, Activity(self.scene.graph.n), 0, source, target)
        found = self._any_view(packer, plain)
        close = CloseMarks(self.scene, self.step, self.sizes)
        if close.detail is not None:
            found["close"] = self._close(packer, close, plain)
        return found

    def _close(self, packer: Packer, close: CloseMarks, plain: PictureContent) -> dict[str, object]:
        runs, names, both = {}, [], list[int]()
        for number, result in enumerate(self.results):
            content = self._content(plain, result)
            states = self._states(close, content, self.positions[number], self.pairs[number])
            names.append("bare" if states is None else str(number))
            runs[names[-1]] = content, states
            if states is not None:
                both = close.codes_both(content, states.explanation)
                if states.vertices is not None and states.arcs is not None:
                    packer.floats(f"{number}.vertexStates", states.vertices, "u1")
                    packer.floats(f"{number}.arcStates", states.arcs, "u1")
        return {
            "names": names,
            "drawn": close.drawn_arcs(self.scene.graph),
            "both": both,
            **close.parts(plain, runs, self.ways),
            **close.table.pack(packer, "close"),
        }

    # -- states of a run ------------------------------------------------------------------------

    def _content(self, plain: PictureContent, result: Result) -> PictureContent:
        """What the window shows at the end of a run."""
        trace = result.trace
        if isinstance(trace, MatrixTrace):
            return replace(plain, pairs=trace, position=len(trace) - 1)
        activity = activity_of(self.scene.graph, result, trace)
        return replace(plain, activity=activity, position=activity.last)

    def _states(
        self,
        close: CloseMarks,
        content: PictureContent,
        positions: Sequence[int],
        pairs: Mapping[str, Chip],
    ) -> RunStates | None:
        """None for a run of which nothing is explained."""
        last = content.explanation
        if last is None:
            return None
        n = self.scene.graph.n
        if pairs:
            return RunStates(last, [pairs] * n)
        chips: list[dict[str, Chip]] = [{} for _ in range(n)]
        vertices, arcs = [], []
        for position in (_START, *positions):
            shown = replace(content, position=position)
            explained = shown.explanation
            if position == _START:
                shown, explained = close.before(content, last)
            assert explained is not None
            vertices.append([STATES.index(explained.vertex(v)) for v in range(n)])
            arcs.append(close.codes(shown))
            for vertex, value in enumerate(explained.after.tolist()):
                if value not in self.words:
                    self.words[value] = explained.value(vertex)
                former, is_gained = explained.former_value(vertex), vertex in explained.improved
                chip = Chip(self.words[value], former, is_gained)
                chips[vertex].setdefault(chip.key(self.sizes), chip)
        return RunStates(last, chips, np.array(vertices, np.uint8), np.array(arcs, np.uint8))

    # -- any view -------------------------------------------------------------------------------

    def _any_view(self, packer: Packer, plain: PictureContent) -> dict[str, object]:
        """Pins with their ids to the right and to the left, a ring, the path, the scale bar."""
        places = np.nan_to_num(self.scene.positions)
        table = MarkTable(_BARS, places, self.step)

        def at(x: float, y: float, right: float) -> list[OverlayView]:
            """Views with a place so far from their right edge."""
            found = []
            for scale in _BARS:
                camera = Camera(x + (right - _WIDE / 2) / scale, y, scale, _WIDE, _WIDE)
                found.append(OverlayView(camera, plain, PROBE, self.sizes))
            return found

        def part(
            views: list[OverlayView],
            marks: Callable[[OverlayView], Iterable[Mark | Pixels]],
            *near: int,
        ) -> int:
            return table.part(
                [list(marks(view)) for view in views], [v.camera for v in views], near
            )

        pins = {}
        for name, vertex in ends_of(plain).items():
            x, y = places[vertex].tolist()
            sides = [at(x, y, right) for right in (_WIDE / 2, 0.0)]
            alone = partial(only_end, name=name, vertex=vertex)
            pins[name] = [part([alone(v) for v in views], marker_marks, vertex) for views in sides]
        ring_at = [replace(view, camera=_origin(view.camera.scale)) for view in at(0.0, 0.0, 0.0)]
        found: dict[str, object] = {
            "pins": pins,
            "picked": part(ring_at, lambda _: ring(0.0, 0.0, PICKED_RADIUS)),
        }
        if len(self.scene.ends):
            road = self.scene.roads[0].tolist()
            x, y = places[road[0]].tolist()
            shown = [
                replace(v, content=replace(plain, path=np.array(road))) for v in at(x, y, _WIDE / 2)
            ]
            found["path"] = part(shown, lambda view: path_marks(view, None), *road)
        if self.scene.metres_per_unit > 0:
            found["bar"] = part(ring_at, self._bar)
            found["lengths"] = [
                _length(10.0**power * step) for power in _POWERS for step in (1, 2, 5)
            ]
            found["bars"], found["margin"] = _BARS, MARGIN
        return {**found, "any": table.pack(packer, "any")}

    def _bar(self, view: OverlayView) -> list[Mark]:
        """A card with a bar of as many pixels as the view's scale, in its lower left corner."""
        camera = replace(view.camera, scale=view.camera.scale / 2.0)
        card = scale_card(self.sizes, camera, 1.0, PROBE)
        assert card is not None
        return card.placed(0.0, 0.0, PROBE)[1]


def _origin(scale: float) -> Camera:
    """A camera whose pixels are those beside the middle of the graph."""
    return Camera(0.0, 0.0, scale, 0.0, 0.0)


def _length(metres: float) -> tuple[float, str]:
    """A length in metres as a scale bar says it."""
    bar = scale_bar(_origin(0.99 * MOST_BAR / metres), 1.0)
    assert bar is not None
    return metres, bar[1]
