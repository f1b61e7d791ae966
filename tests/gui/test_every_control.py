"""Every button, menu row, key, entry of the search and row of a context menu does
something that can be noticed, in every state that enables it.

The tests print what was triggered and what was noticed of each (``pytest -rP``).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.model.jobs import JobKind
from gui.shell.side_bars import COMPARE, EXPLORE
from gui.style.text import apply_type_size
from gui.window import MainWindow
from solvers.core import variant
from solvers.features.own_kernels import user_variants
from tests.gui import windows
from tests.gui.clicking import (
    Control,
    Observer,
    buttons_of,
    close_all_but,
    context_rows_of,
    found_by_search,
    keys_of,
    rows_of,
)
from tests.gui.features.experiments.measured import open_experiments, press, wait_for_findings
from tests.gui.fixtures import settings_in, shown
from tests.gui.windows import (
    PATIENCE_MS,
    TINY,
    controller_of,
    open_graph,
    run_only,
    wait_until_idle,
)

pytestmark = pytest.mark.usefixtures("every_paint")

Enter = Callable[[QtBot, MainWindow, Path], object]
Find = Callable[[MainWindow], Iterator[Control]]


def opened(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    open_graph(qtbot, window, TINY)
    window.bars.set_mode(COMPARE)
    wait_until_idle(qtbot, window)
    window.parts.canvas.view.zoom_in()  # so that there is something to fit


def solved(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    opened(qtbot, window, folder)
    run_only(qtbot, window, "dijkstra-heap", "bf-serial")
    qtbot.waitUntil(lambda: window.parts.playback.length > 0, timeout=PATIENCE_MS)
    window.parts.playback.seek(1)


def panel(*titles: str) -> Enter:
    def enter(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
        solved(qtbot, window, folder)
        for title in titles:
            window.bars.open(title, by_user=True)

    return enter


def judged(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    page = open_experiments(qtbot, window, folder)
    press(qtbot, page.start_button)
    wait_for_findings(qtbot, window)
    page.tabs.setCurrentIndex(2)
    wait_until_idle(qtbot, window)


def live(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    open_graph(qtbot, window, TINY)
    window.bars.set_mode(EXPLORE)
    qtbot.waitUntil(lambda: window.parts.session.unmeasured.answer is not None, timeout=PATIENCE_MS)
    window.bars.open("Path", by_user=True)
    window.parts.canvas.view.zoom_in()


def taught(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    solved(qtbot, window, folder)
    window.bars.set_mode(controller_of(window, "lesson").mode)
    window.bars.open("Lesson", by_user=True)
    window.parts.playback.seek(1)


def split(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    solved(qtbot, window, folder)
    window.parts.canvas.split(2)
    wait_until_idle(qtbot, window)  # the other run is watched, and shown at its end
    window.parts.playback.seek(1)
    window.parts.canvas.view.zoom_in()


STATES: dict[str, Enter] = {
    "nothing open": lambda *_: None,
    "a graph": opened,
    "results": solved,
    "findings of an experiment": judged,
    "live": live,
    "a lesson": taught,
    "two panes": split,
    "runs": panel("Runs", "Selected variant"),
    "roads": panel("Roads", "All sources"),
    "kernel": panel("Path", "Kernel"),
}


class Trier:
    """Triggers controls in a state, which is made anew after what changes it."""

    def __init__(self, qapp: QApplication, qtbot: QtBot, enter: Enter, folder: Path):
        variant.all_variants()  # before any is added
        self._qapp, self._qtbot, self._enter, self._folder = qapp, qtbot, enter, folder
        self.made, self._open = 0, ExitStack()
        self._known: set[tuple[str, str]] = set()  # buttons of dialogs, by titles and names
        self.observer = self._fresh()

    def _fresh(self) -> Observer:
        self.close()
        self.made += 1
        folder = self._folder / str(self.made)
        folder.mkdir()
        patch = self._open.enter_context(pytest.MonkeyPatch.context())
        # exercises that are opened add variants
        patch.setattr(variant, "_REGISTRY", dict(variant._REGISTRY))
        patch.setattr(user_variants, "_problems", {})
        window = self._open.enter_context(shown(self._qapp, self._qtbot, settings_in(folder)))
        with pytest.MonkeyPatch.context() as held:  # what is painted on the way is not looked at
            held.setattr(windows, "HOLDS_PAINTS", True)
            self._enter(self._qtbot, window, folder)
            wait_until_idle(self._qtbot, window)
        window.repaint()  # what was asked for while it was held may be forgotten by Qt
        window.notices.dismiss()
        self.observer = Observer(window, patch)
        self.observer.rest(self._qtbot)
        self._state = self.observer.state()
        self._is_fresh = True
        return self.observer

    def anew(self) -> Observer:
        """The state as it is before anything is triggered."""
        return self.observer if self._is_fresh else self._fresh()

    def close(self) -> None:
        self._open.close()
        apply_type_size(self._qapp, 100)

    @property
    def window(self) -> MainWindow:
        return self.observer.window

    def tried(self, find: Find, control: Control) -> Iterator[tuple[str, str]]:
        """Trigger a control and each button of the dialogs that it opens, but those that
        were tried; yields names, and what was noticed.
        """
        self._inside: list[tuple[str, str]] = []
        yield str(control), self._noticed(find, control)
        for title, name in self._inside:
            if (title, name) not in self._known:
                self._known.add((title, name))
                yield f"{control} > {name}", self._noticed(find, control, name)

    def _noticed(self, find: Find, control: Control, button: str = "") -> str:
        """Trigger a control of this name, or a button of the dialog that it opens, and
        tell what was noticed; "" for nothing.

        The state is made anew if the last control changed it, and if nothing was noticed
        after others had been triggered.
        """
        if not (self.observer.state().allows(self._state) or self._undone()):
            self._fresh()
        begun_anew, told = self._is_fresh, self._triggered(find, control, button)
        if not told and not begun_anew:
            self._fresh()
            told = self._triggered(find, control, button)
        return told

    def _undone(self) -> bool:
        """Undo what the last control did; says whether that led back to the state."""
        self.observer.lead_back(self._qtbot, self._state)
        self._calm()
        return self.observer.state().allows(self._state)

    def _triggered(self, find: Find, control: Control, button: str) -> str:
        self._is_fresh = False
        there = self._found(find, control)
        if there is None:
            return ""
        if there.is_so:
            return "(is so already)"
        self._activate()
        there.prepare()
        self.observer.inside = []
        if button:
            return self._inside_told(there, button)
        before = self.observer.rest(self._qtbot)
        self.observer.heard.clear()
        self._trigger(there)
        told = self._told(before, self.observer.rest(self._qtbot, before))
        if told == "the focus" and control.kind in ("menu", "context"):
            told = ""  # which a menu gives back
        self._inside = self._buttons_inside()
        self._calm()
        return told

    def _found(self, find: Find, control: Control) -> Control | None:
        if control.again is not None:
            return control.again(self.window)
        return next((one for one in find(self.window) if str(one) == str(control)), None)

    def _activate(self) -> None:
        """A dialog that was closed took the keys along."""
        self.window.activateWindow()
        self._qtbot.waitUntil(self.window.isActiveWindow)

    def _trigger(self, control: Control) -> None:
        """In the loop of events, as a user does: what is deleted later lives as long. That
        a graph is read is heard; it is not opened in place of that of the state.
        """
        QTimer.singleShot(0, control.trigger)
        self._qtbot.wait(1)
        self.window.parts.jobs.drop(JobKind.OPEN)

    def _buttons_inside(self) -> list[tuple[str, str]]:
        """Of dialogs that were opened."""
        dialogs = [one for one in self.observer.windows() if one is not self.window]
        shown = [(one.windowTitle(), str(b)) for one in dialogs for b in buttons_of(one)]
        return list(dict.fromkeys(self.observer.inside + shown))

    def _inside_told(self, opens: Control, name: str) -> str:
        """Open a dialog, click one of its buttons, and tell what was noticed."""
        told = [""]

        def click(dialog: QWidget) -> None:
            button = next((one for one in buttons_of(dialog) if str(one) == name), None)
            if button is None:
                return
            if button.is_so:
                told[0] = "(is so already)"
                return
            button.prepare()
            before = self.observer.rest(self._qtbot)
            self.observer.heard.clear()
            self._trigger(button)
            told[0] = self._told(before, self.observer.rest(self._qtbot, before))

        self.observer.in_next_dialog(click)
        self._trigger(opens)
        self.observer.rest(self._qtbot)
        if self.observer.in_next_dialog(None):
            for dialog in self.observer.windows():
                if dialog is not self.window:
                    click(dialog)
        self._calm()
        return told[0]

    def _told(self, before: tuple[object, ...], after: tuple[object, ...]) -> str:
        if self.observer.heard:
            return re.sub(r"\d[\d .,\u2009\u202f]*", "N ", self.observer.heard[0])[:70].strip()
        names = ("a window", "the picture", "the commands", "the focus")
        changed = [name for name, b, a in zip(names, before, after, strict=False) if b != a]
        return ", ".join(changed)

    def _calm(self) -> None:
        close_all_but(self.window)
        for job in self.window.parts.jobs.all():
            self.window.parts.jobs.cancel(job.kind)
        wait_until_idle(self._qtbot, self.window)
        close_all_but(self.window)
        self.window.notices.dismiss()


def found_beside_commands(window: MainWindow) -> Iterator[Control]:
    """The entries of the search but those of commands, which trigger the actions of menus."""
    commands = {f"{spec.menu}: {spec.text}" for spec, _ in window.commands}
    return (entry for entry in found_by_search(window) if entry.name not in commands)


FINDS: tuple[Find, ...] = (
    buttons_of,
    lambda window: (row for action in window.menuBar().actions() for row in rows_of(action.menu())),
    context_rows_of,
    keys_of,
)
SEARCHED_WHOLE = ("nothing open", "results")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("state", STATES)
def test_every_control_does_something(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, state: str
) -> None:
    trier = Trier(qapp, qtbot, STATES[state], tmp_path)
    searched = found_by_search if state in SEARCHED_WHOLE else found_beside_commands
    assert silent_ones(trier, *FINDS, searched) == []


def test_every_button_of_a_page_of_experiments_does_something(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    """Those that exported what was found were connected by a property that only tests read."""
    trier = Trier(qapp, qtbot, judged, tmp_path)

    def buttons(window: MainWindow) -> Iterator[Control]:
        return buttons_of(controller_of(window, "experiments").page)

    assert silent_ones(trier, buttons) == []


def silent_ones(trier: Trier, *finds: Find) -> list[str]:
    """The controls of a state that did nothing; prints what was noticed of each, and how
    many of each kind there were.
    """
    silent, kinds, began = [], Counter[str](), time.monotonic()
    try:
        for find in finds:
            for control in list(find(trier.anew().window)):
                for name, told in trier.tried(find, control):
                    print(f"{name}: {told}", flush=True)
                    kinds["in a dialog" if name != str(control) else control.kind] += 1
                    silent += [] if told else [name]
    finally:
        trier.close()
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    seconds = time.monotonic() - began
    print(f"{kinds.total()} in {trier.made} windows and {seconds:.0f} s: {counts}")
    return silent
