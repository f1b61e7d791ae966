"""Levels of a hierarchy on the canvas: their preparation in a job, and the bar that
says how much of them is shown.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gui.canvas.scene_store import SceneStore
from gui.model.jobs import JobContext, JobKind, Jobs
from gui.model.session import Session
from gui.style.forms import count_box, row_of, tool_button
from gui.style.text import tool_tip
from gui.style.widgets import GAP, ElidedLabel, PlainLabel
from solvers.errors import SeparatorsTooLarge
from solvers.picture.scene.levels import LevelPicture, LevelView, detail_words, level_picture
from solvers.picture.scene.scene import DrawableGraph
from solvers.system.cancel import Progress
from solvers.text import format_count

FIRST_LIT = 15  # separators: four levels of a dissection into halves

_LIGHT_MS = 250  # between two separators
_PREPARING = "The hierarchy is being prepared …"


class LevelStore(QObject):
    """The levels of the open graph in its present layout, prepared while they are wanted."""

    changed = Signal()  # what is shown of the levels changed
    # there is no picture of levels: the graph is not suited, or the user cancelled its
    # preparation
    refused = Signal()

    def __init__(self, session: Session, jobs: Jobs, scenes: SceneStore, parent: QObject):
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
            self._jobs.drop(JobKind.LEVELS)

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
            JobKind.LEVELS,
            "Preparing the hierarchy",
            lambda context: _prepare(scene, context),
            on_success=self._take,
            on_failure=self._fail,
            on_cancel=self._stop,
        )

    def _follow_roads(self) -> None:
        """Keep the picture for the same network with changed roads: levels depend on
        its structure alone.
        """
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
            self._session.warn(_too_large(error))
        else:
            self._session.notice_error(error)
        self._stop()

    def _stop(self) -> None:
        self._pending = None
        self.refused.emit()


def _prepare(scene: DrawableGraph, context: JobContext) -> LevelPicture:
    from solvers.algorithms.hierarchy.levels import levels_of

    # A run may need the same hierarchy, and would then wait for this job: it must not
    # wait for the run's trials.
    steady = Progress(
        context.cancel,
        lambda done, total: context.progress(done / total, "preparing the hierarchy"),
    )
    levels = levels_of(scene.graph, steady)
    return level_picture(levels, scene, context.progress_for("sorting the roads of every level"))


def _too_large(error: SeparatorsTooLarge) -> str:
    return (
        f"{error.graph} has no levels to show: it has no small separators, and contraction would "
        f"turn its {format_count(error.own_arcs)} arcs into more than {format_count(error.arcs)}. "
        "Road networks have levels."
    )


class LevelsBar(QWidget):
    """Chooses the level of detail and the number of separators, and lights these one
    after another.
    """

    def __init__(self, store: LevelStore):
        super().__init__()
        self._store = store
        # separators that the user asked for; fewer are lit while the lighting runs
        self._wanted = FIRST_LIT
        self.slider = QSlider(Qt.Orientation.Horizontal)
        best = "The most detail that is drawn without delay"
        self.automatic_button = tool_button("Auto", best, self._detail_automatically)
        # its text changes with the detail and must not push the side bars aside
        self.words = ElidedLabel()
        self.separators = count_box(0, 0, 0)
        self.light_button = tool_button(
            tip="Highlight the separators one after another",
            act=self._light_again,
            name="Light the separators",
            icon="play",
        )
        self._timer = QTimer(self)
        self._build()
        self._timer.timeout.connect(self._light_next)
        self.slider.valueChanged.connect(store.set_detail)
        self.separators.valueChanged.connect(self._choose_separators)
        store.changed.connect(self._follow)
        self._follow()

    def _build(self) -> None:
        self.slider.setAccessibleName("Level of detail")
        self.slider.setToolTip(
            tool_tip(
                "Left: only separators of large regions, joined by shortcuts. "
                "Right: the whole graph"
            )
        )
        self.slider.setMinimumWidth(60)
        self.slider.setMaximumWidth(260)
        self.slider.setPageStep(1)
        self.separators.setAccessibleName("Separators")
        self.separators.setToolTip("How many separators are marked, in the order of the dissection")
        row_of(
            PlainLabel("Detail"),
            self.slider,
            self.automatic_button,
            GAP,
            (self.words, 1),
            PlainLabel("Separators"),
            self.separators,
            self.light_button,
            parent=self,
            margins=(0, 0, 0, GAP),
        )

    def _follow(self) -> None:
        view = self._store.view
        for widget in (self.slider, self.automatic_button, self.separators, self.light_button):
            widget.setEnabled(view is not None)
        if view is None:
            self._timer.stop()
            self.words.show_text(_PREPARING)
            return
        for widget, most, value in (
            (self.slider, len(view.picture.scenes) - 1, view.detail),
            (self.separators, view.picture.most_lit, min(self._wanted, view.picture.most_lit)),
        ):
            with QSignalBlocker(widget):
                widget.setRange(0, most)
                widget.setValue(value)
        self.words.show_text(detail_words(view.scene))
        self.words.setToolTip(tool_tip(self.words.whole_text))

    def _detail_automatically(self) -> None:
        if (view := self._store.view) is not None:
            self._store.set_detail(view.picture.automatic)

    def _choose_separators(self, count: int) -> None:
        self._timer.stop()
        self._wanted = count
        self._store.set_lit(count)

    def _light_again(self) -> None:
        self._store.set_lit(0)
        self._timer.start(_LIGHT_MS)

    def _light_next(self) -> None:
        view = self._store.view
        if view is None or not self.isVisible() or view.lit >= self.separators.value():
            self._timer.stop()
        else:
            self._store.set_lit(view.lit + 1)
