"""Steps from an OpenStreetMap file to a graph: extract, cut into segments, contract,
keep the largest part, weigh.

The graph is made from the chains of an extract: vertices, arcs in both directions, two
weights, shapes and names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError
from solvers.features.openstreetmap.extract import Remarks, Ways, extract
from solvers.features.openstreetmap.profiles import MEANINGS, Profile, find_profile
from solvers.features.openstreetmap.restrictions import WayTable, forbidden_sequences
from solvers.features.openstreetmap.segments import Chains, Segments, contract, segments_of
from solvers.features.openstreetmap.tags import UNNAMED, WORDS
from solvers.graphs.csr import rows_of_arcs
from solvers.graphs.following_arcs import opposite_arcs
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.numbering import distinct
from solvers.graphs.readers.file_format import NetworkReading
from solvers.graphs.readers.input_file import InputFile, ReadingProgress
from solvers.graphs.reading import ReadingOptions
from solvers.graphs.road_data import ArcColumn, NamedPlaces, RoadData, RoadKinds, Shapes
from solvers.graphs.searched import turn_search
from solvers.graphs.turn_rules import RESTRICTIONS, TurnOptions, TurnReport, TurnRules
from solvers.graphs.weighting import Weighting
from solvers.system.array_types import Bools, Float64s, Int32s, Int64s
from solvers.system.ranges import offsets_of
from solvers.text import format_count, plural, printable
from solvers.units import TENTHS_OF_METRES, TENTHS_OF_SECONDS

_FORMATS = {
    "pbf": "OpenStreetMap extract (PBF)",
    "osm": "OpenStreetMap extract (XML)",
    "osm.gz": "OpenStreetMap extract (XML, gzip)",
    "osm.bz2": "OpenStreetMap extract (XML, bzip2)",
}

METRES, SECONDS = "metres", "seconds"
ATTRIBUTION = "© OpenStreetMap contributors"
_PER_UNIT = 10.0
_STOP_LINE = 50.0  # metres between traffic lights and the junction that they are for
UNITS = {METRES: TENTHS_OF_METRES, SECONDS: TENTHS_OF_SECONDS}


def read_osm(
    file: InputFile,
    form: str,
    options: ReadingOptions,
    weighting: Weighting,
    progress: ReadingProgress,
) -> NetworkReading:
    """Read the network that the options' profile may use; ``form`` is a format of
    `osm_format`.

    Raises FileFormatError if the file is damaged, or has no road that the profile may
    use, or no nodes of roads; UnknownName if there is no such profile; OutOfMemory if
    the network needs more memory than is free; Cancelled.

    ``weighting``: "column" and "seconds" are travel times, "metres" lengths.
    """
    profile = find_profile(options.profile or MEANINGS.profiles[0].id)
    turns = TurnOptions.parse(options.turns or RESTRICTIONS)
    found = extract(file, form, profile, progress)
    if not len(found.ways):
        reason, hint = _no_roads(found.ways, profile)
        raise FileFormatError(file.path, reason, hint=hint)
    segments = segments_of(found, progress.check)
    if not len(segments):
        reason = f"the nodes of its {plural(len(found.ways), 'road')} are missing"
        raise FileFormatError(
            file.path, reason, hint="Make an extract with complete ways, such as by osmium extract."
        )
    progress.building(0.3)
    ways = found.ways
    table = WayTable.of(ways.restrictions, ways.ids, ways.refs, ways.offsets, ways.closed)
    kept = _junctions(ways, table, segments, turns) if turns.restrictions else None
    chains = contract(segments, len(segments.ids), ways, progress.check, kept)
    progress.building(0.6)
    parts = parts_of(chains)
    warnings = _warnings(ways.remarks, segments.missing)
    outside = parts.outside
    if outside and options.largest_part:
        chains = chains_of_part(chains, parts.of_chain == parts.largest)
        were = plural(outside, "vertex was", "vertices were")
        warnings.append(f"{were} left out, not connected with the largest part.")
        outside = 0
    elif outside:
        count = format_count(outside)
        warnings.append(
            f"{count} of {format_count(int(parts.vertices.sum()))} vertices are not connected with "
            "the largest part of the network."
        )
    graph, arcs = build_network(
        chains, segments.ids, segments.xy, found.ways.names, _stem(file.path), progress.check
    )
    graph = with_only_used_names(graph, found.ways.places)
    progress.building(0.9)
    graph, weights_from = _weighed(graph, arcs.chain, len(chains), weighting, profile, progress)
    rules = _rules(graph, ways, table, arcs, turns)
    ignored = _ignored(ways.remarks)
    visitors = _roads_for_destination(ways)
    if not turns.restrictions and visitors:
        ignored += (f"destination-only access of {plural(visitors, 'road')}",)
    if not turns.restrictions and rules.report.read:
        ignored += (plural(rules.report.read, "turn restriction"),)
    graph = graph.with_turns(rules, directed=graph.directed or rules.has_effect)
    return NetworkReading(graph, _FORMATS[form], tuple(warnings), weights_from, ignored, outside)


def _stem(path: Path) -> str:
    """Graph name of an extract: ``liechtenstein`` for ``liechtenstein.osm.pbf``."""
    name = path.name
    for suffix in (".gz", ".bz2", ".pbf", ".xml", ".osm"):
        name = name.removesuffix(suffix)
    return printable(name or path.name)


def _junctions(ways: Ways, table: WayTable, segments: Segments, turns: TurnOptions) -> Int64s:
    """Indices of the nodes at which turns are restricted, and of traffic lights where they
    cost. U-turns inside a road make no vertex, since nobody turns there anyway.
    """
    nodes = {
        node
        for one in ways.restrictions.found
        if one.turn != "u_turn" or one.via_ways
        for node in table.junctions(one)
    }
    if turns.costs is not None:
        nodes.update(ways.signals.tolist())
    ids = np.array(sorted(nodes), np.int64)
    at = np.minimum(np.searchsorted(segments.ids, ids), len(segments.ids) - 1)
    return at[segments.ids[at] == ids]


def _rules(
    graph: Graph, ways: Ways, table: WayTable, arcs: ArcsOfChains, turns: TurnOptions
) -> TurnRules:
    """The turns that are forbidden, and what others cost."""
    if not turns.restrictions:
        return TurnRules.of({}, report=TurnReport(ways.restrictions.read))
    own = ways.ids[arcs.ways]
    found = forbidden_sequences(ways.restrictions, graph, own[:, 0], own[:, 1], table)
    for_destination = np.flatnonzero(_with_what_is_behind(graph, arcs.for_destination))
    report = replace(found.report, for_destination=_roads_for_destination(ways))
    rules = TurnRules.of(found.sequences, turns.costs, report)
    rules = replace(rules, for_destination=for_destination)
    if turns.costs is not None:
        return replace(rules, signals=_arcs_to_lights(graph, ways, arcs.along))
    assert graph.roads is not None
    columns = [column.values for column in graph.roads.weights]
    return turn_search().completed(graph, rules, [*columns, graph.weights])


def _with_what_is_behind(graph: Graph, visitors: Bools) -> Bools:
    """The arcs for destination only, and others that are no way between other roads: those
    outside the largest part that other roads connect in both directions.

    Who lives behind such a road would not be reached otherwise.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    def parts(arcs: Bools, connection: str) -> Int32s:
        chosen = graph.tails[arcs], graph.indices[arcs]
        table = csr_array((np.ones(len(chosen[0]), np.int8), chosen), shape=(graph.n, graph.n))
        found: Int32s = connected_components(table, directed=True, connection=connection)[1]
        return found

    if not visitors.any():
        return visitors
    whole = parts(np.ones(graph.m, np.bool_), "weak")
    strong = parts(~visitors, "strong")
    sizes = np.bincount(strong)
    order = np.lexsort((-sizes[strong], whole))
    first = order[np.searchsorted(whole[order], np.arange(whole.max() + 1))]
    is_main = strong == strong[first][whole]
    has_visitors = np.zeros(whole.max() + 1, np.bool_)
    has_visitors[whole[graph.tails[visitors]]] = True
    within = is_main[graph.tails] & is_main[graph.indices]
    return visitors | (~within & has_visitors[whole[graph.tails]])


