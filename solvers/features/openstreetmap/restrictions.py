"""Turn restrictions of an OpenStreetMap file, and the sequences of arcs that they forbid.

They are read as the OpenStreetMap wiki defines them (page Relation:restriction): ``no_*``
forbids to come by one road and go by another, ``only_*`` forbids all else, also on the way
along via ways. Several ``only_*`` of one road allow each of their turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from solvers.features.openstreetmap.objects import OsmObject
from solvers.features.openstreetmap.profiles import Profile
from solvers.features.openstreetmap.tags import Tags
from solvers.graphs.following_arcs import opposite_arcs, turn_angles
from solvers.graphs.graph import Graph
from solvers.graphs.turn_rules import TurnReport
from solvers.system.array_types import Int64s

Sequence = tuple[int, ...]

_TURNS = ("left_turn", "right_turn", "straight_on", "u_turn")
_KINDS = frozenset(
    (*(f"{way}_{turn}" for way in ("no", "only") for turn in _TURNS), "no_entry", "no_exit")
)
_ON_RED = "_on_red"  # which leaves the turn itself as it is
_TYPE = "restriction"
_MODES = (
    *("vehicle", "motor_vehicle", "motorcar", "motorcycle", "moped", "bicycle", "foot", "psv"),
    *("bus", "hgv", "goods", "hazmat", "caravan", "tourist_bus", "coach", "taxi", "agricultural"),
    *("emergency", "trailer", "conditional"),
)
# values of ``type`` of relations that restrict turns
RELATION_TYPES = (_TYPE, *(f"{_TYPE}:{mode}" for mode in _MODES))
_TIMES = ("day_on", "day_off", "hour_on", "hour_off")
_STRAIGHT = 60.0  # degrees
_LONGEST_VIA = 200  # arcs of a via way

MISSING = "a member is missing"
NOT_IN_FILE = "a member is not in the file"
UNKNOWN = "its kind is unknown"
SEVERAL = "it has several members of one role"
APART = "its ways do not meet"
NO_JUNCTION = "its junction is not in the network"
CLOSES = "it would close the junction"
CONTRADICTS = "another one forbids what it demands"


@dataclass(frozen=True)
class Restriction:
    """A restriction that holds for the profile; members are ids."""

    id: int
    kind: str
    origins: tuple[int, ...]
    exits: tuple[int, ...]
    via_node: int | None
    via_ways: tuple[int, ...] = ()

    @property
    def is_only(self) -> bool:
        return self.kind.startswith("only_")

    @property
    def turn(self) -> str:
        return self.kind.partition("_")[2]

    @property
    def ways(self) -> tuple[int, ...]:
        return (*self.origins, *self.via_ways, *self.exits)


@dataclass(eq=False)
class Restrictions:
    """Those of a file, as they are read."""

    profile: Profile
    read: int = 0
    conditional: int = 0
    others: int = 0
    on_red: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)
    found: list[Restriction] = field(default_factory=list)

    def add(self, relation: OsmObject) -> None:
        """Take a relation with one of `RELATION_TYPES`."""
        self.read += 1
        tags = relation.tags
        kind = self._kind(tags)
        if kind is None or any(key in tags for key in _TIMES):
            if kind is not None or self._is_conditional(tags):
                self.conditional += 1
            else:
                self.others += 1
            return
        if kind.endswith(_ON_RED):
            self.on_red += 1
            return
        made = _restriction(relation.id, kind, relation.members)
        if isinstance(made, str):
            self.refused.append((relation.id, made))
        else:
            self.found.append(made)

    def _kind(self, tags: Tags) -> str | None:
        """The value that holds for the profile at all times; None without one."""
        modes, mode = self.profile.modes[:-1], self._mode(tags)
        for one in modes:
            if own := tags.get(f"{_TYPE}:{one}"):
                return own
        excepted = {word.strip() for word in tags.get("except", "").split(";")}
        if excepted.intersection(modes):
            return None
        is_meant = mode in modes if mode else self.profile.obeys_turns
        return tags.get(_TYPE) if is_meant else None

    def _is_conditional(self, tags: Tags) -> bool:
        modes, mode = self.profile.modes[:-1], self._mode(tags)
        keys = [f"{_TYPE}:{one}:conditional" for one in modes]
        if (mode in modes) if mode else self.profile.obeys_turns:
            keys.append(f"{_TYPE}:conditional")
        return any(key in tags for key in keys)

    @staticmethod
    def _mode(tags: Tags) -> str:
        """For whom alone a relation is by its type, as ``restriction:bus``; "" for all."""
        mode = tags.get("type", "").removeprefix(_TYPE).removeprefix(":")
        return "" if mode == "conditional" else mode


def _restriction(
    number: int, kind: str, members: tuple[tuple[str, str, int], ...]
) -> Restriction | str:
    """The restriction, or why it is refused."""
    if kind not in _KINDS:
        return UNKNOWN

    def of(role: str, kinds: str) -> tuple[int, ...]:
        return tuple(ref for one, given, ref in members if given == role and one in kinds)

    origins, exits, nodes, ways = of("from", "w"), of("to", "w"), of("via", "n"), of("via", "w")
    if not origins or not exits or not (nodes or ways):
        return MISSING
    if (
        (len(origins) > 1 and kind != "no_entry")
        or (len(exits) > 1 and kind != "no_exit")
        or len(nodes) > 1
        or (nodes and ways)
    ):
        return SEVERAL
    return Restriction(number, kind, origins, exits, nodes[0] if nodes else None, ways)


@dataclass(frozen=True, eq=False)
class WayTable:
    """The ways that are members of restrictions, by their ids, and those among them that may
    not be used.
    """

    index: Mapping[int, int]
    refs: Int64s
    offsets: Int64s
    closed: frozenset[int]

    @classmethod
    def of(
        cls,
        restrictions: Restrictions,
        ids: Int64s,  # (w,)
        refs: Int64s,
        offsets: Int64s,
        closed: Int64s,  # ids of roads that may not be used
    ) -> WayTable:
        wanted = np.array([way for one in restrictions.found for way in one.ways], np.int64)
        places = np.flatnonzero(np.isin(ids, wanted)).tolist()
        index = {int(ids[place]): place for place in places}
        return cls(index, refs, offsets, frozenset(closed[np.isin(closed, wanted)].tolist()))

    def nodes(self, way: int) -> list[int]:
        k = self.index[way]
        return self.refs[self.offsets[k] : self.offsets[k + 1]].tolist()

    def junctions(self, one: Restriction) -> set[int]:
        """Ids of the nodes at which a restriction holds, which must be vertices."""
        if any(way not in self.index for way in one.ways):
            return set()
        if one.via_node is not None:
            return {one.via_node}
        chain = [one.origins[0], *one.via_ways, one.exits[0]]
        return set().union(*(set(self.nodes(a)) & set(self.nodes(b)) for a, b in pairwise(chain)))


@dataclass(frozen=True, eq=False)
class _Network:
    """A graph with the ids of the ways at both ends of its arcs, (m,) each."""

    graph: Graph
    at_tail: Int64s
    at_head: Int64s

    def vertex(self, node: int) -> int | None:
        at = int(np.searchsorted(self.graph.ids, node))
        return at if at < self.graph.n and self.graph.ids[at] == node else None

    def out_of(self, vertex: int, ways: tuple[int, ...] | None = None) -> list[int]:
        row = self.graph.row(vertex)
        arcs = range(row.start, row.stop)
        return [arc for arc in arcs if ways is None or self.at_tail[arc] in ways]

    def follow(self, arc: int, way: int) -> Iterator[Sequence]:
        """Arcs along a way that begin with ``arc``: one, two, and so on."""
        walk, opposite = [arc], opposite_arcs(self.graph)
        while len(walk) <= _LONGEST_VIA:
            yield tuple(walk)
            last = walk[-1]
            onwards = self.out_of(int(self.graph.indices[last]), (way,))
            onwards = [one for one in onwards if one != opposite[last] and one not in walk]
            if self.at_head[last] != way or len(onwards) != 1:
                return
            walk.append(onwards[0])


@dataclass(frozen=True, eq=False)
class Forbidden:
    """What restrictions forbid: sequences of arcs with their relations."""

    sequences: dict[Sequence, int]
    report: TurnReport


def forbidden_sequences(
    restrictions: Restrictions, graph: Graph, at_tail: Int64s, at_head: Int64s, ways: WayTable
) -> Forbidden:
    """The sequences of arcs of ``graph`` that restrictions forbid; ids of the ways at the
    ends of its arcs are (m,).
    """
    resolver = _Resolver(_Network(graph, at_tail, at_head), ways)
    refused = [*restrictions.refused]
    used = idle = 0
    demanded: list[tuple[Restriction, list[Sequence]]] = []
    for one in restrictions.found:
        sequences = resolver.sequences(one)
        if isinstance(sequences, str):
            refused.append((one.id, sequences))
        elif one.is_only:
            demanded.append((one, sequences))
        else:
            used += bool(sequences)
            idle += not sequences
            resolver.forbid(one, sequences)
    for one, sequences in demanded:
        if not sequences and resolver.leads_nowhere(one):
            idle += 1
        elif not sequences:
            refused.append((one.id, CLOSES))
        elif any(sequence in resolver.forbidden for sequence in sequences):
            refused.append((one.id, CONTRADICTS))
        else:
            used += 1
            resolver.demand(one, sequences)
    resolver.forbid_what_is_not_demanded()
    report = TurnReport(
        restrictions.read,
        used,
        idle,
        restrictions.conditional,
        restrictions.others,
        tuple(sorted(refused)),
        restrictions.on_red,
    )
    return Forbidden(resolver.forbidden, report)


class _Resolver:
    def __init__(self, network: _Network, ways: WayTable):
        self._network, self._ways = network, ways
        self.forbidden: dict[Sequence, int] = {}
        # what may follow a sequence, and by which relation
        self._allowed: dict[Sequence, tuple[set[int], int]] = {}
        order = np.argsort(network.graph.indices, kind="stable")
        self._by_head = order, network.graph.indices[order]

    def sequences(self, one: Restriction) -> list[Sequence] | str:
        """The sequences of arcs from the road that a restriction begins at to that it ends
        at; none where directions rule them out, or why it is refused.
        """
        unknown = [way for way in one.ways if way not in self._ways.index]
        if unknown:
            return [] if all(way in self._ways.closed for way in unknown) else NOT_IN_FILE
        nodes = self._ways.junctions(one)
        if one.via_node is not None and any(
            one.via_node not in self._ways.nodes(way) for way in (one.origins[0], one.exits[0])
        ):
            return APART
        vertices = [v for node in sorted(nodes) if (v := self._network.vertex(node)) is not None]
        if not nodes:
            return APART
        if not vertices:
            return [] if one.turn == "u_turn" else NO_JUNCTION
        found: list[Sequence] = [
            (arc, *rest)
            for vertex in vertices
            for arc in self._arcs_into(vertex, one.origins)
            for rest in self._onwards(vertex, one.via_ways, one.exits)
        ]
        opposite = opposite_arcs(self._network.graph)
        back = [walk for walk in found if opposite[walk[0]] == walk[-1] and not one.via_ways]
        if one.turn == "u_turn" and back:
            return back
        found = [walk for walk in found if walk not in back]
        return found if len(found) < 2 else self._of_kind(one, found)

    def leads_nowhere(self, one: Restriction) -> bool:
        """Whether a demand is none of the profile's: the road that it leads to is closed, or
        nobody may come by the road that it begins at.
        """
        return any(way in self._ways.closed for way in one.ways) or not self._is_come_to(one)

    def _is_come_to(self, one: Restriction) -> bool:
        network = self._network
        arcs = np.flatnonzero(np.isin(network.at_head, one.origins))
        if one.via_node is None:
            return len(arcs) > 0
        vertex = network.vertex(one.via_node)
        return vertex is not None and bool((network.graph.indices[arcs] == vertex).any())

    def _of_kind(self, one: Restriction, walks: list[Sequence]) -> list[Sequence]:
        """Where a road passes through its junction, the turns in the direction that the
        restriction names.
        """
        if len(one.origins) > 1 or len(one.exits) > 1 or one.via_ways:
            return walks
        pairs = np.array(walks)
        angles = turn_angles(self._network.graph, pairs[:, 0], pairs[:, 1])
        fits = {
            "left_turn": angles > 0,
            "right_turn": angles < 0,
            "straight_on": np.abs(angles) <= _STRAIGHT,
        }.get(one.turn, np.ones(len(walks), np.bool_))
        return [walk for walk, fit in zip(walks, fits.tolist(), strict=True) if fit]

    def _arcs_into(self, vertex: int, ways: tuple[int, ...]) -> list[int]:
        order, heads = self._by_head
        first, last = np.searchsorted(heads, (vertex, vertex + 1))
        at_head = self._network.at_head
        return [arc for arc in order[first:last].tolist() if at_head[arc] in ways]

    def _onwards(
        self, vertex: int, via: tuple[int, ...], exits: tuple[int, ...]
    ) -> Iterator[Sequence]:
        """Sequences from a vertex along via ways to an exit."""
        network = self._network
        if not via:
            yield from ((arc,) for arc in network.out_of(vertex, exits))
            return
        for arc in network.out_of(vertex, (via[0],)):
            for walk in network.follow(arc, via[0]):
                if network.at_head[walk[-1]] == via[0]:
                    head = int(network.graph.indices[walk[-1]])
                    yield from ((*walk, *rest) for rest in self._onwards(head, via[1:], exits))

    def forbid(self, one: Restriction, sequences: list[Sequence]) -> None:
        for sequence in sequences:
            self.forbidden.setdefault(sequence, one.id)

    def demand(self, one: Restriction, sequences: list[Sequence]) -> None:
        for sequence in sequences:
            for size in range(1, len(sequence)):
                allowed, _ = self._allowed.setdefault(sequence[:size], (set(), one.id))
                allowed.add(sequence[size])

    def forbid_what_is_not_demanded(self) -> None:
        for walk, (allowed, relation) in self._allowed.items():
            for arc in self._network.out_of(int(self._network.graph.indices[walk[-1]])):
                if arc not in allowed:
                    self.forbidden.setdefault((*walk, arc), relation)
