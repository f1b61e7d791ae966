"""Steps from a graph file to a graph: recognise the format, parse, number vertices,
weight and sort arcs, report.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from solvers.errors import FileFormatError
from solvers.graphs.csr import mirrored, row_slices, rows_of_arcs, slices
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.interpretation import Decision, Interpretation
from solvers.graphs.labelled import LabelledGraph
from solvers.graphs.numbering import distinct_ends, numbered, sorted_distinct
from solvers.graphs.readers.coordinates import (
    find_coordinates_file,
    place_missing,
    read_coordinates,
)
from solvers.graphs.readers.file_format import HEAD_BYTES, NETWORK, NetworkReading
from solvers.graphs.readers.formats import network_format, require_applicable
from solvers.graphs.readers.input_file import InputFile, ReadingProgress
from solvers.graphs.readers.parse import ParsedFile, parse_file
from solvers.graphs.readers.parsed import Parsed
from solvers.graphs.readers.zones import without_ways_through
from solvers.graphs.reading import Reading, ReadingOptions, ReadReport
from solvers.graphs.rows import remember_rows
from solvers.graphs.weighting import Weighting, length_unit, parse_weighting
from solvers.system.array_types import AnyArray, Int32s, Int64s
from solvers.system.cancel import Progress
from solvers.system.jit import njit
from solvers.text import format_count, plural, printable
from solvers.units import public_unit

log = logging.getLogger(__name__)

_MICRODEGREES = 1e6
_MOST_VERTICES = np.iinfo(np.int32).max
_SOUGHT = 2**14  # arcs whose ends are sought between two checks for cancellation
_ENOUGH_EDGES = 100  # fewer may all have tail < head by chance
# parallel arcs, of all, from which on the file is taken to list edges in both
# directions
_DUPLICATE_SHARE = 0.4


def read(path: Path, options: ReadingOptions, progress: Progress) -> Reading:
    """See `solvers.graphs.readers.read_graph`."""
    start = time.perf_counter()
    weighting = parse_weighting(options.weights)
    named = options.coordinates
    beside = Path(named) if named else find_coordinates_file(path)
    with ExitStack() as stack:
        files = [
            stack.enter_context(InputFile(p, progress.checkpoint))
            for p in (path, beside)
            if p is not None
        ]
        head = _head(files[0])
        if (found := network_format(path, head)) is not None:
            form, kind = found
            require_applicable(options, NETWORK, form.file)
            stages = ReadingProgress(progress, files[0])
            network = form.read(files[0], kind, options, weighting, stages)
            return _reading(network, stages, start)
        stages = ReadingProgress(progress, *files)
        content = parse_file(files[0], head, weighting.kind == "column", options, stages)
        return _build(content, weighting, options, *files, progress=stages, start=start)


def _head(file: InputFile) -> bytes:
    """The first bytes of a file; none if it cannot be read, which `TextSource` will report."""
    with file.open() as handle:
        try:
            return handle.read(HEAD_BYTES)
        except OSError:
            return b""


def _reading(found: NetworkReading, stages: ReadingProgress, start: float) -> Reading:
    """A road network and its report; ``start`` is when reading began."""
    interpretation = Interpretation(
        Decision(found.weights_from),
        public_unit(found.graph.weight_unit),
        ignored=found.ignored,
        turns=""
        if found.graph.turns is None
        else found.graph.turns.in_words(found.graph.weight_unit),
    )
    graph = replace(found.graph, interpretation=interpretation, assume_symmetric=True)
    loops, parallel, negative = _count_kinds(
        graph.indptr, graph.indices, graph.weights, stages.check
    )
    stages.building(1.0)
    report = ReadReport(
        found.format,
        graph.n,
        graph.m,
        loops,
        parallel,
        graph.least_weight,
        graph.weights.max().item(),
        negative,
        None,
        None,
        found.warnings,
        found.weights_from,
        "the file itself",
        time.perf_counter() - start,
        outside_largest=found.outside_largest,
    )
    return Reading(graph, report)


def _build(
    content: ParsedFile,
    weighting: Weighting,
    options: ReadingOptions,
    file: InputFile,
    coordinates_file: InputFile | None = None,
    *,
    progress: ReadingProgress,
    start: float,
) -> Reading:
    """The graph of a file's content and its report; ``start`` is when reading began."""
    checkpoint = progress.check
    undirected = None if content.has_directions else options.undirected
    parsed = _with_direction(content.parsed, undirected)
    both_ways = parsed.undirected if undirected is None else undirected
    ids = vertex_ids(file.path, parsed, checkpoint)
    warnings = [*parsed.warnings, *_header_warnings(parsed, ids), *_rounding_warnings(parsed)]
    coordinates, coordinates_from = _own_coordinates(parsed, ids), "the file itself"
    if coordinates_file is not None and (coordinates is None or options.coordinates):
        exact = parsed.vertices is not None or len(ids) == parsed.header_vertices
        coordinates, found = read_coordinates(coordinates_file, ids, exact, progress)
        coordinates_from = printable(coordinates_file.path.name)
        warnings += found

    if parsed.vertices is not None:
        _check_known_vertices(file.path, parsed.arcs.ids, ids, checkpoint)
    tails, heads = numbered(parsed.arcs.ids, ids, checkpoint)
    progress.building(0.3)
    weights, weights_from = _weigh(parsed, weighting, checkpoint)
    unit = parsed.weight_unit
    if not unit and weighting.kind == "column" and parsed.weights is not None:
        unit = length_unit(coordinates, tails, heads, weights)
    # Of lists of edges, whose rows may be asked for, these are sorted instead of weights.
    has_rows = content.lists_edges or parsed.attributes
    rows = np.arange(len(weights), dtype=np.int32) if has_rows else None
    moved = weights if rows is None else rows
    if both_ways:
        tails, heads, moved = mirrored(tails, heads, moved, checkpoint)
    indptr, indices, ordered = rows_of_arcs(len(ids), tails, heads, moved, checkpoint)
    if rows is not None:
        rows, ordered = ordered, weights[ordered]
    progress.building(0.8)
    if coordinates is not None:
        coordinates, missing = place_missing(coordinates, indptr, indices, checkpoint)
        if missing:
            have = plural(missing, "vertex has", "vertices have")
            warnings.append(
                f"{have} no coordinates in {coordinates_from}; "
                "placed at the mean of their neighbours."
            )
    loops, parallel, negative = _count_kinds(indptr, indices, ordered, checkpoint)
    if both_ways and not parsed.undirected and parallel > _DUPLICATE_SHARE * len(indices):
        warnings.append(
            "The file already lists most edges in both directions; reading it as undirected "
            "stores each of them twice."
        )
    graph = _named(
        Graph(
            indptr,
            indices,
            ordered,
            coordinates=coordinates,
            ids=ids,
            name=stem(file.path),
            directed=not both_ways,
            weight_unit=unit,
            interpretation=_interpretation(parsed, weights_from, unit),
            attributes=() if rows is None else tuple(c.of_arcs(rows) for c in parsed.attributes),
            assume_symmetric=both_ways,
        ),
        parsed,
    )
    if (first := parsed.first_through) is not None:
        if graph.has_labels:
            warnings.append("Vertices have names, so the first thru node is not obeyed.")
        else:
            graph = without_ways_through(graph, graph.ids < first)
    remember_rows(graph, rows if content.lists_edges else None)
    progress.building(1.0)
    may_be_edges = undirected is None and content.lists_edges
    doubt = _direction_warning(content.comments, graph) if may_be_edges else ""
    report = ReadReport(
        content.title,
        graph.n,
        graph.m,
        loops,
        parallel,
        graph.least_weight,
        graph.weights.max().item() if graph.m else 0,
        negative,
        parsed.header_vertices,
        parsed.header_arcs,
        (*warnings, doubt) if doubt else tuple(warnings),
        weights_from,
        "" if coordinates is None else coordinates_from,
        time.perf_counter() - start,
        looks_undirected=bool(doubt),
    )
    log.info("%s was read as %s", graph.name, content.title)
    return Reading(graph, report)


