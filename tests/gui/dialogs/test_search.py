"""The search: letters in order, words and their beginnings; what is found belongs to
the open graph.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.dialogs.search import rank, score
from gui.window import MainWindow
from tests.gui.windows import SAMPLE, TINY, open_graph
from tests.solvers.features.openstreetmap.town import write_osm

TEXTS = [
    "File: Export picture…",
    "Edit: Copy picture",
    "Run: Play or pause",
    "File: Export timing CSVs…",
]


MENU = ["Run: All sources", "Run: Show the data race…", "Run: Trace selected variant", "Run: Race"]


def test_all_letters_must_be_there_in_order() -> None:
    assert score("xz", "Export") is None
    assert score("trop", "Export") is None
    assert score("eprt", "Export") is not None


@pytest.mark.parametrize(
    ("pattern", "texts", "found"),
    [
        ("", TEXTS, TEXTS),
        ("COPY PIC", TEXTS, ["Edit: Copy picture"]),
        ("csv", TEXTS, ["File: Export timing CSVs…"]),
        ("trial", ["Tick Bellman-Ford: strided + flag, all edges"], []),
        (
            "trial",
            ["Run: Trials, warm-ups and time limit…"],
            ["Run: Trials, warm-ups and time limit…"],
        ),
        ("sources", MENU, ["Run: All sources"]),
    ],
)
def test_what_matches(pattern: str, texts: list[str], found: list[str]) -> None:
    """Case and spaces do not matter, and letters strewn over a long text are no match."""
    assert rank(pattern, texts, str) == found


@pytest.mark.parametrize(
    ("pattern", "texts", "best"),
    [
        ("filepic", TEXTS, "File: Export picture…"),
        # its letters are also in "Run: All sources", from the R of the menu on
        ("race", MENU, "Run: Race"),
        ("trace", MENU, "Run: Trace selected variant"),  # its letters also begin "the" and "race"
    ],
)
def test_beginnings_of_words_and_whole_words_win(pattern: str, texts: list[str], best: str) -> None:
    assert rank(pattern, texts, str)[0] == best


def test_words_of_text_and_keywords_match_in_any_order_after_better_matches() -> None:
    keywords = {
        "Set delta of near-far": "sssp-near-far.delta width of a bucket",
        "Run: Bucket list": "",
    }
    items = list(keywords)
    assert rank("far bucket", items, str, keywords.__getitem__) == ["Set delta of near-far"]
    assert rank("sssp-near", items, str, keywords.__getitem__) == ["Set delta of near-far"]
    assert rank("bucket", items, str, keywords.__getitem__) == [
        "Run: Bucket list",
        "Set delta of near-far",
    ]
    assert rank("no such thing", items, str, keywords.__getitem__) == []


def test_a_command_comes_before_a_street_and_words_of_tips_before_letters_of_texts(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """“flows” was first found in “Floyd-Warshall: serial”; for “all”, Enter showed a street."""
    card = window.parts.help.search()
    for pattern in ("flow", "flows"):
        card.field.setText(pattern)
        found = [card.list.topLevelItem(row).text(0) for row in range(2)]
        assert set(found) == {"Run: All sources", "View: All-sources map"}
    card.close()
    names = {10: "Allee", 11: "Traceway"}
    roads = {
        number: (ends, {"highway": "residential", "name": names[number]})
        for number, ends in {10: (1, 2), 11: (2, 3)}.items()
    }
    open_graph(qtbot, window, write_osm(tmp_path / "t.osm", roads))
    card = window.parts.help.search()
    for typed, best, street in (("all", "Run: All sources", "Allee"), ("tracew", "Traceway", "")):
        card.field.setText(typed)
        found = [
            card.list.topLevelItem(row).text(0) for row in range(card.list.topLevelItemCount())
        ]
        assert found[0] == best
        assert not street or street in found


def test_what_was_found_in_a_graph_goes_with_it(qtbot: QtBot, window: MainWindow) -> None:
    """Enter showed a vertex of the graph before, which the other did not have: an IndexError."""
    open_graph(qtbot, window, SAMPLE)
    card = window.parts.help.search()
    card.field.setText("2500")
    assert card.list.topLevelItem(0).text(1) == "vertex"
    open_graph(qtbot, window, TINY)
    assert card.isVisible()
    qtbot.keyClick(card.field, Qt.Key.Key_Return)
    assert window.parts.session.selected_vertex is None
