"""The tables by which a variant is chosen, one per kind of answer.

Of the rows whose condition holds, and whose variant is available and fits into memory,
the first without an estimate is taken, else the one that took least on the network
(``evidence.py``) or will by its estimate (``costs.py``); its text becomes the reason.

Variants that prepare a graph are taken if that has been done, or is estimated to take
at most `AFFORDABLE_S`. A hierarchy that takes longer is made once the questions asked
about the graph (`count_questions`) have cost as much by searching as it will: in all,
this takes at most twice as long as knowing their number from the start would.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from solvers.algorithms.auto.costs import COSTS, SourceQuestion
from solvers.algorithms.auto.evidence import (
    WITHIN,
    key_of,
    known_times,
    note_time,
    pace,
    reaches_much,
    taken,
)
from solvers.algorithms.bucket_width import is_road_like
from solvers.core.availability import AVAILABLE, availability
from solvers.core.problem import Problem, Solution
from solvers.core.variant import Answers, Preparation, Variant, find_variant
from solvers.devices.device import Device
from solvers.errors import OrderFailed, SeparatorsTooLarge, TautpathError, Unavailable
from solvers.graphs.graph import Graph
from solvers.system import machine
from solvers.text import format_duration

log = logging.getLogger(__name__)

# Vertices and arcs below which a heap is done before a search by buckets has begun; below
# which either finishes before the graph has been looked at; and before it is known what is
# prepared, which hashes the graph and asks the disk.
TINY = 2**10
FEW = 2**12
SMALL = 2**15
# Vertices from which filling the distances takes longer than a search among few of them.
ROOM = 2**16
# Vertices and arcs from which a whole GPU has gained more than the copies cost, where
# the GPU is none of those that were measured.
LARGE = 2**18
# Vertices and arcs from which even the front of a road network is too wide for one cluster.
HUGE = 2**24
# The longest preparation, in seconds, that is made without being asked for.
AFFORDABLE_S = 0.4
# Vertices and arcs from which a partition pays after a few solves.
WORTH_CUTTING = 2**19
# Seconds for each arc of making a hierarchy without an order on disk, 1.2 s to 1.6 s on
# New York, 16 cores; and, for each vertex and arc, what a sweep or climb in it saves of a search
# by cores, 15 to 20 ms there, and of one by a GPU, 2 ms. So the hierarchy of a road
# network is made after 100 questions, or after 750 on a GPU.
HIERARCHY_S = 2e-6
SAVED_S, SAVED_ON_GPU_S = 15e-9, 2e-9
# Floyd-Warshall makes n relaxations a cell, a search m a row; but a hundred of the
# former take as long as one of the latter, being neighbours in memory.
ORDERLY = 100
_ASKED, _REFUSED = "questions asked", "hierarchy refused"  # keys of what is kept with a graph
_CHOSEN = "what auto takes"  # and with a run

_TEAM, _PULLING, _ON_DEVICE = "sssp-delta-omp", "sssp-pull-omp", "sssp-near-far"
_ENOUGH = "as many questions were asked as make a hierarchy pay"


def count_questions(graph: Graph, questions: int = 1) -> None:
    """Count what is asked of `auto` about a network, whatever roads are closed; trials
    of a question do not count.
    """
    _asked(graph)[0] += questions  # threads may lose a count, which does no harm


def _asked(graph: Graph) -> list[int]:
    return graph.network.cached(_ASKED, lambda: [0])


@dataclass(frozen=True)
class Case:
    """The facts that the table's conditions use: graph, device, and whether the graph
    stays on the device.
    """

    graph: Graph
    device: Device | None
    source: int | None = None
    warm: bool = False

    def prepared(self, variant_id: str) -> Preparation | None:
        """State of a variant's preparation, looked up once; None if it has none, or if
        all of it is missing and takes long.
        """
        if variant_id not in self._prepared:
            look = find_variant(variant_id).prepared
            self._prepared[variant_id] = None if look is None else look(self.graph, self.device)
        return self._prepared[variant_id]

    @cached_property
    def _prepared(self) -> dict[str, Preparation | None]:
        return {}

    def ready(self, variant_id: str) -> bool:
        """Whether a variant's preparation is kept with the graph."""
        preparation = self.prepared(variant_id)
        return preparation is not None and preparation.is_complete

    def begun(self, variant_id: str) -> bool:
        """Whether a part of a variant's preparation exists, and the rest is affordable."""
        preparation = (
            None if self.refused and variant_id.startswith("cch") else self.prepared(variant_id)
        )
        return (
            preparation is not None
            and bool(preparation.words)
            and preparation.left_s <= AFFORDABLE_S
        )

    @property
    def refused(self) -> bool:
        """Whether making a hierarchy has failed."""
        return self.graph.network.peek_cached(_REFUSED) is not None

    def pays(self, variant_id: str) -> bool:
        """Whether searches for the questions asked so far have cost as much as making a
        hierarchy will.
        """
        network = self.graph.network
        if self.size < SMALL or self.refused or not is_road_like(network):
            return False
        preparation = self.prepared(variant_id)
        left = network.m * HIERARCHY_S if preparation is None else preparation.left_s
        return _asked(self.graph)[0] * self.size * (SAVED_ON_GPU_S if self.gpu else SAVED_S) >= left

    @cached_property
    def sorted_arcs_pay(self) -> bool:
        """Whether arcs are sorted by weight, or searches for the questions asked so far would
        have saved as much time by that as it takes. On long networks, and where few weights
        are most of the sum, nothing was seen to be saved.
        """
        if self.size < SMALL or not self.question.may_pull:
            return False
        preparation = self.prepared(_PULLING)
        if preparation is None or preparation.is_complete:
            return preparation is not None
        if self.graph.network is not self.graph:  # the next one will have other roads closed
            return False
        others = (_TEAM, _ON_DEVICE) if self.measured_gpu else (_TEAM,)
        needed = 1e3 * preparation.left_s / max(1, _asked(self.graph)[0])
        least = min(map(self.cost, others))
        return least >= needed and least - self.cost(_PULLING) >= needed

    @cached_property
    def question(self) -> SourceQuestion:
        preparation = self.prepared("cch-tree") if self.size >= SMALL else None
        size = (None, None) if preparation is None else (preparation.arcs, preparation.levels)
        assert self.source is not None
        return SourceQuestion(self.graph, self.source, machine.cores(), *size, self.warm)

    def estimate(self, variant_id: str) -> float:
        """ms that a variant should take, on the machines of the estimates."""
        found = self._estimates.get(variant_id)
        if found is None:
            found = self._estimates[variant_id] = COSTS[variant_id].ms(self.question)
        return found

    @cached_property
    def _estimates(self) -> dict[str, float]:
        return {}

    @cached_property
    def known(self) -> dict[str, float]:
        """ms that variants took on this network, by id, the fastest first."""
        return known_times(self.graph, self.device, self.warm)

    @cached_property
    def pace(self) -> float:
        return pace((ms, self.estimate(name)) for name, ms in self.known.items())

    def cost(self, variant_id: str) -> float:
        """ms that a variant took; else by its estimate and the pace of this machine."""
        known = self.known.get(variant_id)
        return self.pace * self.estimate(variant_id) if known is None else known

    def has_run(self, rule: Rule) -> bool:
        """Whether a variant of the processor has answered for this network, or is prepared to;
        to look again whether it can takes longer than the choice.
        """
        name = rule.variant_id
        if not rule.estimated or find_variant(name).runs_on.takes_device:
            return False
        has_answered = any(key[0] == name for key in list(taken(self.graph)))
        return has_answered or (self.size >= SMALL and self.ready(name))

    def is_confirmed(self, rule: Rule) -> bool:
        """Whether what was found on disk for a variant is the network's, which takes longer to
        find out than all else, and is only asked of what is taken.
        """
        preparation = self._prepared.get(rule.variant_id)
        return preparation is None or preparation.is_confirmed()

    def is_worth_a_try(self, rule: Rule) -> bool:
        """Whether a variant that has not been measured is near the best that has been, and has
        nothing to prepare; or was measured once, and by the estimates is faster than the best.
        """
        name = rule.variant_id
        if not self.known:
            return False
        best, least = next(iter(self.known.items()))
        if name in self.known:
            is_sure = name in known_times(self.graph, self.device, self.warm, fewest=2)
            is_doubted = not is_sure and self.estimate(name) < self.estimate(best)
            return is_doubted and self.known[name] < WITHIN * least
        is_near = self.cost(name) < WITHIN * least
        return is_near and (find_variant(name).prepared is None or self.ready(name))

    @property
    def tree_at_hand(self) -> bool:
        """Whether a hierarchy exists, or its order is on disk and the rest is soon done."""
        if self.size < SMALL:
            return False
        begun = (not self.gpu or self.size >= WORTH_CUTTING) and self.begun("cch-tree")
        return self.ready("cch-tree") or begun

    @property
    def parts_at_hand(self) -> bool:
        """Whether a partition exists on a GPU, is on disk, or is worth its making."""
        if self.size < SMALL:
            return False
        on_disk = is_road_like(self.graph) and self.begun("sssp-blocked")
        return self.gpu and (self.ready("sssp-blocked") or on_disk or self.partition_affordable)

    @property
    def size(self) -> int:
        return self.graph.n + self.graph.m

    @property
    def negative(self) -> bool:
        return self.graph.has_negative_weights

    @property
    def gpu(self) -> bool:
        """Whether the device is a GPU, not the processor."""
        return self.device is not None and not self.device.is_cpu

    @property
    def measured_gpu(self) -> bool:
        """Whether the device is of the kind that the estimates stand for."""
        return self.gpu and self.device is not None and self.device.kind == "cuda"

    @property
    def partition_affordable(self) -> bool:
        """Whether a partition of a road network is affordable on this machine, and pays
        after a few solves.
        """
        if not self.measured_gpu or self.size < WORTH_CUTTING or not is_road_like(self.graph):
            return False
        preparation = self.prepared("sssp-blocked")
        return preparation is not None and preparation.left_s <= AFFORDABLE_S

    @property
    def dense(self) -> bool:
        """Whether there are so many arcs per vertex that Floyd-Warshall costs less than
        a search per row.
        """
        return self.graph.m * ORDERLY >= self.graph.n**2


