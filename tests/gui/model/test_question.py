"""A result answers a question on its own graph, from its own source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui.model.question import Question
from tests.gui.model.solved import diamond, solve


@pytest.fixture
def question() -> Question:
    return Question(diamond(), 0, 3)


@pytest.mark.parametrize(
    ("variant_id", "other_target", "other_source"),
    [("dijkstra-heap", True, False), ("dijkstra-bidirectional", False, False), ("fw-serial", True, True)],
)
def test_what_a_result_answers(question: Question, variant_id: str, other_target: bool, other_source: bool) -> None:
    result = solve(question, variant_id)
    assert question.answered_by(result)
    assert replace(question, target=2).answered_by(result) == other_target
    assert replace(question, source=1).answered_by(result) == other_source
    assert not replace(question, graph=diamond()).answered_by(result)


def test_all_pairs_lead_from_another_source(question: Question) -> None:
    result = replace(question, source=1).rerouted(solve(question, "fw-serial"))
    assert result.path is not None
    assert (result.source, result.path.tolist(), result.target_distance) == (1, [1, 3], 2.0)


def test_a_path_to_another_target_only_is_none(question: Question) -> None:
    moved = replace(question, target=2)
    assert moved.for_target(solve(question, "dijkstra-bidirectional")) is None
    rerouted = moved.for_target(solve(question))
    assert rerouted is not None
    assert rerouted.path is not None
    assert rerouted.path.tolist() == [0, 2]
