"""The hover card of a vertex: every row that is known, in words."""

from __future__ import annotations

import numpy as np
import pytest

from gui.picture.scene.content import vertex_rows
from tests.gui.pictures import content_of, graph_of, textbook, trace_of, watched

PATH = graph_of([(0, 1, 2), (1, 2, 3)], [(0, 0), (1, 0), (2, 0)])


@pytest.mark.parametrize(
    ("vertex", "words"), [(0, "iteration 1"), (1, "iterations 2 to 3"), (2, "never")], ids=["once", "twice", "never"]
)
def test_the_iterations_in_which_it_was_active(vertex: int, words: str) -> None:
    content = content_of(PATH, trace=trace_of(3, [[0], [1], [1]]))
    assert dict(vertex_rows(content, None, vertex))["active"] == words


def test_a_vertex_of_a_bare_graph_has_its_id_and_degree_alone() -> None:
    assert vertex_rows(content_of(PATH), None, 1) == [("vertex", "1"), ("degree", "1 arc out")]


def test_a_distance_is_shown_once_it_is_known() -> None:
    content = content_of(PATH, answer=np.array([0, 2, 5], np.int32))
    assert dict(vertex_rows(content, None, 2))["distance"] == "5"


def test_a_lesson_adds_the_tentative_distance() -> None:
    rows = dict(vertex_rows(watched(textbook(), "dijkstra-heap"), None, 0))
    assert rows["so far"] == "0"
