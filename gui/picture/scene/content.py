"""All that the picture shows, as one value: screen and export draw from it alone. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gui.picture.scene.activity import Activity, Legend
from gui.picture.scene.bands import round_step
from gui.picture.scene.lesson import Lesson, lesson_of, words_without_distances
from gui.picture.scene.path_tree import PathTree
from gui.picture.scene.scene import DrawableGraph


class Layer(Enum):
    """What can be switched on and off; the value is its name for people."""

    EDGES = "edges"
    VISITED = "visited"
    FRONTIER = "frontier"
    PATH = "path"
    MARKERS = "markers"
    CYCLE = "negative cycle"
    LESSON = "tentative distances"
    BANDS = "distance bands"
    TREE = "shortest-path tree"


FIRST_LAYERS = frozenset(Layer) - {Layer.BANDS, Layer.TREE}  # shown until the user chooses


@dataclass(frozen=True, eq=False)
class PictureContent:
    """What is to be seen, whatever the view.

    Attributes
    ----------
    scene : DrawableGraph
    activity : Activity
    position : int
        Kept iteration of the trace.
    source, target : int or None
    path : (k,) int32 or None
    cycle : tuple of int
    layers : frozenset of Layer
    tree : PathTree or None
        As far as it is wanted.
    """

    scene: DrawableGraph
    activity: Activity
    position: int = 0
    source: int | None = None
    target: int | None = None
    path: NDArray[np.int32] | None = None
    cycle: tuple[int, ...] = ()
    layers: frozenset[Layer] = field(default=FIRST_LAYERS)
    tree: PathTree | None = None

    def has(self, layer: Layer) -> bool:
        return layer in self.layers

    @cached_property
    def legend(self) -> Legend | None:
        """What the tint means, in bands where these are shown; None where visited ground is not."""
        legend = self.activity.legend if self.has(Layer.VISITED) else None
        if legend is None or not self.has(Layer.BANDS):
            return legend
        return replace(legend, step=round_step(legend.low, legend.high))

    @cached_property
    def lesson(self) -> Lesson | None:
        """What the iteration teaches; None for larger graphs, and where the layer is off."""
        if not self.has(Layer.LESSON):
            return None
        return lesson_of(self.scene.graph, self.activity.trace, self.position)

    @cached_property
    def sentence(self) -> str:
        """What the iteration does, of a small graph; "" for larger ones, and where the layer is off."""
        if self.lesson is not None:
            return self.lesson.words
        if not self.has(Layer.LESSON):
            return ""
        return words_without_distances(self.scene.graph, self.activity.trace, self.position)

    def in_tree(self, tail: int, head: int) -> bool:
        """Whether the arc is one of the shortest-path tree's, and that is shown."""
        return self.has(Layer.TREE) and self.tree is not None and self.tree.holds(tail, head)
