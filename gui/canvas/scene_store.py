"""Builds the drawable form of the open graph in a job, and caches layouts.

Layouts of this session are cached in memory, those of earlier sessions on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from gui.model.jobs import JobContext, Jobs
from gui.model.session import Notice, Session, Severity
from gui.picture.layout.arrangements import Arrangement, circular, layered
from gui.picture.layout.layout_store import LayoutStore
from gui.picture.layout.stress import layout
from gui.picture.scene.activity import activity_of
from gui.picture.scene.moved_vertices import MOST_VERTICES, with_vertex_at
from gui.picture.scene.scene import DrawableGraph, build_scene
from solvers.graphs.graph import Graph
from solvers.text import plural

JOB = "layout"
_REMEMBERED = 8  # layouts in memory
_PREVIEW_S = 0.3  # between two looks at a layout that is being made ...
_PREVIEW_SHARE = 6.0  # ... and at least so many times what making one ready to draw has taken
_CANCELLED = "The layout was cancelled. Press F to lay the graph out again."
_NO_COORDINATES = "This graph's file has no coordinates: choose another layout, or open it with a coordinates file."


class SceneStore(QObject):
    """The drawable graph of the session, made off the window's thread.

    Parameters
    ----------
    session, jobs
    kept : LayoutStore, optional
        Layouts of earlier sessions; the user's own by default.

    Signals
    -------
    changed()
        `scene` or `message` is another.
    moved()
        Vertices of the scene were moved by hand: another `scene` to be looked at from the same place.
    """

    changed = Signal()
    moved = Signal()
    _previewed = Signal(object, object)  # a ticket and a scene; from the job's thread

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None, *, kept: LayoutStore | None = None):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._kept = kept or LayoutStore()
        self._layouts: dict[str, NDArray[np.float64]] = {}
        self._scene: DrawableGraph | None = None
        self._whole: tuple[DrawableGraph, Arrangement] | None = None  # the last scene that was finished
        self._arrangement = Arrangement.FILE
        self._question: tuple[int | None, bool] = (None, False)
        self._ticket = object()  # of the newest job: what older ones still show is not looked at
        self._message = ""
        session.graph_changed.connect(self._prepare)
        session.endpoints_changed.connect(self._layer_anew)
        session.selection_changed.connect(self._layer_anew)
        self._previewed.connect(self._preview)
        self._prepare()

    @property
    def scene(self) -> DrawableGraph | None:
        """None where no graph is open or its scene is not ready."""
        return self._scene

    @property
    def message(self) -> str:
        """What is being done meanwhile, for the empty canvas."""
        return self._message

    @property
    def arrangement(self) -> Arrangement:
        """The layout shown, or on its way."""
        return self._arrangement

    @property
    def can_drag(self) -> bool:
        """Whether vertices may be moved by hand."""
        return self._scene is not None and self._scene.graph.n <= MOST_VERTICES

    def arrange(self, arrangement: Arrangement) -> None:
        """Lay the graph out in another way; the picture stays until that is done. The same way again undoes dragging.

        A graph without coordinates in its file is told so, and left as it is.
        """
        graph = self._session.graph
        if graph is None:
            return
        if arrangement is Arrangement.FILE and graph.coordinates is None:
            self._session.notice(Notice(Severity.INFO, _NO_COORDINATES))
            self.changed.emit()
            return
        self._start(graph, arrangement)

    def move_vertex(self, vertex: int, x: float, y: float) -> None:
        """Put one vertex of a small graph elsewhere, in world coordinates."""
        if self._scene is not None and self.can_drag:
            self._scene = with_vertex_at(self._scene, vertex, x, y)
            self.moved.emit()

    def retry(self) -> None:
        """Start again after a cancelled layout; nothing where a scene is ready or on its way."""
        if self._scene is None and self._jobs.running(JOB) is None:
            self._prepare()

    # -- the job -----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Another graph is open: draw it as its file says, or laid out by springs."""
        graph = self._session.graph
        self._scene, self._whole = None, None
        if graph is None:
            self._jobs.drop(JOB)
            self._tell("")
            return
        self._start(graph, Arrangement.SPRING if graph.coordinates is None else Arrangement.FILE)

    def _start(self, graph: Graph, arrangement: Arrangement) -> None:
        self._arrangement = arrangement
        size = plural(graph.n, "vertex", "vertices")
        title = f"Preparing the picture of {size}" if arrangement is Arrangement.FILE else f"Laying out {size}"
        self._tell(f"{title} …")
        self._ticket = object()
        place = self._placing(graph, arrangement)
        job = self._jobs.start(
            JOB, title, lambda context: self._build(graph, place, context),
            on_success=self._take, on_failure=self._fail, on_cancel=self._give_up,
        )  # fmt: skip
        job.progressed.connect(lambda share, _: self._report(graph, f"{title} … {share:.0%}"))

    def _placing(self, graph: Graph, arrangement: Arrangement) -> Callable[[JobContext], NDArray[np.float64] | None]:
        """What gives the positions (None for the file's own), for a job to call."""
        if arrangement is Arrangement.SPRING:
            show = self._shower(graph)
            return lambda context: self._sprung(graph, context, show)
        if arrangement is Arrangement.CIRCULAR:
            return lambda _: circular(graph.n)
        if arrangement is Arrangement.LAYERED:
            source = self._session.source or 0
            distances = activity_of(graph, self._session.selected, None).distances
            self._question = (self._session.source, distances is not None)
            return lambda _: layered(graph, source, distances)
        return lambda _: None

    def _build(
        self, graph: Graph, place: Callable[[JobContext], NDArray[np.float64] | None], context: JobContext
    ) -> DrawableGraph:
        return build_scene(graph, place(context), context.observer("sorting edges"))

    def _sprung(
        self, graph: Graph, context: JobContext, show: Callable[[NDArray[np.float64]], None]
    ) -> NDArray[np.float64]:
        key = graph.sha256
        if key not in self._layouts:
            positions = self._kept.load(graph, Arrangement.SPRING.value)
            if positions is None:
                positions = layout(graph, context.observer("laying out"), show)
                self._kept.save(graph, Arrangement.SPRING.value, positions)
            while len(self._layouts) >= _REMEMBERED:
                self._layouts.pop(next(iter(self._layouts)))
            self._layouts[key] = positions
        return self._layouts[key]

    def _shower(self, graph: Graph) -> Callable[[NDArray[np.float64]], None]:
        """Makes previews of a layout as it goes; called in the job's thread."""
        due, ticket = time.monotonic() + _PREVIEW_S, self._ticket

        def show(positions: NDArray[np.float64]) -> None:
            nonlocal due
            start = time.monotonic()
            if start >= due:
                self._previewed.emit(ticket, build_scene(graph, positions))
                end = time.monotonic()
                due = end + max(_PREVIEW_S, _PREVIEW_SHARE * (end - start))

        return show

    def _preview(self, ticket: object, scene: DrawableGraph) -> None:
        if ticket is self._ticket and self._jobs.running(JOB) is not None and scene.graph is self._session.graph:
            self._scene = scene
            self.changed.emit()

    def _take(self, scene: DrawableGraph) -> None:
        if scene.graph is self._session.graph:
            self._scene = scene
            self._whole = (scene, self._arrangement)
            self._tell("")

    def _give_up(self) -> None:
        """Cancelled: what was there before stands again; a graph that was never laid out keeps its last preview."""
        if self._whole is not None and self._whole[0].graph is self._session.graph:
            self._scene, self._arrangement = self._whole
        self._tell("" if self._scene is not None else _CANCELLED)

    def _fail(self, error: Exception) -> None:
        self._tell("This graph could not be drawn.")
        self._session.notice(Notice.of(error))

    def _layer_anew(self) -> None:
        """Layers are round a source: where that moves, or distances become known, they are made again."""
        graph = self._session.graph
        if graph is None or self._arrangement is not Arrangement.LAYERED:
            return
        known = activity_of(graph, self._session.selected, None).answer is not None
        source, had_distances = self._question
        if source != self._session.source or (known and not had_distances):
            self._start(graph, Arrangement.LAYERED)

    def _report(self, graph: Graph, message: str) -> None:
        if self._scene is None and graph is self._session.graph:
            self._tell(message)

    def _tell(self, message: str) -> None:
        self._message = message
        self.changed.emit()
