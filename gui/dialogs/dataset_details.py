"""Details of one dataset: what it is, its terms, what to cite, and how it is checked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gui.style.common_widgets import PlainLabel, ScaledLabel
from solvers.graphs.datasets import Dataset, DatasetStore, RemoteFile

_HEADING = 1.15
_MARGIN_PX = 14


class DatasetDetails(QScrollArea):
    """Texts of the current dataset, which can be selected and copied.

    Parameters
    ----------
    store : DatasetStore
    """

    def __init__(self, store: DatasetStore, parent: QWidget | None = None):
        super().__init__(parent)
        self._store = store
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(_MARGIN_PX, 0, _MARGIN_PX, 0)
        column.setSpacing(4)
        self._title = ScaledLabel(factor=_HEADING, weight=QFont.Weight.DemiBold)
        self._title.setWordWrap(True)
        column.addWidget(self._title)
        self.texts: dict[str, PlainLabel] = {}
        for name in ("About", "Licence", "Please cite", "Checksum", "Comes from"):
            heading = PlainLabel(name)
            heading.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            heading.setContentsMargins(0, 8, 0, 0)
            text = PlainLabel()
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.texts[name] = text
            column.addWidget(heading)
            column.addWidget(text)
        column.addStretch(1)
        self.setWidget(holder)

    def show_dataset(self, found: Dataset | None) -> None:
        """Show a dataset; nothing for None."""
        holder = self.widget()
        assert holder is not None
        holder.setVisible(found is not None)
        if found is None:
            return
        self._title.setText(found.title)
        values = {
            "About": ". ".join(filter(None, (found.collection.title, found.about))),
            "Licence": found.collection.licence,
            "Please cite": found.citation,
            "Checksum": checksum_words(found, self._store),
            "Comes from": "\n".join(file.url for file in found.files),
        }
        for name, text in values.items():
            if self.texts[name].text() != text:
                self.texts[name].setText(text)


def checksum_words(found: Dataset, store: DatasetStore) -> str:
    """How the files of a dataset are checked."""
    kinds = {_kind(file, store) for file in found.files}
    if kinds == {"known"}:
        return "SHA-256 known to Tautline: a file that differs is refused."
    if "unknown" in kinds:
        return (
            "The publisher states none. The SHA-256 of the first download is recorded, and later downloads must have "
            "the same; the first one cannot be checked."
        )
    dates = ", ".join(sorted({store.expected(file).since for file in found.files} - {""}))
    return f"SHA-256 recorded at the first download, {dates}: a file that differs is refused."


def _kind(file: RemoteFile, store: DatasetStore) -> str:
    return "known" if file.sha256 else "recorded" if store.expected(file).sha256 else "unknown"
