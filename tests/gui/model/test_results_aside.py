"""Results set aside take up to a number of bytes."""

from __future__ import annotations

from gui.model.question import Question
from gui.model.results_aside import ResultsAside, bytes_of
from tests.gui.model.solved import diamond, solve


def test_results_set_aside_are_limited_in_bytes() -> None:
    question = Question(diamond(), 0, 3)
    results = [solve(question, variant_id) for variant_id in ("dijkstra-heap", "bf-serial")]
    aside = ResultsAside(bytes_of(results[1]))
    aside.put(results, None, None)
    assert [entry.result for entry in aside.take(lambda _: True)] == results[1:], "the oldest goes first"
