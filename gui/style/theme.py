"""Theme: palette and style of the application, icons, and one fixed colour per variant, based on the Okabe-Ito palette.

The style is Fusion with check boxes and text fields that are visible on dark backgrounds. Icons are line drawings from
SVG files, coloured by the theme when they are loaded.
"""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QStyleOption, QStyleOptionComplex, QWidget

import resources
from gui.style.colours import DARK, LIGHT, Scheme, Tokens, distance, oklch
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


_CHECK_BOXES = (QStyle.PrimitiveElement.PE_IndicatorCheckBox, QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck)
_FIELDS = (QStyle.ComplexControl.CC_SpinBox, QStyle.ComplexControl.CC_ComboBox)
_CORNER = 2.0  # radius of Fusion's own frames, in pixels


class PlainFusion(QProxyStyle):
    """Fusion with outlines of check boxes and text fields that contrast with the background.

    Fusion derives these outlines from the window's colour, darker, which cannot be seen on a dark one.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: QStyleOption, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element is QStyle.PrimitiveElement.PE_FrameLineEdit:
            _draw_field(painter, option)
        if element not in _CHECK_BOXES:
            return
        painter.save()
        painter.setPen(QPen(_shown(option, option.palette.placeholderText().color()), 1.0))
        painter.drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -1.5, -1.5))
        painter.restore()

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        super().drawComplexControl(control, option, painter, widget)
        if control in _FIELDS:
            _draw_field(painter, option)


def _draw_field(painter: QPainter, option: QStyleOption) -> None:
    """Outline a text field, unless Fusion marks it as the one with the focus."""
    if option.state & QStyle.StateFlag.State_HasFocus:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_shown(option, option.palette.color(QPalette.ColorRole.Dark)), 1.0))
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), _CORNER, _CORNER)
    painter.restore()


def _shown(option: QStyleOption, colour: QColor) -> QColor:
    """The colour, fainter for a disabled widget."""
    shown = QColor(colour)
    if not option.state & QStyle.StateFlag.State_Enabled:
        shown.setAlphaF(0.5)
    return shown


FOLDER = resources.FOLDER / "icons"
_SIDES = (16, 20, 24, 32, 48, 64)
_DISABLED_OPACITY = 0.35


def icon(name: str, colour: str | None = None) -> QIcon:
    """The icon ``resources/icons/<name>.svg`` in "#RRGGBB" (the theme's text colour), with a paler form when disabled.

    Reload it after a theme change.
    """
    return _drawn(name, colour or tokens().text)


@cache  # all windows share an icon; Qt would otherwise keep scaled copies of each window's in its pixmap cache
def _drawn(name: str, colour: str) -> QIcon:
    renderer = QSvgRenderer(QByteArray(_svg(name, colour).encode()))
    result = QIcon()
    for side in _SIDES:
        result.addPixmap(_pixmap(renderer, side, 1.0), QIcon.Mode.Normal)
        result.addPixmap(_pixmap(renderer, side, _DISABLED_OPACITY), QIcon.Mode.Disabled)
    return result


def _svg(name: str, colour: str) -> str:
    return (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)


def _pixmap(renderer: QSvgRenderer, side: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setOpacity(opacity)
        renderer.render(painter, QRectF(0, 0, side, side))
    return pixmap
