"""The tree of variants, the card of the selected one with its glossary, and the form of
its parameters.
"""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QImage, QTextDocument
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSpinBox,
    QStyleOptionViewItem,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.model.window_thread import WindowThread
from gui.panels.highlighting import KERNEL, PYTHON, Highlighter, Language, source_files
from gui.panels.parameters import ParameterForm
from gui.panels.variant_card import SourceView, VariantCard, describe, linked, terms
from gui.panels.variants import ID_ROLE, TAGS_ROLE, VariantsPanel
from gui.style import theme
from solvers.core.variant import Variant, all_variants, find_variant
from solvers.parameters import Parameter
from solvers.picture.colours import Scheme
from solvers.picture.variant_colours import variant_colour
from solvers.system import machine
from solvers.system.files import RESOURCES
from tests import graphs
from tests.gui.panels.sample import PretendGpu, make_result
from tests.gui.style.colour_vision import contrast


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> VariantsPanel:
    panel = VariantsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(270, 900)
    panel.show()
    return panel


def test_no_two_variants_of_a_narrow_list_look_the_same(panel: VariantsPanel) -> None:
    """“compound frontier …” stood there twice."""
    panel.resize(230, 900)
    tree = panel.tree
    for i in range(tree.topLevelItemCount()):
        group = tree.topLevelItem(i)
        group.setExpanded(True)
        seen: dict[bytes, str] = {}
        for k in range(group.childCount()):
            item = group.child(k)
            item.setIcon(0, QIcon())
            item.setCheckState(0, Qt.CheckState.Unchecked)
            tree.scrollToItem(item)
            row = tree.viewport().grab(tree.visualItemRect(item)).toImage()
            pixels = row.convertToFormat(QImage.Format.Format_RGB32).constBits().tobytes()
            twin = seen.setdefault(pixels, item.text(0))
            assert twin == item.text(0)


def test_names_are_whole_and_the_technology_yields_first(panel: VariantsPanel) -> None:
    """“32 so…ether” stood beside “CPU · APSP”."""
    delegate, whole = panel.tree.itemDelegate(), {}
    for variant in all_variants():
        index = panel.tree.indexFromItem(item_of(panel, variant.id))
        option = QStyleOptionViewItem()
        option.widget, option.rect = panel.tree, panel.tree.visualRect(index)
        delegate.initStyleOption(option, index)
        whole[variant.title] = name, _ = delegate.fitting(option, index)
        assert name in (variant.title, variant.short_title)
    assert whole["32 sources together"][1] == "APSP"


def item_of(panel: VariantsPanel, variant_id: str) -> QTreeWidgetItem:
    for i in range(panel.tree.topLevelItemCount()):
        group = panel.tree.topLevelItem(i)
        for k in range(group.childCount()):
            if group.child(k).data(0, ID_ROLE) == variant_id:
                return group.child(k)
    raise AssertionError(f"{variant_id} is not in the tree")


def shown_ids(panel: VariantsPanel) -> set[str]:
    return {v.id for v in all_variants() if not item_of(panel, v.id).isHidden()}


def test_every_variant_of_the_catalogue_is_in_the_tree_once(panel: VariantsPanel) -> None:
    groups = [panel.tree.topLevelItem(i) for i in range(panel.tree.topLevelItemCount())]
    assert sum(group.childCount() for group in groups) == len(all_variants())
    assert [group.text(0) for group in groups] == list(
        dict.fromkeys(v.algorithm.value for v in all_variants())
    )


