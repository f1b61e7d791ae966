"""Film of live mode: end points that move and roads that close; every frame is solved anew, in the export's thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gui.export.composition import GraphComposition, PictureState
from gui.export.page import Page
from gui.model.drag_recording import DragStep
from gui.picture.scene.activity import Activity
from gui.picture.scene.camera import Bounds
from gui.picture.scene.content import PictureContent
from gui.picture.scene.difference_values import difference_values
from gui.picture.scene.ramps import Ramp, sampled_colours
from gui.picture.scene.road_marks import RoadMarks
from solvers.errors import TautlineError
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.graphs.weights import to_float
from solvers.running.differences import Differences
from solvers.running.live import LiveSolver, own_weights, prepare
from solvers.running.live_query import LiveAnswer, LiveQuery, LiveWeights
from solvers.text import format_distance

_SAMPLES = 9  # steps by which the view on what is lit is chosen
_AROUND = 0.04  # of its longer side, free on each side of what is lit


@dataclass(frozen=True, eq=False)
class LiveFilmState:
    """A picture and the steps that it goes through; a `Subject`.

    Attributes
    ----------
    picture : PictureState
        Of the screen: its layers, budget and view are those of the film.
    steps : tuple of DragStep
    network : Graph
        With all its roads.
    prepared : bool
        Whether a hierarchy solves it.
    """

    picture: PictureState
    steps: tuple[DragStep, ...]
    network: Graph
    prepared: bool

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

    def within(self, budget: float) -> LiveFilmState:
        """The same film with another budget."""
        content = self.picture.content
        lit = replace(content, activity=replace(content.activity, budget=budget))
        return replace(self, picture=replace(self.picture, content=lit))

    def whole(self) -> LiveFilmState:
        return replace(self, picture=self.picture.whole())

    def lit(self) -> LiveFilmState:
        """The same film with the view on what lies within the budget at any step; solves some of them."""
        return replace(self, picture=replace(self.picture, view=_lit_bounds(self)))

    def compose(self, page: Page) -> LiveFilmComposition:
        return LiveFilmComposition(self, page)


class StepSolver:
    """Solves the steps of a film, one at a time."""

    def __init__(self, film: LiveFilmState):
        self._film = film
        self._solver = LiveSolver(film.network)
        self._known: dict[RoadChanges, tuple[Graph, LiveWeights]] = {}

    def answer(self, step: DragStep, changes: RoadChanges) -> LiveAnswer:
        """The answer to a step, with other changes to the roads.

        Raises
        ------
        TautlineError
        """
        graph, weights = self._network(changes)
        return self._solver.solve(LiveQuery(graph, tuple(dict.fromkeys(step.sources)), step.target, weights))

    def _network(self, changes: RoadChanges) -> tuple[Graph, LiveWeights]:
        """The graph with its roads changed; those without changes and of the last step are kept."""
        if changes not in self._known:
            graph = changes.apply(self._film.network)
            kept = {known: of for known, of in self._known.items() if not known}
            self._known = {**kept, changes: (graph, self._weights_of(graph))}
        return self._known[changes]

    def _weights_of(self, graph: Graph) -> LiveWeights:
        if self._film.prepared:
            try:
                return prepare(graph)
            except TautlineError:  # such as too little memory for another metric
                pass
        return own_weights(graph)


class LiveFilmComposition(GraphComposition):
    """The picture of one step at a time."""

    def __init__(self, film: LiveFilmState, page: Page):
        super().__init__(film.picture, page)
        self._film = film
        self._steps = StepSolver(film)

    @property
    def colours(self) -> tuple[str, ...]:
        if not any(step.differences for step in self._film.steps):
            return super().colours
        ramps = Ramp.DIFFERENCES, Ramp.INCREASES
        return (*super().colours, *(colour for ramp in ramps for colour in sampled_colours(ramp, self._tokens.dark)))

    def move(self, position: int, gathered: int = 1) -> None:
        step, picture = self._film.steps[position], self._film.picture
        answer = self._steps.answer(step, step.changes)
        content = content_of_answer(picture.content, answer)
        caption = picture.caption
        if step.marked:
            before = self._steps.answer(step, RoadChanges())
            content = _with_roads(content, self._film.network, step, before, answer)
            caption = f"{caption}  ·  {_words(step, before, answer)}"
        elif self._shows_roads:
            caption = f"{caption}  ·  {_words(step, answer, answer)}"
        self._state = replace(self._state, content=content, caption=caption)

    @cached_property
    def _shows_roads(self) -> bool:
        """Whether roads are changed at some step."""
        return any(step.marked for step in self._film.steps)


def content_of_answer(content: PictureContent, answer: LiveAnswer) -> PictureContent:
    """``content`` with another live answer, without marks of roads; its layers and budget stay."""
    query, unit = answer.query, answer.graph.weight_unit
    activity = Activity(
        answer.graph.n, answer.distances, None, unit, content.activity.budget, answer.owners, len(query.sources)
    )
    return replace(
        content, scene=replace(content.scene, graph=answer.graph), activity=activity, position=0,
        source=query.sources[0], target=query.target, path=answer.path, more_sources=query.sources[1:],
        road_marks=None, path_before=None, values=None,
    )  # fmt: skip


def _with_roads(
    content: PictureContent, network: Graph, step: DragStep, before: LiveAnswer, after: LiveAnswer
) -> PictureContent:
    values = None
    if step.differences:
        values = difference_values(Differences(network, before.distances, after.distances))
    marks = RoadMarks.of(network, step.marked)
    return replace(content, road_marks=marks, path_before=before.path, values=values)


def _words(step: DragStep, before: LiveAnswer, after: LiveAnswer) -> str:
    """What the frame shows of the changed roads."""
    if step.differences:
        differences = Differences(before.graph, before.distances, after.distances)
        return f"{step.marked}: {differences.text}"
    unit, was, is_now = before.graph.weight_unit, before.length, after.length
    state = "all roads open"
    if step.changes:
        state = str(step.marked) if step.changes == step.marked else "closing"
    if was is None or is_now is None or is_now == was:
        return state if is_now is None else f"{state}: path {format_distance(is_now, unit)}"
    if is_now == float("inf"):
        return f"{state}: the target is cut off"
    return f"{state}: path {format_distance(is_now, unit)}, before {format_distance(was, unit)}"


def _lit_bounds(film: LiveFilmState) -> Bounds:
    """Bounds of all vertices that some steps light, with room around; all of the graph without a budget."""
    scene, budget = film.picture.content.scene, film.budget
    if budget is None or not film.steps:
        return scene.bounds
    steps, seen = StepSolver(film), np.zeros(scene.graph.n, np.bool_)
    for position in np.unique(np.linspace(0, len(film.steps) - 1, _SAMPLES).round().astype(int)):
        step = film.steps[position]
        seen |= to_float(steps.answer(step, step.changes).distances) <= budget
    around = Bounds.of(scene.positions[seen])
    room = _AROUND * around.size
    return Bounds(around.x0 - room, around.y0 - room, around.x1 + room, around.y1 + room)
