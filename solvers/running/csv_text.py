"""Texts of files, such as names, in cells of CSV tables."""

from __future__ import annotations

_FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def csv_text(text: str, plain: bool = False) -> str:
    """A text that no spreadsheet runs as a formula: with an apostrophe before = + - @, unless ``plain``."""
    text = text.replace("\r", "\\r")  # Python's csv does not quote it, and readers take it for a line's end
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not plain else text
