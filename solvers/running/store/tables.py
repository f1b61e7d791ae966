"""Kept runs as results for the writers of tables, which need neither the graph nor the variant itself."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from solvers.contracts.catalog import Algorithm, Answers, Citation, RunsOn, Variant
from solvers.contracts.mapping import WorkMapping
from solvers.contracts.problem import Problem, Solution
from solvers.contracts.results import Result
from solvers.errors import UnknownName
from solvers.graphs.graph import Graph
from solvers.running.store.conversion import result_on
from solvers.running.store.kept_run import GraphFacts, KeptRun, KeptVariant


def results_of(run: KeptRun) -> tuple[Result, ...]:
    """The results of a kept run, also of variants that this version does not know."""
    graph = UnopenedGraph.of(run)
    return tuple(
        result_on(graph, _index(graph, run.source), _index(graph, run.target), run, kept, _variant_named(kept))
        for kept in run.variants
    )


def _index(graph: Graph, vertex_id: int | None) -> int | None:
    return None if vertex_id is None else int(np.searchsorted(graph.ids, vertex_id))


def _variant_named(kept: KeptVariant) -> Variant:
    """A variant with name, algorithm, place and papers as kept: the catalogue may say otherwise by now."""
    return Variant(
        kept.variant, kept.variant, Algorithm(kept.algorithm), Answers.SSSP, RunsOn(kept.runs_on),
        WorkMapping.CHOSEN_LATER, "", _cannot_run, (Citation(kept.paper),) if kept.paper else (),
    )  # fmt: skip


def _cannot_run(problem: Problem) -> Solution:
    raise UnknownName("variant", "of an earlier version")


class UnopenedGraph(Graph):
    """Stands for the graph of a kept run whose file is not open: name, size and hash as kept, but no arcs.

    Its vertices are only those that the run names.
    """

    _facts: GraphFacts
    _names: dict[int | None, str]

    @classmethod
    def of(cls, run: KeptRun) -> UnopenedGraph:
        named = {run.source, run.target} - {None}
        for kept in run.variants:
            named.update(kept.path, kept.cycle)
        facts = run.graph
        graph = cls(
            np.zeros(len(named) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=facts.weight_type),
            ids=np.array(sorted(v for v in named if v is not None), dtype=np.int64), name=facts.name,
            weight_unit=facts.weight_unit,
        )  # fmt: skip
        object.__setattr__(graph, "_facts", facts)
        names = ((run.source, run.source_name), (run.target, run.target_name))
        object.__setattr__(graph, "_names", {vertex: name for vertex, name in names if name})
        return graph

    def vertex_id(self, vertex: int) -> Hashable:
        number = int(self.ids[vertex])
        return self._names.get(number, number)

    @property
    def n(self) -> int:
        return self._facts.vertices

    @property
    def m(self) -> int:
        return self._facts.arcs

    @property
    def sha256(self) -> str:
        return self._facts.sha256
