"""Fits the estimates of `solvers.algorithms.auto.costs` to times of several machines, and
judges them on kinds of graphs that they were not fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from solvers.algorithms.auto.costs import COSTS, Costs, SourceQuestion
from solvers.algorithms.auto.table import FEW, ROOM, SMALL, TINY
from solvers.algorithms.bucket_width import MANY, MANY_PULLING
from solvers.commands.console import Console
from solvers.core.variant import find_variant
from solvers.system.array_types import Float64s
from tests.benchmarks.automatic import (
    SEARCHES,
    SORTED,
    STAYS,
    MeasuredMachine,
    Timed,
    candidates,
    print_ratios,
    questions,
)
from tests.benchmarks.kinds import GIVEN, all_kinds, fresh_graphs, given_graph, seen_graphs

# What is usual, in ns: towards it rates are pulled, so that a kind that is left out is not
# guessed from others that say little about it. A single thread's row is the first, and
# tells how fast a machine is.
_FLOATS = {"floats": 32.0}  # 26 to 37 on three graphs; not fitted
USUAL = {
    "dijkstra-heap": Costs(
        {
            "start": 12000.0,
            "vertices": 0.6,
            "falls": 10.0,
            "pushes": 2.0,
            "arcs": 1.0,
            "misses": 3.0,
            "far misses": 30.0,
        },
    ),
    "sssp-delta-omp": Costs(
        {
            "start": 25000.0,
            "vertices": 0.3,
        },
        {
            "settled": 15.0,
            "scattered": 20.0,
            "falls": 5.0,
            "arcs": 1.0,
            "misses": 3.0,
            "far misses": 30.0,
            "rounds": 300.0,
            "narrowed bins": 1000.0,
            "arcs repeated": 2.0,
        },
        {
            "start": 20000.0,
            "rounds": 4000.0,
            "narrow bins": 2000.0,
            "falls": 2.0,
            "arcs": 0.2,
            "misses": 0.1,
            "far misses": 1.0,
            "narrowed bins": 30000.0,
        },
        {
            "settled": 15.0,
            "falls": 5.0,
            "arcs": 1.0,
            "misses": 3.0,
            "far misses": 30.0,
            "arcs repeated": 3.0,
        },
        MANY,
    ),
    "sssp-pull-omp": Costs(
        {
            "start": 60000.0,
            "vertices": 0.3,
        },
        {
            "settled": 15.0,
            "falls": 5.0,
            "arcs": 0.5,
            "misses": 1.5,
            "far misses": 15.0,
            "rounds": 300.0,
            "narrowed bins": 1000.0,
            "arcs repeated": 2.0,
        },
        {
            "start": 50000.0,
            "rounds": 4000.0,
            "narrow bins": 2000.0,
            "falls": 2.0,
            "arcs": 0.1,
            "misses": 0.05,
            "far misses": 0.5,
            "narrowed bins": 30000.0,
        },
        {
            "settled": 15.0,
            "falls": 5.0,
            "arcs": 0.5,
            "misses": 1.5,
            "far misses": 15.0,
            "arcs repeated": 3.0,
        },
        MANY_PULLING,
    ),
    "sssp-near-far": Costs(
        {
            "start": 300000.0,
            "upload": 70000.0,
            "bytes": 0.12,
            "vertices": 0.4,
        },
        {
            "rounds": 6500.0,
            "longest row": 1000.0,
            "arcs": 5.0,
            "rounds again": 300.0,
            "arcs again": 5.0,
        },
        {
            "rounds": 55000.0,
            "longest row": 1000.0,
            "arcs": 0.2,
            "rounds again": 15000.0,
            "arcs again": 0.03,
        },
    ),
    "sssp-near-far-cluster": Costs(
        {
            "start": 150000.0,
            "upload": 70000.0,
            "bytes": 0.12,
            "vertices": 0.4,
            "rounds": 3000.0,
            "longest row": 1000.0,
            "arcs a block": 10.0,
            "rounds again": 700.0,
            "arcs again": 1.0,
            "narrowed bins": 1.0,
            "arcs repeated": 1.0,
        },
    ),
    "sssp-blocked": Costs(
        {
            "start": 300000.0,
            "upload": 150000.0,
            "part bytes": 0.12,
            "vertices": 0.4,
            "rounds": 2300.0,
            "arcs": 0.1,
            "rounds again": 500.0,
            "arcs again": 0.02,
        },
    ),
    "cch-tree": Costs(
        {
            "start": 100000.0,
            "levels": 300.0,
        },
        {},
        {
            "vertices": 1.0,
            "hierarchy": 0.5,
        },
        {
            "vertices": 5.0,
            "hierarchy": 2.0,
        },
    ),
    "cch-tree-device": Costs(
        {
            "start": 300000.0,
            "upload": 150000.0,
            "hierarchy bytes": 0.12,
            "vertices": 0.4,
            "levels": 100.0,
            "hierarchy": 0.1,
            "beyond cache": 0.5,
        },
    ),
}
# Pulling looks at fewer arcs in the same search: it counts by its ratio to this one, measured
# beside it, since it is taken where it is faster than this one.
_BESIDE = "sssp-delta-omp"
# How firmly a rate is known: what machines do whatever the graph is.
_FIRM = {
    "vertices": 2.0,
    "bytes": 0.3,
    "part bytes": 0.3,
    "hierarchy bytes": 0.3,
    "upload": 0.3,
    "rounds": 0.5,
    "narrow bins": 0.5,
    "rounds again": 1.0,
    "arcs again": 1.0,
    "narrowed bins": 1.0,
    "arcs repeated": 1.0,
}
_FIRM |= {"beyond cache": 0.5, "levels": 0.1, "start": 0.1}
_LOOSE = 0.03

Fitted = Mapping[str, Costs]


@dataclass(frozen=True)
class Sample:
    """The least time of a variant for a question on a machine."""

    machine: int
    kind: str
    question: SourceQuestion
    ms: float
    beside: float = 0.0  # what `_BESIDE` took


def judge(machines: Sequence[MeasuredMachine], console: Console) -> None:
    """Print how estimates choose on kinds that they were not fitted to, and on graphs to
    which nothing is fitted, and the costs fitted to all kinds.
    """
    asked = list(map(_questions, machines))
    kinds = list(dict.fromkeys(graph.kind for graph in (*all_kinds(), *seen_graphs())))
    samples = _samples(machines, asked, kinds)
    whole = _fit(samples, "")
    rest = [*(graph.kind for graph in fresh_graphs()), GIVEN]
    everywhere = dict.fromkeys([*kinds, *rest], whole)
    ways: dict[str, Mapping[str, Fitted]] = {
        "Fitted to the other kinds": {kind: _fit(samples, kind) for kind in kinds},
        "Fitted to all kinds": everywhere,
        "As shipped": dict.fromkeys(everywhere, COSTS),
    }
    for one, questions_of in zip(machines, asked, strict=True):
        for view in (one, replace(one, device="")) if one.device else (one,):
            console.line("")
            console.line(f"{view.cpu}, {view.cores} cores; {view.device or 'no device'}")
            for words, costs in ways.items():
                console.line(f"{words}:")
                print_ratios(list(_ratios(view, questions_of, costs)), console)
    console.line("")
    for name, row in whole.items():
        parts = ", ".join(f"{part}={rates}" for part, rates in asdict(row).items() if rates)
        console.line(f'    "{name}": Costs({parts}),')


Asked = Mapping[tuple[str, bool], SourceQuestion]  # by the graph's name, and whether it stays


def _questions(one: MeasuredMachine) -> Asked:
    made = {graph.name: graph for graph in (*all_kinds(), *fresh_graphs(), *seen_graphs())}
    found = {}
    for timed in one.graphs:
        graph, source = (made.get(timed.name) or given_graph(timed.name)).make()
        question = SourceQuestion(graph, source, one.cores, timed.arcs or None, timed.levels)
        _ = question.amounts  # which is all that is needed of the graph
        found[timed.name, False] = question
        found[timed.name, True] = replace(question, stays=True)
    return found


def _samples(
    machines: Sequence[MeasuredMachine], asked: Sequence[Asked], kinds: Sequence[str]
) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {name: [] for name in USUAL}
    for number, one in enumerate(machines):
        for timed in one.graphs:
            for key, times in timed.times.items() if timed.kind in kinds else ():
                name, stays = key.removesuffix(STAYS), key.endswith(STAYS)
                if name == SORTED and timed.n + timed.m < SMALL:
                    continue  # no arcs are sorted
                question = asked[number][timed.name, stays]
                beside = min(timed.times[_BESIDE]) if name == SORTED else 0.0
                found[name].append(Sample(number, timed.kind, question, min(times), beside))
    return found


def _fit(samples: Mapping[str, Sequence[Sample]], left_out: str) -> Fitted:
    """Costs of all variants, fitted to all kinds but one; the last machine's ns."""
    speeds: Float64s | None = None
    fitted: dict[str, Costs] = {}
    for name, measured in samples.items():
        known = [sample for sample in measured if sample.kind != left_out]
        if name == SORTED:
            like = fitted[_BESIDE]
            known = [replace(s, ms=s.ms / s.beside * like.ms(s.question)) for s in known]
            alike = np.zeros(1 + max(sample.machine for sample in known))
            fitted[name], _ = _fit_one(name, known, alike)
        elif known:
            fitted[name], speeds = _fit_one(name, known, speeds)
    return fitted


