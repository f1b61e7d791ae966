"""Help pages: texts of ``resources/help`` in a window of their own, which stays open beside the work."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import resources
from gui.dialogs.buttons import button_box

MEASURING = "measuring"
SESSION = "session"
GLOSSARY = "glossary"
LEVELS = "levels"
OPENSTREETMAP = "openstreetmap"
PRESENTING = "presenting"
FORMATS = "formats"
NOTICES = "notices"

_SIZE = (720, 640)
_MARGIN_PX = 18


class HelpPage(QDialog):
    """One page of help, not modal.

    Parameters
    ----------
    page : str
        Name of a file in ``resources/help``, without its ending.
    title : str
    anchor : str
        Place to show first; "" for the top.
    """

    def __init__(self, page: str, title: str, parent: QWidget | None = None, anchor: str = ""):
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self.text = QTextBrowser()
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.document().setDocumentMargin(_MARGIN_PX)
        self.text.setHtml((resources.FOLDER / "help" / f"{page}.html").read_text("utf-8"))
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 14)
        column.addWidget(self.text, 1)
        foot = button_box(self, QDialogButtonBox.StandardButton.Close)
        foot.setContentsMargins(0, 0, 14, 0)
        column.addWidget(foot)
        if anchor:
            self.text.scrollToAnchor(anchor)


def show_measuring(parent: QWidget | None, anchor: str = "") -> HelpPage:
    """Open "How times are measured", at the mark of a disturbance if ``anchor`` is the value of its kind."""
    return _shown(MEASURING, "How times are measured", parent, anchor)


def show_session_format(parent: QWidget | None) -> HelpPage:
    """Open "Session files"."""
    return _shown(SESSION, "Session files", parent)


def show_levels_help(parent: QWidget | None) -> HelpPage:
    """Open "Levels of a hierarchy"."""
    return _shown(LEVELS, "Levels of a hierarchy", parent)


def show_glossary(parent: QWidget | None, anchor: str = "") -> HelpPage:
    """Open "Glossary", at a word if ``anchor`` is its place in the page."""
    return _shown(GLOSSARY, "Glossary", parent, anchor)


def show_openstreetmap_help(parent: QWidget | None) -> HelpPage:
    """Open "OpenStreetMap extracts"."""
    return _shown(OPENSTREETMAP, "OpenStreetMap extracts", parent)


def show_notices(parent: QWidget | None) -> HelpPage:
    """Open "Third-party software"."""
    return _shown(NOTICES, "Third-party software", parent)


def show_presenting_help(parent: QWidget | None) -> HelpPage:
    """Open "Presenting and racing"."""
    return _shown(PRESENTING, "Presenting and racing", parent)


def show_formats_help(parent: QWidget | None) -> HelpPage:
    """Open "Formats of graphs and answers"."""
    return _shown(FORMATS, "Formats of graphs and answers", parent)


def _shown(page: str, title: str, parent: QWidget | None, anchor: str = "") -> HelpPage:
    opened = HelpPage(page, title, parent, anchor)
    opened.show()
    return opened
