"""Which point a host measures next: points of one graph stay together while there are other graphs for other hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from solvers.experiments.grid import GraphChoice, Point, by_graph
from solvers.experiments.remote_points import GraphLook
from solvers.running.store.kept_run import GraphFacts


@dataclass(eq=False)
class PointGroup:
    """The points of one graph.

    Attributes
    ----------
    choice : GraphChoice
    waiting : list of Point
    look : GraphLook or None
        The graph as the first host has it; None until one has it.
    known_to : set of str
        Hosts that have it, the same.
    refused : dict
        By host, why it cannot measure on this graph.
    """

    choice: GraphChoice
    waiting: list[Point]
    look: GraphLook | None = None
    refused: dict[str, str] = field(default_factory=dict)
    known_to: set[str] = field(default_factory=set)

    @property
    def facts(self) -> GraphFacts:
        """Of the graph, when a host has it."""
        assert self.look is not None
        assert self.look.facts is not None
        return self.look.facts

    @property
    def source(self) -> int:
        """Id of the source vertex."""
        assert self.look is not None
        return self.look.source

    @property
    def source_name(self) -> str:
        assert self.look is not None
        return self.look.source_name

    @property
    def why_refused(self) -> str:
        """The hosts' reasons, each once."""
        reasons = dict.fromkeys(self.refused.values())
        return "; ".join(reasons)


class PointQueue:
    """The points that are not measured yet, by graph.

    A graph that is on one host only is made or read once, and the ratios of its points compare times of one machine.

    Parameters
    ----------
    points : sequence of Point
        In order of the experiment.
    """

    def __init__(self, points: Sequence[Point]):
        self.groups = [PointGroup(choice, list(found)) for choice, found in by_graph(points)]
        self._holds: dict[str, PointGroup] = {}

    def next_group(self, host: str) -> PointGroup | None:
        """The group of which a host takes the next point; None if nothing is left for it."""
        own = self._holds.get(host)
        if own is not None and own.waiting and host not in own.refused:
            return own
        open_ones = [group for group in self.groups if group.waiting and host not in group.refused]
        if not open_ones:
            return None
        held = {id(group) for name, group in self._holds.items() if name != host}
        free = next((group for group in open_ones if id(group) not in held), None)
        chosen = free or max(open_ones, key=lambda group: len(group.waiting))
        self._holds[host] = chosen
        return chosen

    def know(self, host: str, group: PointGroup, look: GraphLook) -> bool:
        """Take what a host says of a graph; False if it cannot measure on it: no such file, or another graph."""
        if look.facts is None:
            group.refused[host] = look.reason
        elif group.look is not None and group.facts.sha256 != look.facts.sha256:
            hashes = f"SHA-256 {look.facts.sha256[:8]}, not {group.facts.sha256[:8]}"
            group.refused[host] = f"{host} has another graph under the name {group.choice.title}: {hashes}"
        else:
            group.look = group.look or look
            group.known_to.add(host)
            return True
        return False

    def forget(self, host: str) -> None:
        """The worker of a host was started anew."""
        self._holds.pop(host, None)
        for group in self.groups:
            group.known_to.discard(host)

    def put_back(self, point: Point) -> None:
        next(group for group in self.groups if group.choice is point.graph).waiting.insert(0, point)

    def stranded(self, hosts: Iterable[str]) -> Iterator[PointGroup]:
        """Groups with waiting points that none of the hosts can measure."""
        names = list(hosts)
        for group in self.groups:
            if names and group.waiting and all(name in group.refused for name in names):
                yield group
