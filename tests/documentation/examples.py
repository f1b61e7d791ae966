"""The programs and commands on written pages, with what the page says that they print."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class PageExample:
    """One block of a page.

    Attributes
    ----------
    language : str
        "python" or "sh".
    source : str
    expected : str or None
        Text of the block after it, in which ``...`` stands for anything; None if the page shows no output.
    """

    language: str
    source: str
    expected: str | None


def examples_of(markdown: str) -> list[PageExample]:
    """The examples of a page, in order; they build on each other."""
    return [PageExample(found[1], found[2], found[3]) for found in _BLOCK.finditer(markdown)]
