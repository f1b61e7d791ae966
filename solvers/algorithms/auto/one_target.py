"""One path, by the variant expected to be fastest for graph and machine.

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
from solvers.algorithms.requirements import required_end_points
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Algorithm, Answers, Citation, RunsOn, WorkMapping, variant

_ID = "auto-target"


@variant(
    id=_ID,
    title="automatic, one path",
    algorithm=Algorithm.MODERN,
    answers=Answers.TARGET,
    runs_on=RunsOn.ANY,
    mapping=WorkMapping.CHOSEN_LATER,
    papers=(Citation("beyond the papers", "the table in solvers/algorithms/auto/table.py"),),
    idea=(
        "Takes the variant that should find one path fastest: bidirectional search, Bellman-Ford for negative weights, "
        "or a hierarchy that was prepared earlier. The result names the variant and the reason."
    ),
    watch="As for the chosen variant.",
    cost="That of the chosen variant; the choice itself takes negligible time.",
    caveat="The chosen variant runs on its default parameters. To set them, select that variant itself.",
)
def solve(problem: Problem) -> Solution:
    """Distances, (n,), including the target's; raises as the chosen variant does."""
    required_end_points(problem, _ID)
    return solve_by_choice(problem, Answers.TARGET)
