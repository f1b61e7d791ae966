"""The table of tags in the documentation: it is what the program does, beside OSRM."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.documentation.includes import expanded
from tests.documentation.markdown import PAGES
from tests.documentation.road_tags import TagRow, road_tag_reference, tag_rows

# tags, and what a car, a bicycle and a pedestrian make of them
KNOWN = {
    "motor_vehicle:backward=no": ("open / closed", "open", "open"),
    "motor_vehicle=destination": ("destination", "open", "open"),
    "motor_vehicle=forestry;agricultural": ("closed", "open", "open"),
    "access=private": ("closed", "closed", "closed"),
    "bicycle=dismount": ("open", "on foot", "open"),
    "oneway=yes & cycleway:left:oneway=-1": ("open / closed", "open", "open"),
    "barrier=bollard": ("stops", "passes", "passes"),
    "barrier=portcullis": ("stops", "stops", "stops"),
    "motor_vehicle=no": ("stops", "passes", "passes"),
}


def _names(row: TagRow) -> str:
    tags = {key: value for key, value in row.tags.items() if key != "highway"}
    return " & ".join(f"{key}={value}" for key, value in tags.items())


@pytest.mark.parametrize("tags", KNOWN)
def test_the_table_is_what_the_profiles_do(tags: str) -> None:
    rows = [row for row in tag_rows() if _names(row) == tags]
    assert KNOWN[tags] in [row.ours for row in rows]


def test_the_table_has_each_of_140_tags_once_and_agrees_with_osrm_in_most() -> None:
    rows = tag_rows()
    assert len(rows) >= 140
    assert max(Counter((row.is_node, *row.tags.items()) for row in rows).values()) == 1
    same = sum(own == other for row in rows for own, other in zip(row.ours, row.osrm, strict=True))
    assert same / (3 * len(rows)) > 0.75


def test_the_page_has_the_table() -> None:
    page = (PAGES / "guide/road-tags.md").read_text("utf-8")
    assert road_tag_reference() in expanded(page, "guide/road-tags.md")
    assert page.count("include: road tags") == 1