def test_a_click_on_the_box_ticks_the_variant(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    item = item_of(panel, "bf-serial")
    panel.tree.scrollToItem(item)
    rect = panel.tree.visualItemRect(item)
    qtbot.mouseClick(
        panel.tree.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(rect.left() + 10, rect.center().y()),
    )
    assert session.choices.ids == ("bf-serial",)


def test_space_ticks_the_current_row(qtbot: QtBot, panel: VariantsPanel, session: Session) -> None:
    session.results.select("bf-serial")
    panel.tree.setFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ("bf-serial",)
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ()


def test_what_was_chosen_before_the_panel_was_built_stays_chosen(
    qtbot: QtBot, session: Session
) -> None:
    session.choices.choose("bf-serial")
    panel = VariantsPanel(session)
    qtbot.addWidget(panel)
    assert session.choices.ids == ("bf-serial",)
    assert item_of(panel, "bf-serial").checkState(0) is Qt.CheckState.Checked


def test_selecting_a_row_selects_everywhere_and_back(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    item = item_of(panel, "bf-serial")
    rect = panel.tree.visualItemRect(item)
    qtbot.mouseClick(
        panel.tree.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(rect.left() + 80, rect.center().y()),
    )
    assert session.results.selected_id == "bf-serial"
    assert session.choices.ids == ()
    session.results.select("fw-serial")
    assert panel.tree.currentItem().data(0, ID_ROLE) == "fw-serial"


def test_a_group_ticks_what_is_available_and_counts_it(
    panel: VariantsPanel, session: Session
) -> None:
    group = item_of(panel, "fw-serial").parent()
    group.setCheckState(0, Qt.CheckState.Checked)
    chosen = [i for i in session.choices.ids if i.startswith("fw-")]
    assert "fw-serial" in chosen
    assert group.data(0, TAGS_ROLE) == f"{len(chosen)} of {group.childCount()}"
    group.setCheckState(0, Qt.CheckState.Unchecked)
    assert session.choices.ids == ()


def test_without_a_device_kernels_cannot_be_ticked_and_say_why(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    session.set_device(None)
    item = item_of(panel, "bf-vertex")
    qtbot.waitUntil(lambda: "device" in item.toolTip(0))
    assert not item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    assert item.flags() & Qt.ItemFlag.ItemIsSelectable, "one can still read about it"
    session.set_device(PretendGpu())
    qtbot.waitUntil(
        lambda: bool(item_of(panel, "bf-vertex").flags() & Qt.ItemFlag.ItemIsUserCheckable)
    )


def test_a_layout_that_does_not_fit_says_so_before_run(
    qtbot: QtBot, panel: VariantsPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open_graph(graphs.at_random(3000, 9000, seed=2))
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**9, 10_000_000))
    item = item_of(panel, "dijkstra-array")
    assert item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    qtbot.wait(0)
    session.choices.set_parameter("dijkstra-array", "layout", "matrix")
    assert "for the adjacency matrix" in item.toolTip(0)
    assert not item.flags() & Qt.ItemFlag.ItemIsUserCheckable
    session.choices.set_parameter("dijkstra-array", "layout", "csr")
    assert item.flags() & Qt.ItemFlag.ItemIsUserCheckable


def test_ticking_asks_nothing_of_the_machine(
    panel: VariantsPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gui.panels.variants.availability", lambda *asked: pytest.fail(f"asked again: {asked}")
    )
    session.choices.choose("bf-serial")
    assert item_of(panel, "bf-serial").checkState(0) is Qt.CheckState.Checked


def test_a_variant_that_became_unavailable_can_be_unticked(
    panel: VariantsPanel, session: Session
) -> None:
    session.choices.choose("bf-vertex")
    session.set_device(None)
    item_of(panel, "bf-vertex").setCheckState(0, Qt.CheckState.Unchecked)
    assert session.choices.ids == ()


def test_the_filter_keeps_rows_that_hold_every_word(qtbot: QtBot, panel: VariantsPanel) -> None:
    qtbot.keyClicks(panel.filter, "bellman serial")
    assert shown_ids(panel) == {v.id for v in all_variants() if v.id in ("bf-serial", "bf-python")}
    panel.filter.clear()
    assert shown_ids(panel) == {v.id for v in all_variants()}


def test_the_filter_counts_what_it_shows(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    assert not panel.count.isVisible()
    session.choices.choose("bf-serial")
    qtbot.keyClicks(panel.filter, "bellman serial")
    assert panel.count.text() == f"2 of {len(all_variants())} variants"
    assert item_of(panel, "bf-serial").parent().data(0, TAGS_ROLE) == "1 of 2"
    panel.filter.setText("xyzzy")
    assert "xyzzy" in panel.count.text()
    assert panel.count.text().startswith("No variant matches")
    for widget in (panel.filter, panel.tree):
        panel.filter.setText("xyzzy")
        qtbot.keyClick(widget, Qt.Key.Key_Escape)
        assert panel.filter.text() == ""
        assert not panel.count.isVisible()


def test_the_arrow_keys_lead_from_the_filter_into_the_list_and_back(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    panel.activateWindow()
    panel.filter.setFocus()
    qtbot.waitUntil(panel.filter.hasFocus)
    qtbot.keyClicks(panel.filter, "dijkstra-heap")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Down)
    assert panel.tree.hasFocus()
    assert session.results.selected_id == "dijkstra-heap"
    qtbot.keyClick(panel.tree, Qt.Key.Key_Space)
    assert session.choices.ids == ("dijkstra-heap",)
    for _ in range(2):  # the group's row, then the filter
        qtbot.keyClick(panel.tree, Qt.Key.Key_Up)
    assert panel.filter.hasFocus()


def test_a_group_that_was_collapsed_is_so_again_after_the_filter(
    qtbot: QtBot, panel: VariantsPanel
) -> None:
    group = item_of(panel, "bf-serial").parent()
    group.setExpanded(False)
    qtbot.keyClicks(panel.filter, "bellman")
    assert group.isExpanded()
    panel.filter.clear()
    assert not group.isExpanded()
    assert item_of(panel, "fw-serial").parent().isExpanded()


def test_a_chip_is_left_out_only_where_the_title_says_the_same_word(panel: VariantsPanel) -> None:
    assert item_of(panel, "bf-serial").data(0, TAGS_ROLE) == ""
    assert "GPU" in item_of(panel, "da2cf-f-gpu").data(0, TAGS_ROLE)


def test_a_device_that_is_the_processor_is_not_called_a_gpu(
    qtbot: QtBot, panel: VariantsPanel, session: Session
) -> None:
    assert item_of(panel, "da2cf-f-gpu").data(0, TAGS_ROLE) == "GPU"
    device = PretendGpu()
    device.is_cpu = True
    session.set_device(device)
    qtbot.waitUntil(lambda: item_of(panel, "da2cf-f-gpu").data(0, TAGS_ROLE) == "OpenCL")
    panel.filter.setText("gpu")
    assert not item_of(panel, "da2cf-f-gpu").isHidden()


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


def test_where_it_is_seen_it_follows_in_a_turn_of_its_own(
    qtbot: QtBot, card: VariantCard, session: Session
) -> None:
    session.results.select("bf-vertex")
    session.window = WindowThread(session)
    session.results.select("bf-serial")
    session.results.select("bf-strided")
    assert find_variant("bf-vertex").title in card.title.text()
    qtbot.waitUntil(lambda: find_variant("bf-strided").title in card.title.text())
    session.results.select("bf-vertex")
    card.focus_parameter("block")
    assert "block" in card.form.fields, "shown at once where it is asked for"
    assert find_variant("bf-vertex").title in card.title.text()


def test_it_tells_idea_cost_caveat_and_citation(card: VariantCard, session: Session) -> None:
    variant = find_variant("bf-strided-flag")
    session.results.select(variant.id)
    assert variant.title in card.title.text()
    for fact in (variant.idea, variant.cost, variant.papers[0].paper):
        shown = QTextDocument()
        shown.setHtml(card.text.text())
        assert fact in shown.toPlainText().replace("\n", " ")


@pytest.mark.parametrize("variant", all_variants(), ids=lambda v: v.id)
def test_every_variant_of_the_catalogue_can_be_shown(
    card: VariantCard, session: Session, variant: Variant
) -> None:
    session.results.select(variant.id)
    assert (card.form is not None) == bool(variant.parameters)
    assert source_files(variant), "the source is part of the explanation"


def test_an_edit_in_the_form_is_a_parameter_of_the_session(
    card: VariantCard, session: Session
) -> None:
    session.results.select("bf-vertex")
    card.form.fields["block"].setValue(512)
    assert session.choices.parameters("bf-vertex")["block"] == 512
    card.form.fields["block"].setValue(7)
    assert session.choices.parameters("bf-vertex")["block"] == 512
    assert "it takes" in card.form.errors["block"].text()


def test_an_unavailable_variant_says_why(card: VariantCard, session: Session) -> None:
    session.results.select("bf-vertex")
    assert not card.reason.isVisible()
    session.set_device(None)
    assert card.reason.isVisible()
    assert "device" in card.reason.text()


def test_choosing_a_layout_that_does_not_fit_says_so_at_once(
    card: VariantCard, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open_graph(graphs.at_random(3000, 9000, seed=2))
    monkeypatch.setattr(machine, "memory", lambda: machine.Memory(10**9, 10_000_000))
    session.results.select("dijkstra-array")
    assert not card.reason.isVisible()
    card.form.fields["layout"].setCurrentText("matrix")
    assert "for the adjacency matrix (choose layout=csr to avoid it)" in card.reason.text()
    assert card.reason.isVisible()
    card.form.fields["layout"].setCurrentText("csr")
    assert not card.reason.isVisible()


def test_the_kernel_is_shown_beside_its_python(qtbot: QtBot) -> None:
    view = SourceView()
    qtbot.addWidget(view)
    view.show_variant(find_variant("bf-vertex"))
    assert [view.tabText(i) for i in range(view.count())] == ["vertex.cu", "vertex.py"]
    assert view.widget(0).toPlainText() == source_files(find_variant("bf-vertex"))[0][0].read_text(
        encoding="utf-8"
    )


def colours_of_line(highlighter: Highlighter, line: int) -> dict[int, str]:
    block = highlighter.document().findBlockByNumber(line)
    return {f.start: f.format.foreground().color().name().upper() for f in block.layout().formats()}


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        (
            KERNEL,
            "/* one\n two */ if (a) // three\nint x = 3;",
            [{0: "muted"}, {0: "muted", 8: "accent", 15: "muted"}, {0: "accent", 8: "warning"}],
        ),
        (
            KERNEL,
            "#include <a.h>\nKERNEL void relax(GLOBAL dist_t *d) {\n  atomicMin(d, DIST_INF); }",
            [
                {0: "good"},
                dict.fromkeys((0, 7, 18, 25), "accent") | {12: "text"},
                {2: "warning", 15: "warning"},
            ],
        ),
        (
            PYTHON,
            '"""doc\nmore"""\nx = "# no comment"  # a comment',
            [{0: "good"}, {0: "good"}, {4: "good", 20: "muted"}],
        ),
    ],
)
def test_words_of_the_source_are_coloured(
    qapp: object, language: Language, text: str, lines: list[dict[int, str] | None]
) -> None:
    document = QTextDocument(text)
    highlighter = Highlighter(document, language)
    t = theme.tokens()
    for number, named in enumerate(lines):
        if named is not None:
            assert colours_of_line(highlighter, number) == {
                at: getattr(t, name) for at, name in named.items()
            }


def test_colours_turn_with_the_scheme(qtbot: QtBot) -> None:
    document = QTextDocument('KERNEL void f(int x) { min(x, 3); "s"; } // comment\n#define A')
    highlighter = Highlighter(document, KERNEL)
    for scheme, t in ((Scheme.DARK, theme.DARK), (Scheme.LIGHT, theme.LIGHT)):
        theme.apply(QGuiApplication.instance(), scheme)
        colours = colours_of_line(highlighter, 0)
        assert colours[0] == t.accent
        seen = {*colours.values(), *colours_of_line(highlighter, 1).values()}
        assert min(contrast(colour, t.panel) for colour in seen) >= 4.5


def test_it_follows_the_scheme(card: VariantCard, session: Session) -> None:
    session.results.select("bf-vertex")
    light = card._dot.pixmap().toImage().pixelColor(7, 7).name().upper()
    theme.apply(QGuiApplication.instance(), Scheme.DARK)
    dark = card._dot.pixmap().toImage().pixelColor(7, 7).name().upper()
    theme.apply(QGuiApplication.instance(), Scheme.LIGHT)
    assert (light, dark) == (
        variant_colour("bf-vertex", False),
        variant_colour("bf-vertex", True),
    )


def test_it_says_what_the_last_run_chose(card: VariantCard, session: Session) -> None:
    session.results.select("auto")
    assert not card.note.isVisible()
    session.results.add(
        [make_result(session, "auto", (2.0,), note="dijkstra-heap was chosen: the graph is small.")]
    )
    assert card.note.isVisible()
    assert card.note.text() == "Last run: dijkstra-heap was chosen: the graph is small."
    session.results.select("dijkstra-heap")
    assert not card.note.isVisible()


def test_one_path_is_told_apart(card: VariantCard, session: Session) -> None:
    session.results.select("dijkstra-bidirectional")
    assert card.subtitle.text() == "dijkstra-bidirectional · to one target · serial · one path"


def test_every_word_has_a_place_of_its_own() -> None:
    page = (RESOURCES / "help" / "glossary.html").read_text("utf-8")
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
    assert linked("subarc thread-safe", set(), "#123456") == "subarc thread-safe", (
        "whole words only"
    )


@pytest.mark.parametrize("variant", all_variants(), ids=lambda v: v.id)
def test_every_card_leads_to_the_glossary(variant: Variant) -> None:
    links = re.findall("href='glossary:([^']+)'", describe(variant))
    assert len(links) == len(set(links))
    assert set(links) <= set(terms().values())
    assert links


DECLARED = (
    Parameter("block", 256, "threads in a block", low=32, high=1024),
    Parameter("delta", 0.5, "width of a bucket", low=0.0),
    Parameter("early_exit", True, "stop once a pass changes nothing"),
    Parameter("layout", "rows", "how the graph is stored", choices=("rows", "matrix")),
    Parameter("seed", "abc", "any word"),
)


@pytest.fixture
def form(qtbot: QtBot) -> ParameterForm:
    form = ParameterForm("bf-vertex", DECLARED, {p.name: p.default for p in DECLARED})
    qtbot.addWidget(form)
    form.show()
    return form


@pytest.fixture
def edits(form: ParameterForm) -> list[tuple[str, object]]:
    heard: list[tuple[str, object]] = []
    form.edited.connect(lambda name, value: heard.append((name, value)))
    return heard


def test_every_type_has_its_field_with_the_default_in_it(form: ParameterForm) -> None:
    kinds = {name: type(field) for name, field in form.fields.items()}
    assert issubclass(kinds["block"], QSpinBox)
    assert issubclass(kinds["delta"], QDoubleSpinBox)
    assert kinds["early_exit"] is QCheckBox
    assert kinds["layout"] is QComboBox
    assert kinds["seed"] is QLineEdit
    assert {name: form.value(name) for name in form.fields} == {p.name: p.default for p in DECLARED}


def test_edits_are_handed_on_with_their_type(
    form: ParameterForm, edits: list[tuple[str, object]], qtbot: QtBot
) -> None:
    qtbot.mouseClick(
        form.fields["early_exit"],
        Qt.MouseButton.LeftButton,
        pos=form.fields["early_exit"].rect().center(),
    )
    form.fields["early_exit"].setChecked(False)
    form.fields["layout"].setCurrentIndex(1)
    form.fields["delta"].setValue(2.25)
    assert edits[-3:] == [("early_exit", False), ("layout", "matrix"), ("delta", 2.25)]


def type_in(qtbot: QtBot, field: QSpinBox, text: str) -> None:
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_value_out_of_range_is_refused_in_words_until_it_is_mended(
    form: ParameterForm, edits: list[tuple[str, object]], qtbot: QtBot
) -> None:
    type_in(qtbot, form.fields["block"], "5000")
    assert edits == []
    assert form.errors["block"].isVisible()
    assert form.errors["block"].text() == "Invalid: it takes a whole number from 32 to 1\u202f024."
    type_in(qtbot, form.fields["block"], "128")
    assert edits == [("block", 128)]
    assert not form.errors["block"].isVisible()


def test_steps_go_by_powers_of_two_and_stay_in_range(form: ParameterForm) -> None:
    block = form.fields["block"]
    block.stepUp()
    assert block.value() == 512
    for _ in range(5):
        block.stepUp()
    assert block.value() == 1024
    for _ in range(9):
        block.stepDown()
    assert block.value() == 32


def test_values_set_from_outside_are_shown_and_not_sent_back(
    form: ParameterForm, edits: list[tuple[str, object]]
) -> None:
    form.show_values({"block": 64, "early_exit": False, "layout": "matrix"})
    assert (form.value("block"), form.value("early_exit"), form.value("layout")) == (
        64,
        False,
        "matrix",
    )
    assert edits == []
