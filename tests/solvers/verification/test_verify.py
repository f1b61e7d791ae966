"""The verifier proves right answers, and finds, names and counts wrong ones;
zero-weight cycles do not fool it.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import solvers.verification.conditions
import solvers.verification.hierarchy_bounds
import solvers.verification.pair_bounds
import solvers.verification.reference
import solvers.verification.verify
from solvers.core.result import Verdict
from solvers.core.variant import Answers
from solvers.errors import Cancelled
from solvers.graphs.weights import INT32, INT64, WeightType, weight_type
from solvers.system.cancel import CancelToken, Progress
from solvers.system.machine import cores
from solvers.system.threads import MAX_THREADS, ThreadTeam
from solvers.text import format_count
from solvers.verification.paths import is_tight_tree
from solvers.verification.verify import (
    reversed_by_proof,
    verify,
    verify_apsp,
    verify_cycle,
    verify_reverse,
    verify_row,
    verify_sssp,
    verify_target,
)
from tests import graphs

OUT = INT32.infinity


def solved(graph, source=0, kind: WeightType | None = None):
    """The right distances as a solver of type ``kind`` would hand them over."""
    return graphs.as_solved(graphs.right_distances(graph, source), kind or graph.weight_type)


# --- right answers
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", graphs.DTYPES)
@pytest.mark.parametrize("name", [*graphs.BY_HAND, *graphs.NEGATIVE])
def test_right_answers_are_proved(name, dtype):
    graph = graphs.by_hand(name, dtype)
    # widened, as solvers do for the heavy one
    kind = INT64 if dtype == "int32" else weight_type(dtype)
    verdict = verify_sssp(graph, 0, solved(graph, kind=kind))
    assert verdict.verified, verdict.text
    assert verdict.wrong_vertices == 0
    assert verdict.text == f"All {format_count(graph.n)} distances proved."


def test_float_sums_may_be_rounded_otherwise():
    """Adding a path from its end gives other roundings than from its start; both are right."""
    graph = graphs.from_list(200, [(i, i + 1, 0.1 + i / 7) for i in range(199)], np.float64)
    from_start = np.cumsum(np.append(0.0, graph.weights))
    assert verify_sssp(graph, 0, from_start).verified
    last = np.array([graph.weights[:k][::-1].sum() for k in range(200)])
    assert (last != from_start).any(), "else this test says nothing"
    matrix = np.full((200, 200), np.inf)
    for row in range(200):
        matrix[row, row:] = np.cumsum(np.append(0.0, graph.weights[row:]))
    matrix[0] = last
    verdict = verify_apsp(graph, matrix)
    assert verdict.verified, verdict.text


# --- wrong answers
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "changes", "wrong", "text"),
    [
        # 0 -> 3 is 6 by 1 and 2; ids 10, 13, 16, 19
        ("the detour is shorter", {3: 10}, 1, "Vertex 19: 10 claimed, but 16 → 19 gives 6."),
        (
            "the detour is shorter",
            {3: 5},
            1,
            "Vertex 19: 5 claimed, but the shortest path has length 6.",
        ),
        (
            "a path",
            dict.fromkeys((4, 5, 6), OUT),
            3,
            "Vertex 22: unreachable claimed, but 19 → 22 gives 10.",
        ),
        (
            "two components",
            {3: 7, 4: 9, 5: 11},
            3,
            "Vertex 19: 7 claimed, but source 10 does not reach it.",
        ),
        (
            "zeros out of reach",
            {2: 6, 3: 6, 4: 7},
            3,
            "Vertex 16: 6 claimed, but source 10 does not reach it.",
        ),
        ("a path", {0: 1}, 1, "Source 10: 1 claimed, but it is at distance 0 from itself."),
    ],
)
def test_the_first_wrong_vertex_is_named_and_all_are_counted(name, changes, wrong, text):
    graph = graphs.by_hand(name)
    distances = solved(graph)
    for vertex, claimed in changes.items():
        distances[vertex] = claimed
    verdict = verify_sssp(graph, 0, distances)
    assert (verdict.verified, verdict.wrong_vertices, verdict.text) == (False, wrong, text)


def test_a_cycle_of_zeros_cannot_vouch_for_itself():
    """1, 2 and 3 are joined by zeros: at any common distance each has a tight arc into
    it, and no arc offers less.
    """
    graph = graphs.by_hand("a cycle of zeros")  # 0 -> 1 weighs 5
    distances = solved(graph)
    assert distances[1:4].tolist() == [5, 5, 5]
    distances[1:] -= 3
    verdict = verify_sssp(graph, 0, distances)
    assert not verdict.verified
    assert verdict.text == "Vertex 13: 2 claimed, but the shortest path has length 5."
    assert verdict.wrong_vertices == 5


def test_not_a_number_is_wrong():
    graph = graphs.by_hand("a path", "float32")
    distances = solved(graph)
    distances[6] = np.nan
    assert not verify_sssp(graph, 0, distances).verified
    distances[0] = np.nan
    assert not verify_sssp(graph, 0, distances).verified


def test_the_wrong_shape_is_wrong():
    graph = graphs.by_hand("a path")
    assert not verify_sssp(graph, 0, solved(graph)[:-1]).verified
    assert not verify_row(graph, 0, solved(graph)[:-1]).verified
    assert not verify_target(graph, 0, 3, solved(graph)[:-1]).verified
    assert not verify_apsp(graph, np.zeros((3, 7), dtype=np.int32)).verified


def test_widened_distances_are_compared_wide():
    """Truncated to int32 these would look like other, wrong numbers."""
    graph = graphs.by_hand("heavy")
    distances = solved(graph, kind=INT64)
    assert distances.max() > 2**31
    assert verify_sssp(graph, 0, distances).verified
    distances[20] += 2**32
    assert verify_sssp(graph, 0, distances).wrong_vertices == 1


@pytest.mark.parametrize("change", [-1, 1])
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_every_single_fault_is_found(dtype, change):
    graph = graphs.at_random(40, 120, seed=2, dtype=dtype, low=1)
    right = solved(graph)
    step = max(abs(float(right[right < weight_type(dtype).infinity].max())) * 1e-5, 0.01)
    for vertex in np.flatnonzero(right < weight_type(dtype).infinity):
        wrong = right.copy()
        wrong[vertex] += (
            change if graph.weight_type.is_integer else change * np.asarray(step, dtype)
        )
        verdict = verify_sssp(graph, 0, wrong)
        assert not verdict.verified, f"vertex {vertex}"
        assert verdict.wrong_vertices == 1


@given(graph=graphs.graphs(negative=True), data=st.data())
def test_only_the_right_answer_is_proved(graph, data):
    """Whatever is claimed, the verdict is yes exactly where it equals the tests' own
    answer, and the count is true.
    """
    right = solved(graph)
    claimed = right.copy()
    for vertex in data.draw(st.lists(st.integers(0, graph.n - 1), max_size=3)):
        claimed[vertex] = data.draw(st.sampled_from([0, 1, 7, -3, graph.weight_type.infinity]))
    verdict = verify_sssp(graph, 0, claimed)
    assert verdict.verified == np.array_equal(claimed, right)
    assert verdict.wrong_vertices == int((claimed != right).sum())


def test_a_graph_with_a_negative_cycle_has_no_right_answer():
    graph, _ = graphs.with_negative_cycle("of three")
    verdict = verify_sssp(graph, 0, np.array([0, 1, 3, -1, 0], dtype=np.int32))
    assert verdict.text == "Source 10 reaches a negative cycle, so no distance is correct."
    assert verdict.wrong_vertices == 5


def test_a_negative_cycle_out_of_reach_does_not_matter():
    graph, _ = graphs.with_negative_cycle("out of reach")
    distances = np.full(5, INT32.infinity, dtype=np.int32)
    distances[:2] = [0, 1]
    assert verify_sssp(graph, 0, distances).verified


def test_counting_wrong_vertices_can_be_cancelled():
    graph = graphs.by_hand("a path")
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        verify_sssp(graph, 0, solved(graph), Progress(token))


# --- all pairs
# --------------------------------------------------------------------------------------


def matrix_of(graph, kind=INT32):
    return graphs.as_solved(graphs.right_matrix(graph), kind)


def test_all_rows_are_checked_where_that_is_cheap():
    graph = graphs.by_hand("a grid")
    assert verify_apsp(graph, matrix_of(graph)) == Verdict(
        True, 0, "All 25 rows proved.", tuple(range(25))
    )


def test_a_wrong_cell_is_found_and_named():
    graph = graphs.by_hand("a grid")
    matrix = matrix_of(graph)
    matrix[3, 20] += 1
    matrix[9, 9] = 5
    verdict = verify_apsp(graph, matrix)
    assert not verdict.verified
    assert verdict.wrong_vertices == 2
    assert verdict.text.startswith("Row 19: Vertex 70: ")
    assert verdict.text.endswith("Wrong: 2 rows, out of all 25 rows.")


def test_a_sample_says_its_rows_and_its_seed():
    graph = graphs.by_hand("a grid")
    matrix = matrix_of(graph)
    verdict = verify_apsp(graph, matrix, rows=5, seed=11)
    assert verdict.verified
    assert len(set(verdict.rows)) == 5
    assert verdict.seed == 11
    assert "5 of 25 rows" in verdict.text
    assert verify_apsp(graph, matrix, rows=5, seed=11).rows == verdict.rows
    assert verify_apsp(graph, matrix, rows=5, seed=12).rows != verdict.rows


def test_large_matrices_are_sampled(monkeypatch):
    monkeypatch.setattr(solvers.verification.verify, "_MAX_FULL_CHECK", 300)
    graph = graphs.by_hand("a grid")
    verdict = verify_apsp(graph, matrix_of(graph))
    assert verdict.verified
    assert 1 <= len(verdict.rows) < 25
    assert verdict.seed == 0


def test_an_all_wrong_matrix_is_counted_at_least(monkeypatch):
    monkeypatch.setattr(solvers.verification.verify, "_MAX_COUNTED_ROWS", 2)
    graph = graphs.by_hand("a path")
    verdict = verify_apsp(graph, np.zeros((7, 7), dtype=np.int32))
    assert verdict.wrong_vertices == 6 + 6 + 5


def test_proving_a_matrix_tells_its_progress_and_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(solvers.verification.verify, "_WORK_OF_A_THREAD", 1)
    graph = graphs.by_hand("a grid")
    heard = []
    verify_apsp(
        graph,
        matrix_of(graph),
        progress=Progress(report=lambda done, total: heard.append(done / total)),
    )
    assert heard == sorted(heard)
    assert len(heard) == -(-25 // min(MAX_THREADS, cores())), "a row a thread between two reports"
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        verify_apsp(graph, matrix_of(graph), progress=Progress(token))


def test_a_row_that_no_thread_has_checked_is_not_proved(monkeypatch):
    graph = graphs.by_hand("a grid")
    monkeypatch.setattr(ThreadTeam, "run", lambda self, tasks, progress: None)
    with pytest.raises(KeyError):
        verify_apsp(graph, matrix_of(graph))


# --- negative cycles
# --------------------------------------------------------------------------------------------------


def test_a_negative_cycle_is_proved_with_its_weight_by_the_lightest_arcs():
    graph, _ = graphs.with_negative_cycle("of three")
    verdict = verify_cycle(graph, (1, 2, 3))
    assert (verdict.verified, verdict.text) == (True, "A cycle of 3 vertices and weight −1.")
    assert verify_cycle(graph, (3, 1, 2)).verified
    assert verify_cycle(graphs.from_list(2, [(0, 1, 5), (0, 1, 1), (1, 0, -2)]), (0, 1)).verified


@pytest.mark.parametrize(
    ("cycle", "words"),
    [
        ((3, 2, 1), "Not a cycle: there is no arc 19 → 16."),
        ((), "at least one"),
        ((1, 2, 3, 1), "no vertex twice"),
        ((1, 99), "no vertex twice"),
    ],
)
def test_what_is_no_cycle_is_refused(cycle, words):
    graph, _ = graphs.with_negative_cycle("of three")
    verdict = verify_cycle(graph, cycle)
    assert not verdict.verified
    assert words in verdict.text


def test_a_cycle_of_weight_zero_is_not_negative():
    graph = graphs.by_hand("a cycle that weighs nothing")
    verdict = verify_cycle(graph, (1, 2, 3))
    assert verdict.text == "The cycle's weight is 0, which is not negative."


# --- independence
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "module",
    [
        solvers.verification.verify,
        solvers.verification.conditions,
        solvers.verification.hierarchy_bounds,
        solvers.verification.pair_bounds,
        solvers.verification.reference,
    ],
)
def test_the_verifier_shares_no_code_with_what_it_verifies(module):
    """Only values: graph, types, problem, verdict and progress; and threads, of which
    every row's outcome is seen.
    """
    values = {"array_types", "graph", "jit", "cancel", "result", "text", "variant", "weights"}
    allowed = {"conditions", "pair_bounds", "reference", "sample", "threads", *values}
    if module is solvers.verification.pair_bounds:
        allowed.add("dary_heap")  # orders the search for bounds, which are then checked
    if module is solvers.verification.hierarchy_bounds:
        allowed.add("paths")  # looks the arcs of a path up
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    }
    assert {name.split(".")[-1] for name in imported if name.startswith("solvers.")} <= allowed


# --- one path
# --------------------------------------------------------------------------------------


def detour():
    """0 -> 3 costs 6 by way of 1 and 2; 4 lies apart."""
    return graphs.from_list(
        5, [(0, 3, 10), (0, 1, 2), (1, 2, 2), (2, 3, 2), (0, 2, 5)], np.int32, name="detour"
    )


@pytest.mark.parametrize(
    ("target", "distances", "words"),
    [
        (3, [0, 2, 4, 6, OUT], "A shortest path to {3} proved, and 3 distances on the way."),
        (1, [0, 2, OUT, OUT, OUT], "A shortest path to {1} proved, and 1 distances on the way."),
        (4, [0, 2, 4, 6, OUT], "Proved that {4} cannot be reached, and 4 distances on the way."),
        (0, [0, OUT, OUT, OUT, OUT], "A shortest path to {0} proved, and 0 distances on the way."),
    ],
)
def test_one_path_may_leave_the_rest_unsaid(target, distances, words):
    verdict = verify_target(detour(), 0, target, np.array(distances, dtype=np.int32))
    assert (verdict.verified, verdict.text) == (True, words.format(*detour().ids))


@pytest.mark.parametrize(
    ("target", "distances", "wrong", "words"),
    [
        (3, [0, 2, 4, 10, OUT], 1, "Vertex {3}: 10 claimed; it is 6."),
        (3, [0, 2, 4, 5, OUT], 1, "Vertex {3}: 5 claimed; it is 6."),
        (3, [0, 2, 4, OUT, OUT], 1, "Vertex {3}: unreachable claimed; it is 6."),
        (4, [0, 2, 4, 6, 9], 1, "Vertex {4}: 9 claimed; it is unreachable."),
        (3, [0, 2, 5, 6, OUT], 1, "Vertex {2}: 5 claimed; it is 4."),
        (3, [0, OUT, OUT, 6, OUT], 1, "The given distances do not form a path to {3} of length 6."),
    ],
)
def test_a_wrong_path_is_found(target, distances, wrong, words):
    verdict = verify_target(detour(), 0, target, np.array(distances, dtype=np.int32))
    told = words.format(*detour().ids)
    assert (verdict.verified, verdict.wrong_vertices, verdict.text) == (False, wrong, told)


def test_one_path_beside_a_negative_cycle_is_none():
    graph, _ = graphs.with_negative_cycle("of three")
    assert "negative cycle" in verify_target(graph, 0, 4, np.zeros(5, dtype=np.int32)).text


@pytest.mark.parametrize(
    ("answers", "distances", "is_right"),
    [
        (Answers.SSSP, [0, 4, 8], True),
        (Answers.SSSP, [0, 4, OUT], False),
        # a search that stopped early claims nothing of the rest
        (Answers.TARGET, [0, 4, OUT], True),
        (Answers.TARGET, [0, OUT, 8], False),
        (Answers.APSP, [[0, 4, 8], [OUT, 0, 4], [OUT, OUT, 0]], True),
        (Answers.APSP, [[0, 4, 8], [OUT, 0, 4], [4, OUT, 0]], False),
    ],
)
def test_an_answer_is_verified_as_that_of_its_problem(answers, distances, is_right):
    graph = graphs.from_list(3, [(0, 1, 4), (1, 2, 4)], np.int32)
    assert verify(answers, graph, np.array(distances, dtype=np.int32), 0, 1).verified is is_right


# --- graphs that mislead
# ----------------------------------------------------------------------------------------------


def lying(arcs, n=3, dtype=np.int32):
    """A graph whose flag and kept values are all of another graph."""
    graph = graphs.from_list(n, arcs, dtype)
    other = graphs.from_list(n, [(0, v, 0) for v in range(1, n)], dtype)
    object.__setattr__(graph, "directed", False)
    for name in ("reverse", "tails", "out_degrees", "least_weight", "path_bound"):
        graph.__dict__[name] = getattr(other, name)
    graph.__dict__["reverse"] = graph
    return graph


def test_nothing_that_is_kept_with_a_graph_is_believed():
    graph = lying([(0, 1, 4), (1, 2, 4)])
    right = np.array([0, 4, 8], np.int32)
    zeros, backwards = np.zeros(3, np.int32), np.array([8, 4, 0], np.int32)
    unreachable = np.full(3, INT32.infinity, np.int32)
    unreachable[2] = 0
    assert verify_sssp(graph, 0, right).verified
    assert verify_row(graph, 0, right).verified
    assert verify_target(graph, 0, 2, right).verified
    for source, wrong in ((0, zeros), (2, backwards)):
        assert not verify_sssp(graph, source, wrong).verified
        assert not verify_row(graph, source, wrong).verified
        assert not verify_target(graph, source, 2 - source, wrong).verified
    assert verify_sssp(graph, 2, unreachable).verified
    assert not verify_apsp(graph, np.array([right, [4, 0, 4], backwards])).verified
    assert not is_tight_tree(graph, 0, right, np.array([-1, 0, 0], np.int32))
    assert is_tight_tree(graph, 0, right, np.array([-1, 0, 1], np.int32))


@pytest.mark.parametrize("directed", [True, False])
def test_the_reverse_of_the_proof_is_made_of_the_arcs(directed):
    graph = graphs.at_random(60, 200, seed=3, directed=directed)
    right = graph.reverse
    assert verify_reverse(graph, right).verified
    graph.__dict__["reverse"] = graph
    object.__setattr__(graph, "directed", False)
    made = reversed_by_proof(graph)
    for name in ("indptr", "indices", "weights", "ids"):
        np.testing.assert_array_equal(getattr(made, name), getattr(right, name))
    assert verify_reverse(graph, made).verified
    assert verify_reverse(graph, graph).verified == (not directed)
    heavier = replace(made, weights=made.weights + np.int32(1))
    assert not verify_reverse(graph, heavier).verified
    assert not verify_reverse(graph, graphs.from_list(60, [(0, 1, 1)])).verified


def test_a_sum_that_is_infinity_does_not_make_unreachable():
    """A bound that is too low lets a solver add up to just the number that stands for no path."""
    graph = lying([(0, 1, INT32.infinity - 1), (1, 2, 1)])
    claimed = np.array([0, INT32.infinity - 1, INT32.infinity], np.int32)
    verdict = verify_sssp(graph, 0, claimed)
    assert not verdict.verified
    assert verdict.wrong_vertices == 1
    assert (
        verdict.text
        == "Vertex 16: unreachable claimed, but 13 → 16 gives 1\u202f073\u202f741\u202f823."
    )


@pytest.mark.parametrize(
    ("weights", "claimed"),
    [
        (np.array([2**32, 2**32], np.int64), np.zeros(3, np.int32)),
        (np.array([0.5, 0.25]), np.zeros(3, np.int32)),
        (np.array([1e300, 1e300]), np.array([0, np.inf, np.inf], np.float32)),
        (np.array([0.5, 0.25], np.float32), np.array([0, 0.5, 0.75], np.float32)),
        (np.array([2**53 + 1, 1], np.int64), np.array([0, 2**53, 2**53 + 1], np.float64)),
    ],
)
def test_weights_are_not_cut_to_the_type_of_the_answer(weights, claimed):
    graph = graphs.from_list(3, [(0, 1, 0), (1, 2, 0)], weights.dtype)
    graph = replace(graph, weights=weights)
    for verdict in (verify_sssp(graph, 0, claimed), verify_row(graph, 0, claimed)):
        assert not verdict.verified
        assert "cannot represent sums of the weights" in verdict.text
    matrix = np.full((3, 3), claimed[1], claimed.dtype)
    matrix[0] = claimed
    assert not verify_apsp(graph, matrix).verified


@pytest.mark.parametrize("claim", [np.nan, -np.inf])
def test_what_is_no_number_is_a_wrong_claim(claim):
    graph = graphs.from_list(4, [(0, 1, 4), (1, 2, 4), (0, 3, 1)], np.float64)
    assert verify_target(graph, 0, 2, np.array([0, 4, 8, np.inf])).verified
    verdict = verify_target(graph, 0, 2, np.array([0, 4, 8, claim]))
    assert not verdict.verified
