"""Small graphs, traces, contents and frames that the tests of the picture share; they
need no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solvers.core.recorder import TraceRecorder
from solvers.core.trace import ActivityTrace
from solvers.core.variant import find_variant
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.readers import read_graph
from solvers.picture.colours import LIGHT, Tokens
from solvers.picture.display import Mark, Words
from solvers.picture.layout.stress import layout
from solvers.picture.letters import PillowTextSizes
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.frames import Frame, FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import FIRST_LAYERS, PictureContent
from solvers.picture.scene.detail import detail_of
from solvers.picture.scene.scene import DrawableGraph, build_scene
from solvers.running.request import Choice, RunRequest
from solvers.running.run import run
from solvers.system.files import RESOURCES
from tests.solvers.running.requests import TRACE_ONLY

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

CANVAS_SIZE = (320, 240)


def graph_of(
    arcs: list[tuple[int, int, int]], xy: list[tuple[float, float]] | None, **attributes: object
) -> Graph:
    """A graph from (tail, head, weight) triples and planar coordinates, y up."""
    table = np.array(arcs, dtype=np.int64).reshape(-1, 3)
    n = len(xy) if xy is not None else int(table[:, :2].max()) + 1
    places = None if xy is None else Coordinates(np.array(xy, dtype=np.float64))
    return Graph.from_arcs(
        n, table[:, 0], table[:, 1], table[:, 2].astype(np.int32), coordinates=places, **attributes
    )


def street_grid(columns: int = 60, rows: int = 40) -> Graph:
    """A two-way street grid, large enough to be drawn by the raster, not vertex by vertex."""
    index = np.arange(columns * rows).reshape(rows, columns)
    across = np.column_stack((index[:, :-1].ravel(), index[:, 1:].ravel()))
    down = np.column_stack((index[:-1].ravel(), index[1:].ravel()))
    pairs = np.concatenate((across, down))
    both = np.concatenate((pairs, pairs[:, ::-1]))
    xy = np.column_stack(
        (np.tile(np.arange(columns), rows), np.repeat(np.arange(rows), columns))
    ).astype(np.float64)
    return Graph.from_arcs(
        columns * rows,
        both[:, 0],
        both[:, 1],
        np.ones(len(both), np.int32),
        coordinates=Coordinates(xy),
        name="grid",
    )


def without_coordinates(graph: Graph) -> Graph:
    return Graph(graph.indptr, graph.indices, graph.weights, ids=graph.ids)


def trace_of(n: int, frontiers: list[list[int]]) -> ActivityTrace:
    """A trace whose iteration k is active at ``frontiers[k]``."""
    recorder = TraceRecorder(n)
    for frontier in frontiers:
        recorder.iteration(np.array(frontier, dtype=np.int32), len(frontier), len(frontier), 0.1)
    return recorder.finish()


def content_of(
    graph: Graph,
    *,
    trace: ActivityTrace | None = None,
    answer: NDArray[Any] | None = None,
    **rest: Any,
) -> PictureContent:
    """What is shown of a graph with coordinates."""
    rest.setdefault("layers", FIRST_LAYERS)
    return PictureContent(build_scene(graph), Activity(graph.n, answer, trace), **rest)


def textbook() -> Graph:
    """The sample of eight vertices."""
    return read_graph(RESOURCES / "samples" / "textbook.gr").graph


def watched(graph: Graph, variant_id: str) -> PictureContent:
    """The last iteration of a traced run from the first vertex to the last."""
    entry = find_variant(variant_id)
    (result,) = run(
        RunRequest(
            graph, 0, graph.n - 1, (Choice(entry, entry.settle({})),), None, TRACE_ONLY, trace=True
        )
    )
    assert isinstance(result.trace, ActivityTrace)
    activity = Activity(graph.n, result.distances, result.trace)
    positions = layout(graph) if graph.coordinates is None else None
    return PictureContent(
        build_scene(graph, positions), activity, activity.last, 0, graph.n - 1, result.path
    )


def camera_for(scene: DrawableGraph, size: tuple[int, int] = CANVAS_SIZE) -> Camera:
    return Camera.fitting(scene.bounds, *size)


def frame_of(
    content: PictureContent,
    *,
    camera: Camera | None = None,
    ratio: float = 1.0,
    tokens: Tokens = LIGHT,
    background: str | None = None,
) -> Frame:
    return FramePainter().last_frame(
        Request(content, camera or camera_for(content.scene), ratio, tokens, background)
    )


def view_of(
    content: PictureContent,
    camera: Camera | None = None,
    tokens: Tokens = LIGHT,
    **options: Any,
) -> OverlayView:
    """What the marks over a picture are made from, in the letters of Pillow."""
    camera = camera or camera_for(content.scene)
    options.setdefault("detail", detail_of(content.scene, camera))
    return OverlayView(camera, content, tokens, PillowTextSizes(), **options)


def words_of(marks: Iterable[Mark]) -> dict[str, Words]:
    return {mark.text: mark for mark in marks if isinstance(mark, Words)}


def painted(
    size: tuple[int, int], paint: Callable[[QPainter], object], ground: str | int = 0
) -> NDArray[np.uint32]:
    """(h, w) premultiplied ARGB of what ``paint`` paints on a ground."""
    from PySide6.QtGui import QColor, QImage, QPainter

    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(ground) if isinstance(ground, str) else ground)
    with QPainter(image) as painter:
        paint(painter)
    return np.frombuffer(image.constBits(), np.uint32).reshape(size[::-1]).copy()


def channels(pixels: NDArray[np.uint32]) -> NDArray[np.int64]:
    """(..., 3) red, green, blue of ARGB pixels."""
    return np.stack([(pixels >> shift) & 0xFF for shift in (16, 8, 0)], axis=-1).astype(int)


def colour(text: str) -> NDArray[np.int64]:
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)])


def is_like(pixels: NDArray[np.uint32], wanted: str, tolerance: int = 24) -> NDArray[np.bool_]:
    """Which ARGB pixels have a colour, within ``tolerance`` a channel."""
    like: NDArray[np.bool_] = np.all(
        np.abs(channels(pixels) - colour(wanted)) <= tolerance, axis=-1
    )
    return like
