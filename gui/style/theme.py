"""Theme: colour tokens for light and dark, and one fixed colour per variant, based on the Okabe-Ito palette."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.style.fusion import PlainFusion
from gui.style.oklch import distance, oklch
from gui.style.tokens import DARK, LIGHT, Scheme, Tokens
from solvers.core.variant import Algorithm, all_variants

_QT_SCHEMES = {
    Scheme.SYSTEM: Qt.ColorScheme.Unknown,
    Scheme.LIGHT: Qt.ColorScheme.Light,
    Scheme.DARK: Qt.ColorScheme.Dark,
}
# Platforms without a desktop theme ignore setColorScheme, so the choice is stored on the application.
_PROPERTY = "tautline_dark"


def apply(app: QApplication, scheme: Scheme) -> None:
    """Apply style, colour scheme and palette to the application.

    Emits ``QStyleHints.colorSchemeChanged``, also on platforms that do not, so that open widgets read `tokens` again.
    """
    if not isinstance(app.style(), PlainFusion):
        app.setStyle(PlainFusion())
    app.setProperty(_PROPERTY, None if scheme is Scheme.SYSTEM else scheme is Scheme.DARK)
    hints = app.styleHints()
    hints.setColorScheme(_QT_SCHEMES[scheme])
    app.setPalette(palette(tokens()))
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark if tokens().dark else Qt.ColorScheme.Light)


def tokens(dark: bool | None = None) -> Tokens:
    """The tokens of a scheme; None uses the application's current one."""
    if dark is None:
        app = QGuiApplication.instance()
        applied = app.property(_PROPERTY) if app is not None else None
        dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark if applied is None else bool(applied)
    return DARK if dark else LIGHT


def palette(t: Tokens) -> QPalette:
    """A Qt palette made from the tokens."""
    result = QPalette()
    roles = {
        QPalette.ColorRole.Window: t.window, QPalette.ColorRole.WindowText: t.text,
        QPalette.ColorRole.Base: t.panel, QPalette.ColorRole.AlternateBase: t.raised,
        QPalette.ColorRole.Text: t.text, QPalette.ColorRole.PlaceholderText: t.muted,
        QPalette.ColorRole.Button: t.raised, QPalette.ColorRole.ButtonText: t.text,
        QPalette.ColorRole.Highlight: t.selection, QPalette.ColorRole.HighlightedText: t.text,
        QPalette.ColorRole.ToolTipBase: t.panel, QPalette.ColorRole.ToolTipText: t.text,
        QPalette.ColorRole.Link: t.accent, QPalette.ColorRole.Mid: t.border, QPalette.ColorRole.Dark: t.outline,
        QPalette.ColorRole.Accent: t.accent,
    }  # fmt: skip
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        disabled = QColor(t.muted)
        disabled.setAlphaF(0.6)
        result.setColor(QPalette.ColorGroup.Disabled, role, disabled)
    return result


# Each algorithm has a range of hues around its Okabe-Ito colour, so that charts distinguish the families.
_HUES = {
    Algorithm.BELLMAN_FORD: (200.0, 280.0),
    Algorithm.DIJKSTRA: (10.0, 115.0),
    Algorithm.FLOYD_WARSHALL: (295.0, 355.0),
    Algorithm.MODERN: (130.0, 180.0),
}
_LIGHTNESS = (0.52, 0.36, 0.44, 0.60, 0.68)  # on light; on dark all are raised
_RAISED = 0.22
_CHROMA = (0.15, 0.06)
_HUE_STEPS = 9


@cache
def _variant_shades() -> dict[str, tuple[float, float, float]]:
    """Lightness, chroma and hue of each variant: its family's shade farthest from those already used."""
    free = {algorithm: _family_shades(*hues) for algorithm, hues in _HUES.items()}
    given: dict[str, tuple[float, float, float]] = {}
    nearest = {algorithm: [math.inf] * len(shades) for algorithm, shades in free.items()}  # of those used
    for entry in all_variants():
        shades, near = free[entry.algorithm], nearest[entry.algorithm]
        chosen = shades[near.index(max(near))]
        near[:] = [min(before, distance(shade, chosen)) for before, shade in zip(near, shades, strict=True)]
        given[entry.id] = chosen
    return given


def _family_shades(low: float, high: float) -> tuple[tuple[float, float, float], ...]:
    hues = [low + (high - low) * step / (_HUE_STEPS - 1) for step in range(_HUE_STEPS)]
    hues.sort(key=lambda hue: abs(hue - (low + high) / 2))
    return tuple((lightness, chroma, hue) for chroma in _CHROMA for lightness in _LIGHTNESS for hue in hues)


@cache  # tables and charts ask for it at every paint
def variant_colour(variant_id: str, dark: bool) -> str:
    """The fixed colour of a variant; its hue identifies the algorithm."""
    lightness, chroma, hue = _variant_shades().get(variant_id, (0.52, 0.0, 0.0))
    return oklch(lightness + _RAISED * dark, chroma, hue)
