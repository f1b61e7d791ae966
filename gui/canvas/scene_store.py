"""Builds the drawable form of the open graph in a job, and caches layouts.

Layouts of this session are cached in memory, those of earlier sessions on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from solvers.graphs.graph import Graph
from solvers.picture.layout.arrangements import Arrangement, circular, layered, rings
from solvers.picture.layout.layout_store import LayoutStore
from solvers.picture.raster.device import DrawingDevice, first_cuda_device
from solvers.picture.scene.activity import RingScale, activity_of
from solvers.picture.scene.paths import predecessor_row
from solvers.picture.scene.scene import (
    MOST_MOVABLE,
    DrawableGraph,
    build_scene,
    on_graph,
    with_vertex_at,
)
from solvers.system.array_types import Float64s
from solvers.system.kept import KeptValue, keep
from solvers.text import format_percent, plural

_REMEMBERED = 8  # layouts cached in memory
_CANCELLED = "The layout was cancelled. Press F to lay the graph out again."
_NO_COORDINATES = (
    "This graph's file has no coordinates: choose another layout, "
    "or open it with a coordinates file."
)


@dataclass(frozen=True, eq=False)
class _Placement:
    """Positions of a layout, None for those of the file; and the scale of a ring layout."""

    positions: Float64s | None = None
    rings: RingScale | None = None


class SceneStore(QObject):
    """Holds the drawable form of the session's graph, built in a job; it keeps layouts
    on the user's disk.
    """

    changed = Signal()  # `scene` or `message` changed
    moved = Signal()  # the user moved vertices: `scene` is new, and views keep their cameras
    replaced = Signal()  # roads have been changed: `scene` is of another graph with the same places
    # the user has moved a vertex and let go of it: index, world coordinates (x, y) before and after
    vertex_moved = Signal(int, object, object)

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        parent: QObject | None = None,
        *,
        kept: LayoutStore | None = None,
    ):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        # for all canvases that show the scene
        self.device = DrawingDevice(first_cuda_device, quiet=jobs.quiet)
        self._layout_store = kept or LayoutStore()
        self._layouts: dict[str, Float64s] = {}
        self._scene: DrawableGraph | None = None  # as built or moved
        # with the changed and cut roads of the graph
        self._with_roads = KeptValue[DrawableGraph]()
        # the last complete scene and its layout
        self._finished: tuple[DrawableGraph, Arrangement] | None = None
        # The layout displayed or being computed.
        self.arrangement = Arrangement.FILE
        self._question: tuple[int | None, bool] = (None, False)
        # Message for the empty canvas while the scene is prepared.
        self.message = ""
        session.graph_changed.connect(self._prepare)
        session.network_changed.connect(self._follow_roads)
        session.endpoints_changed.connect(self._update_layers)
        session.results.selection_changed.connect(self._update_layers)
        self._prepare()

    @property
    def scene(self) -> DrawableGraph | None:
        """The drawable graph; None if no graph is open or its scene is not ready, and
        never that of another graph.
        """
        if self._scene is None or not self._is_of_open(self._scene.graph.as_read):
            return None
        scene, graph = self._scene, self._session.graph
        if graph is None or scene.graph is graph:
            return scene
        return self._with_roads.of((scene, graph), lambda: on_graph(scene, graph))

    @property
    def can_drag(self) -> bool:
        """Whether the user may move vertices: only in small graphs."""
        scene = self._scene
        return scene is not None and scene.graph.cut is None and scene.graph.n <= MOST_MOVABLE

    def arrange(self, arrangement: Arrangement) -> None:
        """Compute a layout; the current picture stays until it is ready. Repeating the
        current layout undoes dragging.

        Shows a notice instead if the file's layout is requested and the file has no
        coordinates.
        """
        graph = self._session.graph
        if graph is None:
            return
        if arrangement is Arrangement.FILE and graph.coordinates is None:
            self._session.inform(_NO_COORDINATES)
            self.changed.emit()
            return
        self._start(graph, arrangement)

    def move_vertex(self, vertex: int, x: float, y: float) -> None:
        """Move one vertex of a small graph to world coordinates (x, y)."""
        scene = self.scene
        if scene is not None and self.can_drag:
            self._scene = with_vertex_at(scene, vertex, x, y)
            self.moved.emit()

    def retry(self) -> None:
        """Restart a cancelled layout; does nothing if a scene is ready or being prepared."""
        if self._scene is None and self._jobs.running(JobKind.LAYOUT) is None:
            self._prepare()

    def _prepare(self) -> None:
        """Prepare the scene of a newly opened graph: with the file's coordinates, else
        a spring layout.
        """
        graph = self._session.graph
        self._scene, self._finished = None, None
        if graph is None:
            self._jobs.drop(JobKind.LAYOUT)
            self._show_message("")
            return
        self._start(graph, Arrangement.SPRING if graph.coordinates is None else Arrangement.FILE)

    def _start(self, graph: Graph, arrangement: Arrangement) -> None:
        """Lay out the network as it was read: points of its roads have no place in a layout."""
        graph, self.arrangement = graph.as_read, arrangement
        size = plural(graph.n, "vertex", "vertices")
        title = (
            f"Preparing the picture of {size}"
            if arrangement is Arrangement.FILE
            else f"Laying out {size}"
        )
        self._show_message(f"{title} …")
        place = self._positions_function(graph, arrangement)
        self._jobs.start(
            JobKind.LAYOUT,
            title,
            lambda context: self._build(graph, place, context),
            on_value=self._preview,
            on_success=self._take,
            on_failure=self._fail,
            on_cancel=self._restore,
            on_progress=lambda share, _: self._report(graph, f"{title} … {format_percent(share)}"),
        )

    def _positions_function(
        self, graph: Graph, arrangement: Arrangement
    ) -> Callable[[JobContext], _Placement]:
        if arrangement is Arrangement.SPRING:
            return lambda context: _Placement(self._sprung(graph, context))
        if arrangement is Arrangement.CIRCULAR:
            return lambda _: _Placement(circular(graph.n))
        if arrangement is Arrangement.LAYERED or arrangement is Arrangement.RINGS:
            return self._function_of_source(graph, arrangement)
        return lambda _: _Placement()

    def _function_of_source(
        self, graph: Graph, arrangement: Arrangement
    ) -> Callable[[JobContext], _Placement]:
        source, distances = self._session.junction(self._session.source or 0), self._distances()
        self._question = (self._session.source, distances is not None)
        if distances is not None and len(distances) > graph.n:
            distances = None
        if arrangement is Arrangement.LAYERED:
            return lambda _: _Placement(layered(graph, source, distances))
        result = self._session.results.selected
        tree = None if result is None or distances is None else predecessor_row(result)
        unit = graph.weight_unit if distances is not None else ""
        whole = distances is None or graph.weight_type.is_integer

        def in_rings(context: JobContext) -> _Placement:
            progress = context.progress_for("laying out")
            placed = rings(graph, source, distances, tree, self._bearings(graph), progress)
            return _Placement(
                placed.positions,
                RingScale.of(placed.positions, placed.low, placed.high, unit, whole=whole),
            )

        return in_rings

    def _bearings(self, graph: Graph) -> Float64s | None:
        """Positions by which rings begin, y down: the file's, else those of the spring
        layout if it is known.
        """
        if graph.coordinates is None:
            return self._layouts.get(graph.sha256)
        flipped: Float64s = graph.coordinates.xy * np.array([1.0, -1.0])
        return flipped

    def _build(
        self, graph: Graph, place: Callable[[JobContext], _Placement], context: JobContext
    ) -> DrawableGraph:
        placement = place(context)
        scene = build_scene(graph, placement.positions, context.progress_for("sorting edges"))
        return scene if placement.rings is None else replace(scene, rings=placement.rings)

    def _sprung(self, graph: Graph, context: JobContext) -> Float64s:
        key = graph.sha256
        if key not in self._layouts:
            positions = self._layout_store.load(graph, Arrangement.SPRING.value)
            if positions is None:
                from solvers.picture.layout.stress import layout

                positions = layout(
                    graph,
                    context.progress_for("laying out"),
                    lambda positions: context.show(build_scene(graph, positions)),
                )
                self._layout_store.save(graph, Arrangement.SPRING.value, positions)
            keep(self._layouts, key, positions, _REMEMBERED)
        return self._layouts[key]

    def _preview(self, scene: DrawableGraph) -> None:
        """Show a layout in progress."""
        if self._is_of_open(scene.graph):
            self._scene = scene
            self.changed.emit()

    def _take(self, scene: DrawableGraph) -> None:
        if self._is_of_open(scene.graph):
            self._scene = scene
            self._finished = (scene, self.arrangement)
            self._show_message("")

    def _restore(self) -> None:
        """After a cancelled job, restore the previous scene; a graph without one keeps
        its last preview.
        """
        if self._finished is not None and self._is_of_open(self._finished[0].graph):
            self._scene, self.arrangement = self._finished[0], self._finished[1]
        self._show_message("" if self._scene is not None else _CANCELLED)

    def _fail(self, error: Exception) -> None:
        self._restore()
        if self._scene is None:
            self._show_message("This graph could not be drawn.")
        self._session.notice_error(error)

    def _distances(self) -> Float64s | None:
        """Distances of the selected result, for layouts by distance."""
        graph = self._session.graph
        return (
            None
            if graph is None
            else activity_of(graph, self._session.results.selected, None).distances
        )

    def _is_of_open(self, graph: Graph) -> bool:
        """Whether a graph is the one that was opened, or the same network with other weights."""
        if self._session.graph is None:
            return False
        whole = self._session.graph.as_read
        same_network = graph.roads is not None and graph.coordinates is whole.coordinates
        return graph is whole or same_network

    def _follow_roads(self) -> None:
        if self._scene is not None:
            self.replaced.emit()

    def _update_layers(self) -> None:
        """Compute a layout by distances again when its source moves or distances become known."""
        graph = self._session.graph
        if graph is None or self.arrangement not in (Arrangement.LAYERED, Arrangement.RINGS):
            return
        known = self._distances() is not None
        source, had_distances = self._question
        if source != self._session.source or (known and not had_distances):
            self._start(graph, self.arrangement)

    def _report(self, graph: Graph, message: str) -> None:
        if self._scene is None and self._is_of_open(graph):
            self._show_message(message)

    def _show_message(self, message: str) -> None:
        self.message = message
        self.changed.emit()
