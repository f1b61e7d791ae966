"""What legend and scale bar cover of a view, so that a fitted graph stays clear of them."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF

from gui.painting.annotations import (
    LABEL_POINTS,
    LONGEST_SCALE_BAR,
    MARGIN,
    legend_height,
    legend_width,
    scale_bar_height,
)
from gui.painting.pens import in_points
from gui.picture.scene.fitting import Cover

_WIDEST_TEXT = "123 456 789"  # at either end of a legend


def annotation_covers(font: QFont, width: float, factor: float, *, scale: bool) -> list[Cover]:
    """Covers of the legend and, if there is a ``scale``, of the scale bar beside it.

    Parameters
    ----------
    font : QFont
        Of the painter.
    width : float
        Of the view, in logical pixels.
    factor : float
        By which both are enlarged.
    scale : bool
        Whether the unit of the positions is known.

    Returns
    -------
    list of Cover
        For the longest scale bar that has room, whose length follows from the camera that is sought.
    """
    metrics = QFontMetricsF(in_points(font, LABEL_POINTS))
    across = legend_width(metrics, "", _WIDEST_TEXT, _WIDEST_TEXT)
    covers = [(MARGIN, MARGIN + across, MARGIN + legend_height(metrics))]
    if scale:
        left = 2 * MARGIN + across
        covers.append((left, left + LONGEST_SCALE_BAR, MARGIN + scale_bar_height(metrics)))
    scaled = (Cover(left * factor, min(width, right * factor), height * factor) for left, right, height in covers)
    return [cover for cover in scaled if cover.left < width]
