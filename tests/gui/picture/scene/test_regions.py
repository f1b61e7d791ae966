"""Regions: what is nearest to each of several sources has a ramp of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gui.picture.scene.activity import NEVER, Activity, band_shades
from gui.picture.scene.ramps import RegionRamps, ramp_colours
from solvers.running.live_query import MOST_SOURCES

REGIONS = RegionRamps(3)


def test_shades_are_those_of_the_nearest_source() -> None:
    infinity = 2**30 - 1
    activity = Activity(5, np.array([0, 0, 10, 5, infinity], np.int32), owners=np.array([0, 2, 2, 1, 255], np.uint8),
                        regions=3)  # fmt: skip
    last = REGIONS.levels - 1
    assert activity.shade[:4].tolist() == [0, 2 * 85, 2 * 85 + last, 85 + last // 2]
    assert activity.reveal.tolist() == [0, 0, 0, 0, NEVER]
    assert activity.legend is not None
    assert activity.legend.ramp == REGIONS


def test_near_shades_of_different_regions_differ_and_far_ones_fade() -> None:
    for dark in (False, True):
        colours = ramp_colours(RegionRamps(MOST_SOURCES), dark)
        levels = RegionRamps(MOST_SOURCES).levels
        near = colours[: MOST_SOURCES * levels : levels]
        apart = np.abs(near[:, None] - near[None]).sum(axis=2) + 1e9 * np.eye(MOST_SOURCES)
        assert apart.min() > 40
        canvas = 20.0 if dark else 250.0
        far = colours[levels - 1 :: levels]
        assert (np.abs(far - canvas).sum(axis=1) < np.abs(near - canvas).sum(axis=1)).all()


def test_bands_begin_anew_in_every_region() -> None:
    activity = Activity(2, np.array([0, 10], np.int32), owners=np.zeros(2, np.uint8), regions=3)
    assert activity.legend is not None
    own, begins = band_shades(replace(activity.legend, step=5.0))
    levels = REGIONS.levels
    assert own[:levels].max() < levels
    assert own[levels : 2 * levels].min() >= levels
    assert [begins[i * levels : (i + 1) * levels].sum() for i in range(3)] == [2, 2, 2]
