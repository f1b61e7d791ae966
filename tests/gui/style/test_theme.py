"""Colours: one for each variant, told apart by all who see them, on the canvas too;
icons and schemes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QSpinBox,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.style import icons, theme
from gui.style.forms import ProgressLine
from gui.style.icons import icon
from gui.style.widgets import dot_icon
from solvers.core.variant import Algorithm, RegistrySnapshot, all_variants, register
from solvers.features.own_kernels.user_variants import ChangedKernel, base_of
from solvers.picture import variant_colours as variant_module
from solvers.picture.colours import DARK, LIGHT, Scheme, Tokens, oklch
from solvers.picture.raster.pixel_colours import make_tones
from solvers.picture.scene.ramps import COMMUNITY_COLOURS, Ramp, ramp_colours
from solvers.picture.variant_colours import variant_colour
from tests.gui.pictures import is_like
from tests.gui.style.colour_vision import VISION, apart, channels, contrast, oklab


def shares_of(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


@pytest.mark.parametrize(
    ("given", "channels_given"),
    [((1, 0, 0), (1, 1, 1)), ((0, 0, 0), (0, 0, 0)), ((0.62796, 0.25768, 29.234), (1, 0, 0))],
    ids=["white", "black", "red at its published place"],
)
def test_oklch(
    given: tuple[float, float, float], channels_given: tuple[float, float, float]
) -> None:
    assert shares_of(oklch(*given)) == pytest.approx(channels_given, abs=0.02)


@pytest.mark.parametrize("dark", [False, True])
def test_no_two_variants_of_an_algorithm_look_alike(dark: bool) -> None:
    for algorithm in Algorithm:
        colours = {
            v.id: shares_of(variant_colour(v.id, dark))
            for v in all_variants()
            if v.algorithm is algorithm
        }
        for (a, one), (b, other) in itertools.combinations(colours.items(), 2):
            assert math.dist(one, other) > 0.04, f"{a} and {b} look alike"


def test_colours_stay_when_variants_of_the_users_own_come_and_go(
    own_kernels: Callable[..., None],
) -> None:
    def colours() -> dict[str, str]:
        variant_module._variant_colours.cache_clear()  # as at the next start
        return {v.id: variant_colour(v.id, False) for v in all_variants()}

    before = colours()
    own_kernels("mine")
    one = colours()
    assert before.items() < one.items()
    assert one["bf-edge@mine"] not in before.values(), "it has a colour of its own"
    own_kernels("a", "mine", "z")
    assert one.items() < colours().items()


def test_a_variant_has_its_colour_as_soon_as_it_is_there(own_kernels: Callable[..., None]) -> None:
    unknown = variant_colour("bf-edge@new", False)
    own_kernels("new")
    assert variant_colour("bf-edge@new", False) != unknown


@pytest.fixture
def own_kernels() -> Iterator[Callable[..., None]]:
    """Registers changed kernels of these names, until the test ends."""
    text = base_of("bf-edge")[1].read_text(encoding="utf-8")
    snapshot = RegistrySnapshot()  # after all others are found

    def add(*names: str) -> None:
        for name in names:
            register(ChangedKernel("bf-edge", text, name).variant())

    yield add
    snapshot.withdraw()


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_and_marks_can_be_read(tokens: Tokens) -> None:
    assert contrast(tokens.text, tokens.panel) > 10
    assert contrast(tokens.muted, tokens.window) > 4.5
    assert contrast(tokens.accent_text, tokens.accent) > 4.5
    assert all(
        contrast(variant_colour(v.id, tokens.dark), tokens.panel) > 2.4 for v in all_variants()
    )


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_outlines_of_text_fields_contrast_as_wcag_asks_of_controls(tokens: Tokens) -> None:
    assert (
        min(
            contrast(tokens.outline, ground)
            for ground in (tokens.window, tokens.panel, tokens.raised)
        )
        >= 3.0
    )


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox, QComboBox])
def test_every_text_field_is_seen_to_its_edge(
    qtbot: QtBot, qapp: QApplication, scheme: Scheme, kind: type[QWidget]
) -> None:
    theme.apply(qapp, scheme)
    try:
        window = QWidget()
        qtbot.addWidget(window)
        field = kind(window)
        field.setGeometry(10, 10, 120, 30)
        window.resize(140, 50)
        window.show()
        window.setFocus()
        image = window.grab().toImage()
        middle = image.height() // 2
        edges = [image.pixelColor(x, middle).name() for x in range(8, 13)]
        ground = theme.tokens().window
        assert max(contrast(edge.upper(), ground) for edge in edges) >= 3.0
    finally:
        theme.apply(qapp, Scheme.LIGHT)


RED, GREEN = "#cc0000", "#00cc00"


def test_an_icon_is_drawn_in_a_size_when_it_is_first_shown_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All sizes of all icons took a twelfth of the start."""
    drawn, draw = [], icons._pixmap

    def count(renderer: QSvgRenderer, side: int, opacity: float) -> QPixmap:
        drawn.append((side, opacity == 1.0))
        return draw(renderer, side, opacity)

    monkeypatch.setattr(icons, "_pixmap", count)
    made = icon("open", "#123456")
    assert (made.actualSize(QSize(18, 18)), drawn) == (QSize(18, 18), [])
    enabled, disabled = (
        made.pixmap(QSize(10, 10), 2.0, mode).toImage()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled)
    )
    assert drawn == [(20, True), (20, False)]
    assert (enabled.size(), enabled.devicePixelRatio()) == (QSize(20, 20), 2.0)
    alphas = [
        max(image.pixelColor(x, y).alpha() for x in range(20) for y in range(20))
        for image in (enabled, disabled)
    ]
    assert alphas[0] > 200 > 160 > alphas[1] > 50


