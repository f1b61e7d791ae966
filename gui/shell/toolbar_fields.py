"""Fields of the toolbar: the graph, vertices, the search, the device, and the weights
of a road network.

The device is the one that kernels run on. The weights are travel time or length; their
box is hidden for other graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from gui.model.devices import Devices
from gui.model.session import Session
from gui.style.icons import icon
from gui.style.paint import (
    CARD_RADIUS,
    RADIUS,
    RIGHT,
    bold,
    draw_mark,
    paint_frame,
    smooth,
    smooth_painter,
    write,
)
from gui.style.text import (
    button_text,
    escape_controls,
    fitting_letters,
    on_type_size_change,
    scaled_px,
    scaled_square,
    tool_tip,
)
from gui.style.theme import tokens
from gui.style.widgets import ElidedBox, PlainLabel, on_scheme_change, set_colours
from solvers.devices.device import Device
from solvers.errors import InputError, SeveralMeant
from solvers.graphs.graph import Graph
from solvers.graphs.network import End, end_of
from solvers.graphs.search import find
from solvers.picture.colours import Tokens
from solvers.text import plural

FIELD_WIDTH, SHORT_FIELD = 136, 77  # for coordinates, and for eight digits
_FIELD_INSET = 10  # of a field's text, in pixels
# of a bar: around its card, and around what is on it
_CARD, MARGINS = (12, 10, 12, 0), (18, 17, 18, 7)
NOTICES = "notices"  # object name of the bar that an error must not cover

_MOST_WIDTHS = (300, 180, 96)  # pixels of the whole name, a shorter and the shortest, at 100 % type
_VENDORS = ("NVIDIA ", "AMD ", "Intel(R) ")

_WORDS = {"seconds": "Fastest", "metres": "Shortest"}
_USUAL_LENGTH = max(map(len, _WORDS.values()))  # the box is as wide while it lists nothing
_TIPS = {
    "seconds": "Paths are those of the least travel time, in seconds",
    "metres": "Paths are those of the least length, in metres",
}

HINTS = ("Find a vertex, street, variant or command", "Find a place or command")
_LEAST_SEARCH, _MOST_SEARCH = 190, 420  # pixels at 100 % type
_UNLIMITED = (1 << 24) - 1  # as Qt has it
_MARK, _CARET = 16, 10
# pixels with numbers, of the name, and of a short one, at 100 % type
_CHIPS, _FACTS_GAP = (250, 144, 116), 8


def settle_bar(bar: QToolBar) -> None:
    """Keep what is on a bar within its card; the style resets these margins when it changes."""
    layout = bar.layout()
    assert layout is not None  # every toolbar has one
    layout.setContentsMargins(*MARGINS)


def paint_bar(bar: QWidget) -> None:
    """Paint the ground of a bar over the canvas, on which it is a card."""
    t, (left, top, right, bottom) = tokens(), _CARD
    with QPainter(bar) as painter:
        painter.fillRect(bar.rect(), QColor(t.canvas))
        smooth(painter)
        card = bar.rect().adjusted(left, top, -right, -bottom)
        paint_frame(painter, card, CARD_RADIUS, t.border, t.panel)


class VertexField(QLineEdit):
    """Line edit for a vertex id, or coordinates or a name that stand for a vertex.

    An unknown id shows an error below the field, with the nearest ids. ``on_empty`` is
    called when the text was cleared; without it, an empty field gets its old text back.
    """

    left = Signal()  # editing ended by Enter or Escape; the canvas can take the keyboard focus

    def __init__(
        self,
        session: Session,
        name: str,
        # called with the vertex index of a valid id, or a place
        on_end: Callable[[End], object],
        on_empty: Callable[[], object] | None = None,
    ):
        super().__init__()
        self._session = session
        self._on_end = on_end
        self._on_empty = on_empty
        self._content: int | None = None
        self._bubble: PlainLabel | None = None
        self._mark = QAction(self)
        self.setObjectName(name)
        self.setAccessibleName(f"{name} vertex id")
        on_type_size_change(self._fit_type)
        self._fit_type()
        session.noticed.connect(self.clear_error)  # which is where a notice appears
        session.results.run_state_changed.connect(self._follow_run)
        self.editingFinished.connect(self._take)
        self.returnPressed.connect(self._leave)
        self.textEdited.connect(self.clear_error)
        self.textChanged.connect(self._fit_letters)

    def _fit_type(self) -> None:
        self.setFixedWidth(scaled_px(FIELD_WIDTH))
        self._fit_letters()

    def _fit_letters(self) -> None:
        """Show a long text in smaller letters, rather than cut."""
        room = self.width() - 2 * _FIELD_INSET
        self.setFont(fitting_letters((self.text(),), QApplication.font(), room)[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_letters()

    def _follow_run(self) -> None:
        """Show the vertex that a run is made with in place of an id that was refused."""
        if self._bubble is not None and self._session.results.run_state.running_variant is not None:
            self.show_vertex(self._content)

    def event(self, event: QEvent) -> bool:
        """Claim Esc from the window's command while an error is shown, so that the key
        takes it away.
        """
        is_override = event.type() is QEvent.Type.ShortcutOverride and self._bubble is not None
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def show_vertex(self, vertex: int | None) -> None:
        """Show the id of a vertex index; nothing for None."""
        self._content = vertex
        graph = self._session.graph
        self.setText("" if vertex is None or graph is None else self._session.end_text(vertex))
        self.setCursorPosition(0)  # a long id is cut at its end
        self.setModified(False)
        self.clear_error()

    @property
    def error(self) -> str:
        """The error shown for the current text; "" if there is none."""
        return self._bubble.text() if self._bubble is not None else ""

    def clear_error(self) -> None:
        if self._bubble is not None:
            self._bubble.hide()
            self._bubble.deleteLater()
            self._bubble = None
            self.removeAction(self._mark)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if (
            self._bubble is not None
            and event.reason() is not Qt.FocusReason.ActiveWindowFocusReason
        ):
            self.show_vertex(self._content)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.show_vertex(self._content)
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationPaletteChange:
            self.clear_error()

    def _leave(self) -> None:
        if not self.error:
            self.left.emit()

    def _take(self) -> None:
        graph = self._session.uncut
        if graph is None or not self.isModified():
            return
        self.setModified(False)
        text = self.text().strip()
        if not text:
            if self._on_empty is not None:
                self._on_empty()
            self.show_vertex(None if self._on_empty is not None else self._content)
            return
        try:
            spot = find(graph, text)
        except SeveralMeant as error:
            self._ask(error.choices)
            return
        except InputError as error:
            self._show_error(str(error))
            return
        if spot.place is not None:  # shown when its point is known
            self._on_end(end_of(spot))
            return
        self.show_vertex(spot.vertex)
        self._on_end(spot.vertex)
        if sentence := spot.sentence(graph):
            self._session.inform(sentence)

    def _ask(self, choices: Sequence[str]) -> None:
        """Have one of several places chosen in a menu; the text stays without a choice."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in choices:
            menu.addAction(button_text(name), partial(self._choose, name))
        self.setModified(True)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _choose(self, name: str) -> None:
        self.setText(name)
        self.setModified(True)
        self._take()

    def _show_error(self, text: str) -> None:
        self.clear_error()
        t = tokens()
        bubble = PlainLabel(text, self.window())
        bubble.setAutoFillBackground(True)
        bubble.setMargin(6)
        roles, text = QPalette.ColorRole, "#101418" if t.dark else "#FFFFFF"
        set_colours(bubble, {roles.Window: t.bad, roles.WindowText: text})
        bubble.adjustSize()
        corner = self.mapTo(self.window(), QPoint(0, self.height() + 3))
        x = min(corner.x(), self.window().width() - bubble.width() - 4)
        bubble.move(x, self._top_below_notice(bubble.rect().translated(x, corner.y())))
        bubble.show()
        self._bubble = bubble
        self._mark.setIcon(icon("error", t.bad))
        self._mark.setToolTip(tool_tip(text))
        self.addAction(self._mark, QLineEdit.ActionPosition.TrailingPosition)

    def _top_below_notice(self, wanted: QRect) -> int:
        """The top of ``wanted`` or, where a notice is shown there, the first pixel
        below the notice.
        """
        notice = self.window().findChild(QWidget, NOTICES)
        if notice is None or not notice.isVisible():
            return wanted.top()
        place = QRect(notice.mapTo(self.window(), QPoint(0, 0)), notice.size())
        return place.bottom() + 4 if place.intersects(wanted) else wanted.top()


