"""Film of a drag in live mode: every frame is solved anew, in the thread of the export."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gui.export.composition import GraphComposition, PictureState
from gui.export.page import Page
from gui.model.drag_recording import DragStep
from gui.picture.scene.activity import Activity
from gui.picture.scene.content import PictureContent
from solvers.running.live.query import LiveAnswer, LiveQuery, LiveWeights
from solvers.running.live.solver import LiveSolver


@dataclass(frozen=True, eq=False)
class LiveFilmState:
    """A picture and the end points that move through it; a `Subject`.

    Attributes
    ----------
    picture : PictureState
        Of the live answer on the screen: its layers, budget and view are those of the film.
    steps : tuple of DragStep
    weights : LiveWeights
    """

    picture: PictureState
    steps: tuple[DragStep, ...]
    weights: LiveWeights

    @property
    def length(self) -> int:
        return len(self.steps)

    @property
    def words(self) -> str:
        return self.picture.caption

    def whole(self) -> LiveFilmState:
        return replace(self, picture=self.picture.whole())

    def compose(self, page: Page) -> LiveFilmComposition:
        return LiveFilmComposition(self, page)


class LiveFilmComposition(GraphComposition):
    """The picture of one step at a time."""

    def __init__(self, film: LiveFilmState, page: Page):
        super().__init__(film.picture, page)
        self._film = film
        self._solver = LiveSolver(film.picture.content.scene.graph)

    def move(self, position: int, gathered: int = 1) -> None:
        step, film = self._film.steps[position], self._film
        graph = film.picture.content.scene.graph
        sources = tuple(dict.fromkeys(step.sources))
        answer = self._solver.solve(LiveQuery(graph, sources, step.target, film.weights))
        self._state = replace(self._state, content=content_of_answer(film.picture.content, answer))


def content_of_answer(content: PictureContent, answer: LiveAnswer) -> PictureContent:
    """``content`` with another live answer; its layers and budget stay."""
    query, unit = answer.query, answer.graph.weight_unit
    activity = Activity(
        answer.graph.n, answer.distances, None, unit, content.activity.budget, query.weights.arcs, answer.owners,
        len(query.sources),
    )  # fmt: skip
    return replace(
        content, activity=activity, position=0, source=query.sources[0], target=query.target, path=answer.path,
        more_sources=query.sources[1:],
    )  # fmt: skip
