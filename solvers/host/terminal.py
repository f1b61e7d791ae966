"""Text for terminals: control characters are escaped, and every encoding can represent it."""

from __future__ import annotations

import re
from typing import TextIO

# Controls of C0 and C1, marks that reverse the direction of text, and bytes of file names that are not UTF-8.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SIMPLER = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "–": "-",
        "—": "-",
        "…": "...",
        "×": "x",
        "→": "->",
        "µ": "u",
        "≤": "<=",
        "\u202f": " ",
    }
)


def shown(text: str) -> str:
    r"""``text`` with every character that a terminal would act on as an escape: ``\x1b``, ``\n``, ``\u202e``."""
    return _UNSAFE.sub(lambda found: _escape(ord(found.group())), text)


def encodable(text: str, stream: TextIO) -> str:
    """``text`` in the stream's encoding: with simpler punctuation, and escapes for all other characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    if _fits(text, encoding):
        return text
    simpler = text.translate(_SIMPLER)
    return simpler if _fits(simpler, encoding) else simpler.encode(encoding, "backslashreplace").decode(encoding)


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte that is not UTF-8
        code -= 0xDC00
    named = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}
    return named.get(code) or (rf"\x{code:02x}" if code < 0x100 else rf"\u{code:04x}")
