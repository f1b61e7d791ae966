"""Escaping of texts from files, drivers and compilers, so that Qt shows them literally.

Qt interprets a text that begins with a tag as HTML, ``&`` as a mnemonic and ``[*]`` as a mark of unsaved changes.
Everything that may contain a file's name or content is shown through these functions and `common_widgets.PlainLabel`.
"""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"
_NOT_TEXT = ("Cc", "Cs")  # control characters, lone surrogates
_REORDERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def visible(text: str) -> str:
    """``text`` with control characters, and those that reorder the others, as escapes: ``"a\\x1b[2J"``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if c not in _KEPT and _is_hidden(c) else c for c in text)


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


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _NOT_TEXT or unicodedata.bidirectional(character) in _REORDERING


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
