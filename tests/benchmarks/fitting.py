"""Fits the estimates of `solvers.algorithms.auto.costs` to times of several machines, and
judges them on kinds of graphs that they were not fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from solvers.algorithms.auto.costs import COSTS, Costs, SourceQuestion
from solvers.algorithms.auto.table import ROOM, SMALL, TINY
from solvers.commands.console import Console
from solvers.system.array_types import Float64s
from tests.benchmarks.automatic import (
    SEARCHES,
    STAYS,
    MeasuredMachine,
    Timed,
    candidates,
    print_ratios,
    questions,
)
from tests.benchmarks.kinds import all_kinds

_SEARCH = ("one", "vertices", "far", "far beyond")
_ON_DEVICE = ("one", "vertices", "degree", "rounds", "spread")
# Exponents that are fitted, by variant; the first row is a single thread's, and tells how
# fast a machine is. Of more, those were left out without which kinds left out fared better.
_ALONE, _TEAM = "dijkstra-heap", "sssp-delta-omp"  # which is expected to grow as that does
POWERS = {
    _ALONE: (*_SEARCH, "degree", "spread"),
    _TEAM: (*_SEARCH, "rounds", "cores wide"),
    "sssp-near-far": _ON_DEVICE,
    "sssp-near-far-cluster": _ON_DEVICE,
    "sssp-blocked": _ON_DEVICE,
    "cch-tree": ("one", "hierarchy", "cores"),
    "cch-tree-device": ("one", "hierarchy", "hierarchy beyond"),
}
# Where little is known, exponents and constants are pulled towards what is usual, by so much
# for each unit; constants are the logarithms of ms.
_PULL, _PULL_CONSTANTS = 0.05, 0.05
_USUAL = {"vertices": 1.0, "hierarchy": 1.0, "hierarchy beyond": 0.5, "degree": 0.3, "one": -14.0}
_CONSTANTS = {"start": 0.02, "vertex": 1e-6}
_OF_SEARCHES, _OF_DEVICES = {"arc": 1.5e-6}, {"upload": 0.2, "copied": 1e-6}
_ADDED = 3.2e-5  # of floats, ms for each vertex and arc: 26 to 37 ns on three graphs

Fitted = Mapping[str, Costs]


@dataclass(frozen=True)
class Sample:
    """The least time of a variant for a question on a machine."""

    machine: int
    kind: str
    question: SourceQuestion
    ms: float


def judge(machines: Sequence[MeasuredMachine], console: Console) -> None:
    """Print how estimates choose on kinds that they were not fitted to, and the costs fitted
    to all.
    """
    asked = list(map(_questions, machines))
    samples = _samples(machines, asked)
    kinds = list(dict.fromkeys(graph.kind for one in machines for graph in one.graphs))
    fitted = {kind: _fit(samples, kind) for kind in kinds}
    whole = _fit(samples, "")
    ways: dict[str, Mapping[str, Fitted]] = {
        "Fitted to the other kinds": fitted,
        "Fitted to all kinds": dict.fromkeys(kinds, whole),
        "As shipped": dict.fromkeys(kinds, COSTS),
    }
    for one, questions_of in zip(machines, asked, strict=True):
        console.line("")
        console.line(f"{one.cpu}, {one.cores} cores; {one.device or 'no device'}")
        for words, costs in ways.items():
            console.line(f"{words}:")
            print_ratios(list(_ratios(one, questions_of, costs)), console)
    console.line("")
    for name, row in whole.items():
        console.line(f'    "{name}": {row},')


Asked = Mapping[tuple[str, bool], SourceQuestion]  # by the graph's name, and whether it stays


def _questions(one: MeasuredMachine) -> Asked:
    made = {graph.name: graph for graph in all_kinds()}
    found = {}
    for timed in one.graphs:
        graph, source = made[timed.name].make()
        question = SourceQuestion(graph, source, one.cores, timed.arcs or None)
        found[timed.name, False] = question
        found[timed.name, True] = replace(question, stays=True)
    return found


def _samples(
    machines: Sequence[MeasuredMachine], asked: Sequence[Asked]
) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {name: [] for name in POWERS}
    for number, one in enumerate(machines):
        for timed in one.graphs:
            for key, times in timed.times.items():
                name, stays = key.removesuffix(STAYS), key.endswith(STAYS)
                question = asked[number][timed.name, stays]
                sample = Sample(number, timed.kind, question, min(times))
                found[name].append(sample)
    return found


def _fit(samples: Mapping[str, Sequence[Sample]], left_out: str) -> Fitted:
    """Costs of all variants, fitted to all kinds but one; the last machine's ms."""
    known = {
        name: [sample for sample in measured if sample.kind != left_out]
        for name, measured in samples.items()
    }
    speeds: Float64s | None = None
    fitted: dict[str, Costs] = {}
    for name, measured in known.items():
        if measured:
            usual = {**_USUAL, **(fitted[_ALONE].powers if name == _TEAM else {})}
            fitted[name], speeds = _fit_one(name, measured, speeds, usual)
    return fitted