def test_windows_share_the_pixels_of_an_icon() -> None:
    """Otherwise each window leaves copies of all its icons in Qt's pixmap cache."""
    assert icon("open", RED).cacheKey() == icon("open", RED).cacheKey()
    assert icon("open").cacheKey() == icon("open").cacheKey()
    assert icon("open", RED).cacheKey() != icon("open", GREEN).cacheKey()
    assert dot_icon(QColor(RED)).cacheKey() == dot_icon(QColor(RED)).cacheKey()
    for colour in map(QColor, (RED, GREEN)):
        assert dot_icon(colour).pixmap(14, 14).toImage().pixelColor(7, 7) == colour


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
    """Roads in every density, beside visited ones and outside a budget; alone, no ramp
    is on the picture.
    """
    for tones in (make_tones(tokens, faint=True), make_tones(tokens, receding=True)):
        assert apart(ramp(tokens), argb_channels(tones.edges), vision) > LEAST
    assert (
        apart(
            ramp(tokens),
            channels(tokens.canvas, tokens.road, tokens.road_dense, tokens.grid),
            vision,
        )
        > LEAST
    )


def test_a_progress_is_one_flat_colour_as_far_as_it_is(qtbot: QtBot) -> None:
    """A finished one was pale, with an edge, as if it were empty."""
    theme.apply(QApplication.instance(), Scheme.LIGHT)
    line = ProgressLine(thin=True)
    qtbot.addWidget(line)
    line.resize(200, 6)
    for share in (0.5, 1.0):
        line.show_fraction(share)
        image = line.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        assert is_like(pixels[3], LIGHT.accent).sum() == pytest.approx(200 * share, abs=6)


