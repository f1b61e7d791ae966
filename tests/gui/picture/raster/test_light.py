"""Spots of light: bright in the middle, nothing at their reach, and never darker where they overlap.

Strength of the frontier's light where there are many vertices to a pixel.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gui.picture.raster.edge_buffers import Measures
from gui.picture.raster.light import PROFILE_STEPS, add_light, spot_profile, waves_of
from tests.gui.pictures import channels

WARM = "#FFC46B"
NIGHT, PAPER, CLEAR = 0xFF15181C, 0xFFFAFAF8, 0x00000000


def picture(ground: int, *spots: tuple[float, float], adding: int, opacity: float = 1.0) -> np.ndarray:
    image = np.full((40, 40), ground, np.uint32)
    profile = spot_profile(3.0, WARM, opacity, adding=adding)
    add_light(image, 0, np.array(spots, np.float32).reshape(-1, 2), *profile)
    return image


@pytest.mark.parametrize("soft", [False, True])
def test_a_profile_falls_from_the_middle_to_nothing(soft):
    profile, rest, reach = spot_profile(3.0, WARM, 0.8, soft=soft, hot=True)
    alpha = profile >> 24
    assert len(profile) == PROFILE_STEPS
    assert reach == (3.0 if soft else 3.5)
    assert (np.diff(alpha.astype(int)) <= 0).all()
    assert (alpha[0], alpha[-1]) == (204, 0)
    assert (channels(profile) <= alpha[:, None]).all(), "premultiplied"
    assert (((255 * rest + 128) >> 8)[:, 3] + alpha <= 255).all(), "no channel overflows"
    red, _, blue = channels(profile[:1])[0]
    assert red in (203, 204)
    assert blue > 130, "the middle of a hot spot is nearly white"


@pytest.mark.parametrize(("ground", "adding"), [(NIGHT, 256), (PAPER, 0)])
def test_a_spot_shines_where_it_is_and_ends_at_its_reach(ground, adding):
    image = picture(ground, (20.0, 18.0), (np.nan, 3.0), adding=adding)
    rows, columns = np.nonzero(image != ground)
    away = np.hypot(rows + 0.5 - 18.0, columns + 0.5 - 20.0)
    assert 2.5 < away.max() <= 3.5
    assert np.abs(channels(image)[17:19, 19:21] - [0xFF, 0xC4, 0x6B]).max() <= (20 if adding else 0)


def test_light_adds_up_in_any_order():
    one, other = (20.0, 18.0), (23.0, 18.0)
    alone = picture(NIGHT, one, adding=256, opacity=0.5)
    both, turned = (picture(NIGHT, *spots, adding=256, opacity=0.5) for spots in ((one, other), (other, one)))
    assert (channels(both) >= channels(alone)).all()
    assert channels(both)[18, 21].sum() > channels(alone)[18, 21].sum() + 50
    assert np.abs(channels(both) - channels(turned)).max() <= 1


@pytest.mark.parametrize("adding", [0, 128, 256])
def test_on_a_transparent_picture_light_stays_premultiplied(adding):
    image = picture(CLEAR, (20.0, 18.0), (22.0, 19.0), adding=adding, opacity=0.7)
    alpha = (image >> 24).astype(int)
    assert alpha.max() > 170
    assert (channels(image) <= alpha[..., None] + 1).all()


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