@dataclass(frozen=True)
class Rule:
    variant_id: str
    holds: Callable[[Case], bool]  # from Case to whether the row applies
    why: str  # the rest of the sentence "... was chosen: ", without the full stop
    estimated: bool = False  # by `COSTS`; a row that is not goes first


def _always(case: Case) -> bool:
    return True


TABLE: dict[Answers, tuple[Rule, ...]] = {
    Answers.TARGET: (
        Rule("bf-serial", lambda c: c.negative, "negative weights need Bellman-Ford"),
        Rule(
            "cch-pair",
            lambda c: c.ready("cch-pair") or (c.size >= SMALL and c.begun("cch-pair")),
            "two short climbs in a hierarchy meet",
        ),
        Rule("cch-pair", lambda c: c.pays("cch-pair"), _ENOUGH),
        Rule(
            "dijkstra-bidirectional",
            _always,
            "two searches that meet settle fewer vertices than one",
        ),
    ),
    Answers.SSSP: (
        Rule(
            "bf-strided-flag",
            lambda c: c.negative and c.gpu and c.size >= SMALL,
            "negative weights need Bellman-Ford, and a GPU makes its passes",
        ),
        Rule("bf-serial", lambda c: c.negative, "negative weights need Bellman-Ford"),
        Rule("dijkstra-heap", lambda c: c.size < TINY, "a tiny graph"),
        Rule("sssp-delta-omp", lambda c: c.size < FEW, "a small graph, and buckets need no heap"),
        Rule(
            "sssp-delta-omp",
            lambda c: c.graph.n < ROOM and c.question.reaches_few,
            "the source reaches so few vertices that one thread is done before others have started",
        ),
        Rule(
            "cch-tree-device",
            lambda c: c.gpu and c.size >= SMALL and c.ready("cch-tree-device"),
            "a sweep over a hierarchy needs no queue, and a GPU settles all subtrees at once",
            estimated=True,
        ),
        Rule(
            "cch-tree",
            lambda c: c.tree_at_hand,
            "a sweep over a hierarchy needs no queue",
            estimated=True,
        ),
        Rule("cch-tree", lambda c: c.pays("cch-tree"), _ENOUGH, estimated=True),
        Rule(
            "sssp-blocked",
            lambda c: c.parts_at_hand,
            "parts of the graph are settled in the shared memory of a GPU",
            estimated=True,
        ),
        Rule(
            _PULLING,
            lambda c: c.sorted_arcs_pay and c.ready(_PULLING),
            "a search on all cores looks at the lightest arcs alone",
            estimated=True,
        ),
        Rule(
            _PULLING,
            lambda c: c.sorted_arcs_pay and not c.ready(_PULLING),
            "as many questions were asked as make sorting its arcs by weight pay",
            estimated=True,
        ),
        Rule(
            "sssp-near-far-cluster",
            lambda c: c.gpu and (c.size < HUGE or not is_road_like(c.graph)),
            "narrow frontiers, and a GPU whose blocks can share their queues",
            estimated=True,
        ),
        Rule(
            "sssp-near-far",
            lambda c: c.measured_gpu or (c.gpu and c.size >= LARGE),
            "wide frontiers, and a GPU",
            estimated=True,
        ),
        Rule(
            "dijkstra-heap",
            _always,
            "one core with a heap is done before threads or a device have started",
            estimated=True,
        ),
        Rule(
            "sssp-delta-omp",
            _always,
            "no heap's logarithmic cost, and all cores share a wide frontier",
            estimated=True,
        ),
    ),
    Answers.APSP: (
        Rule(
            "fw-blocked",
            lambda c: c.gpu and (c.negative or c.dense),
            "a small or dense matrix, or negative weights, and a GPU that keeps tiles in registers",
        ),
        Rule(
            "fw-tiled-shared",
            lambda c: c.gpu and (c.negative or c.dense),
            "a small or dense matrix, or negative weights, and a GPU",
        ),
        Rule(
            "fw-blocked-gpus",
            lambda c: c.gpu and (c.negative or c.dense),
            "a small or dense matrix, or negative weights, "
            "which all GPUs of this machine hold together",
        ),
        Rule(
            "fw-blocked-streamed",
            lambda c: c.gpu and (c.negative or c.dense),
            "a small or dense matrix, or negative weights; "
            "the GPU takes it in panels from the host's memory",
        ),
        Rule(
            "fw-omp-tiled",
            lambda c: c.negative or c.dense,
            "a small or dense matrix, or negative weights: "
            "tiles that stay in the caches of all cores",
        ),
        Rule("fw-serial", lambda c: c.negative, "negative weights, and OpenMP is not available"),
        Rule(
            "apsp-frontier",
            lambda c: c.gpu,
            "a sparse graph, and a GPU: searches from many sources at once",
        ),
        Rule(
            "apsp-lanes-omp",
            _always,
            "a sparse graph: searches from 32 sources together, on all cores",
        ),
        Rule(
            "apsp-frontier",
            lambda c: c.device is not None,
            "a sparse graph, and OpenMP is not available",
        ),
        Rule(
            "dijkstra-apsp-serial",
            _always,
            "a sparse graph and no device: Dijkstra from one source after another",
        ),
        Rule("fw-serial", _always, "no other variant can run here"),
    ),
}


