"""The help pages of the window as pages of the site: headings become Markdown, for the table of contents."""

from __future__ import annotations

import re
from html import unescape

from tests.documentation.places import HELP

_HEADING = re.compile(r"<h([1-4])>(.*?)</h\1>", re.DOTALL)
_ANCHOR = re.compile(r'<a name="([\w-]+)"[^>]*></a>')


def help_pages() -> dict[str, str]:
    """From paths to Markdown, one page of each file in ``resources/help``."""
    return {f"guide/{path.stem}.md": as_markdown(path.read_text("utf-8")) for path in sorted(HELP.glob("*.html"))}


def as_markdown(html: str) -> str:
    """A help page, whose HTML Markdown passes through, with headings and anchors that the site understands."""
    html = html.replace(' cellpadding="3"', "")
    html = _ANCHOR.sub(r'<a id="\1"></a>', html)
    return _HEADING.sub(lambda found: f"\n{'#' * int(found[1])} {' '.join(unescape(found[2]).split())}\n", html)


def title_of(markdown: str) -> str:
    """The text of the first heading."""
    return markdown.partition("# ")[2].partition("\n")[0]