class DeviceBox(ElidedBox):
    """Combo box of the devices that kernels can run on, as wide as the name that it shows."""

    widened = Signal()  # the name needs another width

    def __init__(self, session: Session, devices: Devices):
        super().__init__()
        self._session, self._devices = session, devices
        self.setObjectName("device")
        self.setAccessibleName("Device")
        self._level = 0
        on_type_size_change(self.refresh)
        self.activated.connect(self._use)
        devices.found.connect(self.refresh)
        session.device_changed.connect(self.refresh)
        self.refresh()

    def shorten(self, level: int) -> None:
        """Make room for the whole name (0), a shorter one (1) or the shortest (2): less where
        that is too long.
        """
        self._level = level
        forms, most = self.forms(self.currentIndex()), scaled_px(_MOST_WIDTHS[level])
        widths = map(self.room_for, forms[min(level, len(forms) - 1) :])
        self.setFixedWidth(next((width for width in widths if width <= most), most))

    def refresh(self) -> None:
        before = self.currentText()
        self.clear()
        for device in self._devices.list.devices:
            whole, *shorter = device_names(device)
            self.addItem(whole, device.key)
            self.setItemData(self.count() - 1, tuple(shorter), self.FORMS_ROLE)
            self.setItemData(
                self.count() - 1, tool_tip(f"{whole}\n{device.driver}"), Qt.ItemDataRole.ToolTipRole
            )
        if self.count():
            current = self._session.device
            self.setCurrentIndex(self.findData(current.key) if current is not None else 0)
        else:
            self.addItem("No device found" if self._devices.known else "Searching for devices…", "")
        self.setEnabled(bool(self._devices.list.devices))
        text = str(self.itemData(self.currentIndex(), Qt.ItemDataRole.ToolTipRole) or "")
        self.setToolTip(
            tool_tip(
                f"Device that kernels run on: {text}"
                if text
                else "Help > Devices lists what is missing"
            )
        )
        self.shorten(self._level)
        if self.currentText() != before:
            self.widened.emit()

    def _use(self, index: int) -> None:
        self._devices.use(self.itemData(index))


