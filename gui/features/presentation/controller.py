"""Enters and leaves the presentation, in which the canvas is edge to edge with a caption and
a thin scrubber, in large type, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QToolBar, QWidget
from shiboken6 import isValid

from gui.contributions import WindowActs
from gui.features.presentation.widgets import CaptionLine, PresentationFoot
from gui.parts import WindowComponents

_LARGER = 1.4  # than the type of the window


@dataclass(frozen=True)
class _Before:
    """What is restored when the presentation ends."""

    window_state: Qt.WindowState
    bars: tuple[QWidget, ...]  # that were visible
    focus: QWidget | None


class PresentationController(QObject):
    def __init__(self, parts: WindowComponents, acts: WindowActs):
        super().__init__(parts.window)
        self._window, self._area, self._look = parts.window, parts.canvas, parts.look
        self._bars, self._overlay = acts.bars, acts.overlay
        self._before: _Before | None = None
        self.caption = CaptionLine(
            parts.session, parts.playback, parts.display_choices, parts.canvas
        )
        self.foot = PresentationFoot(parts.playback, parts.canvas)
        for part in (self.caption, self.foot):
            part.hide()
        acts.centre.insertWidget(0, self.caption)
        acts.centre.addWidget(self.foot)

    @property
    def on(self) -> bool:
        return self._before is not None

    def set_on(self, on: bool) -> None:
        """Enter or leave presentation mode; leaving restores bars, type and window as they were."""
        if on != self.on:
            self._enter() if on else self._leave()

    def _enter(self) -> None:
        window = self._window
        bars = (window.menuBar(), *window.findChildren(QToolBar))
        self._before = _Before(
            window.windowState(),
            tuple(bar for bar in bars if not bar.isHidden()),
            window.focusWidget(),
        )
        for part in bars:
            part.hide()
        self._bars.conceal(True)
        self._overlay.show_foot(False)
        self._area.show_legend_elsewhere(True)
        self._look.enlarge_type(_LARGER)
        self.caption.show()
        window.showFullScreen()
        self.foot.show_now()
        self._area.setFocus()

    def _leave(self) -> None:
        before, self._before = self._before, None
        assert before is not None  # `set_on` has seen it
        window = self._window
        self.caption.hide()
        self.foot.hide()
        self._look.enlarge_type(1.0)
        self._area.show_legend_elsewhere(False)
        self._overlay.show_foot(True)
        window.setWindowState(before.window_state)
        for bar in before.bars:
            bar.show()
        self._bars.conceal(False)
        # a panel may have replaced it meanwhile
        if before.focus is not None and isValid(before.focus):
            before.focus.setFocus()
