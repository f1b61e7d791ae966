"""Keeps the drawable form of the open graph up to date: a job lays it out and sorts it; layouts are remembered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from gui.canvas.layout import layout
from gui.canvas.scene import DrawableGraph, build_scene
from gui.jobs import JobContext, Jobs
from gui.session import Notice, Session
from solvers.graph import Graph
from solvers.text import plural

JOB = "layout"
_REMEMBERED = 8  # layouts
_CANCELLED = "The layout was cancelled. Press F to lay the graph out again."


class SceneStore(QObject):
    """The drawable graph of the session, made off the window's thread.

    Signals
    -------
    changed()
        `scene` or `message` is another.
    """

    changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self._layouts: dict[str, NDArray[np.float64]] = {}
        self._scene: DrawableGraph | None = None
        self._message = ""
        session.graph_changed.connect(self._prepare)
        self._prepare()

    @property
    def scene(self) -> DrawableGraph | None:
        """None where no graph is open or its scene is not ready."""
        return self._scene

    @property
    def message(self) -> str:
        """What is being done meanwhile, for the empty canvas."""
        return self._message

    def _prepare(self) -> None:
        graph = self._session.graph
        self._scene = None
        if graph is None:
            self._jobs.drop(JOB)
            self._tell("")
            return
        size = plural(graph.n, "vertex", "vertices")
        title = f"Laying out {size}" if graph.coordinates is None else f"Preparing the picture of {size}"
        self._tell(f"{title} …")
        job = self._jobs.start(
            JOB, title, lambda context: self._build(graph, context),
            on_success=self._take, on_failure=self._fail, on_cancel=lambda: self._tell(_CANCELLED),
        )  # fmt: skip
        job.progressed.connect(lambda share, _: self._report(graph, f"{title} … {share:.0%}"))

    def retry(self) -> None:
        """Start again after a cancelled layout; nothing where a scene is ready or on its way."""
        if self._scene is None and self._jobs.running(JOB) is None:
            self._prepare()

    def _build(self, graph: Graph, context: JobContext) -> DrawableGraph:
        positions = None
        if graph.coordinates is None:
            key = graph.sha256
            if key not in self._layouts:
                positions = layout(graph, context.observer("laying out"))
                while len(self._layouts) >= _REMEMBERED:
                    self._layouts.pop(next(iter(self._layouts)))
                self._layouts[key] = positions
            positions = self._layouts[key]
        return build_scene(graph, positions, context.observer("sorting edges"))

    def _take(self, scene: DrawableGraph) -> None:
        if scene.graph is self._session.graph:
            self._scene = scene
            self._tell("")

    def _fail(self, error: Exception) -> None:
        self._tell("This graph could not be drawn.")
        self._session.notice(Notice.of(error))

    def _report(self, graph: Graph, message: str) -> None:
        if self._scene is None and graph is self._session.graph:
            self._tell(message)

    def _tell(self, message: str) -> None:
        self._message = message
        self.changed.emit()
