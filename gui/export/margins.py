"""Margins of a page around a whole graph: room for an explanation's sentence, legend, scale
bar, attribution and caption.

What lies below the graph takes of its height, what lies beside it of its width: the
arrangement that leaves the largest picture is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF

from gui.export.page import Page
from gui.painting.display import QtTextSizes
from gui.painting.drawing import in_points
from gui.style.paint import bold
from solvers.picture.overlay.annotations import attribution_of, legends_of, sentence_height
from solvers.picture.overlay.cards import MARGIN
from solvers.picture.overlay.markers import PIN_HEIGHT
from solvers.picture.overlay.view import OverlayView
from solvers.picture.raster.frames import Frame
from solvers.picture.scene.camera import Bounds, Camera
from solvers.picture.scene.close_arcs import disc_radius, reach_of_arcs
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.figure import BOW_ROOM, FIGURE_RADIUS, SMALL_GRAPH
from solvers.picture.scene.scene import MOST_SCALE

CAPTION_HEIGHT, CAPTION_POINTS = 26.0, 10.0
FACTS = "  ·  "  # between the facts of a caption
# width of a column of annotations: pixels, and a share of the page
_LEAST_COLUMN, _MOST_COLUMN_SHARE = 150.0, 0.4
_GAP = 8.0  # between caption and legend
# pixels that a label reaches beyond the disc of a small graph, and more beside it
_LABEL_ROOM, _WIDE = 27.0, 16.0
_ATTRIBUTION = 16.0
# pixels beside the graph, besides the margin, for markers of end points with their
# halos
_MARKER = 6.0
_MOST_SHARE = 0.75  # of a side of a small page, for margins
_CAPTION_ROOM = 1.06  # a caption of an animation changes its numbers
_MOST_SENTENCES = 400

Insets = tuple[float, float, float, float]  # left, top, right, bottom, in logical pixels


@dataclass(frozen=True)
class PageMargins:
    """The room around an exported graph, and what it is for."""

    insets: Insets
    # width of the column at the left in which legends and scale bar are; None if they
    # are below the graph
    column: float | None = None
    caption_height: float = 0.0  # height of the caption, wrapped to the column if it is in it
    caption_in_column: bool = False

    def camera(self, bounds: Bounds, page: Page) -> Camera:
        """The camera that fits ``bounds`` into what is left of ``page``."""
        return Camera.within(
            bounds, page.across, page.down, self.insets, MOST_SCALE, most=_MOST_SHARE
        )

    @property
    def legend_width(self) -> float | None:
        """Width of a view in which the legends have just the column."""
        return None if self.column is None else self.column + 2 * MARGIN


@dataclass(frozen=True)
class _Notes:
    """What is written around the graph."""

    words: str
    attribution: float  # height
    fixed_words: bool
    legend_height: float = 0.0  # below the graph
    column: float = 0.0  # width of legends beside it

    def arrangements(self, head: float, room: float, side: float, page: Page) -> list[PageMargins]:
        """The arrangements with ``room`` above, below and ``side`` beside the graph; a
        sentence is ``head`` high.
        """
        caption = CAPTION_HEIGHT if self.words else 0.0
        top = room + (MARGIN + head if head else 0.0)
        foot = max(self.legend_height, self.attribution)
        written = MARGIN if caption or foot else 0.0
        found = [
            PageMargins((side, top, side, room + written + caption + foot), caption_height=caption)
        ]
        if not self.legend_height or self.column > _MOST_COLUMN_SHARE * page.across:
            return found
        left = MARGIN + self.column + side
        notes = max(caption, self.attribution)
        if self.fixed_words and self.words:
            wrapped, bottom = _caption_height(self.words, self.column), room
            bottom += MARGIN + self.attribution if self.attribution else 0.0
            if wrapped + self.legend_height + MARGIN < page.down - top:
                found.append(PageMargins((left, top, side, bottom), self.column, wrapped, True))
        bottom = room + (MARGIN + notes if notes else 0.0)
        return [*found, PageMargins((left, top, side, bottom), self.column, caption)]


def margins_of(
    content: PictureContent,
    frame: Frame,
    bounds: Bounds,
    page: Page,
    words: str,
    *,
    with_legend: bool,
    fixed_words: bool = True,
) -> PageMargins:
    """The margins with the largest picture of ``bounds``.

    ``frame`` is a sketch, for legends. A caption that does not keep its ``words`` is
    not wrapped.
    """
    scene = content.scene
    head = _sentence_height(content, frame, page.across)
    attribution = _ATTRIBUTION if attribution_of(scene.graph) else 0.0
    notes = _Notes(words, attribution, fixed_words)
    camera = replace(frame.camera, width=page.across)
    if with_legend:
        narrow = replace(camera, width=_LEAST_COLUMN + 2 * MARGIN)
        notes = replace(
            notes,
            legend_height=legend_size(content, frame, camera, page)[1],
            column=max(_LEAST_COLUMN, legend_size(content, frame, narrow, page)[0]),
        )

    def best(room: float, across: float = 0.0) -> PageMargins:
        found = notes.arrangements(head, room, room + across, page)
        return max(found, key=lambda margins: margins.camera(bounds, page).scale)

    if scene.graph.n > SMALL_GRAPH:
        found = best(MARGIN, _MARKER)
        ends = [
            end
            for end in (content.target, content.source, *content.more_sources)
            if end is not None
        ]
        ys = found.camera(bounds, page).to_screen(scene.positions[ends])[:, 1]
        # its pin is above the graph
        if content.has(Layer.MARKERS) and ((ys >= 0.0) & (ys < PIN_HEIGHT)).any():
            head = max(head, PIN_HEIGHT - MARGIN)
            return best(MARGIN, _MARKER)
        return found
    # a larger picture has larger discs, which need more room
    found, radius, reach = PageMargins((0.0,) * 4), FIGURE_RADIUS, 0.0
    for _ in range(3):
        found = best(max(_LABEL_ROOM + radius, reach + BOW_ROOM), _WIDE)
        camera = found.camera(bounds, page)
        radius, reach = disc_radius(scene, camera), max(reach_of_arcs(scene, camera, bounds))
    return found


def legend_size(
    content: PictureContent, frame: Frame, camera: Camera, page: Page
) -> tuple[float, float]:
    """(width, height) of legends and scale bar in a view of the camera's width."""
    view = OverlayView(camera, content, page.tokens, QtTextSizes(QFont()), frame.detail)
    found = legends_of(view, frame, 0.0)
    return (found.right - MARGIN, -found.top) if found.marks else (0.0, 0.0)


