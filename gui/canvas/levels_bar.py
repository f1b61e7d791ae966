"""The bar below the canvas that says how much is shown of the hierarchy's levels."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QSlider, QSpinBox, QToolButton, QWidget

from gui.canvas.level_store import FIRST_LIT, LevelStore
from gui.picture.scene.levels import detail_words
from gui.style.common_widgets import GAP, ElidedLabel, PlainLabel, on_scheme_change
from gui.style.icons import icon

_LIGHT_MS = 250  # between two separators
_PREPARING = "The hierarchy is being prepared …"


class LevelsBar(QWidget):
    """Chooses the level of detail and the number of separators, and lights these one after another.

    Parameters
    ----------
    store : LevelStore
    """

    def __init__(self, store: LevelStore, parent: QWidget | None = None):
        super().__init__(parent)
        self._store = store
        self._wanted = FIRST_LIT  # separators that the user asked for; fewer are lit while the lighting runs
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.automatic_button = QToolButton()
        self.words = ElidedLabel()  # its text changes with the detail and must not push the docks aside
        self.separators = QSpinBox()
        self.light_button = QToolButton()
        self._timer = QTimer(self)
        self._build()
        self._timer.timeout.connect(self._light_next)
        self.slider.valueChanged.connect(store.set_detail)
        self.automatic_button.clicked.connect(self._detail_automatically)
        self.separators.valueChanged.connect(self._choose_separators)
        self.light_button.clicked.connect(self._light_again)
        store.changed.connect(self._follow)
        on_scheme_change(self._restyle)
        self._restyle()
        self._follow()

    def _build(self) -> None:
        self.slider.setAccessibleName("Level of detail")
        self.slider.setToolTip("Left: only separators of large regions, joined by shortcuts. Right: the whole graph")
        self.slider.setMinimumWidth(60)
        self.slider.setMaximumWidth(260)
        self.slider.setPageStep(1)
        self.automatic_button.setText("Auto")
        self.automatic_button.setToolTip("The most detail that is drawn without delay")
        self.separators.setAccessibleName("Separators")
        self.separators.setToolTip("How many separators are marked, in the order of the dissection")
        self.light_button.setToolTip("Light the separators one after another")
        self.light_button.setAccessibleName("Light the separators")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, GAP)
        row.addWidget(PlainLabel("Detail"))
        row.addWidget(self.slider)
        row.addWidget(self.automatic_button)
        row.addSpacing(GAP)
        row.addWidget(self.words, 1)
        row.addWidget(PlainLabel("Separators"))
        row.addWidget(self.separators)
        row.addWidget(self.light_button)
        for button in (self.automatic_button, self.light_button):
            button.setAutoRaise(True)

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
            widget.blockSignals(True)
            widget.setRange(0, most)
            widget.setValue(value)
            widget.blockSignals(False)
        self.words.show_text(detail_words(view.scene))
        self.words.setToolTip(self.words.whole_text)

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

    def _restyle(self) -> None:
        self.light_button.setIcon(icon("play"))
