"""What a dialog says, as text in reading order, for `tests.golden`.

``[Start]`` is a button, ``<text>`` a field, ``{one / two}`` a choice with the current
one first; ``[x]`` or ``[ ]`` stands before what can be ticked; what cannot be used is
in parentheses. Tool tips come last.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QTabBar,
    QTextEdit,
    QWidget,
)

_SAME_LINE_PX = 9
# whose inner widgets say nothing
_HOLDERS = (QAbstractSpinBox, QComboBox, QAbstractItemView, QLineEdit, QHeaderView)


def said_by(dialog: QWidget) -> str:
    """Title, texts line by line, and tool tips."""
    dialog.show()
    QApplication.processEvents()
    placed: list[tuple[int, int, str]] = []
    tips: dict[str, None] = {}
    for part in dialog.findChildren(QWidget):
        text = _text_of(part)
        if not text or not part.isVisibleTo(dialog) or isinstance(part.parentWidget(), _HOLDERS):
            continue
        if not part.isEnabled() and not isinstance(part, QLabel):
            text = f"({text})"
        middle = part.height() // 2 if part.height() < 60 else 12
        corner = part.mapTo(dialog, part.rect().topLeft())
        placed.append((corner.y() + middle, corner.x(), text))
        if (
            isinstance(part, QAbstractButton)
            and part.toolTip()
            and _plain(part.toolTip()) != part.text()
        ):
            tips[f"tip of {part.text() or part.accessibleName()}: {_plain(part.toolTip())}"] = None
    lines: list[list[tuple[int, str]]] = []
    last = -100
    for y, x, text in sorted(placed):
        if y - last > _SAME_LINE_PX:
            lines.append([])
            last = y
        lines[-1].append((x, text))
    told = ["  ".join(text for _, text in sorted(line)) for line in lines]
    return "\n".join([*([dialog.windowTitle()] if dialog.windowTitle() else []), *told, *tips])


def _text_of(part: QWidget) -> str:
    if isinstance(part, QLabel):
        return _plain(part.text().replace("&", "") if part.buddy() else part.text())
    if isinstance(part, QCheckBox | QRadioButton):
        return f"[{'x' if part.isChecked() else ' '}] {part.text()}".rstrip()
    if isinstance(part, QAbstractButton):
        return f"[{part.text().replace('&', '')}]" if part.text() else ""
    if isinstance(part, QComboBox):
        names = [part.itemText(i) for i in range(part.count())]
        current = part.currentText() or part.placeholderText()
        return "{" + " / ".join([current, *(name for name in names if name != current)]) + "}"
    if isinstance(part, QLineEdit):
        return f"<{part.text() or part.placeholderText()}>"
    if isinstance(part, QAbstractSpinBox):
        return f"<{part.text()}>"
    if isinstance(part, QTabBar):
        return " | ".join(part.tabText(i) for i in range(part.count()))
    if isinstance(part, QTextEdit | QPlainTextEdit):
        return part.toPlainText()
    if isinstance(part, QAbstractItemView) and not isinstance(part, QHeaderView):
        return "\n".join(_rows_of(part))
    return ""


def _rows_of(view: QAbstractItemView) -> list[str]:
    """The titles of the columns, and a line for each row; those of a tree are indented."""
    model = view.model()
    assert model is not None
    columns = range(1 if isinstance(view, QListView) else model.columnCount())
    heads = [
        " ".join(str(model.headerData(c, Qt.Orientation.Horizontal) or "").split()) for c in columns
    ]
    found = ["  " + " | ".join(heads)] if any(not head.isdigit() for head in heads if head) else []

    def add(parent: QModelIndex, depth: int) -> None:
        for row in range(model.rowCount(parent)):
            first = model.index(row, 0, parent)
            cells = [str(first.siblingAtColumn(c).data() or "") for c in columns]
            ticked = first.data(Qt.ItemDataRole.CheckStateRole)
            tick = (
                ""
                if ticked is None
                else "[x] "
                if Qt.CheckState(ticked) is Qt.CheckState.Checked
                else "[ ] "
            )
            found.append("  " * (depth + 1) + tick + " | ".join(cells).rstrip(" |"))
            add(first, depth + 1)

    add(QModelIndex(), 0)
    return found


def _plain(text: str) -> str:
    if "<" in text and ">" in text:
        text = QTextDocumentFragment.fromHtml(text).toPlainText()
    return re.sub(r"[ \u00a0]+", " ", text).strip()
