"""Strength of the frontier's light where there are many vertices to a pixel."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gui.picture.raster.edge_buffers import Measures
from gui.picture.raster.frontier_light import waves_of


def opacity_of(count: int, spacing: float, ratio: float) -> float:
    content = SimpleNamespace(trail=(), frontier=np.arange(count, dtype=np.int32))
    measures = Measures(spacing=spacing, line=1.0, dot=0.0, frontier=1.7, gain=1.0)
    return waves_of(content, measures, ratio)[-1].opacity


@pytest.mark.parametrize("spacing", [1.2, 0.8, 0.4, 0.1])
def test_a_crowd_shines_in_a_small_picture_as_in_a_large_one(spacing: float) -> None:
    """New York's frontier was vivid on a canvas of 700 pixels and grey on one of 500: spots on one pixel are one."""
    assert opacity_of(60_000, spacing, 1.0) >= 0.95 * opacity_of(60_000, 1.2, 1.0)


def test_more_pixels_to_a_logical_one_let_more_spots_overlap() -> None:
    assert opacity_of(60_000, 0.4, 2.0) < opacity_of(60_000, 0.4, 1.0)
    assert opacity_of(60_000, 0.4, math.inf) < opacity_of(60_000, 0.4, 2.0), "vectors are not snapped"


def test_a_frontier_that_is_a_line_is_opaque() -> None:
    assert opacity_of(800, 0.4, 1.0) == 1.0
