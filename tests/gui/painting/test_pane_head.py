"""Headers of panes: the progress text gets shorter with the room, and is elided rather than cut."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFont, QFontMetricsF

from gui.painting.pane_head import fitting_text, progress_texts
from solvers.contracts.trace import ActivityTrace, TraceRecorder

pytestmark = pytest.mark.usefixtures("qapp")


def trace_of(iterations: int) -> ActivityTrace:
    recorder = TraceRecorder(4)
    for k in range(iterations):
        recorder.iteration(np.array([k % 4]), 4, 1, 1.0)
    return recorder.finish()


def test_the_texts_say_less_and_less() -> None:
    assert progress_texts(trace_of(3000), 1199, 1200.0, False) == (
        "iteration 1\u202f200 of 3\u202f000  ·  1.20 s", "1\u202f200 of 3\u202f000  ·  1.20 s",
        "1\u202f200 of 3\u202f000", "1\u202f200 of 3\u202f000", "1\u202f200",
    )  # fmt: skip
    assert progress_texts(trace_of(3000), 2999, None, True)[0] == "iteration 3\u202f000 of 3\u202f000, done"


def test_the_longest_text_that_fits_is_shown() -> None:
    metrics = QFontMetricsF(QFont())
    texts = ("iteration 1\u202f200 of 3\u202f000", "1\u202f200 of 3\u202f000", "1\u202f200")
    for text in texts:
        assert fitting_text(texts, metrics, metrics.horizontalAdvance(text)) == text


def test_a_text_that_does_not_fit_is_elided() -> None:
    metrics = QFontMetricsF(QFont())
    room = metrics.horizontalAdvance("1,2…") + 1.0
    elided = fitting_text(("1\u202f200 of 3\u202f000", "1\u202f200"), metrics, room)
    assert elided.startswith("1")
    assert elided.endswith("…")
    assert metrics.horizontalAdvance(elided) <= room