def _fit_one(
    name: str, samples: Sequence[Sample], speeds: Float64s | None
) -> tuple[Costs, Float64s]:
    """A variant's costs; without the ``speeds`` of the machines, these are fitted, too."""
    usual = USUAL[name]
    parts = [getattr(usual, part) for part in _PARTS]
    before = np.log([ns for rates in parts for ns in rates.values()])
    firm = np.array(
        [
            _LOOSE if (part, amount) == ("shared", "vertices") else _FIRM.get(amount, _LOOSE)
            for part, rates in zip(_PARTS, parts, strict=True)
            for amount in rates
        ]
    )
    ends = np.cumsum([len(rates) for rates in parts])[:-1]
    amounts = [
        np.array([[sample.question.amounts[amount] for amount in rates] for sample in samples])
        for rates in parts
    ]
    threads = np.array([usual.threads(sample.question) for sample in samples])
    is_alone = (threads == 1) & (usual.many > 0)
    floats = _FLOATS if name.startswith("cch") else {}
    added = np.array([Costs(floats).ms(sample.question) for sample in samples])
    machine, ms = np.array([s.machine for s in samples]), np.array([s.ms for s in samples])

    def errors(given: Float64s) -> Float64s:
        logs, free = np.split(given, [len(before)])
        speed = np.append(free, 0.0) if speeds is None else speeds
        always, alone, together, shared = (
            amount @ np.exp(rates) if len(rates) else np.zeros(len(samples))
            for amount, rates in zip(amounts, np.split(logs, ends), strict=True)
        )
        together = np.where(is_alone, np.inf, together + shared / threads)
        least = np.minimum(alone, together) if usual.alone else together
        took = 1e-6 * (always + least) + added
        return np.concatenate(
            (np.log(took / ms) + speed[machine], firm * (logs - before), _LOOSE * speed)
        )

    free = np.zeros(max(machine) if speeds is None else 0)
    found = least_squares(errors, np.concatenate((before, free)), loss="soft_l1").x
    logs, speed = np.split(found, [len(before)])
    always, alone, together, shared = (
        {amount: float(f"{ns:.3g}") for amount, ns in zip(part, np.exp(log), strict=True)}
        for part, log in zip(parts, np.split(logs, ends), strict=True)
    )
    row = Costs(always | floats, alone, together, shared, usual.many)
    return row, np.append(speed, 0.0) if speeds is None else speeds