def _roads_for_destination(ways: Ways) -> int:
    return int(np.count_nonzero(ways.for_destination.any(axis=1)))


def _arcs_to_lights(graph: Graph, ways: Ways, along: Bools) -> Int64s:
    """The arcs that end at traffic lights which are for those who come by them.

    Lights on a road are for one direction if they say so; else for both, but for those who
    come from a junction nearby, whose lights they are for the others.
    """
    at = np.searchsorted(ways.signals, graph.ids)
    at = np.minimum(at, len(ways.signals) - 1)
    has_lights = ways.signals[at] == graph.ids if len(ways.signals) else np.zeros(graph.n, np.bool_)
    arcs = np.flatnonzero(has_lights[graph.indices])
    heads = graph.indices[arcs]
    sides = ways.signal_sides[at[heads]]
    degrees = _roads_at(graph)
    is_for = np.where(along[arcs], sides[:, 0], sides[:, 1]) | (degrees[heads] > 2)
    assert graph.roads is not None
    metres = graph.roads.weights[1].values / _PER_UNIT
    longest = np.zeros(graph.n)
    np.maximum.at(longest, heads, metres[arcs])
    leaves = (
        sides.all(axis=1)
        & (degrees[heads] == 2)
        & (degrees[graph.tails[arcs]] > 2)
        & (metres[arcs] <= _STOP_LINE)
        & (metres[arcs] < longest[heads])
    )
    return arcs[is_for & ~leaves]


