"""The card of the selected variant.

The glossary: every link of a card leads to a word that is explained.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pygments.lexers.python import PythonLexer
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

import resources
from gui.model.session import Session
from gui.model.window_thread import WindowThread
from gui.panels.highlighting import Highlighter, KernelLexer, source_files
from gui.panels.thread_map import CAPTION_TOP, DataShape, ThreadMapView, thread_map
from gui.panels.variant_card import SourceView, VariantCard, describe, linked, terms
from gui.style import theme
from gui.style.colours import Scheme
from gui.style.widgets import tabular
from solvers.core.variant import Variant, WorkMapping, all_variants, find_variant
from solvers.system import machine
from tests import graphs
from tests.gui.panels.sample import make_result, opened_session


@pytest.fixture
def session() -> Session:
    return opened_session()


@pytest.fixture
def card(qtbot: QtBot, session: Session) -> VariantCard:
    card = VariantCard(session)
    qtbot.addWidget(card)
    card.resize(270, 700)
    card.show()
    return card


def test_with_nothing_selected_it_says_what_to_do(card: VariantCard) -> None:
    assert card.empty.isVisible()
    assert "Select a variant" in card.empty.text()


def test_where_it_is_seen_it_follows_in_a_turn_of_its_own(qtbot: QtBot, card: VariantCard, session: Session) -> None:
    session.select("bf-vertex")
    session.window = WindowThread(session)
    session.select("bf-serial")
    session.select("bf-strided")
    assert find_variant("bf-vertex").title in card.title.text()
    qtbot.waitUntil(lambda: find_variant("bf-strided").title in card.title.text())
    session.select("bf-vertex")
    card.focus_parameter("block")
    assert "block" in card.form.fields, "shown at once where it is asked for"
    assert find_variant("bf-vertex").title in card.title.text()


def test_it_tells_idea_cost_caveat_and_citation(card: VariantCard, session: Session) -> None:
    variant = find_variant("bf-strided-flag")
    session.select(variant.id)
    assert variant.title in card.title.text()
    for fact in (variant.idea, variant.cost, variant.papers[0].paper):
        shown = QTextDocument()
        shown.setHtml(card.text.text())
        assert fact in shown.toPlainText().replace("\n", " ")


@pytest.mark.parametrize("variant", all_variants(), ids=lambda v: v.id)
def test_every_variant_of_the_catalogue_can_be_shown(card: VariantCard, session: Session, variant: Variant) -> None:
    session.select(variant.id)
    assert (card.form is not None) == bool(variant.parameters)
    assert card.diagram.map.caption
    assert source_files(variant), "the source is part of the explanation"


def test_an_edit_in_the_form_is_a_parameter_of_the_session(card: VariantCard, session: Session) -> None:
    session.select("bf-vertex")
    card.form.fields["block"].setValue(512)
    assert session.choices.parameters("bf-vertex")["block"] == 512
    card.form.fields["block"].setValue(7)
    assert session.choices.parameters("bf-vertex")["block"] == 512
    assert "it takes" in card.form.errors["block"].text()


def test_an_unavailable_variant_says_why(card: VariantCard, session: Session) -> None:
    session.select("bf-vertex")
    assert not card.reason.isVisible()
    session.set_device(None)
    assert card.reason.isVisible()
    assert "device" in card.reason.text()


def test_choosing_a_layout_that_does_not_fit_says_so_at_once(
    card: VariantCard, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open_graph(graphs.at_random(3000, 9000, seed=2))
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**9, 10_000_000))
    session.select("dijkstra-array")
    assert not card.reason.isVisible()
    card.form.fields["layout"].setCurrentText("matrix")
    assert "for the adjacency matrix (choose layout=csr to avoid it)" in card.reason.text()
    assert card.reason.isVisible()
    card.form.fields["layout"].setCurrentText("csr")
    assert not card.reason.isVisible()


def test_the_drawing_is_the_one_that_the_variant_declares(card: VariantCard, session: Session) -> None:
    session.select("apsp-frontier")
    assert card.diagram.map.caption == "One block of threads per source; each fills its row"
    assert card.diagram.map.workers == ("b0", "b1", "b2", "b3")


@pytest.mark.parametrize("mapping", WorkMapping)
def test_every_mapping_is_drawn(qtbot: QtBot, mapping: WorkMapping) -> None:
    drawing = thread_map(mapping)
    assert drawing.caption == mapping.value
    pieces = drawing.pieces**2 if drawing.shape is DataShape.MATRIX else drawing.pieces
    handled = {piece for _, piece in drawing.links}
    assert handled | set(drawing.idle) == set(range(pieces)), "each piece is someone's, or idle"
    assert not handled & set(drawing.idle)
    assert {worker for worker, _ in drawing.links} <= set(range(len(drawing.workers)))


def test_different_mappings_have_different_pictures(qtbot: QtBot) -> None:
    view = ThreadMapView()
    qtbot.addWidget(view)
    view.resize(280, 140)
    seen: dict[bytes, WorkMapping] = {}
    for mapping in WorkMapping:
        view.show_map(dataclasses.replace(thread_map(mapping), caption=""))
        image = view.grab().toImage()
        pixels = bytes(image.constBits())
        assert pixels not in seen, f"{mapping} looks like {seen[pixels]}"
        seen[pixels] = mapping


@pytest.mark.parametrize("width", [120, 200, 280])
@pytest.mark.parametrize("mapping", WorkMapping)
def test_a_caption_is_shown_whole(qtbot: QtBot, mapping: WorkMapping, width: int) -> None:
    view = ThreadMapView()
    qtbot.addWidget(view)
    view.show_map(thread_map(mapping))
    height = view.heightForWidth(width)
    words = QRect(0, 0, width, 1000)
    flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    needed = QFontMetrics(tabular(view.font(), 0.9)).boundingRect(words, flags, mapping.value)
    assert needed.width() <= width
    assert CAPTION_TOP + needed.height() <= height
    assert view.accessibleName() == mapping.value


def test_the_kernel_is_shown_beside_its_python(qtbot: QtBot) -> None:
    view = SourceView()
    qtbot.addWidget(view)
    view.show_variant(find_variant("bf-vertex"))
    assert [view.tabText(i) for i in range(view.count())] == ["vertex.cu", "vertex.py"]
    kernel = Path(source_files(find_variant("bf-vertex"))[0][0]).read_text(encoding="utf-8")
    assert view.widget(0).toPlainText() == kernel.rstrip("\r") or view.widget(0).toPlainText() == kernel


def colours_of_line(highlighter: Highlighter, line: int) -> dict[int, str]:
    block = highlighter.document().findBlockByNumber(line)
    return {f.start: f.format.foreground().color().name().upper() for f in block.layout().formats()}


def test_comments_over_several_lines_are_one_colour(qtbot: QtBot) -> None:
    document = QTextDocument("/* one\n two */ if (a) // three\nint x = 3;")
    highlighter = Highlighter(document, KernelLexer())
    t = theme.tokens()
    assert colours_of_line(highlighter, 0) == {0: t.muted}
    assert colours_of_line(highlighter, 1) == {0: t.muted, 8: t.accent, 15: t.muted}
    assert colours_of_line(highlighter, 2) == {0: t.accent, 8: t.warning}


def test_the_words_of_the_kernels_dialect_are_coloured(qtbot: QtBot) -> None:
    document = QTextDocument("#include <a.h>\nKERNEL void relax(GLOBAL dist_t *d) {\n  atomicMin(d, DIST_INF); }")
    highlighter = Highlighter(document, KernelLexer())
    t = theme.tokens()
    assert set(colours_of_line(highlighter, 0).values()) == {t.target}
    assert colours_of_line(highlighter, 1) == {0: t.accent, 7: t.accent, 18: t.accent, 25: t.accent}
    assert colours_of_line(highlighter, 2) == {2: t.path, 15: t.path}


def test_colours_turn_with_the_scheme(qtbot: QtBot) -> None:
    document = QTextDocument("int x;")
    highlighter = Highlighter(document, KernelLexer())
    theme.apply(QGuiApplication.instance(), Scheme.DARK)
    dark = colours_of_line(highlighter, 0)
    theme.apply(QGuiApplication.instance(), Scheme.LIGHT)
    assert (dark[0], colours_of_line(highlighter, 0)[0]) == (theme.DARK.accent, theme.LIGHT.accent)


def test_python_docstrings_and_hashes_in_strings(qtbot: QtBot) -> None:
    document = QTextDocument('"""doc\nmore"""\nx = "# no comment"  # a comment')
    highlighter = Highlighter(document, PythonLexer())
    t = theme.tokens()
    assert colours_of_line(highlighter, 1) == {0: t.good}
    assert colours_of_line(highlighter, 2) == {4: t.good, 20: t.muted}


def test_it_follows_the_scheme(card: VariantCard, session: Session) -> None:
    session.select("bf-vertex")
    light = card._dot.pixmap().toImage().pixelColor(7, 7).name().upper()
    theme.apply(QGuiApplication.instance(), Scheme.DARK)
    dark = card._dot.pixmap().toImage().pixelColor(7, 7).name().upper()
    theme.apply(QGuiApplication.instance(), Scheme.LIGHT)
    assert (light, dark) == (theme.variant_colour("bf-vertex", False), theme.variant_colour("bf-vertex", True))


def test_it_says_what_the_last_run_chose(card: VariantCard, session: Session) -> None:
    session.select("auto")
    assert not card.note.isVisible()
    session.add_result(make_result(session, "auto", (2.0,), note="dijkstra-heap was chosen: the graph is small."))
    assert card.note.isVisible()
    assert card.note.text() == "Last run: dijkstra-heap was chosen: the graph is small."
    session.select("dijkstra-heap")
    assert not card.note.isVisible()


def test_one_path_is_told_apart(card: VariantCard, session: Session) -> None:
    session.select("dijkstra-bidirectional")
    assert "to one target" in card.subtitle.text()
    assert "one path" in card.subtitle.text()


def test_a_long_caption_wraps_where_the_card_is_narrow(qtbot: QtBot) -> None:
    view = ThreadMapView()
    qtbot.addWidget(view)
    view.show_map(thread_map(WorkMapping.THREADS_STRIDED))
    assert view.heightForWidth(160) > view.heightForWidth(600)


def test_the_thread_map_is_as_large_as_the_type(qtbot: QtBot, type_of: Callable[[int], None]) -> None:
    """Its boxes kept their size, and labels in large type ran over them."""
    view = ThreadMapView()
    qtbot.addWidget(view)
    view.show_map(dataclasses.replace(thread_map(WorkMapping.THREAD_PER_VERTEX), caption=""))
    view.resize(600, 300)
    drawn = []
    for percent in (100, 150):
        type_of(percent)
        pixels = view.grab().toImage()
        ground = pixels.pixelColor(599, 299)
        rows = [y for y in range(300) if any(pixels.pixelColor(x, y) != ground for x in range(0, 500, 3))]
        drawn.append(max(rows))
    assert drawn[1] == pytest.approx(1.5 * drawn[0], abs=3)
    assert view.heightForWidth(600) >= 1.5 * CAPTION_TOP


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
