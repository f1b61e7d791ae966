"""Words of the field that the glossary explains, and text with links to them. No widgets."""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape

import resources

SCHEME = "glossary:"
_TERM = re.compile(r'<a name="([\w-]+)"(?: title="([^"]*)")?></a><b>([^<]*)</b>')


@cache
def terms() -> dict[str, str]:
    """From each form of a word ("relaxes") to its place in the page ("relax")."""
    text = (resources.FOLDER / "help" / "glossary.html").read_text("utf-8")
    found = {}
    for anchor, forms, head in _TERM.findall(text):
        for form in (unescape(head), *filter(None, unescape(forms).split(", "))):
            found[form.lower()] = anchor
    return found


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(terms(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)


def linked(text: str, seen: set[str], colour: str) -> str:
    """``text`` as HTML, in which the first use of each word of the glossary is a link.

    Parameters
    ----------
    text : str
        Plain text.
    seen : set of str
        Places already linked; extended.
    colour : str
        Of the links, as #RRGGBB.
    """
    parts, end = [], 0
    for match in _pattern().finditer(text):
        anchor = terms()[match.group().lower()]
        if anchor in seen:
            continue
        seen.add(anchor)
        link = f"<a href='{SCHEME}{anchor}' style='color:{colour}; text-decoration:none'>{escape(match.group())}</a>"
        parts += [escape(text[end : match.start()]), link]
        end = match.end()
    return "".join([*parts, escape(text[end:])])
