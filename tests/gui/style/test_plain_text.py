"""Texts from files are shown as they are, whatever Qt would make of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import QApplication

from gui.style.plain_text import button_text, tool_tip, visible, window_title

GUI = Path(__file__).parents[3] / "gui"


@pytest.mark.parametrize("text", ["plain", "two\nlines", "1 → 2", "Straße 5 µs", "محطة", "👩‍🚀"])
def test_ordinary_text_is_left_as_it_is(text):
    assert visible(text) == tool_tip(text) == button_text(text) == window_title(text) == text


def test_control_characters_and_reordering_are_written_as_escapes():
    assert visible("a\x1b[2J\x07b\r") == "a\\x1b[2J\\x07b\\r"
    assert visible("rg.\u202exe") == "rg.\\u202exe"
    assert visible("x\udc80") == "x\\udc80"


@pytest.mark.parametrize("text", ["<b>x</b><.gr", "a <i>b</i>", "<img src='file:///etc/hostname'>", "<br>&amp;"])
def test_a_tooltip_shows_markup_instead_of_following_it(qapp: QApplication, text):
    assert QTextDocumentFragment.fromHtml(tool_tip(text)).toPlainText() == text


def test_marks_of_buttons_and_titles_are_doubled():
    assert button_text("R&D") == "R&&D"
    assert window_title("a[*].gr") == "a[*][*].gr"


def test_labels_are_plain_labels_but_for_those_that_show_our_own_html():
    makers = {
        path.relative_to(GUI).as_posix()
        for path in GUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QLabel"
    }
    assert makers == {"dialogs/all_sources.py", "panels/card.py"}
