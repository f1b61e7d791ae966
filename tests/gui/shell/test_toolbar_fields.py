"""Source, target and search: ids typed into the fields, refused with the nearest, and the keys given back."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.model.devices import Devices
from gui.shell.toolbar_fields import DeviceBox, device_names
from gui.window import MainWindow
from tests.gui.panels.sample import PretendGpu
from tests.gui.windows import SAMPLE, TINY, open_graph, tick_only, wait_until_idle


def test_ids_typed_into_the_fields_are_the_file_s_own(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.source
    field.selectAll()
    qtbot.keyClicks(field, "17")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.parts.session.source == 16


def test_an_id_may_be_pasted_with_separators(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    for text, vertex in (("2,000", 1999), ("1\u202f500", 1499)):
        window.endpoints.source.selectAll()
        window.endpoints.source.insert(text)
        qtbot.keyClick(window.endpoints.source, Qt.Key.Key_Return)
        assert window.parts.session.source == vertex


def test_a_long_device_name_is_cut_in_the_middle_and_whole_on_hover(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "NVIDIA RTX 6000 Ada Generation Laptop with a long name and a 48 GB"
    device = PretendGpu()
    device.name = name
    listed = SimpleNamespace(devices=(device,))
    monkeypatch.setattr(Devices, "list", property(lambda _: listed))
    window.parts.session.set_device(device)
    box = window.findChild(DeviceBox)
    assert box.shown_text.startswith("RTX")
    assert box.shown_text.endswith("48 GB")
    assert "…" in box.shown_text
    assert box.fontMetrics().horizontalAdvance(box.shown_text) < box.width() - 20
    assert name in box.toolTip()


def test_a_device_is_named_shorter_before_its_name_is_cut(qtbot: QtBot, window: MainWindow) -> None:
    """At 1280 x 720 and 150 % the processor was "CPU:…nCL)"."""
    device = PretendGpu()
    device.name = "NVIDIA H200"
    assert device_names(device) == ("CUDA: NVIDIA H200", "CUDA: H200", "H200")
    box = window.findChild(DeviceBox)
    for level, text in enumerate(device_names(window.parts.session.device)):
        box.shorten(level)
        assert box.shown_text == text


def test_an_unknown_id_is_refused_beneath_the_field_with_the_nearest(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.target
    for text, words in (("3001", "3000"), ("first", "first")):
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert f"“{text}”" in field.error
        assert words in field.error
    assert window.parts.session.target == 2999
    qtbot.keyClicks(field, "2")
    assert field.error == ""


def test_an_empty_target_asks_for_distances_only(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, SAMPLE)
    field = window.endpoints.target
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.parts.session.target is None


def test_find_goes_to_the_vertex_and_moves_no_end_point(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_graph(qtbot, window, SAMPLE)
    window.commands["find"].trigger()
    qtbot.waitUntil(window.endpoints.search.hasFocus)
    camera = window.parts.canvas.graph_canvas.view.camera
    qtbot.keyClicks(window.endpoints.search, "1500")
    qtbot.keyClick(window.endpoints.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.parts.canvas.graph_canvas.view.camera != camera)
    assert (window.parts.session.source, window.parts.session.target) == (0, 2999)


def test_enter_and_escape_give_the_keys_back_to_the_picture(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    window.activateWindow()
    field = window.endpoints.source
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is window.parts.canvas.focusProxy()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "5")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "3"
    assert QApplication.focusWidget() is window.parts.canvas.focusProxy()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("abc", "“abc” is not a vertex id: ids in this graph are integers, 1 to 8."),
        ("3.5", "“3.5” is not a vertex id"),
        ("99999999999999999999", "Nearest: 8."),
        ("-1", "Nearest: 1."),
    ],
)
def test_what_is_no_id_is_refused_in_words(qtbot: QtBot, window: MainWindow, typed: str, said: str) -> None:
    open_graph(qtbot, window, TINY)
    field = window.endpoints.source
    before = window.parts.session.source
    field.selectAll()
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert said in field.error
    assert window.parts.session.source == before


def test_a_refused_id_goes_when_a_run_begins(qtbot: QtBot, window: MainWindow) -> None:
    """Its bubble lay over the results of a run that used another vertex."""
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    field = window.endpoints.source
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "77")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "77" in field.error
    window.parts.run.start()
    qtbot.waitUntil(lambda: not field.error)
    wait_until_idle(qtbot, window)
    assert field.text() == "1"
    assert window.parts.session.results