def _with_direction(parsed: Parsed, undirected: bool | None) -> Parsed:
    """The content, whose interpretation has the direction that the user stated."""
    if undirected is None or parsed.interpretation is None:
        return parsed
    direction = Decision("undirected" if undirected else "directed")
    return replace(parsed, interpretation=replace(parsed.interpretation, direction=direction))


def _named(graph: Graph, parsed: Parsed) -> Graph:
    """The graph with the names of its vertices, of whatever kind."""
    if not parsed.names:
        return graph
    if all(isinstance(name, int) and not isinstance(name, bool) for name in parsed.names):
        with suppress(OverflowError):  # integers past 64 bits are labels
            return replace(graph, ids=np.array(parsed.names, np.int64), assume_symmetric=True)
    attributes = {f.name: getattr(graph, f.name) for f in fields(graph) if f.init}
    return LabelledGraph(**attributes, labels=parsed.names, numbered=True, assume_symmetric=True)


def _interpretation(parsed: Parsed, weights_from: str, unit: str) -> Interpretation:
    weights = Decision(weights_from)
    found = parsed.interpretation or Interpretation(weights)
    # the user's choice, or none in the file
    kept = found.weights if weights_from == parsed.weights_from else weights
    return replace(found, weights=kept, unit=public_unit(unit))


