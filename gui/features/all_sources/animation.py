"""The animation of flows: more and more sources add up. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from gui.export.composition import GraphComposition, PictureState
from gui.export.page import Page
from solvers.features.all_sources.betweenness import GrowingFlows
from solvers.features.all_sources.road_flows import RoadFlows
from solvers.text import plural


@dataclass(frozen=True, eq=False)
class FlowAnimationState:
    """A picture of flows, which grow from those of one source to all that it shows; a `Subject`.

    ``picture``: its content has flows; of a difference, those after the change are
    shown.
    """

    picture: PictureState

    @cached_property
    def shown(self) -> RoadFlows:
        flows = self.picture.content.flows
        assert isinstance(flows, RoadFlows)
        flows = flows.whole or flows
        return flows if flows.before is None else RoadFlows(flows.flows)

    @property
    def length(self) -> int:
        return len(GrowingFlows(self.shown.flows).counts)

    @property
    def words(self) -> str:
        return self.picture.caption

    def whole(self) -> FlowAnimationState:
        return replace(self, picture=self.picture.whole())

    def compose(self, page: Page) -> FlowAnimationComposition:
        return FlowAnimationComposition(self, page)


class FlowAnimationComposition(GraphComposition):
    """The picture of the flows of some sources at a time, on the scale of those of all."""

    _fixed_words = False

    def __init__(self, animation: FlowAnimationState, page: Page):
        picture = animation.picture
        super().__init__(
            replace(picture, content=replace(picture.content, flows=animation.shown)), page
        )
        self._animation, self._flows = animation, GrowingFlows(animation.shown.flows)

    def move(self, position: int, gathered: int = 1) -> None:
        flows = self._animation.shown.followed_by(self._flows.at(position))
        caption = (
            f"{self._animation.words}  ·  flows from "
            f"{plural(self._flows.counts[position], 'source')}"
        )
        self._state = replace(
            self._state, content=replace(self._state.content, flows=flows), caption=caption
        )