@dataclass(frozen=True)
class Chosen:
    """The chosen variant, and the reason in one sentence; the same for all trials of a run."""

    variant: Variant
    why: str
    is_estimated: bool = False
    is_usable = True  # kept between trials

    def close(self) -> None:
        """Nothing is held."""


def choose(
    answers: Answers,
    graph: Graph,
    device: Device | None,
    *,
    source: int | None = None,
    warm: bool = False,
) -> Chosen:
    """The variant that suits a graph and a machine, and a source, if there is one; ``warm``
    where the graph stays on the device between trials.

    Raises what keeps the last row from running, `Unavailable` or `UnsuitableGraph`,
    where no row can.
    """
    case = Case(graph, device, source, warm)
    hindrance: TautpathError | None = None
    for row in filter(case.is_confirmed, _in_order(case, TABLE[answers])):
        entry = find_variant(row.variant_id)
        here = AVAILABLE if case.has_run(row) else availability(entry, graph, device)
        if here.available:
            why = f"{entry.id} was chosen: {_why(case, row)}."
            return Chosen(entry, why, row.estimated)
        hindrance = here.error
    raise hindrance or Unavailable(f"No variant suits {graph.name} on this machine.")


def _in_order(case: Case, rows: Sequence[Rule]) -> Iterator[Rule]:
    """The rows that hold: those that decide by themselves, those that are worth a try, then
    all by what they cost, which is not found out for a small graph.
    """
    yield from (row for row in rows if not row.estimated and row.holds(case))
    held = [row for row in rows if row.estimated and row.holds(case)]
    held.sort(key=lambda row: case.cost(row.variant_id))
    yield from filter(case.is_worth_a_try, held)
    yield from held


