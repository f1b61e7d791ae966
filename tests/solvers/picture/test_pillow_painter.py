"""Marks on images of Pillow."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from solvers.picture.display import Disc, TextStyle, Words
from solvers.picture.pillow_painter import paint


def test_soft_edges_on_a_clear_ground_keep_their_colour():
    image = Image.new("RGBA", (40, 40))
    paint(image, [Disc((20.0, 20.0), 9.3, "#FFFFFF", None)], 1.0)
    drawn = np.asarray(image)
    soft = (drawn[:, :, 3] > 0) & (drawn[:, :, 3] < 255)
    assert soft.any()
    assert (drawn[soft][:, :3] == 255).all()


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_words_are_struck_from_end_to_end(anchor):
    """Of centred ones, the line began in their middle."""

    def columns(*, is_struck):
        image = Image.new("L", (200, 60))
        style = TextStyle(20, 400, is_struck)
        paint(image, [Words(100.0, 40.0, "1234", "#FFFFFF", style, anchor)], 1.0)
        found = np.flatnonzero(np.asarray(image).any(axis=0))
        return found[[0, -1]]

    assert np.abs(columns(is_struck=True) - columns(is_struck=False)).max() <= 3
