"""Distances from one source, by the variant expected to be fastest for graph and machine.

Idea
    The first row of the table in ``table.py`` that applies to the graph and the machine, and whose variant is
    available, decides; that variant runs on its defaults.

Why it is correct
    The answer is that of the chosen variant, and is verified like any other.

Parameters
    None; the chosen variant takes its defaults.

Source
    Original; the table states the reason for each row.
"""

from __future__ import annotations

from solvers.algorithms.auto.table import solve_by_choice
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant


@variant(
    id="auto",
    title="automatic",
    algorithm=Algorithm.MODERN,
    answers=Answers.SSSP,
    runs_on=RunsOn.ANY,
    mapping=WorkMapping.CHOSEN_LATER,
    papers=(Citation("beyond the papers", "the table in solvers/algorithms/auto/table.py"),),
    idea=(
        "Takes the variant that should be fastest for this graph and machine: Bellman-Ford for negative weights, a "
        "heap on small graphs, a hierarchy or a partition that was prepared earlier, near-far on a GPU, delta-stepping "
        "on several cores. The result names the variant and the reason."
    ),
    watch="As for the chosen variant.",
    cost="That of the chosen variant; the choice itself takes negligible time.",
    caveat="The chosen variant runs on its default parameters. To set them, select that variant itself.",
)
def solve(problem: Problem) -> Solution:
    """Distances from the source, (n,); raises as the chosen variant does."""
    return solve_by_choice(problem, Answers.SSSP)
