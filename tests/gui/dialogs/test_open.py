"""The columns of a table, chosen in Open with options: what the first rows tell, other
separators, and problems; and generating by keys.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from gui.dialogs.messages import describe_graph
from gui.dialogs.open import GenerateDialog, OpenOptionsDialog, TableChooser
from gui.style.forms import WrappedLabel
from gui.window import MainWindow
from solvers.graphs.edge_columns import EdgeColumns, preview_of
from solvers.graphs.readers import TableOptions
from tests.gui.windows import PATIENCE_MS

TOWNS = "id;way;place;km\n1;Vaduz;Schaan;6\n2;Schaan;<b>Planken</b>;9.5\n"


def chooser(qtbot: QtBot, text: str) -> TableChooser:
    made = TableChooser(preview_of(text.splitlines(), TableOptions()))
    qtbot.addWidget(made)
    return made


def headings(made: TableChooser) -> list[str]:
    return [
        made.rows.horizontalHeaderItem(place).text() for place in range(made.rows.columnCount())
    ]


def test_what_the_titles_tell_is_chosen_already(qtbot: QtBot) -> None:
    made = chooser(qtbot, "id,from_town,to_town,minutes\n1,a,b,3\n2,b,c,4\n")
    assert headings(made) == ["id\n", "from_town\nsource", "to_town\ntarget", "minutes\nweight"]
    assert made.options == TableOptions()
    made.weight.setCurrentIndex(0)
    assert (headings(made)[3], made.options) == ("minutes\n", TableOptions("from_town,to_town"))


def test_columns_without_known_titles_are_chosen(qtbot: QtBot) -> None:
    made = chooser(qtbot, TOWNS)
    assert made.columns == EdgeColumns(0, 1, 3)
    made.source.setCurrentIndex(1)
    assert made.problem
    made.target.setCurrentIndex(2)
    assert (made.problem, made.options) == ("", TableOptions("way,place,km"))
    assert made.rows.item(1, 2).text() == "<b>Planken</b>"


def test_a_graph_is_generated_by_keys_alone(qtbot: QtBot) -> None:
    """Tab went from the family to the buttons, past the fields; labels were "low", "high"."""
    dialog = GenerateDialog()
    qtbot.addWidget(dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
    dialog.family.setCurrentText("Grid")
    dialog.family.setFocus()
    stops = []
    for _ in range(7):
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        stops.append(dialog.focusWidget().accessibleName() or dialog.focusWidget())
    fields = ["Columns", "Rows", "Least weight", "Greatest weight", "Random seed"]
    assert stops[:5] == fields
    assert [button.text() for button in stops[5:]] == ["Generate", "Cancel"]
    assert {one.text() for one in dialog.form.findChildren(QLabel)} >= set(fields)
    low = dialog.form.fields["low"]
    low.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClicks(low, "4")
    QTest.keyClick(low, Qt.Key.Key_Tab)
    assert dialog.parameters["low"] == 4


def test_a_long_question_does_not_cover_the_table(qtbot: QtBot, tmp_path: Path) -> None:
    titles = ",".join(f"{kind} of the whole road" for kind in ("length", "time", "cost"))
    lines = [f"from,to,{titles}", "A,B,1,2,3", "B,C,4,5,6"]
    dialog = OpenOptionsDialog(tmp_path / "t.csv", None, preview_of(lines, TableOptions()))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert dialog.table is not None
    label = dialog.table.findChild(WrappedLabel)
    assert label is not None
    assert (
        label.height() >= label.heightForWidth(label.width()) > label.fontMetrics().height() * 1.5
    )
    assert not label.geometry().intersects(dialog.table.rows.geometry())


def test_a_role_has_room_in_a_narrow_column(qtbot: QtBot) -> None:
    made = chooser(qtbot, "1 2 5 7\n2 3 6 8\n1 3 9 2\n")
    made.weight.setCurrentIndex(3)
    assert headings(made)[2] == "3\nweight"
    assert made.rows.columnWidth(2) >= made.rows.horizontalHeader().sectionSizeHint(2)


def test_a_square_of_numbers_is_asked_about(qtbot: QtBot) -> None:
    made = chooser(qtbot, "0 4 9\n4 0 1\n9 1 0\n")
    assert made.problem == (
        "Choose the weights: this may be a matrix of distances, or a list of edges."
    )
    made.weight.setCurrentIndex(3)
    assert (made.problem, made.options) == ("", TableOptions("1,2,3"))


def test_another_separator_splits_the_rows_again(qtbot: QtBot) -> None:
    made = chooser(qtbot, TOWNS)
    made.separator.setCurrentText("Comma")
    assert (made.rows.columnCount(), bool(made.problem)) == (1, True)
    made.separator.setCurrentText("Semicolon")
    made.header.setChecked(False)
    assert (made.rows.item(0, 1).text(), made.source.itemText(1)) == ("way", "Column 2")
    assert made.options == TableOptions("1,2,4", header=False)


def test_a_table_is_opened_by_the_columns_chosen(
    qtbot, window: MainWindow, tmp_path, monkeypatch
) -> None:
    path = tmp_path / "towns.csv"
    path.write_text(TOWNS)

    def accept(dialog: OpenOptionsDialog) -> bool:
        open_button = dialog.findChild(QDialogButtonBox).button(
            QDialogButtonBox.StandardButton.Open
        )
        dialog.table.source.setCurrentIndex(1)
        assert not open_button.isEnabled()
        dialog.table.target.setCurrentIndex(2)
        assert open_button.isEnabled()
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", accept)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.open(path)
    graph = window.parts.session.graph
    assert (graph.labels, graph.weights.tolist()) == (
        ("Vaduz", "Schaan", "<b>Planken</b>"),
        [6.0, 9.5],
    )
    assert window.parts.session.graph_source.reading.columns == "way,place,km"


def test_several_possible_weights_are_a_question(qtbot, window, tmp_path, monkeypatch) -> None:
    path = tmp_path / "roads.csv"
    path.write_text("from,to,length,time\nA,B,4,7\nB,C,3,8\n")

    def answer(dialog: OpenOptionsDialog) -> int:
        dialog.show()
        weight = dialog.table.weight
        open_button = dialog.findChild(QDialogButtonBox).button(
            QDialogButtonBox.StandardButton.Open
        )
        assert weight.currentIndex() == -1
        assert "“length” and “time” may each be the weights" in dialog.table.problem
        qtbot.mouseClick(open_button, Qt.MouseButton.LeftButton)
        assert dialog.isVisible()
        while weight.currentText() != "time":
            qtbot.keyClick(weight, Qt.Key.Key_Down)
        assert coloured(dialog.table) == [True, True, False, True]
        qtbot.mouseClick(open_button, Qt.MouseButton.LeftButton)
        return dialog.result()

    monkeypatch.setattr(OpenOptionsDialog, "exec", answer)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.open(path)
    assert window.parts.session.graph.weights.tolist() == [7, 8]
    assert "column “time”" in describe_graph(window.parts.session.graph, None)


def coloured(made: TableChooser) -> list[bool]:
    columns = range(made.rows.columnCount())
    return [made.rows.item(0, k).background().style() != Qt.BrushStyle.NoBrush for k in columns]


@pytest.mark.parametrize("content", ["p sp 2 1\na 1 2 3\n", '{"nodes": []}'])
def test_other_files_have_no_columns_to_choose(
    qtbot, window, tmp_path, monkeypatch, content
) -> None:
    path = tmp_path / "graph.txt"
    path.write_text(content)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    asked = []
    monkeypatch.setattr(OpenOptionsDialog, "exec", lambda dialog: asked.append(dialog.table))
    window.commands["open-options"].trigger()
    qtbot.waitUntil(lambda: bool(asked), timeout=PATIENCE_MS)
    assert asked == [None]


def test_line_ends_are_joined_as_chosen(qtbot, window, tmp_path, monkeypatch) -> None:
    path = tmp_path / "roads.geojson"
    lines = [[9.5, 47.1], [9.51, 47.1]], [[9.510001, 47.1], [9.52, 47.1]]
    features = [
        {"type": "Feature", "geometry": {"type": "LineString", "coordinates": line}}
        for line in lines
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))

    def answer(dialog: OpenOptionsDialog) -> bool:
        dialog.show()
        (field,) = [one for one in dialog.findChildren(QLineEdit) if "1m" in one.placeholderText()]
        qtbot.keyClicks(field, "1m")
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", answer)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.commands["open-options"].trigger()
    assert window.parts.session.graph.n == 3
    assert window.parts.session.graph_source.reading.join == "1m"


def test_two_columns_that_may_be_no_edges_are_a_question(
    qtbot, window, tmp_path, monkeypatch
) -> None:
    path = tmp_path / "stops.csv"
    path.write_text("stop,next\nA,B\nB,C\n")
    asked = []

    def answer(dialog: OpenOptionsDialog) -> bool:
        asked.append(dialog)
        dialog.table.header.setChecked(True)
        return True

    monkeypatch.setattr(OpenOptionsDialog, "exec", answer)
    with qtbot.waitSignal(window.parts.session.graph_changed, timeout=PATIENCE_MS):
        window.parts.open.open(path)
    assert (len(asked), window.parts.session.graph.labels) == (1, ("A", "B", "C"))
