"""Vertices at which paths begin and end, and through which none leads: zones of demand, which
are no places on roads.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solvers.graphs.following_arcs import crossing_turns
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import ZONE, TurnReport, TurnRules
from solvers.system.array_types import Bools


def without_ways_through(graph: Graph, zones: Bools) -> Graph:
    """The graph with rules that forbid to go on from the ``zones``, (n,), by an arc that
    leads to one; the graph itself where none could be gone through.
    """
    turns = crossing_turns(graph, np.flatnonzero(zones[graph.indices]))
    sequences = dict.fromkeys(zip(*(arcs.tolist() for arcs in turns), strict=True), ZONE)
    if not sequences:
        return graph
    rules = TurnRules.of(sequences, report=TurnReport(zones=int(zones.sum())))
    told = graph.interpretation
    return graph.with_turns(
        rules, interpretation=None if told is None else replace(told, turns=str(rules))
    )
