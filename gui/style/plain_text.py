"""Escaping of texts from files, drivers and compilers, so that Qt shows them literally.

Qt interprets a text that begins with a tag as HTML, ``&`` as a mnemonic and ``[*]`` as a mark of unsaved changes.
Everything that may contain a file's name or content is shown through these functions and `common_widgets.PlainLabel`.
"""

from __future__ import annotations

import re

# Control characters other than tab and newline, lone surrogates, and characters that reorder the others.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """``text`` with control characters, and those that reorder the others, as escapes: ``"a\\x1b[2J"``."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: _escape(found[0]), text)


def tool_tip(text: str) -> str:
    """``text`` for a tooltip, escaped if Qt would interpret it as HTML."""
    from PySide6.QtGui import Qt  # the model names recent files, and imports no more of Qt than its core

    shown = visible(text)
    return Qt.convertFromPlainText(shown) if Qt.mightBeRichText(shown) else shown


def button_text(text: str) -> str:
    """``text`` for a button, an action or a menu, with ``&`` escaped."""
    return visible(text).replace("&", "&&")


def window_title(text: str) -> str:
    """``text`` for a window's title, with ``[*]`` escaped."""
    return visible(text).replace("[*]", "[*][*]")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
