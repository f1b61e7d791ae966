"""File > Datasets as a user meets it: list, filter, download, cancel, resume, open,
remove; and what goes wrong.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox
from pytestqt.qtbot import QtBot

from gui.features.datasets.dialog import DatasetsDialog
from gui.window import MainWindow
from solvers.features.datasets.catalogue import Dataset, DatasetStore, datasets
from solvers.system.downloads import Patience
from tests.gui.windows import controller_of, wait_until_idle
from tests.https_server import Resource, Server
from tests.solvers.features.datasets.downloads import local_dataset

HERE = 4  # column


def opened(window: MainWindow, folder: Path, *catalogue: Dataset) -> DatasetsDialog:
    controller_of(window, "datasets").catalogue = catalogue or datasets()
    controller_of(window, "datasets").store = DatasetStore(
        folder / "cache", Patience(silence_s=5, attempts=1, pause_s=0.01)
    )
    window.commands["datasets"].trigger()
    dialog = window.findChild(DatasetsDialog)
    assert dialog.isVisible()
    return dialog


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def here(dialog: DatasetsDialog) -> str:
    return dialog.tree.currentItem().text(HERE)


def test_the_list_is_filtered_and_asks_nobody(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    dialog = opened(window, tmp_path)
    dialog.choose("USA-road-d.NY")
    assert not dialog.open_button.isEnabled()
    assert not (tmp_path / "cache").exists()
    qtbot.keyClicks(dialog.filter, "snap roads")
    shown = [
        dialog.tree.topLevelItem(i).text(0)
        for i in range(dialog.tree.topLevelItemCount())
        if not dialog.tree.topLevelItem(i).isHidden()
    ]
    assert shown == ["SNAP, roads"]


def test_download_open_and_remove(qtbot: QtBot, window: MainWindow, server: Server, tmp_path: Path):
    dialog = opened(window, tmp_path, local_dataset(server, published=True))
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: here(dialog) == "downloaded", timeout=20_000)
    assert not dialog.download_button.isEnabled()
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=60_000):
        press(qtbot, dialog.open_button)
    wait_until_idle(qtbot, window)
    assert window.parts.session.graph.n == 3
    assert window.parts.session.graph.coordinates is not None
    dialog = controller_of(window, "datasets").show()
    press(qtbot, dialog.remove_button)
    box = dialog.findChild(QMessageBox)
    press(qtbot, box.buttons()[0])
    qtbot.waitUntil(lambda: here(dialog) == "", timeout=5000)
    assert not list((tmp_path / "cache").rglob("*.gz"))


def test_cancel_keeps_what_arrived_and_resume_goes_on(
    qtbot: QtBot, window: MainWindow, server: Server, tmp_path: Path
):
    wanted = local_dataset(server, published=False)
    slow = gzip.compress(bytes(range(256)) * 4000, compresslevel=0)
    server.resources["/three.gr.gz"] = Resource(slow, piece_pause_s=0.02)
    dialog = opened(window, tmp_path, wanted)
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: here(dialog).endswith("%") and here(dialog) != "0 %", timeout=20_000)
    assert dialog.progress.isVisible()
    assert dialog.download_button.text() == "Cancel"
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: here(dialog).endswith("so far"), timeout=5000)
    assert dialog.download_button.text() == "Resume"
    assert not dialog.progress.isVisible()
    server.resources["/three.gr.gz"].piece_pause_s = 0
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: here(dialog) == "downloaded", timeout=20_000)
    assert server.requests[1][1].startswith("bytes=")


def test_a_failure_is_told_in_the_dialog_or_in_the_window(
    qtbot: QtBot, window: MainWindow, server: Server, tmp_path: Path
):
    wanted = local_dataset(server, published=True, status=503)
    dialog = opened(window, tmp_path, wanted)
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: "503" in dialog.outcome.text(), timeout=20_000)
    assert window.notices.notice is None
    dialog.close()
    controller_of(window, "datasets").download(wanted)
    qtbot.waitUntil(lambda: window.notices.notice is not None, timeout=20_000)
    assert "503" in window.notices.notice.text


def test_a_file_that_changed_is_taken_only_when_accepted(
    qtbot: QtBot, window: MainWindow, server: Server, tmp_path: Path
):
    wanted = local_dataset(server, published=False)
    dialog = opened(window, tmp_path, wanted)
    store = controller_of(window, "datasets").store
    store.get(wanted)
    store.remove(wanted)
    dialog.refresh()
    server.resources["/three.gr.gz"] = Resource(
        gzip.compress(b"p sp 2 1\na 1 2 3\n", mtime=0), etag='"2"'
    )
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(dialog.accept_button.isVisible, timeout=20_000)
    assert not store.presence(wanted).complete
    press(qtbot, dialog.accept_button)
    qtbot.waitUntil(lambda: here(dialog) == "downloaded", timeout=20_000)


def test_downloads_wait_for_one_another(
    qtbot: QtBot, window: MainWindow, server: Server, tmp_path: Path
):
    first = local_dataset(server, published=True, stall_at=0)
    dialog = opened(window, tmp_path, first, datasets()[1])
    press(qtbot, dialog.download_button)
    dialog.choose(datasets()[1].id)
    press(qtbot, dialog.download_button)
    assert here(dialog) == "waits"
    press(qtbot, dialog.download_button)
    assert here(dialog) == ""
    dialog.choose(first.id)
    press(qtbot, dialog.download_button)
    qtbot.waitUntil(lambda: here(dialog) == "", timeout=5000)
    wait_until_idle(qtbot, window)
