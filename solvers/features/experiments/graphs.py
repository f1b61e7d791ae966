"""Finds and makes the graphs of an experiment, and draws small pictures of them for
reports, without Qt.

A picture is the network coloured by distance, or the adjacency matrix. Networks with
coordinates are drawn as they lie; of others the matrix shows what there is to see:
bands, blocks, hubs. The background is transparent; on dark pages the report's style
turns the lightness of the colours.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from solvers.errors import InputError
from solvers.features.datasets.catalogue import DatasetStore, datasets
from solvers.features.experiments.grid import GraphChoice
from solvers.graphs.graph import Graph
from solvers.graphs.readers import ReadingOptions, read_graph
from solvers.picture.colours import LIGHT
from solvers.picture.images import image_of, small_png_of
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.markers import PIN_HEIGHT, marker_marks
from solvers.picture.overlay.view import OverlayView
from solvers.picture.pillow_painter import paint
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.raster.pixel_colours import argb, packed
from solvers.picture.scene.activity import NEVER, Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.scene.scene import MOST_SCALE, build_scene
from solvers.picture.scene.values import VertexValues
from solvers.running.kept_run import GraphSource
from solvers.system.array_types import Float64s
from solvers.system.cancel import SILENT, Progress
from solvers.system.threads import thread_team

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


_WIDTH, _HEIGHT = 320, 210  # in logical pixels
_RATIO = 2  # device pixels per logical pixel
_INSETS = (12.0, PIN_HEIGHT, 12.0, 12.0)
_MOST_SOLVED_ARCS = 12_000_000
_CELLS = 210


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
    values = None if distances is None else VertexValues.of(_ranks(distances), "rank")
    if graph.coordinates is None or graph.n < 2:
        image, words = _matrix(graph, values), "Adjacency matrix, tails down and heads across"
    else:
        image, words = _network(graph, values, source), "The network"
    if distances is not None:
        words += f", coloured by distance from vertex {graph.vertex_label(source)}"
    return GraphPicture(small_png_of(image), words)


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


def _ranks(distances: Float64s) -> Float64s:
    """(n,) mean rank of each distance, so that outliers take no part of the ramp."""
    _, place, counts = np.unique(distances, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    return np.where(np.isfinite(distances), ranks[place], np.inf)


def _network(graph: Graph, values: VertexValues | None, source: int) -> Image.Image:
    """The network with its source, on a clear ground."""
    scene, activity = build_scene(graph), Activity(graph.n)
    content = PictureContent(scene, activity, source=source, values=values)
    camera = Camera.within(scene.bounds, _WIDTH, _HEIGHT, _INSETS, MOST_SCALE)
    with thread_team() as team:
        request = Request(content, camera, _RATIO, LIGHT, "transparent", with_detail=False)
        image = image_of(FramePainter(team).last_frame(request).pixels)
    paint(image, marker_marks(OverlayView(camera, content, LIGHT, PillowTextSizes())), _RATIO)
    return image


def _matrix(graph: Graph, values: VertexValues | None) -> Image.Image:
    """Cells of the matrix that hold arcs, each in the colour of its last arc's head."""
    cells = min(_CELLS, max(1, graph.n))
    colours = np.full(graph.n, argb(LIGHT.edge), np.uint32)
    if values is not None:
        shades = packed(ramp_colours(Ramp.DISTANCES, LIGHT.dark), np.full(256, 255.0))
        colours = np.where(values.reveal == NEVER, colours, shades[values.shade])
    canvas = np.zeros((cells, cells), np.uint32)
    rows = graph.tails.astype(np.int64) * cells // max(1, graph.n)
    columns = graph.indices.astype(np.int64) * cells // max(1, graph.n)
    canvas[rows, columns] = colours[graph.indices]
    side = _RATIO * _HEIGHT // cells * cells or cells
    return image_of(canvas).resize((side, side), Image.Resampling.NEAREST)
