"""Closed and slowed roads in the picture: their marks, the path before, and who is farther."""

from __future__ import annotations

from dataclasses import replace

from gui.features.closed_roads.controller import RoadComparisonController
from solvers.features.closed_roads.marks import difference_values, marks_of
from solvers.graphs.road_changes import RoadChanges
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.road_marks import RoadMarks
from solvers.picture.scene.values import VertexValues
from solvers.system.kept import KeptValue


class RoadContent:
    """Adds to `PictureContent` values; what is derived is kept while changes and
    comparison stay.
    """

    def __init__(self, comparisons: RoadComparisonController):
        self._comparisons = comparisons
        self._marks = KeptValue[tuple[RoadMarks, ...]]()
        self._values = KeptValue[VertexValues | None]()

    def add(
        self, content: PictureContent, sources: tuple[int, ...], target: int | None
    ) -> PictureContent:
        """``content``, an answer from ``sources``, with the changed roads of its
        graph.
        """
        graph = content.scene.graph
        changes, whole = RoadChanges.of(graph), graph.as_read
        if not changes:
            return content
        marks = self._marks.of((whole, changes), lambda: marks_of(whole, changes))
        content = replace(content, road_marks=marks)
        comparison = self._comparisons.newest
        if comparison is None or (comparison.graph, comparison.sources) != (
            graph,
            sources,
        ):
            return content
        if content.has(Layer.DIFFERENCE):
            differences = comparison.differences
            values = self._values.of((comparison,), lambda: difference_values(differences))
            content = replace(content, values=values)
        if comparison.target != target:
            return content
        before, after = (
            None if one is None else one.path for one in (comparison.before, comparison.after)
        )
        path = after if content.path is None else content.path
        return replace(content, path=path, path_before=before)