def _direction_warning(comments: Sequence[str], graph: Graph) -> str:
    """A warning that an edge list read as directed may be undirected; "" if there is no
    sign of it.
    """
    words = re.findall(r"\w+", " ".join(comments).lower())
    if "undirected" in words and "directed" not in words:
        return "The header says “undirected”: read it as undirected to get both arcs of every line."
    if "directed" not in words and graph.m >= _ENOUGH_EDGES and np.all(graph.tails < graph.indices):
        return (
            "In every line the first id is less than the second, as in files that list each "
            "undirected edge once; if the edges are undirected, read it as undirected."
        )
    return ""


def _own_coordinates(parsed: Parsed, ids: Int64s) -> Coordinates | None:
    """Coordinates contained in the graph file, in the order of ``ids``; None if it has none."""
    if parsed.vertices is None or not parsed.vertices.values.shape[1]:
        return None
    order = np.argsort(parsed.vertices.ids[:, 0], kind="stable")
    xy = parsed.vertices.values[order].astype(np.float64)
    return Coordinates(
        xy / _MICRODEGREES if parsed.geographic else xy, parsed.geographic or parsed.in_degrees
    )


def _rounding_warnings(parsed: Parsed) -> list[str]:
    """A warning if decimals among the weights made float64 of integers that it does not hold."""
    arcs = parsed.arcs
    if parsed.weights is None or not arcs.rounded:
        return []
    lose = plural(arcs.rounded, "integer loses", "integers lose")
    return [
        f"The weights are read as float64, because some are decimals; {lose} digits: "
        f"{arcs.first_rounded} is taken as {int(float(arcs.first_rounded))}."
    ]


def _weigh(
    parsed: Parsed, weighting: Weighting, checkpoint: Callable[[], None]
) -> tuple[AnyArray, str]:
    if weighting.kind != "column":
        return weighting.draw(len(parsed.arcs), checkpoint), weighting.describe()
    if parsed.weights is None:
        return weighting.draw(len(parsed.arcs), checkpoint), "none in the file: every weight is 1"
    return np.ascontiguousarray(parsed.weights), parsed.weights_from


@njit
def _count_rows(
    indptr: Int64s, indices: Int32s, weights: AnyArray, first: int, last: int
) -> tuple[int, int, int]:
    loops = parallel = negative = 0
    for vertex in range(first, last):
        for arc in range(indptr[vertex], indptr[vertex + 1]):
            loops += indices[arc] == vertex
            parallel += arc > indptr[vertex] and indices[arc] == indices[arc - 1]
            negative += weights[arc] < 0
    return loops, parallel, negative


def _count_kinds(
    indptr: Int64s, indices: Int32s, weights: AnyArray, checkpoint: Callable[[], None]
) -> tuple[int, int, int]:
    """Numbers of self-loops, of arcs parallel to an earlier one, and of negative arcs."""
    loops = parallel = negative = 0
    for first, last in row_slices(indptr):
        counts = _count_rows(indptr, indices, weights, first, last)
        loops, parallel, negative = loops + counts[0], parallel + counts[1], negative + counts[2]
        checkpoint()
    return loops, parallel, negative