def device_names(device: Device) -> tuple[str, ...]:
    """The name from whole to short: "CUDA: NVIDIA H200", "CUDA: H200", "H200".

    The processor is "CPU: AMD EPYC (OpenCL)", "CPU: AMD EPYC", "CPU".
    """
    name = escape_controls(device.name)
    if device.is_cpu:
        return f"CPU: {name} (OpenCL)", f"CPU: {name}", "CPU"
    kind = "CUDA" if device.kind == "cuda" else "OpenCL"
    model = name.removeprefix(next((vendor for vendor in _VENDORS if name.startswith(vendor)), ""))
    return f"{kind}: {name}", f"{kind}: {model}", model


class WeightsBox(QComboBox):
    """Shows what the roads are weighted by, and changes it."""

    def __init__(self, session: Session, choose: Callable[[str], None]):
        super().__init__()
        self._session = session
        self.setObjectName("weights")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumContentsLength(_USUAL_LENGTH)
        self.setAccessibleName("Weights of the roads")
        self.activated.connect(lambda index: choose(self.itemData(index)))
        session.graph_changed.connect(self.refresh)
        session.weights_changed.connect(self.refresh)
        self.refresh()

    @property
    def is_useful(self) -> bool:
        """Whether the open graph has several weights."""
        graph = self._session.graph
        return graph is not None and graph.roads is not None and len(graph.roads.weights) > 1

    def refresh(self) -> None:
        """List the weights of the open graph."""
        self.clear()
        graph = self._session.graph
        columns = () if graph is None or graph.roads is None else graph.roads.weights
        for column in columns:
            self.addItem(_WORDS.get(column.name, column.name), column.name)
        units = [column.unit for column in columns]
        current = (
            units.index(graph.weight_unit)
            if graph is not None and graph.weight_unit in units
            else -1
        )
        self.setCurrentIndex(current)
        self.setToolTip(
            tool_tip(_TIPS.get(str(self.currentData()), "Choose what the roads are weighted by"))
        )


