"""The side bars: a rail of icons at each edge of the window, and beside each rail the
panel that is open there.

A mode (Explore, Compare) has open panels and widths of its own; every panel can
be opened in every mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QMainWindow, QSplitter, QToolButton, QWidget

from gui.model.settings import Settings
from gui.style.forms import NO_MARGINS, column_of, row_of
from gui.style.icons import icon
from gui.style.paint import CENTRE, bold, paint_frame, smooth_painter, write
from gui.style.text import on_type_size_change, scaled_px, type_scale
from gui.style.theme import tokens
from gui.style.widgets import (
    Card,
    ScaledLabel,
    clear_layout,
    keep_styled,
    on_scheme_change,
    set_colours,
)
from solvers.picture.scene.camera import Margins


class BarSide(Enum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Panel:
    """What a bar can hold, with the icon on its rail."""

    title: str
    icon: str
    content: QWidget
    width: int = 0  # of its own, at type of 100 %; 0 for that of the bar


class LatePanel(QWidget):
    """Holds a panel that is made when first shown: few sessions need it, its modules are
    many, or it belongs to the open graph.
    """

    def __init__(self, make: Callable[[], QWidget]):
        super().__init__()
        self._make, self._column = make, column_of(parent=self, margins=NO_MARGINS)

    def make_again(self) -> None:
        """Drop what it holds, for another."""
        clear_layout(self._column)
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        made = self._make()
        self._column.addWidget(made)
        made.show()  # now, so that it can have the focus

    def showEvent(self, event: QShowEvent) -> None:
        if not self._column.count():
            self._fill()
        super().showEvent(event)


@dataclass(frozen=True)
class Mode:
    """A task, with the panels that are open when it is entered first."""

    name: str
    tip: str
    left: str = ""
    right: str = ""
    after_run: str = ""  # title of the panel that a run opens; "" for none
    tells_end: bool = True  # whether the end of a run is told where no results are seen
    begin: Callable[[], object] = lambda: None  # when the user chooses it


EXPLORE = Mode("Explore", "Move source and target, and see the path between them", right="Path")
COMPARE = Mode(
    "Compare", "Run variants and compare their times", left="Variants", after_run="Results"
)
MODES = (EXPLORE, COMPARE)  # those of the core

_ICON, _AROUND = 20, 12  # of a rail's buttons in usual type, and around icons and buttons
_MARGIN, _GAP = 12, 8  # around the cards
_INSIDE = (1, 1, 1, 10)  # of a card, around its content: room for its border and the round corners
_TITLE = 40
_RADIUS = 6.0
_LEAST = {BarSide.LEFT: 220, BarSide.RIGHT: 280}
_MOST = {BarSide.LEFT: 700, BarSide.RIGHT: 800}
_USUAL = {BarSide.LEFT: 272, BarSide.RIGHT: 340}
_ONE_BAR_BELOW = 1200  # pixels of the window's width
_LEAST_BETWEEN = 300  # pixels for legend and zoom buttons, which a wide panel leaves
_CANVAS_SHARE = 2 / 3  # of the window's area, which panels opened by the program leave free
_START_SHARE = 0.85  # of the screen
_LEAST_START = (1280, 720)


class FlatButton(QToolButton):
    """A button of an action with its icon, or its text without one; filled in the
    selection's colour while checked.
    """

    def __init__(self, action: QAction, icon_name: str = ""):
        super().__init__()
        self._icon_name = icon_name
        self.setDefaultAction(action)
        self.setAccessibleName(action.text())
        # as in toolbars
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if icon_name else Qt.FocusPolicy.NoFocus)
        on_scheme_change(self.update)

    def sizeHint(self) -> QSize:
        if self._icon_name:
            return QSize(_button_px(), _button_px())
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 16, metrics.height() + 12)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with smooth_painter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        t, checked = tokens(), self.isChecked()
        area = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        ground = t.raised if self.underMouse() else t.panel
        edge = t.accent if self.hasFocus() else None
        paint_frame(painter, area, _RADIUS, edge, t.selection if checked else ground, 1.5)
        if self._icon_name:
            inset = (self.width() - scaled_px(_ICON)) // 2
            place = self.rect().adjusted(inset, inset, -inset, -inset)
            icon(self._icon_name, t.accent if checked else t.muted).paint(painter, place)
            return
        if checked:
            painter.setFont(bold(self.font()))
        colour = t.text if checked else t.muted
        write(painter, self.rect(), self.text(), colour, CENTRE)


class ModeSwitch(QWidget):
    """The modes beside each other in a frame, the present one filled."""

    def __init__(self, actions: Sequence[QAction]):
        super().__init__()
        row_of(
            *(FlatButton(action) for action in actions),
            parent=self,
            margins=(1, 1, 1, 1),
            spacing=0,
        )
        on_scheme_change(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        with smooth_painter(self) as painter:
            paint_frame(painter, self.rect(), _RADIUS, tokens().border)


class _FilledCard(Card):
    """A card whose parts fill their ground, so that nothing of them is painted when the
    picture below changes.
    """

    def __init__(self, parts: Iterable[QWidget], parent: QWidget | None = None):
        super().__init__(parent)
        for part in parts:
            part.setAutoFillBackground(True)
            part.setBackgroundRole(QPalette.ColorRole.Window)
        keep_styled(self._restyle)

    def _restyle(self) -> None:
        set_colours(self, {QPalette.ColorRole.Window: tokens().panel})


class _Rail(_FilledCard):
    """The icons of one edge."""

    def __init__(self, parent: QWidget, buttons: Sequence[FlatButton]):
        icons = QWidget()
        super().__init__([icons], parent)
        column_of(*buttons, parent=icons, margins=NO_MARGINS, spacing=4)
        column_of(icons, parent=self, margins=(6, 6, 6, 6), spacing=0)


class _Bar(_FilledCard):
    """The open panel of one side below its title."""

    def __init__(self, side: BarSide, panels: Sequence[Panel], close: QAction):
        self._title, button = ScaledLabel(weight=QFont.Weight.DemiBold, factor=1.0), QToolButton()
        super().__init__([self._title, button, *(panel.content for panel in panels)])
        self._side, self._panels = side, panels
        self.last_title = panels[0].title
        button.setDefaultAction(close)
        button.setText("‹" if side is BarSide.LEFT else "›")
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its action has a key
        head = QWidget()
        head.setMinimumHeight(_TITLE)
        row_of((self._title, 1), button, parent=head, margins=(14, 0, 8, 0))
        column_of(
            head, *((panel.content, 1) for panel in panels), parent=self, margins=_INSIDE, spacing=0
        )
        self.show_panel("")

    def show_panel(self, title: str) -> None:
        """Show this panel only; "" hides the bar."""
        for panel in self._panels:
            panel.content.setVisible(panel.title == title)
        if title:
            self.last_title = title
            self._title.setText(title)
        self.setMaximumWidth(_grown(_MOST[self._side]))
        self.setVisible(bool(title))

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), _grown(_LEAST[self._side])), hint.height())


@dataclass
class _Arrangement:
    """What is open in a mode."""

    open: dict[BarSide, str]
    widths: dict[BarSide, int] = field(default_factory=lambda: dict(_USUAL))  # at type of 100 %
    chosen: set[BarSide] = field(default_factory=set)  # sides that the user opened
    last: BarSide = BarSide.LEFT  # opened last


class SideBars(QWidget):
    """The rails and bars over the edges of the window's content, which fills all of it.

    A user drags the border of a bar to make it wider, or so narrow that it closes. In a
    window narrower than 1200 pixels, at type of 100 %, only the bar that was opened
    last is shown.
    """

    changed = Signal()  # another panel is shown, or one less
    covered = Signal(object)  # Margins: what rails and bars cover of the content
    mode_changed = Signal()
    concealed_changed = Signal(bool)

    def __init__(
        self,
        settings: Settings,
        left: Sequence[Panel],
        centre: QWidget,
        right: Sequence[Panel],
        modes: Sequence[Mode] = MODES,
    ):
        super().__init__()
        self._settings = settings
        self._arrangements = {mode: _restored(settings, mode) for mode in modes}
        self.mode = next((mode for mode in modes if mode.name == settings.mode), COMPARE)
        self._shown = dict.fromkeys(BarSide, "")
        self.concealed = self.folded = False
        self._covered = Margins()
        sides = {BarSide.LEFT: left, BarSide.RIGHT: right}
        self._sides = {panel.title: side for side, panels in sides.items() for panel in panels}
        # kept ones may name panels of another version
        for arrangement in self._arrangements.values():
            arrangement.open = {
                side: title if self._sides.get(title) is side else ""
                for side, title in arrangement.open.items()
            }
        self._titles = {panel.content: panel.title for panel in (*left, *right)}
        self.actions_of_panels = {
            panel.title: self._action(panel.title) for panel in (*left, *right)
        }
        self._rails, self._bars = {}, {}
        for side, panels in sides.items():
            buttons = [
                FlatButton(self.actions_of_panels[panel.title], panel.icon) for panel in panels
            ]
            self._rails[side] = _Rail(self, buttons)
            self._bars[side] = _Bar(side, panels, self._closing(side))
        self._centre, self._between = centre, QWidget()
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self._bars[BarSide.LEFT])
        # here, so that Tab leads from the left bar to it, and from it to the right one
        centre.setParent(self)
        for part in (self._between, self._bars[BarSide.RIGHT]):
            self._splitter.addWidget(part)
        self._own_widths = {panel.title: panel.width for panel in (*left, *right) if panel.width}
        self._splitter.setHandleWidth(_GAP)
        self._splitter.setCollapsible(1, False)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.splitterMoved.connect(self._take_widths)
        self._between.installEventFilter(self)
        centre.lower()
        self.setMinimumSize(centre.minimumSizeHint())
        on_type_size_change(self._apply)
        self._apply()

    def is_shown(self, title: str) -> bool:
        return title in self._shown.values()

    def open(self, title: str, *, by_user: bool = False) -> None:
        """Open a panel in its bar.

        Unless the user asked for it, the other bar is closed where the canvas would
        have less than two thirds of the window and the user has not opened that bar.
        """
        now, side = self._now, self._sides[title]
        other = BarSide.LEFT if side is BarSide.RIGHT else BarSide.RIGHT
        now.open[side], now.last = title, side
        if by_user:
            self.folded = False
            now.chosen.add(side)
        elif other not in now.chosen and self._canvas_share() < _CANVAS_SHARE:
            now.open[other] = ""
        self._apply()

    def title_of(self, widget: QWidget) -> str:
        """Title of the panel that is ``widget``; "" for another widget."""
        return self._titles.get(widget, "")

    def close_bar(self, side: BarSide) -> None:
        self._now.open[side] = ""
        self._now.chosen.discard(side)
        self._apply()

    def toggle(self, side: BarSide) -> None:
        """Close a bar, or open the panel again that it had last."""
        if self._shown[side]:
            self.close_bar(side)
        else:
            self.open(self._bars[side].last_title, by_user=True)

    def toggle_both(self) -> None:
        """Close all bars, or open both."""
        sides = [side for side in BarSide if bool(self._shown[side]) is any(self._shown.values())]
        for side in sides:
            self.toggle(side)

    def conceal(self, concealed: bool) -> None:
        """Hide rails and bars, or show them as they were."""
        self.concealed = concealed
        self._apply()
        self.concealed_changed.emit(concealed)

    def fold(self, folded: bool) -> None:
        """Close both bars until the user opens a panel, or show them as they were."""
        self.folded = folded
        self._apply()

    def set_mode(self, mode: Mode) -> None:
        if mode is not self.mode:
            self.mode = mode
            self._apply()
            self.mode_changed.emit()

    def save(self) -> None:
        """Keep the mode, and open panels and widths of every mode."""
        self._settings.mode = self.mode.name
        for mode, kept in self._arrangements.items():
            for side in BarSide:
                self._settings.set_bar(mode.name, side.value, kept.open[side], kept.widths[side])

    @property
    def _now(self) -> _Arrangement:
        return self._arrangements[self.mode]

    def _apply(self) -> None:
        """Show what is open, as far as there is room."""
        now = self._now
        both = all(now.open.values()) and self.width() >= _ONE_BAR_BELOW * type_scale()
        seen = [
            side
            for side in BarSide
            if not (self.concealed or self.folded)
            and (both or side is now.last or not now.open[now.last])
        ]
        shown = {side: now.open[side] if side in seen else "" for side in BarSide}
        for side in BarSide:
            self._rails[side].setVisible(not self.concealed)
            self._bars[side].show_panel(shown[side])
        for title, action in self.actions_of_panels.items():
            action.setChecked(title in shown.values())
        self._place()
        left, right = (
            _grown(self._own_widths.get(shown[side], now.widths[side])) if shown[side] else 0
            for side in BarSide
        )
        most = self._splitter.width() - right - _grown(_LEAST_BETWEEN)
        left = left and max(self._bars[BarSide.LEFT].minimumSizeHint().width(), min(left, most))
        self._splitter.setSizes([left, max(0, self._splitter.width() - left - right), right])
        changed, self._shown = shown != self._shown, shown
        self._follow_between()
        if changed:
            self.changed.emit()

    def _place(self) -> None:
        """Lay the content below everything, the rails at its edges, and the splitter
        between them.
        """
        self._centre.setGeometry(self.rect())
        for side, rail in self._rails.items():
            wide = _rail_px()
            x = _MARGIN if side is BarSide.LEFT else self.width() - _MARGIN - wide
            rail.setGeometry(x, _MARGIN, wide, rail.sizeHint().height())
        edge = _MARGIN + _rail_px() + _GAP
        self._splitter.setGeometry(
            edge, _MARGIN, self.width() - 2 * edge, self.height() - 2 * _MARGIN
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._between and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._follow_between()
        return super().eventFilter(watched, event)

    def _follow_between(self) -> None:
        """Let the pointer through to the content between the bars, and say what is covered."""
        between, edge = self._between.geometry(), _MARGIN + _rail_px() + _GAP
        self._splitter.setMask(QRegion(self._splitter.rect()) - QRegion(between))
        self._splitter.setVisible(any(self._shown.values()))
        sides = (edge + between.left(), edge + self._splitter.width() - between.right() - 1)
        left, right = (
            side if self._shown[which] else _MARGIN + _rail_px()
            for which, side in zip(BarSide, sides, strict=True)
        )
        covered = Margins() if self.concealed else Margins(left, 0, right, 0)
        if covered != self._covered:
            self._covered = covered
            self.covered.emit(covered)

    def _take_widths(self) -> None:
        """Follow the border that the user drags."""
        left, _, right = self._splitter.sizes()
        for side, width in ((BarSide.LEFT, left), (BarSide.RIGHT, right)):
            if self._shown[side] and not width:
                self.close_bar(side)
            elif width:
                title = self._shown[side]
                widths, key = (
                    (self._own_widths, title)
                    if title in self._own_widths
                    else (self._now.widths, side)
                )
                widths[key] = round(width / _growth())  # type: ignore[index]

    def _canvas_share(self) -> float:
        """The canvas's share of the window's area with the bars that are open now."""
        window, now = self.window().size(), self._now
        bars = sum(_grown(now.widths[side]) for side in BarSide if now.open[side])
        return (
            (self.width() - 2 * (_MARGIN + _rail_px()) - bars)
            * self.height()
            / (window.width() * window.height())
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply()

    def _action(self, title: str) -> QAction:
        action = QAction(title, self)
        action.setCheckable(True)
        action.triggered.connect(partial(self._press, title))
        return action

    def _press(self, title: str) -> None:
        self.close_bar(self._sides[title]) if self.is_shown(title) else self.open(
            title, by_user=True
        )

    def _closing(self, side: BarSide) -> QAction:
        action = QAction(f"Close the {side.value} bar", self)
        action.setToolTip(f"Close this bar ({'Ctrl+[' if side is BarSide.LEFT else 'Ctrl+]'})")
        action.triggered.connect(partial(self.close_bar, side))
        return action


def reveal(widget: QWidget | None, *, by_user: bool = False) -> None:
    """Open the panel that a widget is, or is in; does nothing for a widget elsewhere."""
    path = []
    while widget is not None and not isinstance(widget, SideBars):
        path.append(widget)
        widget = widget.parentWidget()
    if widget is not None and (title := next(filter(None, map(widget.title_of, path)), "")):
        widget.open(title, by_user=by_user)


def _button_px() -> int:
    return scaled_px(_ICON) + _AROUND


def _rail_px() -> int:
    return _button_px() + _AROUND


def _grown(width: int) -> int:
    """A width for the size of the type; it grows half as fast as the type, which leaves
    the canvas room.
    """
    return round(width * _growth())


def _growth() -> float:
    return 1.0 + (type_scale() - 1.0) / 2


def _restored(settings: Settings, mode: Mode) -> _Arrangement:
    """The arrangement that was kept for a mode, or that of its first time."""
    now = _Arrangement({BarSide.LEFT: mode.left, BarSide.RIGHT: mode.right})
    for side in BarSide:
        if (kept := settings.bar(mode.name, side.value)) is not None:
            now.open[side], now.widths[side] = kept
    return now


def restore_geometry(window: QMainWindow, settings: Settings) -> None:
    """Place the window as it was left; at the first start, most of the screen."""
    if (geometry := settings.geometry) is not None:
        window.restoreGeometry(geometry)
        return
    screen = QGuiApplication.primaryScreen().availableGeometry()
    size, (width, height) = screen.size() * _START_SHARE, _LEAST_START
    window.resize(
        max(size.width(), min(width, screen.width())),
        max(size.height(), min(height, screen.height())),
    )
    window.move(screen.center() - window.rect().center())
