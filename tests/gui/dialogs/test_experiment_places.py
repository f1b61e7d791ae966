"""Run > Experiments on the hosts of a made-up cluster: connect, measure, and what is
said of the hosts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.dialogs.experiments import ExperimentsDialog
from gui.dialogs.hosts import HostsDialog
from gui.window import MainWindow
from solvers.errors import SchedulerUnreachable
from tests.gui.clusters import MadeUpCluster
from tests.gui.dialogs.measured import open_experiments, press, states, wait_for_findings
from tests.gui.windows import PATIENCE_MS, wait_until_idle
from tests.solvers.experiments.fake_hosts import USUAL, FakeHosts

ADDRESS = "tcp://node0:8786"
OTHER = replace(USUAL, cpu="B CPU")


@pytest.fixture
def cluster(window: MainWindow) -> MadeUpCluster:
    """A cluster that every address of this window leads to."""
    made = MadeUpCluster()
    made.take_the_place_in(window.parts.hosts.link)
    return made


@pytest.fixture
def hosts(window: MainWindow) -> FakeHosts:
    """Its hosts: two equal ones and another."""
    made = FakeHosts(node1=USUAL, node2=USUAL, node3=OTHER)
    window.parts.experiments.hosts = lambda connection: made
    return made


@pytest.fixture
def dialog(
    qtbot: QtBot, window: MainWindow, cluster: MadeUpCluster, hosts: FakeHosts, tmp_path: Path
) -> ExperimentsDialog:
    """The sample experiment alone, with a store of its own, and the cluster chosen."""
    found = open_experiments(qtbot, window, tmp_path)
    found.place.choice.setCurrentText("on hosts of a cluster")
    assert not found.start_button.isEnabled()
    name_cluster(found, ADDRESS)
    return found


def name_cluster(dialog: ExperimentsDialog, address: str) -> None:
    dialog.place.field.setText(address)
    dialog.place.field.editingFinished.emit()


def connect(qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog) -> None:
    press(qtbot, dialog.start_button)
    qtbot.waitUntil(lambda: dialog.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)


def test_a_sweep_goes_to_the_hosts_of_the_cluster(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, hosts: FakeHosts, tmp_path: Path
):
    assert (dialog.start_button.text(), states(dialog)) == ("Connect", [])
    connect(qtbot, window, dialog)
    assert len(states(dialog)) == 6
    assert dialog.remarks.text()
    press(qtbot, dialog.start_button)
    assert not dialog.place.isEnabled()
    wait_for_findings(qtbot, window)
    assert {words.rpartition("on ")[2] for words in states(dialog)} == {"node1", "node2"}
    assert hosts.most_busy > 1
    window.parts.experiments.exports.write_report(tmp_path / "report.html")
    wait_until_idle(qtbot, window)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/png") == 2, "a picture of each graph"
    press(qtbot, dialog.start_button)
    wait_until_idle(qtbot, window)
    assert all(words.endswith("from the store") for words in states(dialog))


def test_unequal_hosts_measure_if_that_is_ticked(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog
):
    connect(qtbot, window, dialog)
    press(qtbot, dialog.place.any_box)
    wait_until_idle(qtbot, window)
    press(qtbot, dialog.start_button)
    wait_for_findings(qtbot, window)
    assert any(words.endswith("on node3") for words in states(dialog))


def test_a_lost_worker_is_told_and_a_cancelled_run_goes_on(
    qtbot: QtBot, window: MainWindow, dialog: ExperimentsDialog, hosts: FakeHosts
):
    hosts.answers["node1", "measure_point"] = ["lost"]
    connect(qtbot, window, dialog)
    told: list[str] = []
    window.parts.session.noticed.connect(lambda notice: told.append(notice.text))
    press(qtbot, dialog.start_button)
    press(qtbot, dialog.start_button)
    assert dialog.start_button.text() == "Resume"
    press(qtbot, dialog.cancel_button)
    qtbot.waitUntil(lambda: dialog.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    press(qtbot, dialog.start_button)
    wait_for_findings(qtbot, window)
    assert len([words for words in states(dialog) if "trials" in words]) == 6
    assert any("node1" in words for words in told)


def test_what_is_wrong_with_the_cluster_is_said(
    qtbot: QtBot,
    window: MainWindow,
    dialog: ExperimentsDialog,
    cluster: MadeUpCluster,
    hosts: FakeHosts,
):
    cluster.refusal = SchedulerUnreachable(ADDRESS, "Connection refused")
    press(qtbot, dialog.start_button)
    qtbot.waitUntil(lambda: "Connection refused" in dialog.needs.text(), timeout=PATIENCE_MS)
    assert dialog.start_button.text() == "Connect"
    cluster.refusal = None
    hosts.equipment = dict.fromkeys(hosts.equipment, "There is no CUDA device")
    press(qtbot, dialog.start_button)
    qtbot.waitUntil(lambda: "There is no CUDA device" in dialog.needs.text(), timeout=PATIENCE_MS)
    assert not dialog.start_button.isEnabled()
    name_cluster(dialog, "tpc://node0")
    assert "tpc" in dialog.needs.text()
    press(qtbot, dialog.place.hosts_button)
    assert window.findChild(HostsDialog).isVisible()
    dialog.place.choice.setCurrentText("on this machine")
    wait_until_idle(qtbot, window)
    assert (dialog.start_button.text(), len(states(dialog))) == ("Start", 6)
