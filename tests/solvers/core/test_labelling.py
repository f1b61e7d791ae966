"""Words for the states of vertices: what is called settled is final, and glossary, legend
and page have the same words.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from solvers.core.availability import availability
from solvers.core.labelling import Labelling, VertexState, common, state_words, widest_words
from solvers.core.trace import ActivityTrace
from solvers.core.variant import Answers, Variant, all_variants
from solvers.features.lesson.lesson import Lesson
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.system.files import RESOURCES
from tests import graphs
from tests.solvers.running.requests import TRACE_ONLY

GRAPH = graphs.at_random(40, 160, 8)
SETTING = [
    one
    for one in all_variants()
    if one.labelling is Labelling.SETTING
    and not one.racy
    and one.answers is not Answers.APSP
    and availability(one, GRAPH, None).available
]


@pytest.mark.parametrize("entry", SETTING, ids=lambda one: one.id)
def test_what_is_called_settled_is_never_lowered_again(entry: Variant) -> None:
    request = RunRequest(
        GRAPH, 0, 39, (Choice(entry, entry.settle({})),), None, TRACE_ONLY, trace=True
    )
    (result,) = run(request)
    trace = result.trace
    assert isinstance(trace, ActivityTrace), result.error
    assert trace.labelling is Labelling.SETTING
    if trace.distances is None:
        pytest.skip("it records no distances, and has no lesson")
    for position in range(len(trace)):
        lesson = Lesson(GRAPH, trace, position)
        settled = [v for v in range(GRAPH.n) if lesson.vertex(v) is VertexState.INACTIVE]
        assert np.array_equal(lesson.after[settled], trace.distances[-1][settled])


def test_variants_of_both_kinds_are_told_apart() -> None:
    by_id = {one.id: one.labelling for one in all_variants()}
    assert {by_id[name] for name in ("dijkstra-heap", "da2cf-f-cpu", "astar")} == {
        Labelling.SETTING
    }
    correcting = ("bf-serial", "bf-strided-flag", "bf-python", "sssp-delta-omp")
    assert {by_id[name] for name in correcting} == {Labelling.CORRECTING}
    assert by_id["fw-serial"] is Labelling.PAIRS


def test_of_both_beside_each_other_what_holds_for_both_is_said() -> None:
    both = common([Labelling.SETTING, Labelling.CORRECTING])
    assert state_words(both)[VertexState.INACTIVE] == "inactive"
    assert common([Labelling.SETTING] * 2) is Labelling.SETTING
    assert state_words(Labelling.SETTING)[VertexState.INACTIVE] == "settled"
    assert len(widest_words()) == len(VertexState)


def test_the_glossary_explains_every_word() -> None:
    page = (RESOURCES / "help" / "glossary.html").read_text("utf-8")
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))
    for labelling in Labelling:
        for words in state_words(labelling).values():
            assert words in said
