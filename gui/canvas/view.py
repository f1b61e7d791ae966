"""Fitting of a canvas, and the part of the graph that it shows.

Fitting gives the cameras that show a whole graph, or vertices of it, beside what lies over the canvas. The `ViewState`
is independent of the canvas's size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont

from gui.painting.annotations import annotation_covers
from gui.picture.scene.camera import Bounds, Camera, Cover, clear_camera, sample_of
from gui.picture.scene.lesson import MOST_VERTICES as LESSON_VERTICES
from gui.picture.scene.scene import MOST_SCALE, DrawableGraph

_FIT_LIMIT = 120.0  # pixels per mean edge: a graph of two vertices does not fill the view
_FIGURE_INSETS = (44.0, 64.0, 44.0, 88.0)  # pixels around a part of a small graph
_DISC_ROOM = 40.0  # pixels that a disc and its label reach beyond a vertex
_SENTENCE = 37.0  # its height, in pixels, with its margin
_LEGEND, _ROW = 62.0, 17.0  # height of two rows of the legend, with its margin, and of one more
_TWO_ROWS = 560.0  # width in pixels from which the legend of a lesson has two rows
_FEW = 4  # vertices from which a graph may fill the view
_MARGIN = 0.05  # of the view, free on each side


class ViewFitting:
    """Computes the cameras; the points of the scene that must be clear are kept until the next scene.

    Attributes
    ----------
    buttons : QSize
        What the zoom buttons take of the lower right corner, with their margin; empty if they are elsewhere.
    """

    def __init__(self) -> None:
        self.buttons = QSize()
        self._scene: DrawableGraph | None = None

    def whole(
        self, scene: DrawableGraph, width: float, height: float, *, font: QFont | None = None, factor: float = 1.0
    ) -> Camera:
        """The camera that shows the whole graph; a small graph leaves room for its labels, legend and sentence.

        Parameters
        ----------
        scene : DrawableGraph
        width, height : float
            Size of the view, in logical pixels.
        font : QFont, optional
            Of the legend and the scale bar; None if they are not on the canvas.
        factor : float
            By which legend, sentence and scale bar are enlarged.
        """
        limit = _limit_of(scene)
        if scene.graph.n <= LESSON_VERTICES:
            return Camera.within(scene.bounds, width, height, _figure_insets(width, factor), limit)
        if scene is not self._scene:
            self._scene, self._points = scene, sample_of(scene.positions)
        covers = self._covers(scene, width, font, factor)
        return clear_camera(self._points, scene.bounds, width, height, covers, margin=_MARGIN, limit=limit)

    def part(self, scene: DrawableGraph, bounds: Bounds, width: float, height: float, *, margin: float) -> Camera:
        """The camera that shows a part of the graph, with ``margin`` of the view free on each side."""
        limit = _limit_of(scene)
        if scene.graph.n <= LESSON_VERTICES:
            return Camera.within(bounds, width, height, _FIGURE_INSETS, limit)
        return Camera.fitting(bounds, width, height, margin=margin, limit=limit)

    def _covers(self, scene: DrawableGraph, width: float, font: QFont | None, factor: float) -> list[Cover]:
        covers = [] if font is None else annotation_covers(font, width, factor, scale=scene.metres_per_unit > 0)
        if not self.buttons.isEmpty():
            covers.append(Cover(width - self.buttons.width(), width, self.buttons.height()))
        return covers


def _figure_insets(width: float, factor: float) -> tuple[float, float, float, float]:
    """Room that a small graph leaves at the left, top, right and bottom for discs, labels, sentence and legend."""
    side = _FIGURE_INSETS[0]
    legend = _LEGEND if width >= _TWO_ROWS * factor else _LEGEND + _ROW
    return side, _DISC_ROOM + _SENTENCE * factor, side, _DISC_ROOM + legend * factor


def _limit_of(scene: DrawableGraph) -> float:
    few = scene.graph.n < _FEW and scene.mean_length > 0
    return _FIT_LIMIT / scene.mean_length if few else MOST_SCALE


_SAME = 1e-6


@dataclass(frozen=True)
class ViewState:
    """Centre and scale of a camera.

    Attributes
    ----------
    x, y, scale : float
    fitted : bool
        The whole graph is shown, whatever the canvas's size.
    """

    x: float
    y: float
    scale: float
    fitted: bool

    @classmethod
    def of(cls, camera: Camera, *, fitted: bool) -> ViewState:
        return cls(camera.x, camera.y, camera.scale, fitted)

    def looks_like(self, other: ViewState) -> bool:
        """Whether both show the same part of the graph."""
        if self.fitted or other.fitted:
            return self.fitted and other.fitted
        mine, others = (self.x, self.y, self.scale), (other.x, other.y, other.scale)
        return all(math.isclose(a, b, rel_tol=_SAME, abs_tol=_SAME) for a, b in zip(mine, others, strict=True))

    def camera(self, width: float, height: float) -> Camera:
        return Camera(self.x, self.y, self.scale, width, height)
