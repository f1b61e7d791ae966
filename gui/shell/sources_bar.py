"""A second row of the toolbar, shown with several sources: a chip for each, and a field
that adds one.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolBar, QWidget

from gui.model.session import Session
from gui.shell.toolbar_fields import VertexField, paint_bar, settle_bar
from gui.style.forms import NO_MARGINS, push_button, row_of
from gui.style.icons import icon
from gui.style.text import button_text, scaled_square, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import ElidedLabel, PlainLabel, mute
from solvers.graphs.network import End
from solvers.picture.scene.ramps import region_colour

_MARK = 14  # pixels in usual type


class SourcesBar(QToolBar):
    """Chips of the session's sources, in the colours of their markers, and what a run measures."""

    def __init__(self, session: Session, toolbar: QToolBar):
        super().__init__("Sources")
        self.setObjectName("sources")
        self.setMovable(False)
        self._session, self._toolbar = session, toolbar
        self._asked = False
        self._chips: list[tuple[QAction, QPushButton]] = []
        self.field = VertexField(session, "further source", self._add, lambda: None)
        self.field.setPlaceholderText("Add a source")
        self.remark = ElidedLabel()
        mute(self.remark)
        self.remark.setContentsMargins(8, 0, 0, 0)
        # asks for no width, so that a long remark is elided, not moved into a menu
        rest = QWidget()
        rest.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row_of((self.remark, 1), parent=rest, margins=NO_MARGINS)
        label = PlainLabel("Sources")
        label.setContentsMargins(8, 0, 6, 0)
        self.addWidget(label)
        self._field_action = self.addWidget(self.field)
        self.addWidget(rest)
        session.graph_changed.connect(self._end)
        session.endpoints_changed.connect(self.refresh)
        self.field.editingFinished.connect(self._end)
        self.field.left.connect(self._end)
        self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_bar(self)

    @property
    def chips(self) -> list[QPushButton]:
        """A button for each source, in their order, which removes it."""
        return [chip for _, chip in self._chips]

    def ask(self) -> None:
        """Show the field that adds a source, ready for its id."""
        self._asked = True
        self.refresh()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refresh(self) -> None:
        """Show the session's sources; the row is hidden while there is one and no other
        is being added.
        """
        graph, sources = self._session.graph, self._session.sources
        for action, chip in self._chips:
            self.removeAction(action)
            chip.deleteLater()  # not at once: its click may be what has removed the source
        self._chips = []
        for place, vertex in enumerate(sources if graph is not None else ()):
            assert graph is not None
            what, label = f"Remove source {graph.vertex_label(vertex)}", graph.vertex_label(vertex)
            chip = push_button(button_text(label), tool_tip(what))
            chip.setAccessibleName(what)
            chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys with the canvas
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross follows the id
            chip.setIconSize(scaled_square(_MARK))
            chip.setIcon(icon("close", region_colour(place, tokens().dark)))
            chip.setEnabled(len(sources) > 1)
            chip.clicked.connect(partial(self._session.remove_source, vertex))
            self._chips.append((self.insertWidget(self._field_action, chip), chip))
        self.field.setEnabled(graph is not None and self._session.has_room)
        first = "" if graph is None or not sources else graph.vertex_label(sources[0])
        self.remark.show_text(
            (
                f"A run measures from {first} only; picture, path, "
                "roads and exports count the nearest source."
            )
            if len(sources) > 1
            else ""
        )
        self.remark.setToolTip(tool_tip(self.remark.whole_text))
        settle_bar(self)
        # as in a presentation
        self.setVisible((self._asked or len(sources) > 1) and not self._toolbar.isHidden())

    def _add(self, end: End) -> None:
        self.field.show_vertex(None)
        self._session.add_source(end)

    def _end(self) -> None:
        self._asked = bool(self.field.error)
        self.refresh()
