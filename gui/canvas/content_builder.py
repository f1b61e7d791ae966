"""Builds a canvas's content from the session, a displayed run, the scene and the canvas's layers. No widgets."""

from __future__ import annotations

from dataclasses import replace

from gui.canvas.displayed_run import DisplayedRun
from gui.canvas.level_store import LevelStore
from gui.model.session import Session
from gui.picture.scene.activity import Activity, activity_of, same_row
from gui.picture.scene.content import FIRST_LAYERS, Layer, PictureContent
from gui.picture.scene.path_tree import PathTree, predecessor_row
from gui.picture.scene.scene import DrawableGraph
from gui.picture.scene.vertex_values import VertexValues
from solvers.core.result import Result
from solvers.running.live_query import LiveAnswer, network_of


class ContentBuilder:
    """Builds `PictureContent` values; data derived from a run are cached while that run is displayed.

    Parameters
    ----------
    session : Session
    displayed_run : DisplayedRun
    levels : LevelStore, optional

    Attributes
    ----------
    layers : frozenset of Layer
    tree_depth : int or None
        Depth, in arcs from the source, to which the shortest-path tree is shown; None for all of it.
    budget : float or None
        Distance from the source up to which the graph is lit; None for no limit.
    values : VertexValues or None
        Shown in place of the run's distances, as soon as there is a scene; whoever sets them ends them with the graph.
    step_arc : (int, int) or None
        Tail and head of the arc that the lesson's step is about; whoever sets it ends it with the step.
    path_at_end : bool
        Show the path only when the run has ended: in a race it is not known before.
    """

    def __init__(self, session: Session, displayed_run: DisplayedRun, levels: LevelStore | None = None):
        self._session, self._displayed_run, self._levels = session, displayed_run, levels
        self.layers = FIRST_LAYERS
        self.tree_depth: int | None = None
        self.budget: float | None = None
        self.values: VertexValues | None = None
        self.step_arc: tuple[int, int] | None = None
        self.path_at_end = False
        self._tree: PathTree | None = None
        self._activity: Activity | None = None

    def content(self, scene: DrawableGraph) -> PictureContent:
        """The current content."""
        live = self._displayed_run.live_answer
        if live is not None and live.query.weights.network is network_of(scene.graph):  # or was, before a change
            return self._with_levels(self._live_content(scene, live))
        return self._with_levels(self._run_content(scene))

    def _run_content(self, scene: DrawableGraph) -> PictureContent:
        result = self._displayed_run.result
        if result is not None and result.graph is not scene.graph:
            result = None
        path, cycle = (None, ()) if result is None else (result.path, result.cycle)
        self._activity = self._activity_on(scene)
        if self.path_at_end and self._displayed_run.position < self._activity.last:
            path = None
        values = self.values if self.values is not None and len(self.values.shade) == scene.graph.n else None
        return PictureContent(
            scene, self._activity, self._displayed_run.position, self._session.source, self._session.target, path,
            cycle, self.layers, self._tree_of(result), values, gathered=self._displayed_run.gathered,
            step_arc=self.step_arc,
        )  # fmt: skip

    def _live_content(self, scene: DrawableGraph, live: LiveAnswer) -> PictureContent:
        """The content of a live answer; markers are where the session has them, or in hand."""
        unit, sources = scene.graph.weight_unit, live.query.sources
        fresh = Activity(scene.graph.n, live.distances, None, unit, self.budget, live.owners, len(sources))
        shown = self._activity if self._activity is not None and self._activity.same_as(fresh) else fresh
        self._activity = shown
        self._tree = None
        return PictureContent(
            scene, shown, 0, self._session.source, self._session.target, live.path, (), self.layers,
            more_sources=self._session.live.more_sources,
        )  # fmt: skip

    def forget(self) -> None:
        """Drop cached data, for another graph."""
        self._activity, self._tree = None, None

    def _with_levels(self, content: PictureContent) -> PictureContent:
        """The content with the chosen level of detail in the colours of the levels, if they are shown and ready."""
        view = self._levels.view if self._levels is not None and content.has(Layer.LEVELS) else None
        if view is None or view.picture.whole is not content.scene:
            return content
        return replace(content, scene=view.scene, values=view.picture.values, levels=view)

    def _activity_on(self, scene: DrawableGraph) -> Activity:
        fresh = activity_of(scene.graph, self._displayed_run.result, self._displayed_run.trace, self.budget)
        return self._activity if self._activity is not None and self._activity.same_as(fresh) else fresh

    def _tree_of(self, result: Result | None) -> PathTree | None:
        """The shortest-path tree of ``result``; cached until the result or the depth changes."""
        row = None if result is None or Layer.TREE not in self.layers else predecessor_row(result)
        if row is None:
            self._tree = None
        elif self._tree is None or self._tree.depth != self.tree_depth or not same_row(self._tree.predecessors, row):
            self._tree = PathTree(row, self.tree_depth)
        return self._tree
