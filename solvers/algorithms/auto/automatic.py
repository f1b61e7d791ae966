"""Distances from one source, one path, or all pairs, by the variant expected to be
fastest for graph and machine.

Idea
    Rows of the table in ``table.py`` that decide by themselves go first: negative weights, a
    tiny graph, a source that reaches little. Else the variant that takes least among those
    that apply to the graph and the machine is taken; it runs on its defaults. What was
    measured on the network (``evidence.py``) beats an estimate (``costs.py``), and what may
    be faster is tried once. All trials of a run are of one variant.

Why it is correct
    The answer is that of the chosen variant, and is verified like any other.

Parameters
    None; the chosen variant takes its defaults.

Source
    Original; the table states the reason for each row.
"""

from __future__ import annotations

from typing import Any

from solvers.algorithms.auto.table import solve_by_choice
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant

_ONE_PATH = "auto-target"
_ALIKE: dict[str, Any] = {
    "algorithm": Algorithm.MODERN,
    "runs_on": RunsOn.ANY,
    "mapping": WorkMapping.CHOSEN_LATER,
    "papers": (Citation("beyond the papers", "the table in solvers/algorithms/auto/table.py"),),
    "watch": "As for the chosen variant.",
    "cost": "That of the chosen variant; the choice itself takes negligible time.",
    "caveat": "The chosen variant runs on its default parameters. "
    "To set them, select that variant itself. A question that is asked again may try another.",
}


@variant(
    id="auto",
    title="automatic",
    answers=Answers.SSSP,
    idea=(
        "Takes the variant that should be fastest for this graph and machine: "
        "Bellman-Ford for negative weights, a heap on small graphs, a hierarchy or a partition "
        "that was prepared earlier, near-far on a GPU, delta-stepping on several cores. "
        "The result names the variant and the reason."
    ),
    **_ALIKE,
)
def solve_one_source(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises as the chosen variant does."""
    return solve_by_choice(problem, Answers.SSSP)


@variant(
    id=_ONE_PATH,
    title="automatic, one path",
    answers=Answers.TARGET,
    idea=(
        "Takes the variant that should find one path fastest: bidirectional search, "
        "Bellman-Ford for negative weights, or a hierarchy that was prepared earlier. "
        "The result names the variant and the reason."
    ),
    **_ALIKE,
)
def solve_one_target(problem: Problem) -> Solution:
    """Distances, (n,), including the target's; raises as the chosen variant does."""
    return solve_by_choice(problem, Answers.TARGET)


@variant(
    id="auto-apsp",
    title="automatic, all pairs",
    answers=Answers.APSP,
    idea=(
        "Takes the variant that should be fastest for this graph and machine: Floyd-Warshall for "
        "dense graphs or negative weights, a search from every source for sparse ones. The result "
        "names the variant and the reason."
    ),
    **_ALIKE,
)
def solve_all_pairs(problem: Problem) -> Solution:
    """The matrix of distances, (n, n); raises as the chosen variant does."""
    return solve_by_choice(problem, Answers.APSP)
