"""The town of curved roads with other coordinates and names, and answers on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.weights import INT32
from solvers.running.answers.answer import DistancesAnswer, PathAnswer
from tests.curved import curved_town


def plane_town(*, places: bool = True) -> Graph:
    """The town, without coordinates if ``places`` is False."""
    town = curved_town()
    return town if places else replace(town, coordinates=None)


def geographic_town(west: float = 0.0) -> Graph:
    """The town in degrees, ``west`` of where it was."""
    town = curved_town()
    assert town.coordinates is not None
    return replace(town, coordinates=Coordinates(town.coordinates.xy - [west, 0.0], geographic=True))


def named_town(*labels: str) -> LabelledGraph:
    """The town with names of its four vertices."""
    town = curved_town()
    attributes = {f.name: getattr(town, f.name) for f in fields(town) if f.init}
    return LabelledGraph(**attributes, labels=labels, numbered=True)


def path_of(graph: Graph, *vertices: int) -> PathAnswer:
    return PathAnswer(graph, np.array(vertices, np.int32), "hand")


def distances_of(
    graph: Graph, distances: Sequence[int | None], predecessors: Sequence[int] | None = None
) -> DistancesAnswer:
    """Distances from the first vertex; None is unreachable."""
    values = np.array([INT32.infinity if d is None else d for d in distances], np.int32)
    before = None if predecessors is None else np.array(predecessors, np.int32)
    return DistancesAnswer(graph, (0,), values, before, "hand")
