"""The help on measuring: it opens, it describes every mark, and its figures are those
of the program.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.dialogs.help import HelpPage, show_page
from gui.dialogs.messages import DetailsDialog
from gui.model.playback import FIT_SECONDS
from gui.style.text import LEAST_PERCENT, MOST_PERCENT, STEP_PERCENT
from gui.window import MainWindow
from solvers.core.result import DisturbanceKind, median_interval
from solvers.picture.scene.levels import AUTOMATIC_STROKES
from solvers.running.answers.write import ANSWER_FORMATS
from solvers.running.request import (
    ADAPTIVE,
    DEFAULT_TIME_LIMIT_S,
    LEAST_MEASURED_S,
    LEAST_TRIALS,
    MOST_TRIALS,
    MOST_WARMUPS,
    WARMUP_AGREEMENT,
)
from solvers.system.diagnostics import logging_to, open_log_file
from solvers.system.machine import LEAST_SPAN_S

Dialog = TypeVar("Dialog", HelpPage, DetailsDialog)


def opened(qtbot: QtBot, window: MainWindow, command: str, kind: type[Dialog]) -> Dialog:
    """The dialog that a command opens."""
    window.commands[command].trigger()
    (found,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible())
    qtbot.addWidget(found)
    return found


def words_of(page: HelpPage) -> str:
    return re.sub(r"\s+", " ", page.text.toPlainText())


@pytest.fixture
def page(qtbot: QtBot) -> HelpPage:
    found = show_page("measuring")
    qtbot.addWidget(found)
    return found


def test_the_command_opens_the_page_beside_the_window(qtbot: QtBot, window: MainWindow) -> None:
    found = opened(qtbot, window, "measuring", HelpPage)
    assert found.windowTitle() == "How times are measured"
    assert not found.isModal()


def test_third_party_software_is_listed_with_links_to_its_projects(
    qtbot: QtBot, window: MainWindow
) -> None:
    found = opened(qtbot, window, "notices", HelpPage)
    text = found.text.toPlainText()
    assert "PySide6_Essentials" in text
    assert "LGPL-3.0-only" in text
    assert found.text.openExternalLinks()


def test_the_figures_are_those_of_the_program(page: HelpPage) -> None:
    text = words_of(page)
    agreement = f"{100 * WARMUP_AGREEMENT:g} %"
    assert f"differ by at most {agreement}, but at most {MOST_WARMUPS} times" in text
    assert f"no further than {100 * ADAPTIVE.precision:g} % from the median" in text
    assert f"until {MOST_TRIALS} trials are made" in text
    assert f"until {DEFAULT_TIME_LIMIT_S:g} seconds have passed" in text
    assert (
        f"at least {LEAST_TRIALS} trials, which together take at least {LEAST_MEASURED_S:g} s"
        in text
    )
    assert f"unknown if it is under {LEAST_SPAN_S:g} seconds" in text
    assert median_interval(range(1, 21)) == (6, 15)
    assert "of 20 trials the 6th and the 15th shortest" in text


def test_the_levels_of_a_hierarchy_are_described(qtbot: QtBot, window: MainWindow) -> None:
    text = words_of(opened(qtbot, window, "levels-help", HelpPage))
    assert window.commands["levels"].text().replace("&", "") in text
    assert f"at most {AUTOMATIC_STROKES / 1e6:g} million lines" in text


def test_presenting_names_commands_and_limits_as_they_are(qtbot: QtBot, window: MainWindow) -> None:
    text = words_of(opened(qtbot, window, "presenting-help", HelpPage))
    for command in ("present", "race"):
        action = window.commands[command]
        assert action.text().replace("&", "") in text
        assert f"({action.shortcut().toString()})" in text
    assert f"steps of {STEP_PERCENT} % between {LEAST_PERCENT} and {MOST_PERCENT} %" in text
    assert "offers 5, 15 and 30 s" in text
    assert FIT_SECONDS == (5.0, 15.0, 30.0)


@pytest.mark.parametrize("kind", DisturbanceKind)
def test_every_mark_is_described_where_its_kind_leads(qtbot: QtBot, kind: DisturbanceKind) -> None:
    source = show_page("measuring", anchor=kind.value)
    qtbot.addWidget(source)
    names = re.findall(r'<a name="(\w+)"', source.text.toHtml())
    assert kind.value in names


def test_a_mark_is_scrolled_to(qtbot: QtBot, page: HelpPage) -> None:
    lower = show_page("measuring", anchor=DisturbanceKind.NOT_A_GPU.value)
    qtbot.addWidget(lower)
    assert page.text.verticalScrollBar().value() == 0
    assert lower.text.verticalScrollBar().value() > 0


def test_the_text_takes_the_colours_of_the_theme(page: HelpPage) -> None:
    """No colour is fixed, so that dark windows have light text."""
    assert (
        "color:"
        not in page.text.document()
        .toHtml()
        .replace("background-color", "")
        .lower()
        .split("<body")[1]
    )


def test_formats_are_described_with_the_ending_of_every_file_that_is_written(
    qtbot: QtBot, window: MainWindow
) -> None:
    found = opened(qtbot, window, "formats-help", HelpPage)
    text = found.text.toPlainText()
    for kind in ANSWER_FORMATS:
        assert kind.removeprefix(".").lower() in text.lower()
    assert "--columns" in text


def test_the_log_is_shown_from_its_end(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path)
    with logging_to(open_log_file(), logging.INFO):
        for number in range(200):
            logging.getLogger("gui.made_up").info("decision %d", number)
    found = opened(qtbot, window, "log", DetailsDialog)
    assert found.windowTitle().startswith("Log")
    assert (
        "decision 199"
        in found.text.textCursor().block().previous().text()
        + found.text.textCursor().block().text()
    )
    assert str(tmp_path) in found.summary.text()
