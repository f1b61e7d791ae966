"""A catalogue of variants that succeed and fail in the ways that commands have to tell of."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from solvers.core.problem import Problem, Solution
from solvers.core.variant import Algorithm, Answers, RunsOn, Variant, WorkMapping
from solvers.errors import DeviceUnavailable, NegativeCycle, OutOfMemory
from solvers.parameters import Parameter
from tests.solvers.fakes import solve_apsp, solve_sssp


def interrupting(problem: Problem) -> Solution:
    signal.raise_signal(signal.SIGINT)
    return solve_sssp(problem)


def exhausted(problem: Problem) -> NoReturn:
    raise OutOfMemory("the matrix", 10, 5)


def unallocated(problem: Problem) -> NoReturn:
    raise MemoryError


def circling(problem: Problem) -> NoReturn:
    raise NegativeCycle(tuple(map(problem.graph.vertex_id, (0, 1))), (0, 1), -1)


def wrong(problem: Problem) -> Solution:
    solution = solve_sssp(problem)
    solution.distances[3] += 1
    return solution


def noted(problem: Problem) -> Solution:
    return replace(solve_sssp(problem), note="good was chosen: the test says so.")


def made_up_variants() -> list[Variant]:
    """One for every way to end; all take a graph of five vertices."""

    def declare(
        id: str, solve: Callable[[Problem], Any], answers: Answers = Answers.SSSP, **more: Any
    ) -> Variant:
        options: dict[str, Any] = {
            "algorithm": Algorithm.BELLMAN_FORD,
            "runs_on": RunsOn.SERIAL,
            "idea": "An idea.",
        }
        options |= {"mapping": WorkMapping.CORE_BY_VERTEX, **more}
        return Variant(id=id, title=id.upper(), answers=answers, function=solve, **options)

    block = Parameter("block", 256, "Threads in a block.", 32, 1024)
    return [
        declare("good", solve_sssp, parameters=(block,)),
        declare("other", solve_sssp),
        declare("all-pairs", solve_apsp, Answers.APSP),
        declare("one-path", solve_sssp, Answers.TARGET),
        declare("by-choice", noted, runs_on=RunsOn.ANY),
        declare("wrong", wrong),
        declare("broken", lambda p: 1 / 0),
        declare("exhausted", exhausted),
        declare("unallocated", unallocated),
        declare("circling", circling),
        declare("interrupting", interrupting),
        declare("cuda", solve_sssp, runs_on=RunsOn.GPU, cuda_only=True),
    ]


def pick_nothing(spec: str) -> NoReturn:
    """A machine without a device."""
    raise DeviceUnavailable(f"No device “{spec}”.")


def solve(graph: object, *more: object) -> tuple[object, ...]:
    """Arguments that solve a file from vertex 1 to 4, with two trials."""
    return ("solve", graph, "--source", 1, "--target", 4, "--trials", 2, "--warmup", 1, *more)


def one_line(err: str) -> bool:
    return err.startswith("tautpath: ") and err.count("\n") == 1
