"""Prepares the picture of the hierarchy's levels in a job, and holds how much of it is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.canvas.scene_store import SceneStore
from gui.model.jobs import JobContext, Jobs
from gui.model.notice import Notice, Severity
from gui.model.session import Session
from gui.picture.scene.levels import LevelPicture, LevelView, level_picture
from gui.picture.scene.scene import DrawableGraph
from solvers.algorithms.hierarchy.levels import levels_of
from solvers.errors import SeparatorsTooLarge
from solvers.system.cancel import Observer
from solvers.text import format_count

JOB = "levels"
FIRST_LIT = 15  # separators: four levels of a dissection into halves


class LevelStore(QObject):
    """The levels of the open graph in its present layout, prepared while they are wanted.

    Parameters
    ----------
    session, jobs, scenes

    Signals
    -------
    changed()
        What is shown of the levels changed.
    refused()
        There is no picture of levels: the graph is not suited, or the user cancelled its preparation.
    """

    changed = Signal()
    refused = Signal()

    def __init__(self, session: Session, jobs: Jobs, scenes: SceneStore, parent: QObject | None = None):
        super().__init__(parent)
        self._session, self._jobs, self._scenes = session, jobs, scenes
        self._wanted = False
        self._pending: DrawableGraph | None = None  # being prepared
        self._view: LevelView | None = None
        session.graph_changed.connect(self._forget)
        scenes.changed.connect(self._follow_scene)
        scenes.moved.connect(self._follow_scene)
        scenes.replaced.connect(self._follow_roads)

    @property
    def view(self) -> LevelView | None:
        """What is shown of the present scene's levels; None until it is ready."""
        view = self._view
        return view if view is not None and view.picture.whole is self._scenes.scene else None

    def want(self, wanted: bool) -> None:
        """Prepare the levels of this graph and of its later layouts, or stop doing so."""
        self._wanted = wanted
        if wanted:
            self._follow_scene()
        elif self._pending is not None:
            self._pending = None
            self._jobs.drop(JOB)

    def set_detail(self, detail: int) -> None:
        """Draw the graph with more or less detail: an index into `LevelPicture.scenes`."""
        self._show(detail, None)

    def set_lit(self, lit: int) -> None:
        """Mark that many separators, from the top."""
        self._show(None, lit)

    def _show(self, detail: int | None, lit: int | None) -> None:
        view = self.view
        if view is None:
            return
        detail, lit = view.detail if detail is None else detail, view.lit if lit is None else lit
        if (detail, lit) != (view.detail, view.lit):
            self._view = LevelView(view.picture, detail, lit)
            self.changed.emit()

    def _follow_scene(self) -> None:
        """Prepare the levels of another graph or layout, once its scene is complete."""
        scene = self._scenes.scene
        if not self._wanted or scene is None or self._scenes.message:
            return
        if scene is self._pending or self.view is not None:
            return
        self._pending = scene
        self._jobs.start(
            JOB, "Preparing the hierarchy", lambda context: _prepare(scene, context),
            on_success=self._take, on_failure=self._fail, on_cancel=self._stop,
        )  # fmt: skip

    def _follow_roads(self) -> None:
        """Keep the picture for the same network with changed roads: levels depend on its structure alone."""
        scene, view = self._scenes.scene, self._view
        if view is not None and scene is not None and scene.segments is view.picture.whole.segments:
            self._view = LevelView(view.picture.with_whole(scene), view.detail, view.lit)
        else:
            self._follow_scene()

    def _forget(self) -> None:
        """Free the scenes of the graph before."""
        self._view = None

    def _take(self, picture: LevelPicture) -> None:
        self._pending = None
        if picture.whole is self._scenes.scene:
            before = self._view
            same = before is not None and before.picture.levels is picture.levels
            detail = before.detail if same and before is not None else picture.automatic
            lit = before.lit if before is not None else FIRST_LIT
            self._view = LevelView(picture, detail, min(lit, picture.most_lit))
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, SeparatorsTooLarge):
            self._session.notice(Notice(Severity.WARNING, _too_large(error)))
        else:
            self._session.notice_error(error)
        self._stop()

    def _stop(self) -> None:
        self._pending = None
        self.refused.emit()


def _prepare(scene: DrawableGraph, context: JobContext) -> LevelPicture:
    # A run may need the same hierarchy, and would then wait for this job: it must not wait for the run's trials.
    steady = Observer(context.cancel, lambda done, total: context.progress(done / total, "preparing the hierarchy"))
    levels = levels_of(scene.graph, steady)
    return level_picture(levels, scene, context.observer("sorting the roads of every level"))


def _too_large(error: SeparatorsTooLarge) -> str:
    return (
        f"{error.graph} has no picture of levels: no few vertices divide it, and contraction would turn its "
        f"{format_count(error.own_arcs)} arcs into more than {format_count(error.arcs)}. Networks of roads have levels."
    )
