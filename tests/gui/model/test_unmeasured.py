"""Answers that are shown without a run, and when texts follow them."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from gui.model import unmeasured
from gui.model.unmeasured import HeldMarker, UnmeasuredState


def answer() -> Any:
    return cast(Any, object())


def test_texts_follow_a_marker_in_hand_now_and_then_and_its_last_answer_at_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unmeasured, "TOLD_MS", 1_000_000)
    state, changed, told = UnmeasuredState(), [], []
    state.set_follows(True)
    state.changed.connect(lambda: changed.append(state.answer))
    state.told.connect(lambda: told.append(state.answer))
    first, *others, last = (answer() for _ in range(6))
    state.hold(HeldMarker(True, 0, 1))
    for one in (first, *others, last):
        state.show(one)
    assert changed == [first, *others, last]
    assert told == [first]
    state.hold(None)
    assert told == [first, last]
    state.show(first)
    assert told == [first, last, first], "nothing is in hand"


def test_the_last_answer_is_told_while_the_marker_rests(qtbot: QtBot) -> None:
    state, told = UnmeasuredState(), []
    state.told.connect(lambda: told.append(state.answer))
    state.set_follows(True)
    state.hold(HeldMarker(True, 0, 1))
    answers = [answer() for _ in range(3)]
    for one in answers:
        state.show(one)
    qtbot.waitUntil(lambda: told == [answers[0], answers[-1]])
