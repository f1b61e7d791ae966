"""Colours on the canvas: the ramp of distances meets no other colour, also for people who see fewer of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gui.picture.raster.pixel_colours import make_tones
from gui.picture.scene.ramps import Ramp, ramp_colours
from gui.style.colours import DARK, LIGHT, Tokens
from tests.gui.style.colour_vision import VISION, apart, channels, oklab

LEAST = 0.08  # Oklab: some four just noticeable differences
SCHEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
MARKS = ("path", "source", "target", "frontier", "trail")


def ramp(tokens: Tokens) -> NDArray[np.float64]:
    return ramp_colours(Ramp.DISTANCES, tokens.dark)


def argb_channels(colours: NDArray[np.uint32]) -> NDArray[np.float64]:
    return np.stack([(colours >> shift) & 0xFF for shift in (16, 8, 0)], axis=-1).astype(np.float64)


@SCHEMES
def test_the_ramp_has_even_steps_of_lightness_and_turns_one_way(tokens: Tokens) -> None:
    lab = oklab(ramp(tokens))
    steps = np.diff(lab[::15, 0])
    assert np.ptp(steps) < 0.25 * abs(steps.mean())
    assert (np.sign(steps) == np.sign(steps[0])).all()
    differences = np.linalg.norm(np.diff(lab[::15], axis=0), axis=1)
    assert differences.max() < 1.6 * differences.min(), "equal distances look equally far apart"
    hues = np.unwrap(np.arctan2(lab[:, 2], lab[:, 1]))
    assert (np.sign(np.diff(hues[::15])) == np.sign(hues[-1] - hues[0])).all()
    assert np.hypot(lab[:, 1], lab[:, 2]).min() > 0.09, "vivid from end to end"


@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_shades_of_the_ramp_can_be_told_apart(tokens: Tokens, vision: str) -> None:
    """Eight of them: as many as a legend can be read for."""
    lab = oklab(ramp(tokens)[:: 255 // 7], vision)
    gaps = np.linalg.norm(lab[:, None] - lab[None], axis=2)[~np.eye(len(lab), dtype=bool)]
    assert gaps.min() > 0.03


@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_the_ramp_never_meets_unvisited_roads_or_canvas(tokens: Tokens, vision: str) -> None:
    """Roads in every density, alone, beside visited ones and outside a budget."""
    for tones in (make_tones(tokens), make_tones(tokens, faint=True), make_tones(tokens, receding=True)):
        assert apart(ramp(tokens), argb_channels(tones.edges), vision) > LEAST
    assert apart(ramp(tokens), channels(tokens.canvas, tokens.road, tokens.road_dense, tokens.grid), vision) > LEAST


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_the_ramp_never_meets_a_mark(tokens: Tokens, vision: str, mark: str) -> None:
    assert apart(ramp(tokens), channels(getattr(tokens, mark)), vision) > LEAST


@SCHEMES
def test_marks_differ_from_each_other_and_from_the_canvas(tokens: Tokens) -> None:
    marks = [getattr(tokens, mark) for mark in MARKS if mark != "trail"]
    for i, mark in enumerate(marks):
        assert apart(channels(mark), channels(*marks[:i], *marks[i + 1 :], tokens.canvas)) > LEAST


@SCHEMES
def test_unvisited_roads_recede(tokens: Tokens) -> None:
    """Beside visited ones they are fainter, and dense ones stay closer to the canvas than any shade does."""
    canvas = oklab(channels(tokens.canvas))[0, 0]
    alone, beside = (
        np.abs(oklab(argb_channels(make_tones(tokens, faint=faint).edges))[:, 0] - canvas) for faint in (False, True)
    )
    assert (beside[1:] <= alone[1:] + 1e-9).all()
    assert beside.max() < 0.75 * alone.max()
    shades = np.abs(oklab(ramp(tokens))[:, 0] - canvas)
    assert beside.max() < 0.75 * shades.min()
