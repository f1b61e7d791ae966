"""What features add to ``solve``: options, and what is done for them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from solvers.commands.console import Console
from solvers.core.result import Result
from solvers.core.variant import Variant
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.running.answers.answer import PathAnswer
from solvers.running.estimate import EarlierTime
from solvers.running.kept_run import GraphSource
from solvers.running.request import Choice, RunFollower, RunRequest
from solvers.system.cancel import CancelToken
from solvers.system.feature import offered


@dataclass(frozen=True)
class SolveFindings:
    """What a step has found: values for ``--json``, and paths that ``--path`` writes in place
    of the shortest.
    """

    described: Mapping[str, object] = field(default_factory=dict)
    paths: tuple[PathAnswer, ...] = ()


FindStep = Callable[[RunRequest, Sequence[Result], Console, CancelToken], SolveFindings]


@dataclass(frozen=True)
class SolveStep:
    """What is done for the options of a feature; what is not given is not done."""

    # after the run: prints and writes what was asked for
    find: FindStep | None = None
    files: tuple[str | None, ...] = ()  # to be written
    changes: RoadChanges | None = None  # of the graph, kept with the run
    change: Callable[[Graph, Console], Graph] | None = None  # the graph as it was read
    before: Callable[[RunRequest, CancelToken], None] | None = None  # the run
    trace: bool = False  # of each variant, by one more run
    # what hears of the run with that id, on a graph from there; None for nothing
    follow: Callable[[RunRequest, str, GraphSource, Console], RunFollower | None] | None = None
    # times that estimates of the run are made from, by the ids of its variants
    earlier_times: Callable[[Collection[str]], Sequence[EarlierTime]] | None = None
    # what is told when a file could not be written after the run; "" for nothing
    unwritten: Callable[[], str] | None = None


@dataclass(frozen=True)
class SolveOptions:
    """``OPTIONS`` in the module that `Feature.solve` names."""

    add: Callable[[argparse.ArgumentParser], None]
    # checks the options before the graph is read; raises InputError, ParameterError
    step: Callable[[argparse.Namespace, Sequence[Choice]], SolveStep] | None = None
    # variants that are run besides those named, registered here; without such names, those that
    # they are based on are run, too. Called first of all; raises InputError, ParameterError
    variants: Callable[[argparse.Namespace], Sequence[Variant]] = lambda _: ()


def solve_options() -> list[SolveOptions]:
    return offered(lambda one: one.solve, "OPTIONS")
