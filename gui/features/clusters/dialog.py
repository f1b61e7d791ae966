"""Run > Hosts: the workers of a cluster with their cores, GPUs, memory, throughput and
last log line.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHeaderView,
    QPlainTextEdit,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gui.features.clusters.link import ClusterStatus, LinkState
from gui.style.forms import (
    Standard,
    WrappedLabel,
    add_action,
    button_box,
    column_of,
    fill_dialog,
    push_button,
    row_of,
    set_default,
    split_of,
    tint,
)
from gui.style.tables import align_right, make_tree
from gui.style.text import escape_controls, mono_font, tool_tip
from gui.style.theme import tokens
from gui.style.widgets import EmptyState, PlainLabel, QuietLabel, on_scheme_change
from solvers.features.clusters.workers import WorkerStatus
from solvers.text import format_bytes, format_count, three_digits

_SIZE = (900, 560)
_COLUMNS = (
    "Host",
    "Worker",
    "Cores",
    "GPUs",
    "Memory",
    "Running",
    "Finished",
    "Sources/s",
    "Last log line",
)
_HOST, _WORKER, _CORES, _GPUS, _MEMORY, _RUNNING, _FINISHED, _SPEED, _WORDS = range(len(_COLUMNS))
_NUMBERS = (_CORES, _MEMORY, _RUNNING, _FINISHED, _SPEED)
_KNOWN = ("local:2", "tcp://", "tls://", "slurm:4")
_ADVICE = (
    "All sources and experiments can run on several machines: "
    "worker processes of this machine (local:2), a running Dask scheduler (tcp://host:8786, "
    "tls://host:8786), or jobs of a batch system (slurm:4)."
)
_NONE = (
    "No cluster is connected.\n"
    "\n"
    "Name one above and press Connect. local:2 starts two worker processes on this machine and "
    "needs no set-up; no other user of the machine can use them.\n"
    "\n"
    "A tcp:// scheduler has no passwords: whoever reaches it can run programs as its owner. Use "
    "one only where you trust every user of the network and of the machines, else tls://, with the "
    "certificates that Dask's configuration names."
)
_CONNECTING = (
    "Connecting. Worker processes take some seconds to start; "
    "jobs of a batch system wait for their turn."
)
_DASHBOARD = "Open Dask's own page on this cluster in the browser"


class HostsDialog(QDialog):
    """Table of workers. Not modal; the controller connects to the address given, and looks."""

    connect_requested = Signal(str)
    disconnect_requested = Signal()
    dashboard_requested = Signal()

    def __init__(self, addresses: Sequence[str] = (), parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Hosts")
        self.resize(*_SIZE)
        self._status: ClusterStatus | None = None
        self._state = LinkState.NONE
        self.address_box = QComboBox()
        self.address_box.setEditable(True)
        self.address_box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.address_box.addItems(list(dict.fromkeys((*addresses, *_KNOWN))))
        self.address_box.setAccessibleName("Address of the cluster")
        self.connect_button = push_button("Connect", act=self._press)
        self.status = WrappedLabel()
        self.status.setAccessibleName("State of the cluster")
        self.table = self._make_table()
        self.words = QPlainTextEdit()
        self.words.setReadOnly(True)
        self.words.setFrameShape(QFrame.Shape.NoFrame)
        self.words.setFont(mono_font())
        self.words.setAccessibleName("Last log lines of the worker")
        self.words.setTabChangesFocus(True)
        self.words_title = PlainLabel()
        self._lay_out()
        self.table.itemSelectionChanged.connect(self._show_words)
        on_scheme_change(self._restyle)
        self.show_state(LinkState.NONE, "")
        self._restyle()

    @property
    def address(self) -> str:
        return self.address_box.currentText().strip()

    @property
    def selected(self) -> WorkerStatus | None:
        items = self.table.selectedItems()
        address = items[0].text(_WORKER) if items else ""
        workers = self._status.workers if self._status is not None else ()
        return next(
            (worker for worker in workers if escape_controls(worker.address) == address), None
        )

    def show_state(self, state: LinkState, problem: str) -> None:
        """Show where the connection stands; ``problem`` says why it is LOST or FAILED,
        and what is to be done.
        """
        self._state = state
        is_busy = state in (LinkState.CONNECTING, LinkState.CONNECTED)
        self.connect_button.setText(
            {
                LinkState.CONNECTING: "Cancel",
                LinkState.CONNECTED: "Disconnect",
                LinkState.LOST: "Connect again",
            }.get(state, "Connect")
        )
        self.connect_button.setDefault(not is_busy)  # Return connects, and never disconnects
        self.address_box.setEnabled(not is_busy)
        lost = "The cluster is lost. " if state is LinkState.LOST else ""
        said = {
            LinkState.CONNECTED: "Connected; looking at the workers",
            LinkState.CONNECTING: "Connecting",
        }
        self.status.setText(escape_controls(f"{lost}{problem}" if problem else said.get(state, "")))
        tint(self.status, tokens().bad if problem else tokens().text)
        self.status.setVisible(bool(self.status.text()) and state is not LinkState.CONNECTING)
        self.empty.setText(_CONNECTING if state is LinkState.CONNECTING else _NONE)
        if state is not LinkState.CONNECTED:
            self._status = None
            self.table.clear()
            self.dashboard_button.setEnabled(False)
            self.stack.setCurrentWidget(self.empty)

    def show_status(self, status: ClusterStatus) -> None:
        """Show the workers; the selected one stays selected."""
        chosen, self._status = self.selected, status
        slow = [
            f"{worker.host} is {status.slowness(worker):.0f} times slower than the median"
            for worker in status.slow
        ]
        self.status.setText(
            escape_controls(f"{status.words}.{''.join(f' {words}.' for words in slow)}")
        )
        self.status.setVisible(True)
        while self.table.topLevelItemCount() > len(status.workers):
            self.table.takeTopLevelItem(self.table.topLevelItemCount() - 1)
        for row, worker in enumerate(status.workers):
            item = self.table.topLevelItem(row) or QTreeWidgetItem(self.table)
            self._fill(item, worker, status)
            if chosen is not None and worker.address == chosen.address:
                self.table.setCurrentItem(item)
        first = self.table.topLevelItem(0)
        if self.table.currentItem() is None and first is not None:
            self.table.setCurrentItem(first)
        self.dashboard_button.setEnabled(bool(status.dashboard))
        self.dashboard_button.setToolTip(
            tool_tip(_DASHBOARD if status.dashboard else "This cluster serves no dashboard")
        )
        self.stack.setCurrentWidget(self.split)
        self._show_words()

    def _fill(self, item: QTreeWidgetItem, worker: WorkerStatus, status: ClusterStatus) -> None:
        remark = status.remark(worker)
        last = worker.last_words[-1] if worker.last_words else ""
        limit = f" of {format_bytes(worker.memory_bytes)}" if worker.memory_bytes else ""
        cells = (
            worker.host,
            worker.address,
            str(worker.cores),
            ", ".join(worker.gpus) or "none",
            f"{format_bytes(worker.memory_used_bytes)}{limit}",
            format_count(worker.running),
            format_count(worker.tasks),
            three_digits(worker.sources_per_s) if worker.sources_per_s else "–",
            remark or last,
        )
        colour = QColor(tokens().warning if remark else tokens().text)
        for column, text in enumerate(cells):
            item.setText(column, escape_controls(text))
            item.setToolTip(column, tool_tip(text))
            item.setForeground(column, colour)
        align_right(item, _NUMBERS)

    def _show_words(self) -> None:
        worker = self.selected
        self.words_title.setText(
            ""
            if worker is None
            else escape_controls(f"Last log lines of {worker.host}, {worker.address}")
        )
        text = "" if worker is None else "\n".join(worker.last_words) or "Nothing yet."
        if self.words.toPlainText() != text:  # a selection in it would be lost
            self.words.setPlainText(escape_controls(text))
            # the newest are the last
            self.words.verticalScrollBar().setValue(self.words.verticalScrollBar().maximum())

    def _make_table(self) -> QTreeWidget:
        table = make_tree(_COLUMNS, "Workers", _NUMBERS)
        table.setRootIsDecorated(False)
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.header().setStretchLastSection(True)
        return table

    def _lay_out(self) -> None:
        label = PlainLabel("&Cluster")
        label.setBuddy(self.address_box)
        row = row_of(label, (self.address_box, 1), self.connect_button)
        below = QWidget()
        column_of(self.words_title, (self.words, 1), parent=below, margins=(0, 6, 0, 0))
        self.split = split_of(Qt.Orientation.Vertical, (self.table, 3), (below, 2))
        self.empty = EmptyState(_NONE)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.split)
        buttons = button_box(self, Standard.Close)
        self.dashboard_button = add_action(buttons, "Dashboard", self.dashboard_requested)
        set_default(buttons, None)
        fill_dialog(self, QuietLabel(_ADVICE), row, self.status, (self.stack, 1), buttons)

    def _restyle(self) -> None:
        if self._status is not None:
            self.show_status(self._status)

    def _press(self) -> None:
        if self._state in (LinkState.CONNECTING, LinkState.CONNECTED):
            self.disconnect_requested.emit()
        else:
            self.connect_requested.emit(self.address)