def _fit_one(
    name: str, samples: Sequence[Sample], speeds: Float64s | None, expected: Mapping[str, float]
) -> tuple[Costs, Float64s]:
    """A variant's costs; without the ``speeds`` of the machines, these are fitted, too."""
    asked = [sample.question for sample in samples]
    powers, usual_constants = POWERS[name], dict(_CONSTANTS)
    if any(question.stays for question in asked):
        usual_constants |= _OF_DEVICES
    elif not name.startswith("cch"):
        usual_constants |= _OF_SEARCHES
    row = Costs(0.0, 0.0, {}, added=_ADDED if name.startswith("cch") else 0.0)
    terms = np.array([[question.terms[power] for power in powers] for question in asked])
    # what each constant is multiplied by, and what floats add
    factors = np.array([_factors(question, usual_constants) for question in asked])
    added = np.array([row.ms(question) - 1.0 for question in asked])
    machine, ms = np.array([s.machine for s in samples]), np.array([s.ms for s in samples])
    before = np.log(list(usual_constants.values()))
    usual = np.array([expected.get(power, 0.0) for power in powers])
    is_pulled = np.array(powers) != "one"

    def parts(given: Float64s) -> tuple[Float64s, Float64s, Float64s]:
        constants, rest = np.split(given, [len(before)])
        exponents, speed = np.split(rest, [len(powers)])
        return constants, exponents, np.append(speed, 0.0) if speeds is None else speeds

    def errors(given: Float64s) -> Float64s:
        constants, exponents, speed = parts(given)
        took = factors @ np.exp(constants) + added + np.exp2(terms @ exponents)
        pulled = _PULL * (exponents - usual)[is_pulled], _PULL_CONSTANTS * (constants - before)
        return np.concatenate((np.log(took / ms) + speed[machine], *pulled, _PULL * speed))

    free = np.zeros(max(machine) if speeds is None else 0)
    found = least_squares(errors, np.concatenate((before, usual, free)), loss="soft_l1").x
    constants, exponents, speed = parts(found)
    fitted = dict(zip(usual_constants, map(_rounded, np.exp(constants)), strict=True))
    exact = dict(zip(powers, map(_rounded, exponents), strict=True))
    return Costs(powers=exact, added=row.added, **fitted), speed


def _factors(question: SourceQuestion, constants: Mapping[str, float]) -> list[float]:
    """What each constant is multiplied by: the difference that one ms of it makes."""
    without, ones = Costs(0.0, 0.0, {}), [dict[str, Any]({name: 1.0}) for name in constants]
    return [replace(without, **one).ms(question) - without.ms(question) for one in ones]


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _ratios(
    one: MeasuredMachine, asked: Asked, fitted: Mapping[str, Fitted]
) -> Iterator[tuple[str, Timed, float | None]]:
    for timed in one.graphs:
        costs = fitted[timed.kind]
        for question in questions(bool(one.device)):
            there = timed.least(candidates(question))
            facts = asked[timed.name, question.endswith(STAYS)]
            ids = {key: key.removesuffix(STAYS) for key in there}
            if timed.n + timed.m < SMALL:  # of which nothing that is prepared is looked up
                ids = {key: name for key, name in ids.items() if name in SEARCHES}
            is_prepared = any(name not in SEARCHES for name in ids.values())
            if question.startswith("all") != is_prepared:
                continue
            ids = {key: name for key, name in ids.items() if name in costs}
            if timed.n + timed.m < TINY or (timed.n < ROOM and facts.reaches_few):
                chosen = "dijkstra-heap"
            else:
                chosen = min(ids, key=lambda key: costs[ids[key]].ms(facts), default="")
            yield question, timed, timed.ratio(question, chosen)