def _roads_at(graph: Graph) -> Int64s:
    """The number of roads that end at each vertex, one-way roads included, (n,)."""
    opposite = opposite_arcs(graph)
    one_way = np.flatnonzero(opposite < 0)
    return graph.out_degrees + np.bincount(graph.indices[one_way], minlength=graph.n)


def _weighed(
    graph: Graph,
    chain: Int64s,
    chains: int,
    weighting: Weighting,
    profile: Profile,
    progress: ReadingProgress,
) -> tuple[Graph, str]:
    """The graph with the chosen weights, and their origin.

    Random ones are drawn for each arc or, if no road has a direction, for each chain,
    and apply to both of its arcs.
    """
    if weighting.kind in ("column", SECONDS):
        return graph, f"travel time in seconds, {profile.title}"
    if weighting.kind == METRES:
        return graph.with_weights(METRES), "length in metres"
    drawn = weighting.draw(graph.m if graph.directed else chains, progress.check)
    weights = drawn if graph.directed else drawn[chain]
    return replace(
        graph, weights=weights, weight_unit="", assume_symmetric=True
    ), weighting.describe()


def _no_roads(ways: Ways, profile: Profile) -> tuple[str, str]:
    if not ways.remarks.roads:
        reason = "this extract has no roads"
        return (
            reason,
            (
                "It may contain other objects, such as buildings; "
                "make an extract with all ways of the region."
            ),
        )
    who = "a pedestrian" if profile.id == "foot" else f"a {profile.title}"
    reason = f"{who} may use none of its {plural(ways.remarks.roads, 'road')}"
    return reason, "Open it with another profile: car, bicycle or foot."


