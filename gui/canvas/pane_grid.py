"""How panes side by side are divided into rows. No widgets."""

from __future__ import annotations

from math import ceil

from gui.export.split_composition import pane_columns


def best_columns(count: int, width: float, height: float, aspect: float, head: float, least: float = 0.0) -> int:
    """Panes in a row so that their pictures are largest; on equal terms as in exports.

    Parameters
    ----------
    count : int
        Number of panes.
    width, height : float
        Of all panes together, in pixels.
    aspect : float
        Width of the picture divided by its height.
    head : float
        Height of a pane's header.
    least : float
        Width of a pane below which its header cannot be read; narrower ones are only used if there is no other way.
    """
    if count <= 1:
        return 1
    usual = pane_columns(count)
    legible = [columns for columns in range(1, count + 1) if width / columns >= least] or [1]
    choices = sorted(legible, key=lambda columns: columns != usual)
    return max(choices, key=lambda columns: _side(columns, count, width, height, aspect, head))


def _side(columns: int, count: int, width: float, height: float, aspect: float, head: float) -> float:
    """Height of the picture in a pane."""
    return min(width / columns / aspect, height / ceil(count / columns) - head)


def cells(count: int, columns: int) -> list[tuple[int, int, int]]:
    """Row, column and number of columns of each pane; the last one takes what is left of its row."""
    places = [(*divmod(i, columns), 1) for i in range(count)]
    if places:
        row, column, _ = places[-1]
        places[-1] = (row, column, columns - column)
    return places
