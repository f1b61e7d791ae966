"""File > Datasets: published graphs with size, licence and citation; which are here;
download, open and remove.

Details of one dataset: what it is, its terms, what to cite, and how it is checked.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gui.style.forms import (
    NO_MARGINS,
    ProgressLine,
    Standard,
    WrappedLabel,
    add_action,
    button_box,
    column_of,
    fill_dialog,
    push_button,
    row_of,
    scrolling,
    set_default,
    split_of,
    text_field,
)
from gui.style.tables import (
    add_heading,
    align_right,
    children_of,
    find_by,
    make_tree,
    show_matching,
)
from gui.style.theme import tokens
from gui.style.widgets import Heading, PlainLabel, QuietLabel, keep_styled, mute
from solvers.features.datasets.catalogue import (
    Dataset,
    DatasetStore,
    Presence,
    RemoteFile,
    size_words,
)
from solvers.text import format_bytes, format_count

_COLUMNS = ("Graph", "Vertices", "Arcs", "Download", "On this machine")
_GRAPH, _VERTICES, _ARCS, _DOWNLOAD, _HERE = range(5)
_RIGHT = (_VERTICES, _ARCS, _DOWNLOAD, _HERE)
_WIDEST = {
    _VERTICES: "23 947 347",
    _ARCS: "68 993 773",
    _DOWNLOAD: "≈ 1.23 MB",
    _HERE: "On this machine",
}
_GAP = 26  # pixels
_SIZE = (1060, 620)
_SHARES = (680, 340)
_HERE_WORDS = "downloaded"
_ADVICE = (
    "Published graphs, downloaded over HTTPS only when you ask, "
    "into a folder of the cache. ≈ marks an estimate."
)

_HEADING = 1.15
_MARGIN_PX = 14


class DatasetsDialog(QDialog):
    """Tree of datasets by collection, details of the current one, and what can be done
    with it. Not modal.
    """

    # Dataset, and whether a file unlike its first download is accepted
    download_requested = Signal(object, bool)
    cancel_requested = Signal(object)
    open_requested = Signal(object)
    remove_requested = Signal(object)

    def __init__(
        self, catalogue: tuple[Dataset, ...], store: DatasetStore, parent: QWidget | None = None
    ):
        super().__init__(parent)
        self._catalogue, self._store = catalogue, store
        self._rows: dict[str, QTreeWidgetItem] = {}
        self._busy: dict[str, str] = {}  # what is done with datasets, by id
        self._presence: dict[str, Presence] = {}
        self._changed: Dataset | None = None  # one whose download differs from its first
        self.setWindowTitle("Datasets")
        self.resize(*_SIZE)
        hint = "Filter: roads, Gnutella, New York…"
        self.filter = text_field(hint, "Filter of datasets", clearable=True)
        self.filter.textChanged.connect(self._filter_rows)
        self.tree = self._make_tree()
        self.details = DatasetDetails(store)
        self.progress = ProgressLine(thin=True)
        self.outcome = WrappedLabel(selectable=True, lines=2)
        self._add_buttons()
        self._lay_out()
        keep_styled(self._restyle)
        self.refresh()
        self.choose(catalogue[0].id)

    @property
    def current(self) -> Dataset | None:
        """The selected dataset; None on the heading of a collection."""
        item = self.tree.currentItem()
        found: Dataset | None = (
            None if item is None else item.data(_GRAPH, Qt.ItemDataRole.UserRole)
        )
        return found

    def choose(self, dataset_id: str) -> None:
        self.tree.setCurrentItem(self._rows[dataset_id])

    def show_busy(self, dataset_id: str, words: str) -> None:
        """Say what is done with a dataset ("waits", "34 %"); "" ends it."""
        if words:
            self._busy[dataset_id] = words
            self._show_place(dataset_id)
            self._show_current()
        else:
            self._busy.pop(dataset_id, None)
            self.refresh()

    def show_progress(self, fraction: float) -> None:
        self.progress.show_fraction(fraction)

    def show_outcome(self, words: str, changed: Dataset | None = None) -> None:
        """Say how a download ended; of one that differs from its first download, offer
        to accept it.
        """
        self._changed = changed
        self.outcome.setText(words)
        self.accept_button.setVisible(changed is not None)

    def refresh(self) -> None:
        """Look again what is on this machine."""
        for found in self._catalogue:
            self._presence[found.id] = self._store.presence(found)
            self._show_place(found.id)
        self._show_current()

    def _show_place(self, dataset_id: str) -> None:
        item = self._rows[dataset_id]
        words = self._busy.get(dataset_id) or _here(self._presence[dataset_id])
        if item.text(_HERE) != words:
            item.setText(_HERE, words)
            item.setForeground(
                _HERE, QColor(tokens().good if words == _HERE_WORDS else tokens().text)
            )

    def _make_tree(self) -> QTreeWidget:
        tree = make_tree(_COLUMNS, "Datasets", _RIGHT)
        heads: dict[str, QTreeWidgetItem] = {}
        for found in self._catalogue:
            head = heads.get(found.collection.id)
            if head is None:
                head = heads[found.collection.id] = add_heading(tree, found.collection.title)
            texts = [
                found.title,
                format_count(found.vertices),
                format_count(found.arcs),
                size_words(found),
                "",
            ]
            item = QTreeWidgetItem(head, texts)
            item.setData(_GRAPH, Qt.ItemDataRole.UserRole, found)
            find_by(item, f"{found.id} {found.title} {found.about} {found.collection.title}")
            align_right(item, _RIGHT)
            self._rows[found.id] = item
        tree.expandAll()
        tree.header().setStretchLastSection(False)
        tree.header().setSectionResizeMode(_GRAPH, QHeaderView.ResizeMode.Stretch)
        for column in _RIGHT:
            tree.setColumnWidth(
                column, tree.fontMetrics().horizontalAdvance(_WIDEST[column]) + _GAP
            )
        tree.currentItemChanged.connect(self._show_current)
        tree.itemActivated.connect(self._activate)
        return tree

    def _add_buttons(self) -> None:
        self.buttons = button_box(self, Standard.Close)
        self.download_button = add_action(self.buttons, "Download", self._press_download)
        self.open_button = add_action(
            self.buttons, "Open", lambda: self.open_requested.emit(self.current)
        )
        self.remove_button = add_action(
            self.buttons, "Remove…", lambda: self.remove_requested.emit(self.current)
        )
        set_default(self.buttons, None)
        accept = "Download it again, and record the new checksum"
        self.accept_button = push_button("Accept the changed file", accept, self._accept_changed)
        self.accept_button.hide()

    def _lay_out(self) -> None:
        left = QWidget()
        column_of(self.filter, (self.tree, 1), parent=left, margins=NO_MARGINS)
        split = split_of(Qt.Orientation.Horizontal, (left, 1), (self.details, 0))
        split.setSizes(list(_SHARES))
        row = row_of((self.outcome, 1), self.accept_button)
        row.setAlignment(self.accept_button, Qt.AlignmentFlag.AlignTop)
        fill_dialog(self, QuietLabel(_ADVICE), (split, 1), self.progress, row, self.buttons)

    def _restyle(self) -> None:
        for item in self._rows.values():
            item.setText(_HERE, "")  # coloured again
        self.refresh()

    def _show_current(self, *_: object) -> None:
        found = self.current
        presence = Presence(complete=False, bytes=0) if found is None else self._presence[found.id]
        busy = found is not None and found.id in self._busy
        self.details.show_dataset(found)
        download = "Resume" if presence.partial else "Download"
        self.download_button.setText("Cancel" if busy else download)
        self.download_button.setEnabled(found is not None and (busy or not presence.complete))
        self.open_button.setEnabled(presence.complete and not busy)
        self.remove_button.setEnabled(presence.bytes > 0 and not busy)
        if not self._busy:
            self.progress.show_fraction(0.0)

    def _press_download(self) -> None:
        found = self.current
        if found is None:
            return
        if found.id in self._busy:
            self.cancel_requested.emit(found)
        else:
            self.show_outcome("")
            self.download_requested.emit(found, False)

    def _accept_changed(self) -> None:
        changed = self._changed
        if changed is not None:
            self.show_outcome("")
            self.download_requested.emit(changed, True)

    def _activate(self, item: QTreeWidgetItem) -> None:
        """Enter or a double click: open what is here, download what is not."""
        if item.data(_GRAPH, Qt.ItemDataRole.UserRole) is None:
            return
        if self.open_button.isEnabled():
            self.open_button.click()
        elif (
            self.download_button.isEnabled()
            and self.current is not None
            and self.current.id not in self._busy
        ):
            self.download_button.click()

    def _filter_rows(self, text: str) -> None:
        for head in children_of(self.tree.invisibleRootItem()):
            show_matching(head, text.casefold().split())


def _here(presence: Presence) -> str:
    if presence.complete:
        return _HERE_WORDS
    return f"{format_bytes(presence.bytes)} so far" if presence.partial else ""


class DatasetDetails(QScrollArea):
    """Texts of the current dataset, which can be selected and copied."""

    def __init__(self, store: DatasetStore):
        super().__init__()
        self._store = store
        scrolling(area=self)
        holder = QWidget()
        margins = _MARGIN_PX, 0, _MARGIN_PX, 0
        column = column_of(parent=holder, margins=margins, spacing=4)
        self._title = Heading(_HEADING)
        column.addWidget(self._title)
        self.texts: dict[str, PlainLabel] = {}
        for name in ("About", "Licence", "Please cite", "Checksum", "Comes from"):
            heading = PlainLabel(name)
            mute(heading)
            heading.setContentsMargins(0, 8, 0, 0)
            text = WrappedLabel(selectable=True)
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
    kinds = {_kind(file, store) for file in found.files}
    if kinds == {"known"}:
        return "SHA-256 known to Tautpath: a file that differs is refused."
    if "unknown" in kinds:
        return (
            "The publisher states none. The SHA-256 of the first download is recorded, and later "
            "downloads must have the same; the first one cannot be checked."
        )
    dates = ", ".join(sorted({store.expected(file).since for file in found.files} - {""}))
    return f"SHA-256 recorded at the first download, {dates}: a file that differs is refused."


def _kind(file: RemoteFile, store: DatasetStore) -> str:
    if file.sha256:
        return "known"
    return "recorded" if store.expected(file).sha256 else "unknown"