_PARTS = ("always", "alone", "together", "shared")


def _ratios(
    one: MeasuredMachine, asked: Asked, fitted: Mapping[str, Fitted]
) -> Iterator[tuple[str, Timed, float | None]]:
    for timed in one.graphs:
        if timed.kind not in fitted:
            continue
        for question in questions(bool(one.device)):
            there = timed.least(candidates(question))
            facts = asked[timed.name, question.endswith(STAYS)]
            costs = fitted[timed.kind]
            ids = {
                key: key.removesuffix(STAYS) for key in there if key.removesuffix(STAYS) in costs
            }
            if not one.device:
                ids = {
                    key: name
                    for key, name in ids.items()
                    if not find_variant(name).runs_on.takes_device
                }
            if timed.n + timed.m < SMALL:  # of which nothing that is prepared is looked up
                ids = {key: name for key, name in ids.items() if name in SEARCHES}
            is_prepared = any(name not in SEARCHES for name in ids.values())
            if question.startswith("all") != is_prepared or not ids:
                continue
            if timed.n + timed.m < TINY:
                chosen = "dijkstra-heap"
            elif timed.n + timed.m < FEW or (timed.n < ROOM and facts.reaches_few):
                chosen = "sssp-delta-omp"
            else:
                held = [key for key in ids if key != SORTED or facts.may_pull]
                chosen = min(held, key=lambda key: costs[ids[key]].ms(facts))
            least = min(there[key] for key in ids)
            yield question, timed, there[chosen] / least