class _PaintedButton(QToolButton):
    """A button with a frame of the theme."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        on_scheme_change(self.update)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @contextmanager
    def _framed(self) -> Iterator[tuple[QPainter, QRect, Tokens]]:
        """Paint the frame; what is in it goes into the area."""
        t = tokens()
        with smooth_painter(self) as painter:
            edge = t.accent if self.hasFocus() else t.border
            ground = t.raised if self.underMouse() or self.isDown() else t.panel
            paint_frame(painter, self.frame(), RADIUS, edge, ground)
            yield painter, self.frame().adjusted(_FACTS_GAP, 0, -_FACTS_GAP, 0), t

    def frame(self) -> QRect:
        return self.rect()


class SearchButton(_PaintedButton):
    """Looks like a field, and opens the search; only an icon where there is no room."""

    def __init__(self, action: QAction):
        super().__init__()
        self._wide = True
        self.setDefaultAction(action)
        self.setAccessibleName("Search")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_hint(self, shown: bool) -> None:
        """Be as wide as there is room for, or an icon."""
        self._wide = shown
        self.setMaximumWidth(_UNLIMITED if shown else self.sizeHint().width())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        height = self.fontMetrics().height() + 12
        return QSize(scaled_px(_LEAST_SEARCH) if self._wide else height, height)

    def frame(self) -> QRect:
        frame = QRect(0, 0, min(self.width(), scaled_px(_MOST_SEARCH)), self.height())
        frame.moveCenter(self.rect().center())
        return frame

    def paintEvent(self, event: QPaintEvent) -> None:
        with self._framed() as (painter, area, t):
            self._paint(painter, area, t)

    def _paint(self, painter: QPainter, area: QRect, t: Tokens) -> None:
        mark, across = QRect(area.topLeft(), scaled_square(_MARK)), area
        if self._wide:
            across = mark
        mark.moveCenter(QPoint(across.center().x(), area.center().y()))
        icon("find", t.muted).paint(painter, mark)
        if self._wide:
            key = self.defaultAction().shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            write(painter, area, key, t.muted, RIGHT)
            area.adjust(mark.width() + 6, 0, -self.fontMetrics().horizontalAdvance(f"{key}  "), 0)
            fits = (
                hint for hint in HINTS if self.fontMetrics().horizontalAdvance(hint) <= area.width()
            )
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, next(fits, "Search"))


class GraphChip(_PaintedButton):
    """The name of the open graph, and its number of vertices; a click opens the menu of graphs.

    It is as wide for every graph, so that opening one moves no other button.
    """

    def __init__(self, session: Session, menu: QMenu):
        super().__init__()
        self._session, self._level = session, 0
        self.setObjectName("graph")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(menu)
        for signal in (session.graph_changed, session.weights_changed, session.network_changed):
            signal.connect(self.refresh)
        on_type_size_change(self.refresh)
        self.refresh()

    def shorten(self, level: int) -> None:
        """Show name and numbers (0), the name (1), or what there is room for of it (2);
        the tool tip has both.
        """
        self._level = level
        self.updateGeometry()

    def refresh(self) -> None:
        graph = self._session.uncut
        # whose name does not count changed roads
        name = "Open a graph" if graph is None else escape_controls(graph.as_read.name)
        self.setText(name)
        changes = "" if graph is None else str(self._session.applied_roads)
        size = "" if graph is None else plural(graph.n, "vertex", "vertices")
        self._facts = changes or size
        lines = (self.text(), changes, "" if graph is None else facts(graph))
        self.setToolTip(tool_tip("\n".join(filter(None, lines))))
        self.setAccessibleName(f"Graph: {self.text()}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled_px(_CHIPS[self._level]), self.fontMetrics().height() + 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self._framed() as (painter, area, t):
            self._paint(painter, area, t)

    def _paint(self, painter: QPainter, area: QRect, t: Tokens) -> None:
        words = area.adjusted(0, 0, -scaled_px(_MARK), 0)
        if not self._level and self._facts:
            write(painter, words, self._facts, t.muted, RIGHT)
            words.adjust(0, 0, -self.fontMetrics().horizontalAdvance(self._facts) - _FACTS_GAP, 0)
        painter.setFont(bold(self.font()))
        name = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, words.width()
        )
        write(painter, words, name, t.text)
        place = area.adjusted(area.width() - scaled_px(_CARET), 0, 0, 0)
        draw_mark(painter, place, QColor(t.muted))


def facts(graph: Graph) -> str:
    """The graph in one line: ``"264,346 vertices   733,846 arcs   int32   directed"``."""
    parts = [plural(graph.n, "vertex", "vertices"), plural(graph.m, "arc"), graph.weight_type.name]
    return "\u2003".join([*parts, "directed" if graph.directed else "undirected"])
