"""Paints two columns of the results table: the name with its algorithm in a quieter colour, and the bar of the time."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.charts.scales import durations
from gui.panels.results_rows import Column, ResultRow, RowState, TimeBar
from gui.style.common_widgets import colour_of
from gui.style.fitting import fitting_lines
from gui.style.theme import tokens
from solvers.core.variant import Variant

ROW_ROLE = Qt.ItemDataRole.UserRole  # a row of the model as a `ResultRow`
_MARGIN = 5
_MOST_LINES = 3  # of a name
_NAME_LEFT = 24  # after the dot
_BAR_SHARE = 0.42  # of the row's height
_WHISKER_SHARE = 0.3
_FAINT, _WAITING = 0.38, 0.4


def _titles(variant: Variant) -> tuple[str, ...]:
    return tuple(filter(None, (variant.title, variant.short_title)))


class ResultsDelegate(QStyledItemDelegate):
    """Paints bars on an axis that all rows share."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._scale = durations(True)
        self._span = (0.0, 1.0)

    def fit_axis(self, bars: Iterable[TimeBar | None], is_log: bool) -> None:
        """Fit the axis to all bars."""
        self._scale = durations(is_log)
        self._span = self._scale.span([ms for bar in bars if bar is not None for ms in (bar.low, bar.high) if ms > 0])

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        column, row = index.column(), index.data(ROW_ROLE)
        if column == Column.BAR and row.bar is not None and not row.outcome:
            self._paint_background(painter, option)
            self._paint_bar(painter, QRectF(option.rect), row)
        elif column == Column.VARIANT and isinstance(row, ResultRow):
            super().paint(painter, option, index)
            self._paint_name(painter, option, index)
        else:
            super().paint(painter, option, index)

    @staticmethod
    def _paint_background(painter: QPainter, option: QStyleOptionViewItem) -> None:
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)

    def bar_places(self, bar: TimeBar, cell: QRectF) -> tuple[float, float, float]:
        """Horizontal pixels of minimum, median and maximum in a cell."""
        low, high = self._span
        width = cell.width() - 2 * _MARGIN
        shares = [(self._scale.place(ms) - low) / ((high - low) or 1.0) for ms in (bar.low, bar.median, bar.high)]
        first, middle, last = (cell.left() + _MARGIN + min(1.0, max(0.0, share)) * width for share in shares)
        return first, middle, last

    def _paint_bar(self, painter: QPainter, cell: QRectF, row: ResultRow) -> None:
        assert row.bar is not None
        low, median, high = self.bar_places(row.bar, cell)
        colour = colour_of(row.variant)
        if row.state is RowState.QUEUED:
            colour.setAlphaF(_WAITING)
        faint = QColor(colour)
        faint.setAlphaF(_FAINT * colour.alphaF())
        y, half = cell.center().y(), cell.height() * _BAR_SHARE / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(cell.left() + _MARGIN, y - half, median - cell.left() - _MARGIN, 2 * half), faint)
        whisker = QColor(tokens().text)
        whisker.setAlphaF(0.75 * colour.alphaF())
        painter.setPen(QPen(whisker, 1.2))
        reach = cell.height() * _WHISKER_SHARE / 2
        if high > low:
            painter.drawLine(QPointF(low, y), QPointF(high, y))
            for end in (low, high):
                painter.drawLine(QPointF(end, y - reach), QPointF(end, y + reach))
        painter.setPen(QPen(colour, 2.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QPointF(median, y - half), QPointF(median, y + half))
        painter.restore()

    @staticmethod
    def _paint_name(
        painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the algorithm in the muted colour and the variant's title in that of text."""
        row, name = index.data(ROW_ROLE), str(index.data())
        metrics = option.fontMetrics
        space = QRectF(option.rect).adjusted(_NAME_LEFT, 0, -_MARGIN, 0)
        lines = fitting_lines((name,), metrics, space.width(), _MOST_LINES)
        head = next((name[: name.rfind(title)] for title in _titles(row.variant) if title in name), "")
        muted, text = QColor(tokens().muted), QColor(tokens().text)
        painter.save()
        painter.setFont(option.font)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        top = space.center().y() - metrics.height() * len(lines) / 2
        for number, line in enumerate(lines):
            quiet = line[: len(head)] if number == 0 and line.startswith(head) else ""
            place = QRectF(space.left(), top + number * metrics.height(), space.width(), metrics.height())
            painter.setPen(muted)
            painter.drawText(place, flags, quiet)
            painter.setPen(text if row.state is RowState.DONE else muted)
            painter.drawText(place.adjusted(metrics.horizontalAdvance(quiet), 0, 0, 0), flags, line[len(quiet) :])
        painter.restore()

    @staticmethod
    def name_lines(name: str, metrics: QFontMetrics, width: int) -> int:
        """Number of lines that a name takes in a cell that is ``width`` pixels wide."""
        return len(fitting_lines((name,), metrics, width - _NAME_LEFT - _MARGIN, _MOST_LINES))

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if isinstance(colour, QColor):  # in the selected row too
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)
        if index.column() == Column.BAR and index.data(ROW_ROLE).outcome:
            option.textElideMode = Qt.TextElideMode.ElideRight
        elif index.column() == Column.VARIANT:
            option.text = ""
