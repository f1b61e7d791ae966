"""The levels of a graph's hierarchy, for pictures: its separators and its cores."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.algorithms.hierarchy.cores import Cores, find_cores
from solvers.algorithms.hierarchy.preparation import hierarchy_of
from solvers.algorithms.hierarchy.separators import Separators, find_separators
from solvers.graphs.graph import Graph
from solvers.host.observer import SILENT, Observer
from solvers.host.threads import thread_team

_ASKED_BY = "The picture of levels"


@dataclass(frozen=True, eq=False)
class Levels:
    """What a picture of a hierarchy shows.

    Attributes
    ----------
    separators : Separators
    cores : Cores
    """

    separators: Separators
    cores: Cores


def levels_of(graph: Graph, observer: Observer = SILENT) -> Levels:
    """The levels of ``graph``, kept with it; prepares its hierarchy if no run has.

    Raises
    ------
    SeparatorsTooLarge, OutOfMemory, Unavailable, OrderFailed, Cancelled
    """

    def make() -> Levels:
        hierarchy, _ = hierarchy_of(graph, _ASKED_BY, observer)
        observer.checkpoint()
        separators = find_separators(hierarchy.tree)
        with thread_team() as team:
            return Levels(separators, find_cores(hierarchy, team, observer))

    return graph.derived("levels of the hierarchy", make)