def stem(path: Path) -> str:
    """Graph name from a file name: ``USA-road-d.NY`` for ``USA-road-d.NY.gr.gz``;
    control characters are escaped.
    """
    name = path.name.removesuffix(".gz")
    return printable(name.rpartition(".")[0] or name)


def vertex_ids(path: Path, parsed: Parsed, checkpoint: Callable[[], None]) -> Int64s:
    """The graph's vertex ids, ascending, (n,).

    They are the vertices that the file lists; or those that the header counts, if its
    arc count is right; or those that occur in arcs. Raises `FileFormatError` if one is
    listed twice, or there are none, or too many.
    """
    ends = parsed.arcs.ids
    if parsed.vertices is not None:
        listed = parsed.vertices.ids[:, 0]
        ids = sorted_distinct(listed, checkpoint)
        if len(ids) < len(listed):
            ordered = np.sort(listed)
            twice = ordered[1:][ordered[1:] == ordered[:-1]]
            raise FileFormatError(path, f"vertex {twice[0]} is listed twice")
    else:
        first = _first_id(parsed)
        checkpoint()
        ids = (
            distinct_ends(ends, checkpoint)
            if first is None
            else _counted(first, parsed.header_vertices or 0)
        )
        checkpoint()
    if len(ids) == 0:
        raise FileFormatError(path, "the graph has no vertices")
    if len(ids) > _MOST_VERTICES:
        raise FileFormatError(
            path, f"{format_count(len(ids))} vertices are too many for 32-bit indices"
        )
    return ids


def _counted(first: int, n: int) -> Int64s:
    return np.arange(first, first + n, dtype=np.int64)


def _first_id(parsed: Parsed) -> int | None:
    """The first id of the header's n vertices; None if the header is inconsistent with the arcs."""
    n, ends = parsed.header_vertices, parsed.arcs.ids
    if n is None or parsed.header_arcs != len(ends) or n > 100 * ends.size + 1_000_000:
        return None  # the last condition: a vertex count far beyond the arcs is taken for an error
    low, high = (parsed.first_ids[0], n) if parsed.first_ids else (0, 0)
    if len(ends):
        low, high = int(ends.min()), int(ends.max())
    return next((first for first in parsed.first_ids if first <= low and high < first + n), None)


def _check_known_vertices(
    path: Path, ends: AnyArray, ids: Int64s, checkpoint: Callable[[], None]
) -> None:
    for begin, end in slices(len(ends), _SOUGHT):
        piece = ends[begin:end]
        unknown = ids[np.minimum(np.searchsorted(ids, piece), len(ids) - 1)] != piece
        if unknown.any():
            arc, column = (int(k) for k in np.argwhere(unknown)[0])
            unknown_id = int(piece[arc, column])
            raise FileFormatError(
                path,
                f"edge {format_count(begin + arc + 1)} names vertex {unknown_id}, "
                "which the file does not list",
                hint=f"It lists {plural(len(ids), 'vertex', 'vertices')}, {ids[0]} to {ids[-1]}.",
            )
        checkpoint()


def _header_warnings(parsed: Parsed, ids: Int64s) -> list[str]:
    """Warnings about differences between the header's counts and the file's content."""
    warnings = []
    stated, found = parsed.header_vertices, len(ids)
    if stated is not None and parsed.first_ids and ids[-1] > stated:
        count = plural(stated, "vertex", "vertices")
        warnings.append(f"Vertex {ids[-1]} is beyond the {count} of the header.")
    if stated is not None and stated != found:
        warnings.append(
            f"The header says {plural(stated, 'vertex', 'vertices')}; "
            f"the file has {format_count(found)}."
        )
    stated, found = parsed.header_arcs, len(parsed.arcs)
    if stated is not None and stated != found:
        warnings.append(
            f"The header says {plural(stated, 'arc')}; the file has {format_count(found)}."
        )
    return warnings
