"""What changed roads add to a canvas's content: their marks, the path before, and the difference field. No widgets."""

from __future__ import annotations

from dataclasses import replace

from gui.model.road_state import RoadComparison
from gui.model.session import Session
from gui.picture.scene.content import Layer, PictureContent
from gui.picture.scene.difference_values import difference_values
from gui.picture.scene.road_marks import RoadMarks
from gui.picture.scene.vertex_values import VertexValues
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges


class RoadContent:
    """Adds to `PictureContent` values; what is derived is kept while changes and comparison stay.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session):
        self._session = session
        self._marked: tuple[Graph, RoadChanges, RoadMarks] | None = None
        self._shaded: tuple[RoadComparison, VertexValues | None] | None = None

    def add(self, content: PictureContent) -> PictureContent:
        """``content`` with the changed roads of the session's graph."""
        changes, whole = self._session.roads.applied_changes, self._session.whole_graph
        if not changes or whole is None or content.scene.graph is not self._session.graph:
            return content
        content = replace(content, road_marks=self._marks(whole, changes))
        comparison = self._session.roads.comparison
        if comparison is None or (comparison.graph, comparison.source) != (content.scene.graph, content.source):
            return content
        if content.has(Layer.DIFFERENCE):
            content = replace(content, values=self._values(comparison))
        if comparison.target != content.target:
            return content
        path = comparison.path_after if content.path is None else content.path
        return replace(content, path=path, path_before=comparison.path_before)

    def _marks(self, whole: Graph, changes: RoadChanges) -> RoadMarks:
        if self._marked is None or self._marked[0] is not whole or self._marked[1] is not changes:
            self._marked = whole, changes, RoadMarks.of(whole, changes)
        return self._marked[2]

    def _values(self, comparison: RoadComparison) -> VertexValues | None:
        if self._shaded is None or self._shaded[0] is not comparison:
            self._shaded = comparison, difference_values(comparison.differences)
        return self._shaded[1]
