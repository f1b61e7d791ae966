"""Run > Hosts: connecting, the table of workers, and what is said where there is no cluster."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.features.clusters import link as cluster_module
from gui.features.clusters.controller import QDesktopServices
from gui.features.clusters.dialog import HostsDialog
from gui.features.clusters.link import ClusterStatus, LinkState
from gui.window import MainWindow
from solvers.errors import SchedulerUnreachable
from tests.gui.features.clusters.made_cluster import MadeUpCluster, worker

PATIENCE_MS = 10_000


@pytest.fixture
def cluster(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MadeUpCluster:
    """A cluster that every address of this window leads to, looked at all the time."""
    monkeypatch.setattr(cluster_module, "LOOK_S", 0.01)
    made = MadeUpCluster()
    made.take_the_place_in(window.controller_of("clusters").link)
    return made


@pytest.fixture
def dialog(window: MainWindow, cluster: MadeUpCluster) -> HostsDialog:
    window.commands["hosts"].trigger()
    (found,) = window.findChildren(HostsDialog)
    return found


def until(qtbot: QtBot, window: MainWindow, state: LinkState) -> None:
    qtbot.waitUntil(
        lambda: window.controller_of("clusters").link.state is state, timeout=PATIENCE_MS
    )


def connect(
    qtbot: QtBot, window: MainWindow, dialog: HostsDialog, address: str = "tcp://node0:8786"
) -> None:
    dialog.address_box.setEditText(address)
    qtbot.keyClick(dialog.address_box.lineEdit(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.table.topLevelItemCount() > 0, timeout=PATIENCE_MS)
    assert window.controller_of("clusters").link.state is LinkState.CONNECTED


def ask(dialog: HostsDialog, address: str) -> None:
    dialog.address_box.setEditText(address)
    dialog.connect_button.click()


def cells(dialog: HostsDialog, row: int) -> list[str]:
    item = dialog.table.topLevelItem(row)
    assert item is not None
    return [item.text(column) for column in range(dialog.table.columnCount())]


def test_workers_are_listed_and_refreshed(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    assert dialog.stack.currentWidget() is dialog.empty
    connect(qtbot, window, dialog)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    assert window.controller_of("clusters").link.state is LinkState.CONNECTED
    qtbot.keyClick(dialog.table, Qt.Key.Key_Down)
    cluster.workers = (
        worker(1),
        worker(2, last_words=("ready", "out of memory")),
        worker(3, gpus=("H200",)),
    )
    qtbot.waitUntil(lambda: dialog.table.topLevelItemCount() == 3, timeout=PATIENCE_MS)
    assert dialog.words.toPlainText() == "ready\nout of memory"  # the same worker is selected
    assert cells(dialog, 1)[-1] == "out of memory"
    assert cells(dialog, 2)[3] == "H200"
    assert not dialog.dashboard_button.isEnabled()
    dialog.connect_button.click()
    qtbot.waitUntil(lambda: cluster.closed == 1, timeout=PATIENCE_MS)
    assert dialog.stack.currentWidget() is dialog.empty
    assert dialog.address_box.isEnabled()
    assert window.parts.settings.cluster_addresses == ("tcp://node0:8786",)


def test_a_slow_host_is_told_once(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    said: list[str] = []
    window.parts.session.noticed.connect(lambda notice: said.append(notice.text))
    cluster.workers = (worker(1), worker(2), worker(3, sources_per_s=8.0))
    connect(qtbot, window, dialog)
    qtbot.wait(60)  # some looks later
    assert len([text for text in said if "node3" in text]) == 1


def test_a_connection_that_takes_long_can_be_cancelled(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    cluster.gate.clear()
    ask(dialog, "slurm:4")
    dialog.connect_button.click()
    assert window.controller_of("clusters").link.state is LinkState.NONE
    cluster.gate.set()
    connect(qtbot, window, dialog)
    assert cluster.opened == 1


def test_what_is_wrong_with_an_address_is_said_in_the_dialog(
    dialog: HostsDialog, cluster: MadeUpCluster
) -> None:
    ask(dialog, "lokal:2")
    assert "lokal" in dialog.status.text()
    assert cluster.opened == 0


def test_a_cluster_that_refuses_is_said(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    cluster.refusal = SchedulerUnreachable("tcp://node0:8786", "Connection refused")
    ask(dialog, "tcp://node0:8786")
    until(qtbot, window, LinkState.FAILED)
    assert str(cluster.refusal) in dialog.status.text()


def test_a_lost_cluster_is_a_notice_and_can_be_connected_again(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    said: list[str] = []
    connect(qtbot, window, dialog)
    window.parts.session.noticed.connect(lambda notice: said.append(notice.text))
    dialog.close()
    cluster.loss = SchedulerUnreachable("tcp://node0:8786", "the connection is lost")
    until(qtbot, window, LinkState.LOST)
    assert "the connection is lost" in said[0]
    assert window.controller_of("clusters").link.connection is None
    window.commands["hosts"].trigger()
    cluster.loss = None
    dialog.connect_button.click()
    until(qtbot, window, LinkState.CONNECTED)


def test_the_workers_of_a_closed_window_are_left(
    window: MainWindow, qtbot: QtBot, cluster: MadeUpCluster, dialog: HostsDialog
) -> None:
    connect(qtbot, window, dialog)
    window.close()
    assert (cluster.opened, cluster.closed) == (1, 1)


def test_the_dashboard_is_opened_where_there_is_one(
    window: MainWindow,
    qtbot: QtBot,
    cluster: MadeUpCluster,
    dialog: HostsDialog,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    cluster.dashboard = "http://node0:8787/status"
    connect(qtbot, window, dialog)
    dialog.dashboard_button.click()
    assert opened == ["http://node0:8787/status"]


def test_a_median_needs_three_workers_that_compute() -> None:
    two = ClusterStatus((worker(1), worker(2, sources_per_s=1.0), worker(3, sources_per_s=0.0)))
    assert two.slow == ()
