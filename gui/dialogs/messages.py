"""Dialogs with a text: a long one to read or copy, the report of an unexpected error, a
question, graph information.

Long texts are error details, reading reports and compiler logs; the report of an error
can be copied or saved. A question with a few answers is for the rare case in which the
program cannot go on without one. Graph information has sizes, types and the reading
report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QMessageBox,
    QPlainTextEdit,
    QWidget,
)

from gui.style.forms import Standard, WrappedLabel, button_box, column_of
from gui.style.text import escape_controls, mono_font, window_title
from solvers.errors import FileNotWritten
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadReport
from solvers.graphs.searched import searched_text
from solvers.system.diagnostics import log_file, logged_text
from solvers.system.files import replace_atomically
from solvers.text import format_bytes, format_count, format_distance, format_duration
from solvers.units import public_unit

_HEADING = (
    "This report lists versions and program locations, and no data from your files, graphs or "
    "results. Send it with a short description of what you did."
)
_FILE = "tautpath-crash-report.txt"


class DetailsDialog(QDialog):
    """A summary above a read-only, fixed-width text, with a Copy button."""

    def __init__(self, parent: QWidget | None, heading: str, details: str, title: str = "Details"):
        super().__init__(parent)
        self.setWindowTitle(window_title(title))
        self.resize(640, 360)
        self.summary = WrappedLabel(heading)
        self.text = QPlainTextEdit(escape_controls(details))
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.buttons = button_box(self, Standard.Close)
        copy = self.buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(f"{heading}\n{details}"))
        column_of(self.summary, (self.text, 1), self.buttons, parent=self)


def show_details(
    parent: QWidget | None, heading: str, details: str, title: str = "Details"
) -> DetailsDialog:
    """Open a non-modal `DetailsDialog`."""
    dialog = DetailsDialog(parent, heading, details, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog


def show_log(parent: QWidget | None) -> DetailsDialog:
    """Open the log of windows, from its end."""
    try:
        heading, text = (
            f"{log_file()}: the newest lines are last. It may hold names of your files.",
            logged_text(),
        )
    except (OSError, RuntimeError) as error:
        heading, text = "There is no log, because its file cannot be read.", str(error)
    dialog = show_details(parent, heading, text, "Log")
    dialog.text.moveCursor(QTextCursor.MoveOperation.End)
    return dialog


class CrashReportDialog(DetailsDialog):
    """A `DetailsDialog` that can save its text."""

    def __init__(self, parent: QWidget | None, report: str):
        super().__init__(parent, _HEADING, report, "Crash report")
        self._report = report
        save = self.buttons.addButton("Save…", QDialogButtonBox.ButtonRole.ActionRole)
        save.clicked.connect(self.ask_to_save)

    def ask_to_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, "Save crash report", str(Path.home() / _FILE), "Text (*.txt)"
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the report, and show its path or the reason why it could not be written."""
        try:
            with replace_atomically(path) as beside:
                beside.write_text(self._report, encoding="utf-8")
        except FileNotWritten as error:
            self.summary.setText(str(error))
        else:
            self.summary.setText(f"Saved as {path}.")


def show_crash_report(parent: QWidget | None, report: str) -> CrashReportDialog:
    """Open a non-modal `CrashReportDialog`."""
    dialog = CrashReportDialog(parent, report)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog


@dataclass(frozen=True)
class Reply:
    """An answer: the text of its button, and what it does."""

    text: str
    act: Callable[[], object]


def ask(parent: QWidget, title: str, words: str, answers: Sequence[Reply]) -> QMessageBox:
    """Ask without blocking; Cancel, which is always offered, does nothing."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(escape_controls(words))
    for answer in answers:
        button = box.addButton(answer.text, QMessageBox.ButtonRole.AcceptRole)
        # without ``checked``, which a function with an optional argument would take
        button.clicked.connect(lambda _checked, act=answer.act: act())
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.open()
    return box


def describe_graph(graph: Graph, report: ReadReport | None) -> str:
    """The graph's sizes and types and, if it was read from a file, the reader's
    findings, one per line.
    """
    lines = _of_graph(graph)
    if report is not None:
        lines |= _of_report(report, graph.weight_unit)
    width = max(map(len, lines)) + 2
    text = [f"{name:<{width}}{value}" for name, value in lines.items() if value]
    if report is not None and report.warnings:
        text += ["", "Remarks", *(f"- {warning}" for warning in report.warnings)]
    return "\n".join(text)


def _of_graph(graph: Graph) -> dict[str, str]:
    ids = " (names)" if graph.has_labels else ""
    if graph.n and not graph.has_labels:
        ids = f" (ids {graph.vertex_label(0)} to {graph.vertex_label(graph.n - 1)})"
    memory = sum(a.nbytes for a in (graph.indptr, graph.indices, graph.weights, graph.ids))
    where = {None: "none", True: "longitude and latitude", False: "planar"}
    return {
        "Vertices": f"{format_count(graph.n)}{ids}",
        "Arcs": format_count(graph.m),
        "Direction": "directed" if graph.directed else "undirected (both arcs of every edge)",
        "Weights": graph.weight_type.name
        + (f", in {public_unit(graph.weight_unit)}" if graph.weight_unit else ""),
        "Read as": "" if graph.interpretation is None else graph.interpretation.line,
        "Turns": searched_text(graph),
        "Coordinates": where[None if graph.coordinates is None else graph.coordinates.geographic],
        "In memory": format_bytes(memory),
        "SHA-256": graph.sha256,
    }


def _of_report(report: ReadReport, unit: str) -> dict[str, str]:
    weights = (
        f"{format_distance(report.least_weight, unit)} to "
        f"{format_distance(report.greatest_weight, unit)}"
    )
    claims = {"vertices": report.header_vertices, "arcs": report.header_arcs}
    return {
        "Format": report.format,
        "Header": ", ".join(
            f"{format_count(count)} {what}" for what, count in claims.items() if count is not None
        ),
        "Weights from": report.weights_from,
        "Weight range": weights,
        "Negative arcs": format_count(report.negative_arcs) if report.negative_arcs else "",
        "Self-loops": format_count(report.self_loops),
        "Parallel arcs": format_count(report.parallel_arcs),
        "Coordinates from": report.coordinates_from,
        "Read in": format_duration(report.seconds * 1e3),
    }
