"""Run > Experiments on the hosts of a made-up cluster: connect, measure, and what is
said of the hosts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from gui.features.clusters.dialog import HostsDialog
from gui.features.experiments.page import ExperimentPage
from gui.window import MainWindow
from solvers.errors import SchedulerUnreachable
from tests.gui.features.clusters.made_cluster import MadeUpCluster
from tests.gui.features.experiments.measured import (
    answer_with,
    open_experiments,
    press,
    states,
    wait_for_findings,
)
from tests.gui.windows import PATIENCE_MS, controller_of, wait_until_idle
from tests.solvers.features.experiments.fake_hosts import USUAL, FakeHosts

ADDRESS = "tcp://node0:8786"
OTHER = replace(USUAL, cpu="B CPU")


@pytest.fixture
def cluster(window: MainWindow) -> MadeUpCluster:
    """A cluster that every address of this window leads to."""
    made = MadeUpCluster()
    made.take_the_place_in(controller_of(window, "clusters").link)
    return made


@pytest.fixture
def hosts(window: MainWindow) -> FakeHosts:
    """Its hosts: two equal ones and another."""
    made = FakeHosts(node1=USUAL, node2=USUAL, node3=OTHER)
    controller_of(window, "experiments").hosts = lambda connection: made
    return made


@pytest.fixture
def page(
    qtbot: QtBot, window: MainWindow, cluster: MadeUpCluster, hosts: FakeHosts, tmp_path: Path
) -> ExperimentPage:
    """The sample experiment alone, with a store of its own, and the cluster chosen."""
    found = open_experiments(qtbot, window, tmp_path)
    found.place.choice.setCurrentText("on hosts of a cluster")
    assert not found.start_button.isEnabled()
    name_cluster(found, ADDRESS)
    return found


def name_cluster(page: ExperimentPage, address: str) -> None:
    page.place.field.setText(address)
    page.place.field.editingFinished.emit()


def connect(qtbot: QtBot, window: MainWindow, page: ExperimentPage) -> None:
    press(qtbot, page.start_button)
    qtbot.waitUntil(lambda: page.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)


def test_a_sweep_goes_to_the_hosts_of_the_cluster(
    qtbot: QtBot,
    window: MainWindow,
    page: ExperimentPage,
    hosts: FakeHosts,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    assert (page.start_button.text(), states(page)) == ("Connect", [])
    connect(qtbot, window, page)
    assert len(states(page)) == 6
    assert page.remarks.text()
    press(qtbot, page.start_button)
    assert not page.place.isEnabled()
    wait_for_findings(qtbot, window)
    assert {words.rpartition("on ")[2] for words in states(page)} == {"node1", "node2"}
    assert hosts.most_busy > 1
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)
    answer_with(monkeypatch, tmp_path / "report.html")
    press(qtbot, page.report_button)
    wait_until_idle(qtbot, window)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert report.count("data:image/png") == 2, "a picture of each graph"
    press(qtbot, page.start_button)
    wait_until_idle(qtbot, window)
    assert all(words.endswith("from the store") for words in states(page))


def test_unequal_hosts_measure_if_that_is_ticked(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage
):
    connect(qtbot, window, page)
    press(qtbot, page.place.any_box)
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    assert any(words.endswith("on node3") for words in states(page))


def test_a_lost_worker_is_told_and_a_cancelled_run_goes_on(
    qtbot: QtBot, window: MainWindow, page: ExperimentPage, hosts: FakeHosts
):
    hosts.answers["node1", "measure_point"] = ["lost"]
    connect(qtbot, window, page)
    told: list[str] = []
    window.parts.session.noticed.connect(lambda notice: told.append(notice.text))
    press(qtbot, page.start_button)
    press(qtbot, page.start_button)
    assert page.start_button.text() == "Resume"
    press(qtbot, page.cancel_button)
    qtbot.waitUntil(lambda: page.start_button.text() == "Start", timeout=PATIENCE_MS)
    wait_until_idle(qtbot, window)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    assert len([words for words in states(page) if "trials" in words]) == 6
    assert any("node1" in words for words in told)


def test_what_is_wrong_with_the_cluster_is_said(
    qtbot: QtBot,
    window: MainWindow,
    page: ExperimentPage,
    cluster: MadeUpCluster,
    hosts: FakeHosts,
):
    cluster.refusal = SchedulerUnreachable(ADDRESS, "Connection refused")
    press(qtbot, page.start_button)
    qtbot.waitUntil(lambda: "Connection refused" in page.needs.text(), timeout=PATIENCE_MS)
    assert page.start_button.text() == "Connect"
    cluster.refusal = None
    hosts.equipment = dict.fromkeys(hosts.equipment, "There is no CUDA device")
    press(qtbot, page.start_button)
    qtbot.waitUntil(lambda: "There is no CUDA device" in page.needs.text(), timeout=PATIENCE_MS)
    assert not page.start_button.isEnabled()
    name_cluster(page, "tpc://node0")
    assert "tpc" in page.needs.text()
    press(qtbot, page.place.hosts_button)
    assert window.findChild(HostsDialog).isVisible()
    page.place.choice.setCurrentText("on this machine")
    wait_until_idle(qtbot, window)
    assert (page.start_button.text(), len(states(page))) == ("Start", 6)