def test_marks_of_fields_boxes_and_trees_are_as_large_as_the_type(
    qtbot: QtBot, type_of: Callable[[int], None]
) -> None:
    """At 200 % arrows, check boxes and the marks of trees stayed as they were."""
    theme.apply(QApplication.instance(), Scheme.LIGHT)
    tree, box, button = QTreeWidget(), QCheckBox(), QToolButton()
    tree.header().hide()
    tree.addTopLevelItem(QTreeWidgetItem(tree, [""]))
    QTreeWidgetItem(tree.topLevelItem(0), [""])
    box.setChecked(True)
    button.setMenu(QMenu(button))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    widths: dict[QWidget, list[int]] = {
        widget: [] for widget in (QComboBox(), QSpinBox(), box, tree, button)
    }
    for percent, (widget, found) in itertools.product((100, 200), widths.items()):
        type_of(percent)
        qtbot.addWidget(widget)
        widget.resize(120, 48)
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_ARGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
        wanted = LIGHT.accent
        if widget is not box:
            wanted, pixels = LIGHT.muted, pixels[3:-3, 3:-3]  # without the edges of fields
        columns = np.flatnonzero(is_like(pixels, wanted, 40).any(axis=0))
        found.append(int(np.ptp(columns)) + 1)
    for widget, (usual, large) in widths.items():
        assert 1.7 * usual < large < 2.4 * usual, type(widget).__name__


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


@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_closed_roads_and_communities_are_told_apart_by_all(tokens: Tokens, vision: str) -> None:
    beside = channels(
        tokens.path, tokens.frontier, tokens.trail, tokens.source, tokens.target, tokens.warning
    )
    for others in (beside, ramp(tokens), ramp_colours(Ramp.INCREASES, tokens.dark)):
        assert apart(channels(tokens.closed), others, vision) > 0.05
    blocks = np.unique(ramp_colours(Ramp.COMMUNITIES, tokens.dark), axis=0)
    assert len(blocks) == COMMUNITY_COLOURS
    for i, block in enumerate(blocks):
        assert apart(block[None], np.delete(blocks, i, axis=0), vision) > 0.05
        assert (
            apart(block[None], channels(tokens.path, tokens.source, tokens.target), vision) > 0.05
        )


@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_what_lies_on_lit_roads_is_told_apart_from_them_by_all(tokens: Tokens, vision: str) -> None:
    """By its colour, or by an edge that differs from it and from those lit roads that
    are like it.
    """
    lit = ramp_colours(Ramp.FLOWS, tokens.dark)
    # of dotted roads and the pin
    edges = {"warning": tokens.halo} | ({"target": "#FFFFFF"} if tokens.dark else {})
    for mark in ("path", "source", "target", "closed", "warning"):
        colour = channels(getattr(tokens, mark))
        if mark not in edges or apart(colour, lit, vision) > 0.05:
            assert apart(colour, lit, vision) > 0.05, mark
            continue
        like_it = lit[np.linalg.norm(oklab(lit, vision) - oklab(colour, vision), axis=1) <= 0.05]
        assert apart(channels(edges[mark]), np.concatenate((colour, like_it)), vision) > 0.2, mark


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("vision", VISION)
@SCHEMES
def test_roads_alone_never_meet_a_mark(tokens: Tokens, vision: str, mark: str) -> None:
    for prominent in (False, True):
        roads = argb_channels(make_tones(tokens, prominent=prominent).edges)
        assert apart(roads, channels(getattr(tokens, mark)), vision) > LEAST


@SCHEMES
def test_prominent_roads_recede_beside_visited_ones(tokens: Tokens) -> None:
    """The run is what is looked at: its roads shine, and unvisited ones are as without
    prominence.
    """
    plain, prominent = (make_tones(tokens, faint=True, prominent=on) for on in (False, True))
    assert (plain.edges == prominent.edges).all()
    assert (make_tones(tokens).edges != make_tones(tokens, prominent=True).edges).any()


@SCHEMES
def test_unvisited_roads_recede(tokens: Tokens) -> None:
    """Beside visited ones they are fainter, and dense ones stay closer to the canvas
    than any shade does.
    """
    canvas = oklab(channels(tokens.canvas))[0, 0]
    alone, beside = (
        np.abs(oklab(argb_channels(make_tones(tokens, faint=faint).edges))[:, 0] - canvas)
        for faint in (False, True)
    )
    assert (beside[1:] <= alone[1:] + 1e-9).all()
    assert beside.max() < 0.75 * alone.max()
    shades = np.abs(oklab(ramp(tokens))[:, 0] - canvas)
    assert beside.max() < 0.75 * shades.min()
