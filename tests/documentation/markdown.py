"""Small pieces of Markdown, and where the sources of the site are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP = (
    *ROOT.glob("resources/help/*.html"),
    *ROOT.glob("gui/features/*/help/*.html"),
)
DOCS = ROOT / "resources" / "docs"
PAGES = DOCS / "pages"
EXAMPLES = ROOT / "tests" / "examples"


_SPECIAL = re.compile(r"([\\`*_\[\]#|])")


def text(plain: str) -> str:
    """Plain text, in which nothing is markup; on one line."""
    return _SPECIAL.sub(r"\\\1", escape(" ".join(plain.split()), quote=False))


def code(plain: str) -> str:
    """Plain text in the type of code, also within a table."""
    return f"<code>{escape(plain, quote=False)}</code>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; "" without rows."""
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines]) + "\n"


def fenced(source: str, language: str = "", title: str = "") -> str:
    """A block of code; the fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", source)), default=2)
    fence = "`" * (longest + 1)
    heading = f' title="{escape(title)}"' if title else ""
    return f"{fence}{language or 'text'}{heading}\n{source.rstrip()}\n{fence}\n"


def indented(markdown: str) -> str:
    """The content of a block that folds."""
    return "".join(
        f"    {line}" if line.strip() else line for line in markdown.splitlines(keepends=True)
    )
