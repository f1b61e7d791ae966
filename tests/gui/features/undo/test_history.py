"""Steps that are undone and redone, by hand and by notices."""

from __future__ import annotations

import pytest

from gui.features.undo import history as history_module
from gui.features.undo.history import History
from gui.model.changes import Change, Changes


class Dial:
    """Something that can be set, and that records its changes as the window does."""

    def __init__(self, history: History):
        self.value, self._history = 0, history

    def turn(self, value: int, thing: str = "dial") -> None:
        before, self.value = self.value, value
        self._history.record(Change(f"turn to {value}", (thing,), before, value, self._apply))

    def _apply(self, value: int) -> None:
        self.value = value


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def dial(history: History, monkeypatch: pytest.MonkeyPatch) -> Dial:
    monkeypatch.setattr(history_module, "_MERGE_S", -1.0)
    return Dial(history)


def test_steps_are_undone_and_redone_in_order(history: History, dial: Dial) -> None:
    for value in (1, 2, 3):
        dial.turn(value)
    assert (history.undoText(), history.canRedo()) == ("turn to 3", False)
    history.undo()
    history.undo()
    assert (dial.value, history.undoText(), history.redoText()) == (1, "turn to 1", "turn to 2")
    history.redo()
    assert dial.value == 2
    dial.turn(9)
    assert not history.canRedo()
    history.undo()
    assert dial.value == 2


def test_quick_changes_of_one_thing_are_one_step(
    history: History, dial: Dial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_MERGE_S", 60.0)
    for value in (1, 2, 3):
        dial.turn(value)
    dial.turn(4, "another thing")
    history.undo()
    assert dial.value == 3
    history.undo()
    assert dial.value == 0
    assert not history.canUndo()
    history.redo()
    assert dial.value == 3


def test_what_changes_while_a_step_is_undone_is_no_step(history: History) -> None:
    def apply(_: object) -> None:
        history.record(Change("echo", ("echo",), 0, 1, apply))

    history.record(Change("first", ("first",), 0, 1, apply))
    history.undo()
    assert not history.canUndo()
    assert history.redoText() == "first"


def test_a_change_is_taken_back_after_others_by_one_more_step(history: History, dial: Dial) -> None:
    applied: list[int] = []
    first = Change("first", ("first",), 0, 1, applied.append, outlasts_graph=True)
    history.record(first)
    dial.turn(1)
    history.take_back(first)
    assert (applied, dial.value, history.undoText()) == ([0], 1, "undo first")
    history.clear()
    history.undo()
    assert applied == [0, 1]
    assert history.undoText() == "first"
    history.take_back(first)
    assert (applied, history.canUndo()) == ([0, 1, 0], False)
    history.take_back(first)
    assert applied == [0, 1, 0], "it is taken back already"


def test_changes_are_announced(history: History, dial: Dial) -> None:
    heard: list[str] = []
    history.indexChanged.connect(lambda: heard.append(history.undoText()))
    dial.turn(1)
    history.undo()
    history.clear()
    assert heard[:2] == ["turn to 1", ""]


def test_without_steps_a_change_is_taken_back_at_once() -> None:
    applied: list[int] = []
    Changes(None).take_back(Change("first", ("first",), 0, 1, applied.append))
    assert applied == [0]
