"""Steps from an OpenStreetMap file to a graph: extract, cut into segments, contract, keep the largest part, weigh."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvers.errors import FileFormatError
from solvers.graphs.graph import Graph
from solvers.graphs.readers.input_file import InputFile
from solvers.graphs.readers.osm.chains import contract
from solvers.graphs.readers.osm.extract import Ways, extract
from solvers.graphs.readers.osm.network import (
    METRES,
    SECONDS,
    build_network,
    chains_of_part,
    parts_of,
    with_only_used_names,
)
from solvers.graphs.readers.osm.profiles import Profile
from solvers.graphs.readers.osm.segments import segments_of
from solvers.graphs.readers.progress import ReadingProgress
from solvers.graphs.readers.weighting import Weighting
from solvers.text import format_count, plural

_FORMATS = {
    "pbf": "OpenStreetMap extract (PBF)", "osm": "OpenStreetMap extract (XML)",
    "osm.gz": "OpenStreetMap extract (XML, gzip)", "osm.bz2": "OpenStreetMap extract (XML, bzip2)",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class OsmReading:
    """A network and what its report says.

    Attributes
    ----------
    graph : Graph
    format : str
    warnings : tuple of str
    weights_from : str
    outside_largest : int
        Vertices outside the largest connected part that were kept.
    """

    graph: Graph
    format: str
    warnings: tuple[str, ...]
    weights_from: str
    outside_largest: int


def read_osm(
    file: InputFile, form: str, name: str, profile: Profile, largest_part: bool, weighting: Weighting,
    progress: ReadingProgress,
) -> OsmReading:  # fmt: skip
    """Read the network that ``profile`` may use.

    Parameters
    ----------
    file : InputFile
    form : str
        As `content.osm_format` tells it.
    name : str
        Of the graph.
    profile : Profile
    largest_part : bool
        Leave out what is not connected with the largest part.
    weighting : Weighting
        "column" and "seconds" are travel times, "metres" lengths.
    progress : ReadingProgress

    Raises
    ------
    FileFormatError
        If the file is damaged, or has no road that the profile may use, or no nodes of roads.
    OutOfMemory
        If the network needs more memory than is free.
    Cancelled
    """
    found = extract(file, form, profile, progress)
    if not len(found.ways):
        reason, hint = _no_roads(found.ways, profile)
        raise FileFormatError(file.path, reason, hint=hint)
    segments = segments_of(found, progress.check)
    if not len(segments):
        reason = f"the nodes of its {plural(len(found.ways), 'road')} are missing"
        raise FileFormatError(file.path, reason, hint="Make an extract with complete ways, such as by osmium extract.")
    progress.building(0.3)
    chains = contract(segments, len(found.ids), found.ways.name_of, progress.check)
    progress.building(0.6)
    parts = parts_of(chains)
    warnings = _warnings(found.ways, segments.missing)
    outside = parts.outside
    if outside and largest_part:
        chains = chains_of_part(chains, parts.of_chain == parts.largest)
        words = plural(outside, "vertex was", "vertices were")
        warnings.append(f"{words} left out, which are not connected with the largest part.")
        outside = 0
    elif outside:
        count = format_count(outside)
        warnings.append(f"{count} of {format_count(int(parts.vertices.sum()))} vertices are not connected with the "
                        "largest part of the network.")  # fmt: skip
    graph, chain = build_network(chains, found.ids, found.xy, found.ways.names, name, progress.check)
    graph = with_only_used_names(graph)
    progress.building(0.9)
    graph, weights_from = _weighed(graph, chain, len(chains), weighting, profile, progress)
    return OsmReading(graph, _FORMATS[form], tuple(warnings), weights_from, outside)


def _weighed(
    graph: Graph, chain: NDArray[np.int64], chains: int, weighting: Weighting, profile: Profile,
    progress: ReadingProgress,
) -> tuple[Graph, str]:  # fmt: skip
    """The graph with the chosen weights, and their origin.

    Random ones are drawn for each arc; where no road has a direction, for each chain, of which both arcs take them.
    """
    if weighting.kind in ("column", SECONDS):
        return graph, f"travel time in tenths of a second, {profile.title}"
    if weighting.kind == METRES:
        return graph.with_weights(METRES), "length in tenths of a metre"
    drawn = weighting.draw(graph.m if graph.directed else chains, progress.check)
    weights = drawn if graph.directed else drawn[chain]
    return replace(graph, weights=weights, weight_unit="", mirrored=True), weighting.describe()


def _no_roads(ways: Ways, profile: Profile) -> tuple[str, str]:
    if not ways.roads:
        reason = "this extract has no roads"
        return reason, "It may be of something else, such as buildings; make an extract with all ways of the region."
    who = "a pedestrian" if profile.id == "foot" else f"a {profile.title}"
    reason = f"{who} may use none of its {plural(ways.roads, 'road')}"
    return reason, "Open it with another profile: car, bicycle or foot."


def _warnings(ways: Ways, missing: int) -> list[str]:
    warnings = []
    if ways.nonsense:
        way, text = ways.nonsense[0]
        have = plural(len(ways.nonsense), "road has", "roads have")
        warnings.append(
            f"{have} a speed limit that is none, such as “{text[:40]}” of way {way}; customary speeds are used there."
        )
    if ways.changing:
        are = plural(ways.changing, "road was", "roads were")
        warnings.append(f"{are} left out, whose direction changes with the time of day.")
    if missing:
        end = plural(missing, "piece of a road was", "pieces of roads were")
        warnings.append(f"{end} left out, whose nodes are not in the file.")
    return warnings
