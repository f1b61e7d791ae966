"""The form of parameters, and the card that holds it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from gui.panels.parameters import ParameterForm
from solvers.parameters import Parameter

DECLARED = (
    Parameter("block", 256, "threads in a block", low=32, high=1024),
    Parameter("delta", 0.5, "width of a bucket", low=0.0),
    Parameter("early_exit", True, "stop once a pass changes nothing"),
    Parameter("layout", "rows", "how the graph is stored", choices=("rows", "matrix")),
    Parameter("seed", "abc", "any word"),
)


@pytest.fixture
def form(qtbot: QtBot) -> ParameterForm:
    form = ParameterForm("bf-vertex", DECLARED, {p.name: p.default for p in DECLARED})
    qtbot.addWidget(form)
    form.show()
    return form


@pytest.fixture
def edits(form: ParameterForm) -> list[tuple[str, object]]:
    heard: list[tuple[str, object]] = []
    form.edited.connect(lambda name, value: heard.append((name, value)))
    return heard


def test_every_type_has_its_field_with_the_default_in_it(form: ParameterForm) -> None:
    kinds = {name: type(field) for name, field in form.fields.items()}
    assert issubclass(kinds["block"], QSpinBox)
    assert issubclass(kinds["delta"], QDoubleSpinBox)
    assert kinds["early_exit"] is QCheckBox
    assert kinds["layout"] is QComboBox
    assert kinds["seed"] is QLineEdit
    assert {name: form.value(name) for name in form.fields} == {p.name: p.default for p in DECLARED}


def test_edits_are_handed_on_with_their_type(
    form: ParameterForm, edits: list[tuple[str, object]], qtbot: QtBot
) -> None:
    qtbot.mouseClick(
        form.fields["early_exit"], Qt.MouseButton.LeftButton, pos=form.fields["early_exit"].rect().center()
    )
    form.fields["early_exit"].setChecked(False)
    form.fields["layout"].setCurrentIndex(1)
    form.fields["delta"].setValue(2.25)
    assert edits[-3:] == [("early_exit", False), ("layout", "matrix"), ("delta", 2.25)]


def type_in(qtbot: QtBot, field: QSpinBox, text: str) -> None:
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_value_out_of_range_is_refused_in_words_until_it_is_mended(
    form: ParameterForm, edits: list[tuple[str, object]], qtbot: QtBot
) -> None:
    type_in(qtbot, form.fields["block"], "5000")
    assert edits == []
    assert form.errors["block"].isVisible()
    assert form.errors["block"].text() == "Invalid: it takes a whole number from 32 to 1\u202f024."
    type_in(qtbot, form.fields["block"], "128")
    assert edits == [("block", 128)]
    assert not form.errors["block"].isVisible()


def test_steps_go_by_powers_of_two_and_stay_in_range(form: ParameterForm) -> None:
    block = form.fields["block"]
    block.stepUp()
    assert block.value() == 512
    for _ in range(5):
        block.stepUp()
    assert block.value() == 1024
    for _ in range(9):
        block.stepDown()
    assert block.value() == 32


def test_values_set_from_outside_are_shown_and_not_sent_back(
    form: ParameterForm, edits: list[tuple[str, object]]
) -> None:
    form.show_values({"block": 64, "early_exit": False, "layout": "matrix"})
    assert (form.value("block"), form.value("early_exit"), form.value("layout")) == (64, False, "matrix")
    assert edits == []