def _warnings(remarks: Remarks, missing: int) -> list[str]:
    warnings = []
    if remarks.nonsense:
        way, text = remarks.nonsense[0]
        have = plural(len(remarks.nonsense), "road has", "roads have")
        warnings.append(
            f"{have} an invalid speed limit, such as “{text[:40]}” of way {way}; "
            "customary speeds are used there."
        )
    if remarks.unknown:
        way, tag = remarks.unknown[0]
        have = plural(len(remarks.unknown), "road has", "roads have")
        warnings.append(
            f"{have} an unknown value of access, such as “{tag[:40]}” of way {way}; "
            "it is left out there."
        )
    if remarks.barriers:
        node, kind = remarks.barriers[0]
        are = plural(len(remarks.barriers), "barrier is", "barriers are")
        warnings.append(
            f"{are} of an unknown kind, such as “{kind[:40]}” of node {node}; nobody passes there."
        )
    if remarks.changing:
        are = plural(remarks.changing, "road was", "roads were")
        warnings.append(f"{are} left out, because the direction changes with the time of day.")
    if remarks.old_versions:
        are = plural(remarks.old_versions, "old version was", "old versions were")
        warnings.append(f"{are} left out: this is a file of the history of its objects.")
    if remarks.repeated:
        are = plural(len(remarks.repeated), "road is", "roads are")
        warnings.append(
            f"{are} in the file several times, such as way {remarks.repeated[0]}, and read each "
            "time: merge extracts by “osmium merge”, which keeps the newest version."
        )
    if missing:
        end = plural(missing, "piece of a road was", "pieces of roads were")
        warnings.append(f"{end} left out, because nodes are missing in the file.")
    return warnings


def _ignored(remarks: Remarks) -> tuple[str, ...]:
    """What is not read of tags, with counts."""
    counts = {
        "conditional access of": (remarks.conditional_access, "road"),
        "conditional speed limits of": (remarks.conditional_speed, "road"),
        "conditions or directions of": (remarks.conditional_barriers, "barrier"),
    }
    return tuple(f"{what} {plural(count, of)}" for what, (count, of) in counts.items() if count)


@dataclass(frozen=True, eq=False)
class Parts:
    """The connected parts of a network, without regard to directions."""

    of_chain: Int32s  # (c,) part of each chain
    vertices: Int64s  # (k,) number of vertices of each part

    @property
    def largest(self) -> int:
        return int(np.argmax(self.vertices))

    @property
    def outside(self) -> int:
        """Vertices outside the largest part."""
        return int(self.vertices.sum() - self.vertices[self.largest])


