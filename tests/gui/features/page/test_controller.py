"""File > Export web page: runs become a page, with a teacher's questions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from gui.features.page.dialog import WebPageDialog
from tests.gui.controllers.test_export import (
    choose_path,
    exported_while_another_graph_arrives,
    traced,
)
from tests.gui.windows import TINY, open_graph, run_only, trigger, wait_until_idle
from tests.solvers.features.page.test_document import unpacked

__all__ = ["traced"]


def test_runs_become_a_page_with_a_teachers_questions(traced, qtbot, monkeypatch, tmp_path):
    """The run that was not traced yet is traced for the page; another one stays away."""
    run_only(qtbot, traced, "dijkstra-heap")
    choose_path(monkeypatch, tmp_path / "lecture.html")

    def accept(dialog: WebPageDialog) -> int:
        dialog.title.setText("Lecture 7")
        for row in range(dialog.runs.count()):
            dialog.runs.item(row).setCheckState(Qt.CheckState.Checked)
        for row in range(1, dialog.questions.count()):
            dialog.questions.item(row).setCheckState(Qt.CheckState.Unchecked)
        dialog.questions.item(0).setText("Who is next?")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(WebPageDialog, "exec", accept)
    trigger(qtbot, traced, "export-page")
    page = (tmp_path / "lecture.html").read_text("utf-8")
    assert "<title>Lecture 7</title>" in page
    shown = unpacked(page)
    assert {run["id"] for run in shown["runs"]} == {"bf-serial", "dijkstra-heap"}
    assert all(run["trace"] for run in shown["runs"])
    assert [question["words"] for question in shown["questions"]] == ["Who is next?"]


def test_the_runs_that_were_shown_are_written_although_another_graph_arrives(
    traced, qtbot, monkeypatch, tmp_path
):
    """The page failed."""
    monkeypatch.setattr(WebPageDialog, "exec", lambda _: QDialog.DialogCode.Accepted)
    path = tmp_path / "chosen.html"
    text = exported_while_another_graph_arrives(traced, qtbot, monkeypatch, path, "export-page")
    assert len(unpacked(text)["runs"]) == 1


def test_a_kept_run_becomes_a_page_that_plays_where_its_graph_is_open(
    traced, qtbot, monkeypatch, tmp_path
):
    choose_path(monkeypatch, tmp_path / "kept.html")
    kept = traced.controller_of("kept_runs")
    (kind,), (summary,) = traced.parts.export.of_results, kept.runs.summaries[:1]
    for opened in (True, False):
        if not opened:
            open_graph(qtbot, traced, TINY.with_name("negative-cycle.gr"))
        kept.ask_for_file(kind, summary.run.run_id)
        wait_until_idle(qtbot, traced)
        shown = unpacked((tmp_path / "kept.html").read_text("utf-8"))
        assert [run["id"] for run in shown["runs"]] == ["bf-serial"]
        assert (
            bool(shown["scene"])
            is bool(shown["runs"][0]["trace"])
            is bool(shown["questions"])
            is opened
        )
        assert shown["csv"].count("\n") > 5
