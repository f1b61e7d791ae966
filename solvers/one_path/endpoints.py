"""The two ends of the path that is asked for."""

from __future__ import annotations

from solvers.errors import InputError
from solvers.problem import Problem


def endpoints(problem: Problem, variant_id: str) -> tuple[int, int]:
    """Source and target.

    Raises
    ------
    InputError
        Where one of them is missing.
    """
    if problem.source is None or problem.target is None:
        raise InputError(f"{variant_id} answers with one path: choose a source and a target vertex.")
    return problem.source, problem.target
