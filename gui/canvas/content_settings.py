"""What a canvas shows of graph and run: layers, depth of the tree, budget of the reach, values by colour."""

from __future__ import annotations

from gui.canvas.content_builder import ContentBuilder
from gui.picture.scene.content import Layer
from gui.picture.scene.vertex_values import VertexValues


class ContentSettings:
    """Base class of the graph canvas, which provides what is declared here; a change is shown at once."""

    _builder: ContentBuilder

    def _refresh(self) -> None:
        """Show the current state of session and play-back."""
        raise NotImplementedError

    @property
    def layers(self) -> frozenset[Layer]:
        return self._builder.layers

    def set_layer(self, layer: Layer, on: bool) -> None:
        self._builder.layers = self.layers | {layer} if on else self.layers - {layer}
        self._refresh()

    @property
    def tree_depth(self) -> int | None:
        return self._builder.tree_depth

    def set_tree_depth(self, depth: int | None) -> None:
        """Limit the displayed shortest-path tree to ``depth`` arcs; None shows all of it."""
        self._builder.tree_depth = depth
        self._refresh()

    @property
    def budget(self) -> float | None:
        """Distance from the source up to which the graph is lit; None for no limit."""
        return self._builder.budget

    def set_budget(self, budget: float | None) -> None:
        if budget != self.budget:
            self._builder.budget = budget
            self._refresh()

    def set_step_arc(self, arc: tuple[int, int] | None) -> None:
        """Mark the arc, by tail and head, that the lesson's step is about; None marks none."""
        if arc != self._builder.step_arc:
            self._builder.step_arc = arc
            self._refresh()

    def set_path_at_end(self, at_end: bool) -> None:
        """Show the path only when the run has ended, or always."""
        if at_end != self._builder.path_at_end:
            self._builder.path_at_end = at_end
            self._refresh()

    def set_values(self, values: VertexValues | None) -> None:
        """Colour the vertices of the open graph by values in place of the run's distances; None ends that."""
        if values is not self._builder.values:
            self._builder.values = values
            self._refresh()

    def take_settings(self, other: ContentSettings) -> None:
        """Copy layers, tree depth, budget and values from another canvas."""
        self._builder.layers, self._builder.tree_depth = other.layers, other.tree_depth
        self._builder.budget, self._builder.values = other.budget, other._builder.values
        self._refresh()
