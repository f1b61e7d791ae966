"""Small networks of which more is said, for faults that are planted in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from solvers.features.turns.u_turns import without_u_turns
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.hours import AtHour, HourTable
from solvers.graphs.road_data import RoadData
from solvers.graphs.road_patch import changed_graph
from solvers.graphs.turn_rules import TurnRules
from tests.graphs import from_list

CLASSES = ("path", "service")
FROM_0_TO_1, FROM_1_TO_2, FROM_2_TO_3 = (10, 13), (13, 16), (16, 19)
HOURS = HourTable("hours", CLASSES, {"07:00": np.array([1.5, 1.0]), "08:00": np.array([0.7, 3.0])})


def square(dtype: str = "int32") -> Graph:
    """A ring of four roads, two of them parallel, with a class for each arc."""
    roads = [(0, 1, 4), (1, 2, 5), (1, 2, 7), (2, 3, 6), (3, 0, 9), (2, 2, 1)]
    graph = from_list(4, roads, dtype, directed=False)
    places = Coordinates(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) / 500, geographic=True)
    classes = (np.arange(graph.m) % 2).astype(np.uint8)
    data = RoadData((), None, ("",), np.zeros(graph.m, np.int32), class_of=classes)
    return replace(graph, coordinates=places, roads=data, weight_unit="s")


def weighed_at(graph: Graph, table: HourTable = HOURS, hour: str = "07:00") -> Graph:
    return changed_graph(graph, table.weights_at(graph, hour), AtHour(table, hour))


def table_file(tmp_path: Path) -> str:
    path = tmp_path / "hours.csv"
    path.write_text("class,07:00,08:00\npath,1.5,0.7\nservice,1,3\n")
    return str(path)


def two_towns() -> Graph:
    """Two towns far from each other, where nobody may drive on from 0 over 1 to 2, nor from
    5 over 6 to 7. In the first, one turns round at the dead end 4.
    """
    streets = [(0, 1, 2), (1, 2, 2), (1, 3, 1), (3, 4, 1), (0, 5, 500), (5, 6, 2), (6, 7, 2)]
    round_the_block = [(6, 8, 5), (8, 9, 1), (9, 6, 1), (6, 10, 6), (10, 11, 1)]
    graph = from_list(12, [*streets, *round_the_block], directed=False)
    ends = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    forbidden: dict[tuple[int, ...], int] = {
        (ends.index((a, a + 1)), ends.index((a + 1, a + 2))): 7 for a in (0, 5)
    }
    rules = without_u_turns(graph, TurnRules.of(forbidden), [graph.weights])
    return graph.with_turns(rules, directed=True)
