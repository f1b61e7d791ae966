"""Finds and makes the graphs of an experiment, and draws small pictures of them for
reports, without Qt.

A picture is the network coloured by distance, or the adjacency matrix. Networks with
coordinates are drawn as they lie; of others the matrix shows what there is to see:
bands, blocks, hubs. The background is transparent and the colours are of medium
lightness, so that one picture serves light and dark pages.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from solvers.errors import InputError
from solvers.features.datasets.catalogue import DatasetStore, datasets
from solvers.features.experiments.grid import GraphChoice
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import ReadingOptions, read_graph
from solvers.running.kept_run import GraphSource
from solvers.system.array_types import Float64s, UInt8s
from solvers.system.cancel import SILENT, Progress
from solvers.text import format_count

_ENDINGS = ("", ".gz")


class GraphFiles:
    """Looks for the files of graphs in folders and in the folders just below them, then
    among downloaded datasets.
    """

    def __init__(self, folders: Iterable[Path] = ()):
        self._folders = tuple(dict.fromkeys((*map(Path, folders), DatasetStore().folder)))

    def find(self, name: str) -> Path | None:
        """The file of that name, plain or compressed; None if there is none."""
        for folder in self._folders:
            for ending in _ENDINGS:
                places = (folder / (name + ending), *sorted(folder.glob(f"*/{name}{ending}")))
                if (
                    found := next((place for place in places if place.is_file()), None)
                ) is not None:
                    return found
        return None

    def missing(self, choice: GraphChoice) -> str:
        """Why the graph cannot be had, and what to do; "" if it can."""
        if choice.spec.generator is not None or self.find(choice.spec.file) is not None:
            return ""
        known = (
            found.id
            for found in datasets()
            if found.graph.name.removesuffix(".gz") == choice.spec.file
        )
        if (dataset := next(known, None)) is not None:
            return (
                f"the file {choice.spec.file} is not here; "
                f"“tautpath datasets --get {dataset}” downloads it"
            )
        return (
            f"the file {choice.spec.file} is not here; "
            "download it and name its folder with --graphs"
        )

    def make(self, choice: GraphChoice, progress: Progress = SILENT) -> tuple[Graph, GraphSource]:
        """Generate or read the graph; also says where it came from, so that it can be had again.

        Raises InputError if its file is missing, or as `read_graph`; Cancelled.
        """
        spec = choice.spec
        if spec.generator is not None:
            graph = spec.generator.generate(choice.parameters, progress)
            return graph, GraphSource(
                generator=spec.generator.id, parameters=dict(choice.parameters)
            )
        path = self.find(spec.file)
        if path is None:
            raise InputError(f"{choice.title}: {self.missing(choice)}.")
        options = ReadingOptions("", spec.undirected, spec.weights)
        graph = read_graph(path, options, progress).graph
        return graph, GraphSource(str(path.resolve()), options)


_WIDTH, _HEIGHT = 640, 420  # twice the size on the page
_MARGIN = 12
_OVERSAMPLING = 2
_MOST_LINES = 60_000  # of more arcs, points are drawn
_POINTS_OF_ARC = 3
_MOST_SOLVED_ARCS = 12_000_000
_CELLS = 210
_UNREACHED = (128, 136, 146)
_RAMP = np.array(
    [(0, 114, 178), (0, 158, 140), (120, 170, 60), (214, 160, 20), (213, 94, 0)], dtype=np.float64
)
_SOURCE_RADIUS = 7


@dataclass(frozen=True)
class GraphPicture:
    png: bytes
    words: str

    @property
    def data_uri(self) -> str:
        return "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")


def graph_picture(graph: Graph, source: int) -> GraphPicture:
    """Draw a graph, coloured by the distance from ``source``, a vertex index, where
    that is soon known.

    Takes up to some seconds for networks of millions of arcs: to be called before
    measuring begins.
    """
    distances = _distances(graph, source)
    colours = _colours(distances, graph.n)
    told = (
        ""
        if distances is None
        else f", coloured by distance from vertex {graph.vertex_label(source)}"
    )
    if graph.coordinates is None or graph.n < 2:
        return GraphPicture(
            _encoded(_matrix(graph, colours)),
            f"Adjacency matrix, tails down and heads across{told}",
        )
    places = _pixels(graph.coordinates)
    if graph.m <= _MOST_LINES:
        return GraphPicture(_encoded(_lines(graph, places, colours, source)), f"The network{told}")
    words = f"The network by points on its {format_count(graph.m)} arcs{told}"
    return GraphPicture(_encoded(_points(graph, places, colours, source)), words)


def _distances(graph: Graph, source: int) -> Float64s | None:
    """(n,) distances, inf where unreachable; None where they take long or are not
    defined by Dijkstra's algorithm.
    """
    if graph.has_negative_weights or graph.m > _MOST_SOLVED_ARCS:
        return None
    from scipy.sparse import csr_array  # imported here: it takes long
    from scipy.sparse.csgraph import dijkstra

    weights = graph.weights.astype(np.float64)
    starts = graph.indptr.astype(np.int32)  # SciPy 1.14 takes no others
    return dijkstra(
        csr_array((weights, graph.indices, starts), shape=(graph.n, graph.n)), indices=source
    )


def _colours(distances: Float64s | None, n: int) -> UInt8s:
    """(n, 3) colour of every vertex, by its rank among the distances, so that outliers
    take no part of the ramp.
    """
    colours = np.full((n, 3), _UNREACHED, dtype=np.uint8)
    if distances is None:
        return colours
    reached = np.flatnonzero(np.isfinite(distances))
    share = np.empty(len(reached))
    share[np.argsort(distances[reached], kind="stable")] = np.linspace(
        0, len(_RAMP) - 1, len(reached)
    )
    for channel in range(3):
        colours[reached, channel] = np.interp(share, np.arange(len(_RAMP)), _RAMP[:, channel])
    return colours


def _pixels(coordinates: Coordinates) -> Float64s:
    """(n, 2) pixels of the vertices, in proportion; north is up."""
    xy = np.nan_to_num(coordinates.xy.astype(np.float64))
    if coordinates.geographic:
        xy[:, 0] *= np.cos(np.radians(xy[:, 1].mean()))
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN])
    extent = high - low
    scale = min((room[i] / extent[i] for i in range(2) if extent[i] > 0), default=1.0)
    centred = (xy - (low + high) / 2) * scale
    middle = np.array([_WIDTH / 2, _HEIGHT / 2])
    return np.column_stack((middle[0] + centred[:, 0], middle[1] - centred[:, 1]))


def _lines(graph: Graph, places: Float64s, colours: UInt8s, source: int) -> Image.Image:
    image = Image.new("RGBA", (_WIDTH * _OVERSAMPLING, _HEIGHT * _OVERSAMPLING))
    pen = ImageDraw.Draw(image)
    ends = places * _OVERSAMPLING
    width = _OVERSAMPLING if graph.m > _MOST_LINES // 10 else 2 * _OVERSAMPLING
    for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True):
        pen.line((*ends[tail], *ends[head]), (*colours[head].tolist(), 255), width)
    _mark_source(pen, ends[source], _SOURCE_RADIUS * _OVERSAMPLING)
    return image.resize((_WIDTH, _HEIGHT), Image.Resampling.LANCZOS)


def _points(graph: Graph, places: Float64s, colours: UInt8s, source: int) -> Image.Image:
    """Arcs shorter than a few pixels as points on them."""
    canvas = np.zeros((_HEIGHT, _WIDTH, 4), dtype=np.uint8)
    start, way = places[graph.tails], places[graph.indices] - places[graph.tails]
    for step in range(_POINTS_OF_ARC):
        at = (start + way * (step / _POINTS_OF_ARC)).astype(np.int64)
        canvas[at[:, 1], at[:, 0], :3] = colours[graph.indices]
        canvas[at[:, 1], at[:, 0], 3] = 255
    image = Image.fromarray(canvas, "RGBA")
    _mark_source(ImageDraw.Draw(image), places[source], _SOURCE_RADIUS)
    return image


def _mark_source(pen: ImageDraw.ImageDraw, at: Float64s, radius: int) -> None:
    x, y = at.tolist()
    pen.ellipse(
        (x - radius, y - radius, x + radius, y + radius),
        (0, 0, 0, 255),
        (255, 255, 255, 255),
        radius // 3,
    )


def _matrix(graph: Graph, colours: UInt8s) -> Image.Image:
    """Cells of the matrix that hold arcs, each in the colour of its last arc's head."""
    cells = min(_CELLS, max(1, graph.n))
    canvas = np.zeros((cells, cells, 4), dtype=np.uint8)
    rows = graph.tails.astype(np.int64) * cells // max(1, graph.n)
    columns = graph.indices.astype(np.int64) * cells // max(1, graph.n)
    canvas[rows, columns, :3] = colours[graph.indices]
    canvas[rows, columns, 3] = 255
    side = _HEIGHT // cells * cells or cells
    return Image.fromarray(canvas, "RGBA").resize((side, side), Image.Resampling.NEAREST)


def _encoded(image: Image.Image) -> bytes:
    file = BytesIO()
    image.quantize(96, method=Image.Quantize.FASTOCTREE).save(file, "PNG", optimize=True)
    return file.getvalue()
