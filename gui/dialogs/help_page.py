"""Help pages: texts of ``resources/help`` in a window of their own, which stays open beside the work."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import resources
from gui.dialogs.buttons import button_box

PAGES = {
    "measuring": "How times are measured",
    "session": "Session files",
    "glossary": "Glossary",
    "levels": "Levels of a hierarchy",
    "openstreetmap": "OpenStreetMap extracts",
    "presenting": "Presenting and racing",
    "formats": "Formats of graphs and answers",
    "notices": "Third-party software",
}
"""Title of each page, by the name of its file in ``resources/help``."""

_SIZE = (720, 640)
_MARGIN_PX = 18


class HelpPage(QDialog):
    """One page of help, not modal.

    Parameters
    ----------
    page : str
        One of `PAGES`.
    anchor : str
        Place to show first; "" for the top.
    """

    def __init__(self, page: str, parent: QWidget | None = None, anchor: str = ""):
        super().__init__(parent)
        title = PAGES[page]
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


def show_page(page: str, parent: QWidget | None = None, anchor: str = "") -> HelpPage:
    """Open a page: "measuring" has an anchor for each kind of disturbance, "glossary" one for each word."""
    opened = HelpPage(page, parent, anchor)
    opened.show()
    return opened
