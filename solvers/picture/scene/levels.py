"""Picture of a hierarchy: shades by level, and the graph drawn with more or less detail. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from solvers.picture.scene.activity import Activity, Legend
from solvers.picture.scene.edges import PlainArcs, ordered_edges
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.scene import DrawableGraph
from solvers.picture.scene.values import VertexValues
from solvers.picture.scene.vertex_grid import VertexGrid
from solvers.system.array_types import Int32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import ThreadTeam, thread_team
from solvers.text import format_count, plural

if TYPE_CHECKING:
    from solvers.algorithms.hierarchy.levels import Levels

AUTOMATIC_STROKES = 1_500_000  # drawn in a fraction of a second
# of a core; finer ones are not offered, to bound the memory for all of them
MOST_STROKES = 4_000_000
MOST_LIT = 127  # separators: every dot takes some microseconds of the window's thread
_LEAF_VERTICES = 64  # regions about as small have the last colour, so that those above differ more
_MOST_SETTLING = 64  # separators marked while a level is settled


@dataclass(frozen=True, eq=False)
class LevelPicture:
    """What is drawn of the levels of a graph, in one layout."""

    levels: Levels
    # from the coarsest core to the graph itself; each has its edges sorted, so that
    # changing the detail only draws
    scenes: tuple[DrawableGraph, ...]
    values: VertexValues  # the level of the separator that each vertex belongs to

    @property
    def whole(self) -> DrawableGraph:
        return self.scenes[-1]

    def with_whole(self, scene: DrawableGraph) -> LevelPicture:
        """The same picture with ``scene``, which has the same edges, in place of the
        whole graph's.
        """
        graph, positions = scene.graph, scene.positions
        cores = (replace(core, graph=graph, positions=positions) for core in self.scenes[:-1])
        return replace(self, scenes=(*cores, scene))

    @property
    def automatic(self) -> int:
        """The finest scene with at most `AUTOMATIC_STROKES` edges; the coarsest if none
        has as few.
        """
        fitting = [i for i, scene in enumerate(self.scenes) if scene.edges <= AUTOMATIC_STROKES]
        return fitting[-1] if fitting else 0

    @property
    def most_lit(self) -> int:
        """Number of separators that can be lit: those that are more than a leaf."""
        return min(MOST_LIT, int((np.diff(self.levels.separators.first) > 1).sum()))


@dataclass(frozen=True, eq=False)
class LevelView:
    """A picture of levels as a canvas shows it."""

    picture: LevelPicture
    detail: int  # index into ``picture.scenes``
    lit: int  # separators marked, from the top

    @property
    def scene(self) -> DrawableGraph:
        return self.picture.scenes[self.detail]

    @cached_property
    def marked(self) -> tuple[tuple[int, Int32s], ...]:
        """Number and vertices of each marked separator with more than one vertex, in
        the order of the dissection.
        """
        separators = self.picture.levels.separators
        large = np.flatnonzero(np.diff(separators.first) > 1)[: self.lit]
        return tuple((int(i), separators.of(int(i))) for i in large)

    def settling(self, activity: Activity, position: int) -> list[Int32s]:
        """Vertices of the separators that an iteration of a sweep settles; the first ones only."""
        trace = activity.trace
        phase = trace.phase(position) if trace is not None and 0 <= position < len(trace) else None
        if phase is None or phase.unit != "level":
            return []
        separators = self.picture.levels.separators
        numbers = np.unique(separators.separator[activity.frontier(position)])
        sizes = separators.first[numbers + 1] - separators.first[numbers]
        return [separators.of(int(i)) for i in numbers[sizes > 1][:_MOST_SETTLING]]

    def level_words(self, vertex: int) -> str:
        """``"3 of 21, in a separator of 20 vertices"``."""
        separators = self.picture.levels.separators
        i = int(separators.separator[vertex])
        size = plural(len(separators.of(i)), "vertex", "vertices")
        return f"{int(separators.level[i])} of {separators.levels - 1}, in a separator of {size}"


def level_picture(
    levels: Levels, scene: DrawableGraph, progress: Progress = SILENT
) -> LevelPicture:
    """Build the scenes of the cores, and the shades; raises Cancelled."""
    cores = levels.cores
    offered = [k for k in range(len(cores) - 1, 0, -1) if 0 < cores.edges[k] <= MOST_STROKES]
    scenes = []
    with thread_team() as team:
        for done, k in enumerate(offered):
            progress.checkpoint(done, len(offered))
            scenes.append(_core_scene(levels, k, scene, team, progress.silent()))
    return LevelPicture(levels, (*scenes, scene), _values(levels))


def detail_words(scene: DrawableGraph) -> str:
    """``"whole graph: 365,050 roads"``, ``"1,337 vertices joined by 39,441 roads and
    shortcuts"``.
    """
    if not scene.contracted:
        return f"whole graph: {plural(scene.edges, 'road')}"
    vertices = plural(scene.vertices, "vertex", "vertices")
    return f"{vertices} joined by {format_count(scene.edges)} roads and shortcuts"


def _core_scene(
    levels: Levels, k: int, scene: DrawableGraph, team: ThreadTeam, progress: Progress
) -> DrawableGraph:
    cores = levels.cores
    edges = ordered_edges(PlainArcs(*cores.edges_of(k)), scene.positions, team, progress)
    kept = cores.stage[cores.hierarchy.tree.rank] >= k
    grid = VertexGrid.of(np.where(kept[:, None], scene.positions, np.nan), team, progress)
    # shared by all cores; it finds only the vertices that it holds
    grid = replace(grid, positions=scene.positions)
    return replace(
        scene,
        segments=edges.segments,
        ends=edges.ends,
        boxes=edges.boxes,
        lengths=edges.lengths,
        grid=grid,
        mean_length=edges.mean_length,
        curves=None,
        contracted=scene.graph.n - int(cores.vertices[k]),
    )


def _values(levels: Levels) -> VertexValues:
    separators = levels.separators
    halvings = round(math.log2(max(1, separators.divides.max(initial=1)) / _LEAF_VERTICES))
    last = halvings if halvings > 1 else max(1, separators.levels - 1)
    shades = np.round(np.minimum(separators.level, last) * (255.0 / last)).astype(np.uint8)
    quantity = f"levels of the hierarchy, 0 to {max(0, separators.levels - 1)}"
    legend = Legend(
        quantity, 0.0, float(last), "", ramp=Ramp.LEVELS, ends=("top separator", "leaves")
    )
    return VertexValues(
        shades[separators.separator], np.zeros(len(separators.separator), np.int32), legend
    )
