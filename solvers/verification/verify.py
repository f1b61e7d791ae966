"""Verification of distances after each run, independent of every solver, in O(n + m).

Single-source distances are correct if and only if

* the source has distance 0,
* no arc (u, v) has ``d[u] + w < d[v]`` (no distance is too long, and every reachable
vertex is reached), and
* every reached vertex is connected to the source by *tight* arcs, those with ``d[u] + w
  == d[v]`` (no distance is too short).

The third condition is checked by a breadth-first search from the source. A tight arc
into each vertex would not suffice: the vertices of a cycle of weight zero have one at
any distance. The search visits every arc out of a reached vertex, so it checks the
second condition as well.

What "proved" means in floating point
-------------------------------------
*One source*: the three conditions hold without any tolerance, with sums rounded to the
distances' type. Rounded addition is monotone, so there is only one such answer: for
every vertex the least of the rounded sums along all paths, each added up from the
source. Distances that were summed in a wider type and then rounded are also accepted if
they lie within two roundings of the exact lengths.

*All pairs and one target*: solvers join paths that they have summed separately, so the
order of additions is unknown. Each distance must lie within k roundings of the sum of
the magnitudes of its path's k arcs, around the exact length of a shortest path
(`conditions`). A row whose sums were added up from its source passes by the first rule.

What the proof rests on
-----------------------
Only the stored arcs: neither ``Graph.directed`` nor values kept with the graph, such as
its reverse and its bounds, which may have misled a solver. Distances to a vertex are
proved on a reverse made here.

If a condition fails, the reference solver computes the distances, and the wrong
vertices are counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from solvers.core.result import Verdict
from solvers.core.variant import Answers
from solvers.graphs.graph import AS_READ, Graph
from solvers.graphs.weights import to_float, weight_type
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import thread_team
from solvers.text import format_count, grouped, plural
from solvers.verification.conditions import (
    NOT_RELAXED,
    PROVED,
    SOURCE_NOT_ZERO,
    TightArcChecker,
    weights_fit,
)
from solvers.verification.pair_bounds import is_proved_by_bounds
from solvers.verification.reference import ExactReference, distance_text, exact_reference
from solvers.verification.sample import proof_sample

# Vertices plus arcs up to which an all-pairs proof checks every row rather than a
# sample: some seconds of work, and enough for every row of p2p-Gnutella04 (10,876
# vertices).
_MAX_FULL_CHECK = 600_000_000

# Wrong cells are counted exactly in at most this many failed rows.
_MAX_COUNTED_ROWS = 64

# Vertices plus arcs that one thread checks between two checks for cancellation: some
# hundredths of a second.
_WORK_OF_A_THREAD = 10_000_000

# Roundings of a distance that was summed in a wider type: into its own type, and what
# is left of the sum's.
_WIDER_SUMS = 2

_Failure = tuple[int, int, int, int]


def verify(
    answers: Answers,
    graph: Graph,
    distances: AnyArray,  # (n, n) for all pairs, else (n,)
    source: int | None,
    target: int | None = None,
    progress: Progress = SILENT,
) -> Verdict:
    """Verify the distances with which a variant answers that problem; raises `Cancelled`.

    Source and target are vertex indices; None where the problem has none.
    """
    if answers is Answers.APSP:
        return verify_apsp(graph, distances, progress=progress)
    assert source is not None
    if answers is Answers.SSSP:
        return verify_sssp(graph, source, distances, progress)
    assert target is not None
    return verify_target(graph, source, target, distances, progress)


def verify_sssp(
    graph: Graph, source: int, distances: AnyArray, progress: Progress = SILENT
) -> Verdict:
    """Verify the distances from the vertex ``source``; raises `Cancelled`.

    Their type need not be the graph's: int64 distances over int32 weights are right,
    and compared as int64. The text of the verdict describes the first failure and
    refers to vertices by the file's ids.
    """
    progress.checkpoint()
    return _unfit(graph, distances) or _verify_one(graph, source, distances, _WIDER_SUMS, progress)


def _verify_one(
    graph: Graph, source: int, distances: AnyArray, roundings: int | None, progress: Progress
) -> Verdict:
    failure = _failure(TightArcChecker(graph, distances.dtype), source, distances, roundings)
    if failure[0] == PROVED:
        return Verdict(True, 0, f"All {format_count(len(graph))} distances proved.")
    right = exact_reference(graph, source, progress)
    return Verdict(
        False,
        _count_wrong(distances, right),
        _describe_failure(graph, source, distances, right, failure),
    )


def verify_apsp(
    graph: Graph,
    matrix: AnyArray,  # (n, n) a row is of a source, a column of a target
    rows: int | None = None,  # how many rows to check; by default as many as are cheap
    seed: int = 0,  # of the sample
    progress: Progress = SILENT,
) -> Verdict:
    """Verify an all-pairs matrix row by row: every row if that is cheap, else a sample;
    raises `Cancelled`.

    ``wrong_vertices`` of the verdict counts cells in the rows checked (past the first
    64 failed rows, one a row).
    """
    n = graph.n
    sources = len(graph)  # what stands for a junction after a turn is not asked for
    if matrix.shape != (n, n):
        return Verdict(
            False,
            n * n,
            f"An answer of shape ({n}, {n}) is expected, but it has shape {matrix.shape}.",
        )
    if not weights_fit(graph, matrix.dtype):
        return _wrong_type(graph, matrix)
    if rows is None:
        rows = min(sources, max(1, _MAX_FULL_CHECK // max(1, n + graph.m)))
    sampled = rows < sources
    chosen = proof_sample(sources, rows, seed)
    first, failed_rows, wrong = "", 0, 0
    for row, failure in _failed_rows(graph, matrix, chosen, progress):
        failed_rows += 1
        if failed_rows > _MAX_COUNTED_ROWS:
            wrong += 1
            continue
        right = exact_reference(graph, row, progress)
        wrong += _count_wrong(matrix[row], right)
        first = first or (
            f"Row {graph.vertex_id(row)}: "
            f"{_describe_failure(graph, row, matrix[row], right, failure)}"
        )
    checked = "the only row" if sources == 1 else f"all {plural(sources, 'row')}"
    if sampled:
        counted = f"{format_count(len(chosen))} of {plural(sources, 'row')}"
        checked = f"{counted} (chosen with seed {seed})"
    text = (
        f"{first} Wrong: {plural(failed_rows, 'row')}, out of {checked}."
        if failed_rows
        else f"{checked[0].upper()}{checked[1:]} proved."
    )
    return Verdict(not failed_rows, wrong, text, tuple(chosen.tolist()), seed if sampled else None)


def verify_row(graph: Graph, source: int, row: AnyArray, progress: Progress = SILENT) -> Verdict:
    """Verify one row of an all-pairs answer, whose sums may have been added up in any
    order; raises `Cancelled`.
    """
    progress.checkpoint()
    if (refused := _unfit(graph, row)) is not None:
        return refused
    verdict = _verify_one(graph, source, row, None, progress)
    text = verdict.text if verdict.verified else f"Row {graph.vertex_id(source)}: {verdict.text}"
    return replace(verdict, text=text, rows=(source,))


def verify_target(
    graph: Graph, source: int, target: int, distances: AnyArray, progress: Progress = SILENT
) -> Verdict:
    """Verify the answer of a one-path variant: the target's distance and all other
    distances that it returns.

    A search that stopped early leaves most vertices at infinity, which claims nothing
    except at the target, where it claims that no path exists. Bounds prove most answers
    (`pair_bounds`). Others are compared with the distances of the reference solver; then
    tight arcs must lead from the source to the target, over vertices that have a
    distance. Raises `Cancelled`.
    """
    progress.checkpoint()
    if (refused := _unfit(graph, distances)) is not None:
        return refused
    name = graph.vertex_id(target)
    if is_proved_by_bounds(graph, source, target, distances, progress):
        count = graph.count(distances < weight_type(distances.dtype).infinity)
        return Verdict(True, 0, _path_proved(name, count - 1))
    right = exact_reference(graph, source, progress)
    if right is None:
        return Verdict(
            False,
            1,
            f"Source {graph.vertex_id(source)} reaches a negative "
            "cycle, so no distance is correct.",
        )
    checker = TightArcChecker(graph, distances.dtype)
    checker.follow_tight_arcs(source, distances)
    claimed = to_float(distances) != np.inf  # what is not a number is a claim, and a wrong one
    claimed[target] = True
    wrong = claimed & right.differing(distances, checker.arcs)
    if wrong.any():
        first = target if wrong[target] else int(np.argmax(wrong))
        text = (
            f"Vertex {graph.vertex_id(first)}: {distance_text(distances[first])} claimed; "
            f"it is {right.text(first)}."
        )
        return Verdict(False, int(wrong.sum()), text)
    others = graph.count(claimed) - 1
    if not right.reaches(target):
        text = f"Proved that {name} cannot be reached, {_on_the_way(others)}."
        return Verdict(True, 0, text)
    if not checker.reached[target]:
        return Verdict(
            False,
            1,
            f"The given distances do not form a path to {name} of length {right.text(target)}.",
        )
    return Verdict(True, 0, _path_proved(name, others))


def _path_proved(name: object, others: int) -> str:
    return f"A shortest path to {name} proved, {_on_the_way(others)}."


def _on_the_way(others: int) -> str:
    return f"and {format_count(others)} distances on the way"


def reversed_by_proof(graph: Graph) -> Graph:
    """The graph with every arc reversed, made of its arcs alone.

    `Graph.reverse` is what solvers search, and where a graph calls itself undirected
    they take it for its own reverse.
    """
    order = np.argsort(graph.indices, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(graph.indices, minlength=graph.n)))).astype(
        np.int64
    )
    tails = _tails(graph)[order]
    return replace(
        graph,
        indptr=indptr,
        indices=tails,
        weights=graph.weights[order],
        directed=True,
        overlay=AS_READ,
        roads=None,
    )


def verify_reverse(graph: Graph, reverse: Graph) -> Verdict:
    forth = (_tails(graph), graph.indices, graph.weights)
    back = (reverse.indices, _tails(reverse), reverse.weights)
    same = (graph.n, graph.m) == (reverse.n, reverse.m)
    if same:
        order, other = np.lexsort(forth[::-1]), np.lexsort(back[::-1])
        same = all(
            np.array_equal(one[order], two[other]) for one, two in zip(forth, back, strict=True)
        )
    if same:
        return Verdict(True, 0, f"All {format_count(graph.m)} arcs are reversed.")
    return Verdict(
        False,
        graph.n,
        "Distances to the vertices were searched on a graph that is not the reverse.",
    )


def verify_cycle(graph: Graph, cycle: Sequence[int]) -> Verdict:
    """Verify that ``cycle`` (vertex indices in order, the first not repeated) is a
    cycle of negative weight.

    The lightest of parallel arcs is used. The verdict's ``text`` states the cycle's
    weight.
    """
    vertices = [int(v) for v in cycle]
    if (
        not vertices
        or len(set(vertices)) != len(vertices)
        or not all(0 <= v < graph.n for v in vertices)
    ):
        return Verdict(
            False, len(vertices), "A cycle has at least one vertex, and no vertex twice."
        )
    weights = []
    for tail, head in zip(vertices, [*vertices[1:], vertices[0]], strict=True):
        row = graph.row(tail)
        parallel = graph.weights[row][graph.indices[row] == head]
        if not len(parallel):
            missing = f"there is no arc {graph.vertex_id(tail)} → {graph.vertex_id(head)}"
            return Verdict(False, len(vertices), f"Not a cycle: {missing}.")
        weights.append(parallel.min().item())
    total = math.fsum(weights)
    if total >= 0:
        return Verdict(
            False,
            len(vertices),
            f"The cycle's weight is {grouped(total, '.10g')}, which is not negative.",
        )
    return Verdict(
        True,
        0,
        f"A cycle of {plural(len(vertices), 'vertex', 'vertices')} and "
        f"weight {grouped(total, '.10g')}.",
    )


def _failed_rows(
    graph: Graph, matrix: AnyArray, chosen: Int64s, progress: Progress
) -> list[tuple[int, _Failure]]:
    """The rows among the chosen that are not proved, in order, and what fails there;
    threads share the rows.
    """
    outcomes: dict[int, _Failure] = {}

    def check(rows: Int64s) -> None:
        checker = TightArcChecker(graph, matrix.dtype)
        for row in rows.tolist():
            outcomes[row] = _failure(checker, row, matrix[row])

    each = graph.n + graph.m
    step = max(1, _WORK_OF_A_THREAD // each)
    with thread_team(None if len(chosen) > step else 1) as team:
        for first in range(0, len(chosen), step * team.threads):
            progress.checkpoint(first, len(chosen))
            batch = chosen[first : first + step * team.threads]
            team.run(
                (partial(check, batch[at : at + step]) for at in range(0, len(batch), step)),
                progress,
            )
    # An outcome for every row: what no thread has looked at is not proved.
    return [(row, outcomes[row]) for row in chosen.tolist() if outcomes[row][0] != PROVED]


def _unfit(graph: Graph, distances: AnyArray) -> Verdict | None:
    """The verdict on an answer of another shape, or of a type that cannot represent the weights."""
    if distances.shape != (graph.n,):
        return _wrong_shape(graph, distances)
    return None if weights_fit(graph, distances.dtype) else _wrong_type(graph, distances)


def _wrong_shape(graph: Graph, distances: AnyArray) -> Verdict:
    text = (
        f"{format_count(graph.n)} distances are expected, "
        f"but the answer has shape {distances.shape}."
    )
    return Verdict(False, graph.n, text)


def _wrong_type(graph: Graph, distances: AnyArray) -> Verdict:
    text = (
        f"The answer is in {distances.dtype}, which cannot represent sums of the "
        f"weights, {graph.weights.dtype}."
    )
    return Verdict(False, distances.size, text)


def _tails(graph: Graph) -> Int32s:
    return np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))


def _failure(
    checker: TightArcChecker, source: int, distances: AnyArray, roundings: int | None = None
) -> _Failure:
    """The first failed condition."""
    failure = checker.failure(source, distances)
    if failure[0] != PROVED and not checker.is_integer:
        failure = checker.rounded_failure(source, distances, roundings)
    return failure


def _describe_failure(
    graph: Graph, source: int, distances: AnyArray, right: ExactReference | None, failure: _Failure
) -> str:
    """The first failed condition as a sentence."""
    condition, tail, head, arc = failure
    if right is None:
        return (
            f"Source {graph.vertex_id(source)} reaches a negative cycle, so no distance is correct."
        )
    claimed = distance_text(distances[head])
    if condition == SOURCE_NOT_ZERO:
        return (
            f"Source {graph.vertex_id(source)}: {claimed} claimed, "
            "but it is at distance 0 from itself."
        )
    name = graph.vertex_id(head)
    if condition == NOT_RELAXED:
        offered = distance_text(distances[tail].item() + graph.weights[arc].item())
        return (
            f"Vertex {name}: {claimed} claimed, "
            f"but {graph.vertex_id(tail)} → {name} gives {offered}."
        )
    if not right.reaches(head):
        return (
            f"Vertex {name}: {claimed} claimed, but source "
            f"{graph.vertex_id(source)} does not reach it."
        )
    return f"Vertex {name}: {claimed} claimed, but the shortest path has length {right.text(head)}."


def _count_wrong(distances: AnyArray, right: ExactReference | None) -> int:
    """Number of incorrect distances, at least 1 after a failed proof; all finite ones
    if none can be correct.
    """
    if right is None:
        return max(1, int(np.isfinite(to_float(distances)).sum()))
    return max(1, int(right.differing(distances).sum()))
