"""The glossary: every link of a card leads to a word that is explained."""

from __future__ import annotations

import re

import pytest

import resources
from gui.model.glossary import linked, terms
from gui.panels.card import describe
from solvers.core.variant import Variant, all_variants


def test_every_word_has_a_place_of_its_own() -> None:
    page = (resources.FOLDER / "help" / "glossary.html").read_text("utf-8")
    anchors = re.findall(r'<a name="([^"]+)"', page)
    assert len(set(anchors)) == len(anchors)
    assert set(terms().values()) == set(anchors), "every place is found, and with a word"
    assert {"frontier", "relax", "settle", "warp", "negative cycle"} <= set(terms())


def test_forms_lead_to_their_word_and_only_the_first_is_a_link() -> None:
    seen: set[str] = set()
    text = linked("Frontiers relax arcs; a frontier < 3 relaxes & settles", seen, "#123456")
    assert re.findall("glossary:([a-z-]+)", text) == ["frontier", "relax", "arc", "settle"]
    assert "&lt; 3" in text
    assert "&amp;" in text
    assert linked("frontier", seen, "#123456") == "frontier"
    assert linked("subarc thread-safe", set(), "#123456") == "subarc thread-safe", "whole words only"


@pytest.mark.parametrize("variant", all_variants(), ids=lambda v: v.id)
def test_every_card_leads_to_the_glossary(variant: Variant) -> None:
    links = re.findall("href='glossary:([^']+)'", describe(variant))
    assert len(links) == len(set(links))
    assert set(links) <= set(terms().values())
    assert links
