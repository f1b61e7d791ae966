"""Questions on a run: their answers are those of the trace."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from resources import FOLDER
from solvers.core.variant import find_variant
from solvers.graphs.readers import read_graph
from solvers.page.questions import QuestionKind, TraceQuestion, is_right, questions_of, right_answer
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run


def test_questions_and_their_answers_follow_from_the_trace():
    graph = read_graph(FOLDER / "samples" / "textbook.gr").graph
    variants = [find_variant(one) for one in ("dijkstra-heap", "bf-serial")]
    choices = tuple(Choice(one, one.settle({})) for one in variants)
    plan = MeasurementPlan(warmups=0, trials=1)
    results = list(run(RunRequest(graph, source=0, target=None, choices=choices, plan=plan, trace=True)))
    trace, asked = results[0].trace, questions_of(results)
    assert {question.kind for question in asked} == set(QuestionKind)
    for question in asked:
        after, answer = question.position + 1, question.answer
        if question.kind is QuestionKind.FRONTIER:
            assert answer == tuple(sorted(trace.frontier(after).tolist()))
        elif question.kind is QuestionKind.ARCS:
            assert set(graph.tails[list(answer)].tolist()) <= set(trace.frontier(after).tolist())
            assert len(answer) == trace.relaxed[after]
        elif question.kind is QuestionKind.DISTANCE:
            assert answer == (trace.distances[after][question.vertex],)
            assert trace.distances[after][question.vertex] < trace.distances[after - 1][question.vertex]
        else:
            counts = np.array([result.iterations for result in results])
            assert answer == tuple(np.flatnonzero(counts == counts.min()).tolist())
    assert asked[0].worded("Who?").described()["words"] == "Who?"


@pytest.mark.parametrize(
    ("kind", "answer", "given", "right"),
    [
        (QuestionKind.FRONTIER, (1, 2), "3,2", True),
        (QuestionKind.FRONTIER, (1, 2), "2", False),
        (QuestionKind.ARCS, (0,), "1 -> 2", True),
        (QuestionKind.ARCS, (0,), "2-1", False),
        (QuestionKind.DISTANCE, (float("inf"),), "∞", True),
        (QuestionKind.DISTANCE, (2.5,), "2.5", True),
        (QuestionKind.DISTANCE, (2.5,), "far", False),
    ],
)
def test_answers_in_words_are_judged(kind, answer, given, right):
    result = SimpleNamespace(graph=read_graph(FOLDER / "samples" / "textbook.gr").graph)
    question = TraceQuestion(kind, "", 0, 0, answer)
    assert is_right(question, given, [result]) is right
    assert is_right(question, right_answer(question, [result]), [result])
