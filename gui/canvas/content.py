"""Builds a canvas's content from the session, a displayed run, the scene and the
options of the picture. No widgets.

The options are those of all canvases: layers, depth of the tree, budget of the
isochrone, values by colour, and what the next click sets; what features add is among them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.canvas.levels import LevelStore
from gui.canvas.pointer import Tool
from gui.canvas.view import GraphView
from gui.model.session import Session
from gui.model.shown_run import DisplayedRun
from solvers.core.result import Result
from solvers.picture.scene.activity import Activity, activity_of, same_row
from solvers.picture.scene.content import FIRST_LAYERS, Layer, OtherWay, PictureContent
from solvers.picture.scene.explanation import Explanation
from solvers.picture.scene.lit_roads import RoadLevels, RoadValues
from solvers.picture.scene.paths import PathTree, predecessor_row
from solvers.picture.scene.scene import DrawableGraph, on_graph
from solvers.picture.scene.values import VertexValues
from solvers.running.answers.answer import path_of
from solvers.running.answers.unmeasured import UnmeasuredAnswer

Addition = Callable[[PictureContent, tuple[int, ...], int | None], PictureContent]
"""Adds to the content of an answer, from its sources to its target, what a feature knows."""


class PictureOptions(QObject):
    """What the user wants to see, in all canvases alike.

    Attributes
    ----------
    tree_depth : int or None
        Depth, in arcs from the source, to which the shortest-path tree is shown; None
        for all of it.
    budget : float or None
        Distance from the source up to which the graph is lit; None for no limit.
    bounds : tuple of float
        Smaller budgets, ascending, whose bands are told apart.
    values : VertexValues or None
        Shown in place of the run's distances, as soon as there is a scene; whoever sets
        them ends them with the graph.
    flows : RoadValues or None
        Shown in place of distances and values, on the graph that they are of.
    prominence : RoadLevels or None
        Width and brightness of the roads of its graph, where the layer is shown.
    communities : VertexValues or None
        Shown with prominent roads, while no run or other values are.
    begun : Explanation or None
        How far an iteration has come: shown by the canvases of its run while they are at
        that iteration.
    motion : bool
        Whether changes of view are seen as motion.
    armed : str or None
        What the next click sets: "source", "target" or nothing.
    additions : list of Addition
        What features add to the content, in this order; they emit `changed` when it is other.
    tools : list of callable
        Tools that features have on each canvas, made of its view.
    """

    changed = Signal()  # an option other than `armed` changed
    layers_changed = Signal()
    armed_changed = Signal(object)
    budget_changed = Signal()
    budget_turned = Signal(float)  # the user turned the budget by so many notches of the wheel

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.shown = FIRST_LAYERS
        self.additions: list[Addition] = []
        self.tools: list[Callable[[GraphView], Tool]] = []
        self.tree_depth: int | None = None
        self.budget: float | None = None
        self.bounds: tuple[float, ...] = ()
        self.values: VertexValues | None = None
        self.flows: RoadValues | None = None
        self.prominence: RoadLevels | None = None
        self.communities: VertexValues | None = None
        self.begun: Explanation | None = None
        self.motion = False
        self.armed: str | None = None

    @property
    def budgets(self) -> tuple[float, ...]:
        """Ascending; none without a limit."""
        return () if self.budget is None else (*self.bounds, self.budget)

    def layers(self) -> dict[str, bool]:
        """Names of the layers in drawing order, and whether each is shown."""
        return {layer.value: layer in self.shown for layer in Layer}

    def set_layer(self, layer: Layer | str, on: bool) -> None:
        """Show or hide a layer, given by itself or by its name.

        Raises ValueError for a name that `layers` does not hold.
        """
        layer = Layer(layer)
        if (layer in self.shown) != on:
            self.shown = self.shown | {layer} if on else self.shown - {layer}
            self.changed.emit()
            self.layers_changed.emit()

    def show_tree(self, depth: int | None) -> None:
        """Show the shortest-path tree to ``depth`` arcs from the source; None shows all of it."""
        self.set_layer(Layer.TREE, True)
        self._set("tree_depth", depth)

    def set_budget(self, budget: float | None, bounds: tuple[float, ...] = ()) -> None:
        """Light what lies within a budget, in the unit of the distances, and tell the bands of
        smaller ones apart; None lights all.
        """
        if (budget, bounds) != (self.budget, self.bounds):
            self.budget, self.bounds = budget, bounds
            self.changed.emit()
            self.budget_changed.emit()

    def set_values(self, values: VertexValues | None) -> None:
        """Colour the vertices by values in place of distances; None ends that."""
        self._set("values", values)

    def set_flows(self, flows: RoadValues | None) -> None:
        """Draw the roads by their flows; None ends that."""
        self._set("flows", flows)

    def set_prominence(self, prominence: RoadLevels | None) -> None:
        """Draw the roads of a graph by their prominence; None ends that."""
        self._set("prominence", prominence)

    def set_communities(self, values: VertexValues | None) -> None:
        """Colour the vertices by community while no run is shown; None ends that."""
        self._set("communities", values)

    def set_begun(self, explanation: Explanation | None) -> None:
        """Show how far an iteration has come; None shows whole iterations."""
        self._set("begun", explanation)

    def arm(self, what: str | None) -> None:
        """Make the next click set the "source" or the "target"; None cancels that."""
        if what != self.armed:
            self.armed = what
            self.armed_changed.emit(what)

    def _set(self, name: str, value: object) -> None:
        if value != getattr(self, name):
            setattr(self, name, value)
            self.changed.emit()


class ContentBuilder:
    """Builds `PictureContent` values; data derived from a run are cached while that run
    is displayed.
    """

    def __init__(
        self,
        session: Session,
        displayed_run: DisplayedRun,
        options: PictureOptions,
        levels: LevelStore | None = None,
    ):
        self._session, self._displayed_run, self._options, self._levels = (
            session,
            displayed_run,
            options,
            levels,
        )
        self._tree: PathTree | None = None
        self._activity: Activity | None = None

    def content(self, scene: DrawableGraph) -> PictureContent:
        answer = self._displayed_run.answer
        sources, target = self._session.sources, self._session.target
        # or was, before a change
        if answer is not None and answer.is_of(scene.graph):
            content = self._answer_content(scene, answer)
            sources, target = answer.sources, answer.target
        else:
            content = self._run_content(scene)
            sources = sources if content.more_sources else sources[:1]  # a run is from the first
        content = self._with_levels(self._with_flows(content))
        for add in self._options.additions:
            content = add(content, sources, target)
        return self._with_prominence(content)

    def _run_content(self, scene: DrawableGraph) -> PictureContent:
        result = self._displayed_run.result
        if result is not None and result.graph is not scene.graph:
            result = None
        path, cycle = (None, ()) if result is None else (result.path, result.cycle)
        self._activity = self._activity_on(scene)
        values = self._values_on(scene)
        is_plain = (
            result is None
            and self._activity.trace is None
            and Layer.PROMINENCE in self._options.shown
        )
        if values is None and is_plain:
            values = self._values_on(scene, self._options.communities)
        return PictureContent(
            scene,
            self._activity,
            self._displayed_run.position,
            self._session.source,
            self._session.target,
            path,
            cycle,
            self._options.shown,
            self._tree_of(result),
            values,
            gathered=self._displayed_run.gathered,
            begun=self._options.begun,
            pairs=self._displayed_run.matrix_trace,
            more_sources=() if result is not None else self._session.sources[1:],
        )

    def _answer_content(self, scene: DrawableGraph, answer: UnmeasuredAnswer) -> PictureContent:
        """The content of an answer that was not measured; markers are where the session has
        them, or in hand.
        """
        unit, sources = scene.graph.weight_unit, answer.sources
        source, target, more = self._session.source, self._session.target, self._session.sources[1:]
        if answer.graph.cut is not None:  # at points that the session may not have yet
            scene = on_graph(scene, answer.graph)
            source, target, more = sources[0], answer.target, sources[1:]
        fresh = Activity(
            scene.graph.n,
            answer.distances.distances,
            None,
            unit,
            self._options.budget,
            self._options.bounds,
            answer.owners,
            len(sources),
        )
        shown = (
            self._activity
            if self._activity is not None and self._activity.same_as(fresh)
            else fresh
        )
        self._activity = shown
        self._tree = None
        return PictureContent(
            scene,
            shown,
            0,
            source,
            target,
            answer.path,
            (),
            self._options.shown,
            values=self._values_on(scene),
            more_sources=more,
            other_ways=_other_ways(answer),
        )

    def _values_on(
        self, scene: DrawableGraph, communities: VertexValues | None = None
    ) -> VertexValues | None:
        """The values that colour the vertices, if they are of this graph."""
        values = communities or self._options.values
        return values if values is not None and len(values.shade) == scene.graph.uncut.n else None

    def forget(self) -> None:
        """Drop cached data, for another graph."""
        self._activity, self._tree = None, None

    def _with_levels(self, content: PictureContent) -> PictureContent:
        """The content with the chosen level of detail in the colours of the levels, if
        they are shown and ready.
        """
        view = self._levels.view if self._levels is not None and content.has(Layer.LEVELS) else None
        if view is None or view.picture.whole is not content.scene:
            return content
        return replace(
            content, scene=view.scene, values=view.picture.values, levels=view, flows=None
        )

    def _with_flows(self, content: PictureContent) -> PictureContent:
        """The content with flows, if they are of its graph."""
        flows = self._options.flows
        if flows is None or flows.graph is not content.scene.graph.as_read:
            return content
        return replace(content, flows=flows)

    def _with_prominence(self, content: PictureContent) -> PictureContent:
        """The content with the prominence of roads, if it is of the graph and they lie
        where they are.
        """
        prominence = self._options.prominence
        if prominence is None or not prominence.fits(content.scene):
            return content
        return replace(content, prominence=prominence)

    def _activity_on(self, scene: DrawableGraph) -> Activity:
        fresh = activity_of(
            scene.graph,
            self._displayed_run.result,
            self._displayed_run.trace,
            self._options.budget,
            self._options.bounds,
        )
        return (
            self._activity
            if self._activity is not None and self._activity.same_as(fresh)
            else fresh
        )

    def _tree_of(self, result: Result | None) -> PathTree | None:
        """The shortest-path tree of ``result``; cached until the result or the depth changes."""
        row = (
            None
            if result is None or Layer.TREE not in self._options.shown
            else predecessor_row(result)
        )
        depth = self._options.tree_depth
        if row is None:
            self._tree = None
        elif (
            self._tree is None
            or self._tree.depth != depth
            or not same_row(self._tree.predecessors, row)
        ):
            self._tree = PathTree(row, depth)
        return self._tree


def _other_ways(answer: UnmeasuredAnswer) -> tuple[OtherWay, ...]:
    """The ways of an answer that are not its path."""
    found, shown = answer.ways, answer.path
    if shown is None:
        return ()
    return tuple(
        OtherWay(
            place,
            path_of(way),
            " · ".join((way.way, *filter(None, way.cells(found[0], " shared")[:-1]))),
        )
        for place, way in enumerate(found)
        if place != answer.chosen and not np.array_equal(path_of(way), shown)
    )
