"""Theme: the colours of the application's scheme, its palette, and its style."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from gui.style.fusion import PlainFusion
from gui.style.paint import faded
from solvers.picture.colours import DARK, LIGHT, Scheme, Tokens
from solvers.picture.palette import TABLE

_QT_SCHEMES = {
    Scheme.SYSTEM: Qt.ColorScheme.Unknown,
    Scheme.LIGHT: Qt.ColorScheme.Light,
    Scheme.DARK: Qt.ColorScheme.Dark,
}
# Platforms without a desktop theme ignore setColorScheme, so the choice is stored on
# the application.
_PROPERTY = "tautpath_dark"


def apply(app: QApplication, scheme: Scheme) -> None:
    """Apply style, colour scheme and palette to the application.

    Emits ``QStyleHints.colorSchemeChanged``, also on platforms that do not, so that
    open widgets read `tokens` again.
    """
    if not isinstance(app.style(), PlainFusion):
        app.setStyle(PlainFusion(tokens))
    app.setProperty(_PROPERTY, None if scheme is Scheme.SYSTEM else scheme is Scheme.DARK)
    hints = app.styleHints()
    hints.setColorScheme(_QT_SCHEMES[scheme])
    app.setPalette(palette())
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark if tokens().dark else Qt.ColorScheme.Light)


def tokens() -> Tokens:
    """The tokens of the application's current scheme."""
    app = QGuiApplication.instance()
    applied = app.property(_PROPERTY) if app is not None else None
    if applied is None:
        applied = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
    return DARK if applied else LIGHT


def palette() -> QPalette:
    t, result = tokens(), QPalette()
    for role, name in TABLE["widgets"].items():
        result.setColor(QPalette.ColorRole[role], QColor(getattr(t, name)))
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        result.setColor(QPalette.ColorGroup.Disabled, role, faded(t.muted, 0.6))
    return result
