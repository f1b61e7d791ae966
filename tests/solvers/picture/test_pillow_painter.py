"""Marks on images of Pillow."""

from __future__ import annotations

import numpy as np
from PIL import Image

from solvers.picture.display import Disc
from solvers.picture.pillow_painter import paint


def test_soft_edges_on_a_clear_ground_keep_their_colour():
    image = Image.new("RGBA", (40, 40))
    paint(image, [Disc((20.0, 20.0), 9.3, "#FFFFFF", None)], 1.0)
    drawn = np.asarray(image)
    soft = (drawn[:, :, 3] > 0) & (drawn[:, :, 3] < 255)
    assert soft.any()
    assert (drawn[soft][:, :3] == 255).all()