def parts_of(chains: Chains) -> Parts:
    """The connected parts of at least one chain."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    used, ends = _vertices(chains)
    tails, heads = ends[: len(chains)], ends[len(chains) :]
    table = coo_array((np.ones(len(chains), np.int8), (tails, heads)), shape=(len(used), len(used)))
    _, part = connected_components(table, directed=False)
    return Parts(part[tails], np.bincount(part))


def chains_of_part(chains: Chains, kept: Bools) -> Chains:
    counts = np.diff(chains.offsets)
    return Chains(
        chains.first[kept],
        chains.last[kept],
        chains.name_of[kept],
        chains.class_of[kept],
        chains.metres[kept],
        chains.there[kept],
        chains.back[kept],
        offsets_of(counts[kept]),
        chains.nodes[np.repeat(kept, counts)],
        chains.ways[kept],
        chains.for_destination[kept],
        chains.along[kept],
    )


@dataclass(frozen=True, eq=False)
class ArcsOfChains:
    """What the arcs of a graph are made from, (m,) each."""

    chain: Int64s
    ways: Int64s  # (m, 2) at the tail and at the head
    along: Bools  # whether they arrive along the way at the head, not against it
    for_destination: Bools


def build_network(
    chains: Chains,
    ids: Int64s,
    xy: Float64s,
    names: tuple[str, ...],
    title: str,
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Graph, ArcsOfChains]:
    """The graph of the chains, weighted by travel time, and what its arcs are made from.

    Parameters
    ----------
    ids : (n,) int64, ascending
    xy : (n, 2) float64
        Longitude and latitude of the nodes.
    names : tuple of str
        Of the roads.
    title : str
        Name of the graph.
    """
    used, ends = _vertices(chains)
    count = len(chains)
    is_loop = chains.first == chains.last
    forth = np.flatnonzero(np.isfinite(chains.there))
    opposite = np.flatnonzero(np.isfinite(chains.back) & ~(is_loop & np.isfinite(chains.there)))
    chain = np.concatenate((forth, opposite))
    is_back = np.arange(len(chain)) >= len(forth)
    first, last = ends[:count][chain], ends[count:][chain]
    tails, heads = np.where(is_back, last, first), np.where(is_back, first, last)
    indptr, indices, order = rows_of_arcs(
        len(used),
        tails.astype(np.int32),
        heads.astype(np.int32),
        np.arange(len(chain), dtype=np.int32),
        checkpoint,
    )
    chain, is_back = chain[order], is_back[order]
    seconds = np.where(is_back, chains.back[chain], chains.there[chain])
    columns = (
        ArcColumn(SECONDS, UNITS[SECONDS], _whole(seconds)),
        ArcColumn(METRES, UNITS[METRES], _whole(chains.metres[chain])),
    )
    roads = RoadData(
        columns,
        _shapes(chains, chain, is_back, xy),
        names,
        chains.name_of[chain],
        ATTRIBUTION,
        chains.class_of[chain],
        kinds=RoadKinds(WORDS.classes, UNNAMED),
    )
    both = (
        np.isfinite(chains.there)
        & np.isfinite(chains.back)
        & (_whole(chains.there) == _whole(chains.back))
    )
    graph = Graph(
        indptr,
        indices,
        columns[0].values,
        Coordinates(xy[used], geographic=True),
        ids[used],
        title,
        directed=not bool(both.all()),
        weight_unit=columns[0].unit,
        roads=roads,
        assume_symmetric=True,
    )
    side = is_back.astype(np.intp)
    of_arcs = ArcsOfChains(
        chain,
        np.where(is_back[:, None], chains.ways[chain, ::-1], chains.ways[chain]),
        chains.along[chain, 1 - side],
        chains.for_destination[chain, side],
    )
    return graph, of_arcs


def with_only_used_names(graph: Graph, places: NamedPlaces) -> Graph:
    """The graph with ``places``, without names of roads that none of its arcs has, as
    those of parts left out.
    """
    roads = graph.roads
    assert roads is not None  # of every network built here
    used, name_of = np.unique(roads.name_of, return_inverse=True)
    names = tuple(roads.names[i] for i in used.tolist())
    roads = replace(roads, names=names, name_of=name_of.astype(np.int32), places=places)
    return replace(graph, roads=roads, assume_symmetric=True)


def _vertices(chains: Chains) -> tuple[Int64s, Int64s]:
    """Nodes at the ends of chains, ascending; and the index among them of each first,
    then of each last end.
    """
    ends = np.concatenate((chains.first, chains.last))
    used = distinct(ends)
    return used, np.searchsorted(used, ends)


def _shapes(chains: Chains, chain: Int64s, is_back: Bools, xy: Float64s) -> Shapes | None:
    counts = np.diff(chains.offsets)
    curved = np.flatnonzero(counts > 0)
    if not len(curved):
        return None
    number = np.zeros(len(chains), np.int32)
    number[curved] = np.arange(1, len(curved) + 1)
    offsets = offsets_of(counts[curved])
    of_arc = np.where(is_back, -number[chain], number[chain]).astype(np.int32)
    return Shapes(xy[chains.nodes], offsets, of_arc)


def _whole(values: Float64s) -> Int32s:
    """Tenths, as whole numbers above 0: nodes at one place would make cycles of weight 0."""
    finite = np.where(np.isfinite(values), values, 0.0)
    return np.maximum(1, np.rint(finite * _PER_UNIT)).astype(np.int32)
