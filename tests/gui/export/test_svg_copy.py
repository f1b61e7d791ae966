"""Elements copied from one SVG document into another draw the same, under ids of their own."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from gui.export import svg_copy
from gui.export.svg_copy import copy_content, copy_whole
from solvers.errors import Cancelled
from solvers.system.cancel import SILENT, CancelToken, Progress

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
DOCUMENT = f"""<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg width="9mm" {NAMES}>
<title>tit &amp; le</title>
<defs><linearGradient id="gradient1"><stop offset="0"/></linearGradient></defs>
<g fill="url(#gradient1)" stroke="#000000"><rect width="5"/>
<use xlink:href="#gradient1"/><image width="1" xlink:href="data:image/png;base64,AAAA"/>
<text xml:space="preserve">url(#gradient1) &lt;&amp;&gt;  “q”</text></g>
</svg>
"""


def copied(prefix: str) -> ElementTree.Element:
    """What was copied, within a root of its own."""
    texts: list[str] = []
    copy_content(DOCUMENT.encode(), texts.append, prefix, SILENT)
    return ElementTree.fromstring(f"<svg {NAMES}>{''.join(texts)}</svg>")


def test_without_a_prefix_the_content_is_the_same() -> None:
    original = ElementTree.fromstring(DOCUMENT)
    found, expected = list(copied("").iter())[1:], list(original.iter())[2:]  # but for root and title
    assert [(e.tag, e.attrib, e.text) for e in found] == [(e.tag, e.attrib, e.text) for e in expected]


def test_ids_and_what_refers_to_them_are_renamed_and_nothing_else() -> None:
    plain, renamed = list(copied("").iter()), list(copied("part7-").iter())
    changed = {
        (one.get(key), other.get(key))
        for one, other in zip(plain, renamed, strict=True)
        for key in one.attrib
        if one.get(key) != other.get(key)
    }
    assert changed == {
        ("gradient1", "part7-gradient1"),
        ("url(#gradient1)", "url(#part7-gradient1)"),
        ("#gradient1", "#part7-gradient1"),
    }
    assert [e.text for e in plain] == [e.text for e in renamed]


def test_an_image_is_put_in_the_place_of_that_in_the_document() -> None:
    texts: list[str] = []
    copy_whole(DOCUMENT.encode(), texts.append, lambda: texts.append("data:image/png;base64,BBBB"), SILENT)
    root = ElementTree.fromstring("".join(texts).split("?>", 1)[1] + "</svg>")
    assert [e.get("{http://www.w3.org/1999/xlink}href") for e in root.iter() if e.tag.endswith("image")] == [
        "data:image/png;base64,BBBB"
    ]
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "tit & le"


def test_cancel_is_heard_between_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg_copy, "_CHUNK", 16)
    token = CancelToken()
    with pytest.raises(Cancelled):
        copy_whole(DOCUMENT.encode(), lambda text: token.cancel(), None, Progress(token))
