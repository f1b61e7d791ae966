"""Animations of live mode: end points move and roads close. No widgets.

Every frame is solved anew, in the export's thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gui.export.composition import GraphComposition, PictureState
from gui.export.margins import FACTS
from gui.export.page import Page
from gui.export.picture import unmeasured_caption
from gui.features.live.recording import DragStep
from solvers.features.closed_roads.differences import Differences
from solvers.features.closed_roads.marks import difference_values, marks_of
from solvers.features.live.query import LiveAnswer, LiveQuery
from solvers.features.live.solver import LiveSolver
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Bounds
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.ramps import Ramp, sampled_colours
from solvers.running.prepared_network import PreparedNetwork, network_as_possible, searched_network

_VIEW_SAMPLES = 9  # steps by which the view on what is lit is chosen
_AROUND = 0.04  # of its longer side, free on each side of what is lit


@dataclass(frozen=True, eq=False)
class LiveAnimationState:
    """A picture and the steps that it goes through; a `LitSubject`."""

    picture: PictureState  # of the screen: its layers, budget and view are those of the animation
    name: str  # of the network, at its hour
    steps: tuple[DragStep, ...]
    network: Graph  # with all its roads
    prepared: bool  # whether a hierarchy solves it

    @property
    def length(self) -> int:
        return len(self.steps)

    @property
    def words(self) -> str:
        return self.picture.caption

    @property
    def budget(self) -> float | None:
        """Distance up to which the graph is lit; None for no limit."""
        return self.picture.content.activity.budget

    def within(self, budget: float) -> LiveAnimationState:
        content = self.picture.content
        lit = replace(content, activity=replace(content.activity, budget=budget))
        return replace(self, picture=replace(self.picture, content=lit))

    def whole(self) -> LiveAnimationState:
        return replace(self, picture=self.picture.whole())

    def lit(self) -> LiveAnimationState:
        """The same animation with the view on what lies within the budget at any step;
        solves some of them.
        """
        return replace(self, picture=replace(self.picture, view=_lit_bounds(self)))

    def compose(self, page: Page) -> LiveAnimationComposition:
        return LiveAnimationComposition(self, page)


class StepSolver:
    """Solves the steps of an animation, one at a time."""

    def __init__(self, animation: LiveAnimationState):
        self._animation = animation
        self._solver = LiveSolver(animation.network)
        self._known: dict[RoadChanges, tuple[Graph, PreparedNetwork]] = {}

    def answer(self, step: DragStep, changes: RoadChanges) -> LiveAnswer:
        """The answer to a step, with other changes to the roads; raises TautpathError."""
        graph, weights = self._network(changes)
        return self._solver.solve(
            LiveQuery(graph, tuple(dict.fromkeys(step.sources)), step.target, weights)
        )

    def _network(self, changes: RoadChanges) -> tuple[Graph, PreparedNetwork]:
        """The graph with its roads changed; those without changes and of the last step are kept."""
        if changes not in self._known:
            graph = changes.apply(self._animation.network)
            kept = {known: of for known, of in self._known.items() if not known}
            prepare = network_as_possible if self._animation.prepared else searched_network
            self._known = {**kept, changes: (graph, prepare(graph))}
        return self._known[changes]


class LiveAnimationComposition(GraphComposition):
    """The picture of one step at a time."""

    _fixed_words = False

    def __init__(self, animation: LiveAnimationState, page: Page):
        super().__init__(animation.picture, page)
        self._animation = animation
        self._steps = StepSolver(animation)

    @property
    def colours(self) -> tuple[str, ...]:
        if not any(step.differences for step in self._animation.steps):
            return super().colours
        ramps = Ramp.DIFFERENCES, Ramp.INCREASES
        return (
            *super().colours,
            *(colour for ramp in ramps for colour in sampled_colours(ramp, self._tokens.dark)),
        )

    def move(self, position: int, gathered: int = 1) -> None:
        step, picture = self._animation.steps[position], self._animation.picture
        answer = self._steps.answer(step, step.changes)
        content = content_of_answer(picture.content, answer)
        caption = unmeasured_caption(self._animation.name, answer.shown)
        if step.marked:
            before = self._steps.answer(step, RoadChanges(hour=step.changes.hour))
            content = _with_roads(content, self._animation.network, step, before, answer)
            caption = f"{caption}{FACTS}{_words(step, before, answer)}"
        elif self._shows_roads:
            caption = f"{caption}{FACTS}{_words(step, answer, answer)}"
        self._state = replace(self._state, content=content, caption=caption)

    @cached_property
    def _shows_roads(self) -> bool:
        """Whether roads are changed at some step."""
        return any(step.marked for step in self._animation.steps)


def content_of_answer(content: PictureContent, answer: LiveAnswer) -> PictureContent:
    """``content`` with another live answer, without marks of roads; its layers and budget stay."""
    query, unit = answer.query, answer.graph.weight_unit
    activity = Activity(
        answer.graph.n,
        answer.distances,
        None,
        unit,
        content.activity.budget,
        content.activity.bounds,
        answer.owners,
        len(query.sources),
    )
    return replace(
        content,
        scene=replace(content.scene, graph=answer.graph),
        activity=activity,
        position=0,
        source=query.sources[0],
        target=query.target,
        path=answer.path,
        more_sources=query.sources[1:],
        road_marks=(),
        path_before=None,
        values=None,
    )


def _with_roads(
    content: PictureContent, network: Graph, step: DragStep, before: LiveAnswer, after: LiveAnswer
) -> PictureContent:
    values = None
    if step.differences:
        values = difference_values(Differences(network, before.distances, after.distances))
    marks = marks_of(network, step.marked)
    return replace(content, road_marks=marks, path_before=before.path, values=values)


def _words(step: DragStep, before: LiveAnswer, after: LiveAnswer) -> str:
    """What the frame shows of the changed roads."""
    if step.differences:
        differences = Differences(before.graph, before.distances, after.distances)
        return f"{step.marked.in_words}: {differences.text}"
    was, is_now = before.shown.way, after.shown.way
    state = "all roads open"
    if step.changes:
        state = step.marked.in_words if step.changes == step.marked else "closing"
    if was is None or is_now is None or is_now.length == was.length:
        return state
    cut_off = "the target is cut off, " if is_now.path is None else ""
    return f"{state}: {cut_off}before {was.short_text}"


def _lit_bounds(animation: LiveAnimationState) -> Bounds:
    """Bounds of all vertices that some steps light, with room around; all of the graph
    without a budget.
    """
    scene, budget = animation.picture.content.scene, animation.budget
    if budget is None or not animation.steps:
        return scene.bounds
    steps, seen = StepSolver(animation), np.zeros(scene.graph.n, np.bool_)
    for position in np.unique(
        np.linspace(0, len(animation.steps) - 1, _VIEW_SAMPLES).round().astype(int)
    ):
        step = animation.steps[position]
        seen |= to_float(steps.answer(step, step.changes).distances) <= budget
    around = Bounds.of(scene.positions[seen])
    room = _AROUND * around.size
    return Bounds(around.x0 - room, around.y0 - room, around.x1 + room, around.y1 + room)
