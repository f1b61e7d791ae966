"""Finds what a page would load from another machine when it is viewed: scripts, styles,
fonts, pictures, frames.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

_LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}
# relations of links that only name another page
_NOT_LOADED = {"canonical", "prev", "next", "alternate"}
_REMOTE = re.compile(r"^(?:https?:)?//", re.IGNORECASE)
_STYLE = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


class _Loaded(HTMLParser):
    """Collects the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if set((given.get("rel") or "").split()) & _NOT_LOADED:
            return
        self.addresses.append(given.get(_LOADED.get(tag, "")) or "")
        self.addresses += _STYLE.findall(given.get("style") or "")


def loaded_by_page(html: str) -> list[str]:
    """Addresses on other machines that a page loads."""
    parser = _Loaded()
    parser.feed(html)
    inline = "".join(re.findall(r"<style[^>]*>(.*?)</style>", html, re.DOTALL | re.IGNORECASE))
    return [address for address in parser.addresses if _REMOTE.match(address)] + _STYLE.findall(
        inline
    )


def remote_resources(folder: Path) -> list[str]:
    """One line of each page or style sheet below ``folder`` and what it loads from elsewhere."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".html":
            addresses = loaded_by_page(path.read_text("utf-8"))
        elif path.suffix == ".css":
            addresses = _STYLE.findall(path.read_text("utf-8"))
        else:
            continue
        found += [f"{path.relative_to(folder)} loads {address}" for address in addresses]
    return found
