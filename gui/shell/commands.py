"""What an action is, and the QActions made of a table of them: connected, checked and
enabled by the window's state.

Also the menus whose entries are listed anew each time they open (recent files, and
layers of the picture), and what is possible now: whether the selected
variant is racy, and whether the shown answer, unmeasured or of the selected result, has
a path or distances; and the menus of panels, charts, play bar and tabs, of commands
about what was clicked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QPoint, Qt, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QMenu,
    QMenuBar,
    QTreeView,
    QWidget,
)

from gui.model.jobs import JobKind, Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import Settings, folder_of, label_of
from gui.style.icons import icon
from gui.style.text import button_text, escape_controls, short_title, tool_tip
from solvers.core.availability import availability
from solvers.core.variant import Answers, find_variant
from solvers.system.feature import placed

T = TypeVar("T")

FILE, EDIT, VIEW, RUN, HELP = "File", "Edit", "View", "Run", "Help"
MENUS = (FILE, EDIT, VIEW, RUN, HELP)

SEPARATOR = ""
CONTEXT_MENUS = {
    "variant": ("run", "trace", SEPARATOR, "plan"),
    "result": (
        "trace",
        SEPARATOR,
        "zoom-path",
        "export-path",
        "export-distances",
        SEPARATOR,
        "export-csv",
        "clear-results",
    ),
    "chart": ("export-chart", "export-csv"),
    "play bar": (
        "play",
        "step-back",
        "step",
        "first",
        "last",
        SEPARATOR,
        "fit-5",
        "fit-15",
        "fit-30",
        SEPARATOR,
        "pace-iterations",
        "pace-time",
        "pace-progress",
        SEPARATOR,
        "trace",
        "export-animation",
    ),
}


class State(Flag):
    """Conditions of the window; an action is enabled while all conditions it needs hold."""

    ALWAYS = 0
    GRAPH = auto()
    CHOICES = auto()
    RESULTS = auto()
    SELECTION = auto()
    PATH = auto()
    TREE = auto()
    TRACE = auto()
    PLACED = auto()
    MATRIX = auto()
    RACY = auto()
    KERNEL = auto()
    BUSY = auto()
    IDLE = auto()
    SOLVING = auto()
    WEIGHTS = auto()
    ANSWER_DISTANCES = auto()


# What to do where a condition does not hold; the tooltip shows that of the first missing one.
MISSING = {
    State.GRAPH: "Open or generate a graph first",
    State.CHOICES: "Tick at least one variant first",
    State.RESULTS: "Run a variant first",
    State.SELECTION: "Select a result first",
    State.TREE: "Select a result with a path first",
    State.PATH: "Choose a target, then run a variant",
    State.TRACE: "Select a result and trace it first",
    State.PLACED: "The file of this graph has no coordinates",
    State.MATRIX: "Select a result for all pairs first",
    State.RACY: "Select a variant with the tag racy that can run here",
    State.KERNEL: "Select a variant with a kernel; its card shows the kernel under Code",
    State.BUSY: "Nothing is running",
    State.SOLVING: "No run is in progress",
    State.IDLE: "Wait until the run has ended, or cancel it",
    State.WEIGHTS: "Open a road network with lengths and travel times first",
    State.ANSWER_DISTANCES: "Select a result with the distances of all vertices first",
}


@dataclass(frozen=True)
class Toggle:
    """What an action with a check mark does: it is called with the new state, whoever
    changed that.
    """

    turn: Callable[[bool], object]
    checked_by: SignalInstance | None = None  # a signal of bool that sets the check mark
    # whether the check mark is set; asked by `Commands.show_checks`
    checked: Callable[[], bool] | None = None


@dataclass(frozen=True)
class OneOf(Generic[T]):
    """What an action does that is one of several; one of them has a check mark: that of
    the value ``chosen`` returns.

    `Commands.show_checks` asks for it; without it, the one pressed last has the mark.
    """

    group: str  # the same for all of them
    value: T
    choose: Callable[[T], object]
    chosen: Callable[[], T] | None = None


Act = Callable[[], object] | Toggle | OneOf[Any]
"""What an action does."""


@dataclass(frozen=True)
class Action:
    """A row of a menu."""

    id: str
    menu: str
    text: str
    act: Act
    keys: tuple[str, ...] = ()  # in Qt's portable format; the first is shown
    icon: str = ""  # name of an SVG in ``resources/icons``, or ""
    needs: State = State.ALWAYS
    tip: str = ""  # explanation, if the text does not suffice
    starts_section: bool = False
    submenu: str = ""  # title of its submenu in ``menu``, or ""
    # what to do first, in words, where it is not possible for a reason of its own; else ""
    missing: Callable[[], str] | None = None
    left_by_escape: bool = False  # whether Esc unchecks it
    # in which of `CONTEXT_MENUS` it stands, too, and after which row
    context: Mapping[str, str] = field(default_factory=dict)

    def why_disabled(self, state: State) -> str:
        """What is missing to enable it, in words; "" if it is enabled."""
        # numbers: to ask whether a flag has another takes ten times as long
        lacking = self.needs.value & ~state.value
        if lacking:
            return next(words for flag, words in MISSING.items() if flag.value & lacking)
        return "" if self.missing is None else self.missing()


def state_of(session: Session, playback: Playback, jobs: Jobs) -> State:
    """The conditions that hold now."""
    selected = session.results.selected
    facts = {
        State.GRAPH: session.graph is not None,
        State.CHOICES: bool(session.choices.ids),
        State.RESULTS: bool(session.results.all),
        State.SELECTION: selected is not None
        and selected.variant.id == session.results.selected_id,
        State.PATH: has_path(session),
        State.TREE: selected is not None and selected.path is not None,
        State.PLACED: session.graph is not None and session.graph.coordinates is not None,
        State.TRACE: playback.length > 0,
        State.MATRIX: selected is not None and selected.variant.answers is Answers.APSP,
        State.RACY: is_racy_here(session),
        State.KERNEL: bool(
            session.results.selected_id and find_variant(session.results.selected_id).kernel
        ),
        State.BUSY: any(job.kind.cancellable for job in jobs.all()),
        State.SOLVING: jobs.running(JobKind.SOLVE) is not None,
        State.IDLE: not jobs.measures,
        State.ANSWER_DISTANCES: has_distances(session),
        State.WEIGHTS: session.graph is not None and session.graph.roads is not None,
    }
    # `|` of flags takes ten times as long
    return State(sum(flag.value for flag, holds in facts.items() if holds))


class Commands(QObject):
    """One QAction for each action of a table."""

    def __init__(self, window: QWidget, actions: Sequence[Action]):
        super().__init__(window)
        self._specs = {spec.id: spec for spec in actions}
        self._groups: dict[str, QActionGroup] = {}
        self._tips: dict[str, str] = {}  # while enabled
        self._whys: dict[str, str] = {}  # of each action, why it is disabled; "" if it is not
        self._state = ~State.ALWAYS  # that the actions show
        self._asked = [spec for spec in actions if spec.missing is not None]
        self._actions = {spec.id: self._make(spec) for spec in actions}
        window.addActions(list(self._actions.values()))

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def __iter__(self) -> Iterator[tuple[Action, QAction]]:
        return ((spec, self._actions[spec.id]) for spec in self._specs.values())

    def refresh(self, state: State) -> None:
        """Enable or disable every action according to ``state``; the tooltips of
        disabled ones say why.
        """
        # a number: to combine flags for every action takes milliseconds
        changed = (state ^ self._state).value
        self._state = state
        for spec in self._specs.values() if changed else self._asked:
            if spec.needs.value & changed or spec.missing is not None:
                why = spec.why_disabled(state)
                if why == self._whys.get(spec.id):
                    continue  # as at each picture of live mode
                self._whys[spec.id] = why
                action = self._actions[spec.id]
                action.setEnabled(not why)
                tip = self._tips[spec.id]
                action.setToolTip(tool_tip(f"{tip}. {why}" if why else tip))

    def show_checks(self) -> None:
        """Set or remove the check marks of switches and choices that are asked for theirs."""
        for spec, action in self:
            if isinstance(spec.act, Toggle) and spec.act.checked is not None:
                action.setChecked(spec.act.checked())
            elif isinstance(spec.act, OneOf) and spec.act.chosen is not None:
                action.setChecked(spec.act.chosen() == spec.act.value)

    def why_disabled(self, spec: Action) -> str:
        """What is missing to enable an action, in words; "" if it is enabled."""
        return spec.why_disabled(self._state)

    def leave(self) -> bool:
        """Uncheck the first row that Esc leaves; False if none is checked."""
        entered = (row for spec, row in self if spec.left_by_escape and row.isChecked())
        first = next(entered, None)
        if first is not None:
            first.setChecked(False)
        return first is not None

    def recolour(self) -> None:
        """Redraw the icons in the theme's colours."""
        for spec, action in self:
            if spec.icon:
                action.setIcon(icon(spec.icon))

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Add the menus to ``bar``; returns them and their submenus by title, so that
        the window can add entries.
        """
        menus = {title: bar.addMenu(f"&{title}") for title in MENUS}
        for each in menus.values():
            each.setToolTipsVisible(True)  # those of disabled entries say what is missing
        submenus: dict[tuple[str, str], QMenu] = {}
        for spec, action in self:
            menu, place = menus[spec.menu], (spec.menu, spec.submenu)
            if spec.starts_section:
                menu.addSeparator()
            if spec.submenu:
                menu = (
                    submenus[place]
                    if place in submenus
                    else submenus.setdefault(place, menu.addMenu(spec.submenu))
                )
            menu.addAction(action)
        return menus | {title: submenu for (_, title), submenu in submenus.items()}

    def _make(self, spec: Action) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(text) for text in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self._tips[spec.id] = _tool_tip(spec, action)
        action.setToolTip(tool_tip(self._tips[spec.id]))
        action.setIconVisibleInMenu(False)
        self._connect(action, spec.act)
        return action

    def _connect(self, action: QAction, act: Act) -> None:
        action.setCheckable(isinstance(act, Toggle | OneOf))
        if isinstance(act, Toggle):
            action.toggled.connect(lambda checked: act.turn(checked))
            if act.checked_by is not None:
                act.checked_by.connect(action.setChecked)
        elif isinstance(act, OneOf):
            self._groups.setdefault(act.group, QActionGroup(self)).addAction(action)
            action.triggered.connect(lambda: act.choose(act.value))
        else:
            action.triggered.connect(lambda: act())


def _tool_tip(spec: Action, action: QAction) -> str:
    text = spec.tip or spec.text.rstrip("…")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{text} ({keys})" if keys else text


class RecentMenu(QMenu):
    """File > Open recent."""

    def __init__(self, settings: Settings, open_file: Callable[[Path], object], parent: QWidget):
        super().__init__("Open recent", parent)
        self._settings, self._open = settings, open_file
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """List the files that are still there."""
        self.clear()
        for path in self._settings.recent_files:
            action = self.addAction(f"{label_of(path)} in {folder_of(path)}")
            action.setToolTip(tool_tip(str(path)))
            action.setStatusTip(escape_controls(str(path)))
            action.triggered.connect(lambda _=False, path=path: self._open(path))
        if self.isEmpty():
            self.addAction("No recent files").setEnabled(False)
        else:
            self.addSeparator()
            self.addAction("Clear recent files", self._settings.forget_files)


class LayersMenu(QMenu):
    """View > Layers."""

    def __init__(
        self,
        layers: Callable[[], Mapping[str, bool]],
        set_layer: Callable[[str, bool], object],
        missing: Callable[[str], str],  # what to do first to see a layer; "" if it can be seen
        parent: QWidget,
    ):
        super().__init__("Layers", parent)
        self.setToolTipsVisible(True)
        self._layers, self._set_layer, self._missing = layers, set_layer, missing
        self.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """List the layers with their present states."""
        self.clear()
        for name, shown in self._layers().items():
            action, missing = self.addAction(name.capitalize()), self._missing(name)
            action.setCheckable(True)
            action.setChecked(shown and not missing)
            action.setEnabled(not missing)
            action.setToolTip(missing)
            action.toggled.connect(lambda on, name=name: self._set_layer(name, on))


def is_racy_here(session: Session) -> bool:
    """Whether a racy variant is selected, and can run here."""
    variant = find_variant(session.results.selected_id) if session.results.selected_id else None
    if variant is None or not variant.racy:
        return False
    return availability(variant, None, session.device).available


def has_path(session: Session) -> bool:
    """Whether a path is shown: of the unmeasured answer, or of the selected result."""
    if (answer := session.unmeasured.answer) is not None:
        return answer.path is not None
    return session.shown_result is not None and session.shown_result.path is not None


def has_distances(session: Session) -> bool:
    """Whether the unmeasured answer, or the selected result, has the distances of all
    vertices from a source.
    """
    result = session.shown_result
    if session.unmeasured.answer is not None or result is None:
        return session.unmeasured.answer is not None
    known = result.distances is not None and result.source is not None
    return known and result.ok and result.variant.answers is not Answers.TARGET


class ContextMenus:
    """Gives widgets menus of commands; right-click and the keyboard's menu key open them."""

    def __init__(self, session: Session, commands: Commands):
        self._session, self._commands = session, commands

    def add(
        self,
        widget: QWidget,
        menu: str,
        *,
        first: Callable[[], Sequence[QAction]] = tuple,
    ) -> None:
        """Give a widget one of `CONTEXT_MENUS`; ``first`` makes the entries that are
        above it.
        """
        added = [
            (spec.context[menu], spec.id) for spec, _ in self._commands if menu in spec.context
        ]
        command_ids = placed(CONTEXT_MENUS[menu], added, str)
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(partial(self._pop_up, widget, command_ids, first))

    def entries_of_variant(self, set_baseline: bool) -> list[QAction]:
        """Entries about the selected variant: to tick it alone, or to make its result
        the baseline.
        """
        selected, results = self._session.results.selected_id, self._session.results
        if selected is None:
            return []
        name = short_title(find_variant(selected))
        if set_baseline:
            entry = QAction(button_text(f"Make {name} the baseline"))
            entry.setEnabled(
                results.selected is not None and results.selected is not results.baseline
            )
            entry.triggered.connect(lambda: results.set_baseline(selected))
        else:
            entry = QAction(button_text(f"Tick only {name}"))
            entry.triggered.connect(lambda: self._session.choices.choose_only([selected]))
        return [entry]

    def _pop_up(
        self,
        widget: QWidget,
        command_ids: Sequence[str],
        first: Callable[[], Sequence[QAction]],
        at: QPoint,
    ) -> None:
        menu = QMenu(widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        own = first() if _is_about_an_entry(widget, at) else ()
        for entry in own:
            entry.setParent(menu)
            menu.addAction(entry)
        if own:
            menu.addSeparator()
        for command_id in command_ids:
            menu.addAction(self._commands[command_id]) if command_id else menu.addSeparator()
        origin = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
        menu.popup(origin.mapToGlobal(at))


def _is_about_an_entry(widget: QWidget, at: QPoint) -> bool:
    """False on the free room of a list, and on the head of a group: the click has
    selected nothing there.
    """
    if not isinstance(widget, QAbstractItemView):
        return True
    index = widget.indexAt(at)
    is_group = isinstance(widget, QTreeView) and widget.model().rowCount(index) > 0
    return index.isValid() and not is_group