def caption_lines(words: str, width: float) -> list[tuple[QFont, str, float]]:
    """Font, words and height of each fact of a caption in a column of a width; the first,
    the graph's name, stands out.
    """
    found = []
    for number, fact in enumerate(words.split(FACTS)):
        font = in_points(QFont(), CAPTION_POINTS)
        font = font if number else bold(font)
        box = QFontMetricsF(font).boundingRect(
            QRectF(0.0, 0.0, width / _CAPTION_ROOM, 1e4), Qt.TextFlag.TextWordWrap, fact
        )
        found.append((font, fact, box.height()))
    return found


def _caption_height(words: str, width: float) -> float:
    return sum(height for _, _, height in caption_lines(words, width)) + _GAP


def _sentence_height(content: PictureContent, frame: Frame, width: float) -> float:
    """Height of the tallest of the sentences, which an animation's margin must
    have from the first frame on.
    """
    if frame.detail is None or not content.sentence:
        return 0.0
    trace = content.activity.trace
    length = 1 if trace is None else len(trace)
    positions = {content.position, *range(0, length, max(1, length // _MOST_SENTENCES))}
    sentences = {replace(content, position=position).sentence for position in positions}
    sizes = QtTextSizes(QFont())
    return max(sentence_height(sizes, sentence, width) for sentence in sentences if sentence)