def _why(case: Case, row: Rule) -> str:
    """What was measured, where it decides; else the row's reason, and what is prepared."""
    if row.estimated and case.known:
        took = [f"{name} took at best {format_duration(ms)}" for name, ms in case.known.items()]
        if row.variant_id not in case.known or case.is_worth_a_try(row):
            again = " again" * (row.variant_id in case.known)
            return f"it is tried{again}, as it may be faster on this network, where {took[0]}"
        if len(took) > 1:
            return f"measured on this network, {', '.join(took)}"
    preparation = case.prepared(row.variant_id)
    is_there = preparation is not None and preparation.words
    return f"{row.why}, and {preparation.words}" if preparation and is_there else row.why


def solve_by_choice(problem: Problem, answers: Answers) -> Solution:
    """Solve with the variant that suits best, on its defaults; the note begins with its
    name and the reason.
    """
    graph, device, stays = problem.graph, problem.device, problem.warm_graph is not None
    key = _CHOSEN, graph

    def make() -> Chosen:
        return choose(answers, graph, device, source=problem.source, warm=stays)

    keeps = problem.scope is not None and graph.n + graph.m >= FEW
    chosen = problem.scope.keep(key, make) if problem.scope is not None and keeps else make()
    used = device if chosen.variant.runs_on.takes_device else None
    try:
        solution = chosen.variant.solve(replace(problem, parameters={}, device=used))
    except (SeparatorsTooLarge, OrderFailed) as error:
        network = graph.network
        if network.peek_cached(_REFUSED) is not None:
            raise
        log.info("%s is searched: %s", network.name, error)
        network.cached(_REFUSED, lambda: True)
        if problem.scope is not None and keeps:
            problem.scope.drop(key)
        return solve_by_choice(problem, answers)
    is_alike = chosen.is_estimated and reaches_much(graph, solution.distances)
    if is_alike and problem.recorder is None:
        note_time(graph, key_of(chosen.variant, device, stays), solution.phases.total)
    return replace(solution, note=f"{chosen.why} {solution.note}".rstrip())
