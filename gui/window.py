"""Main window: wires its parts, and does what menus and the desktop ask of the window itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog

from gui.controllers.first_start import default_choices
from gui.dialogs.help import AboutDialog, HelpPage, ShortcutsDialog, show_page
from gui.dialogs.messages import show_crash_report, show_details
from gui.dialogs.palette import PaletteDialog
from gui.model.session_file import is_session_file
from gui.model.settings import Settings
from gui.parts import TITLE, WindowParts
from gui.picture.scene.content import Layer
from gui.shell.commands import state_of
from gui.shell.docks import WindowArrangement
from gui.shell.keys import ShiftedPlus
from gui.style import theme
from gui.style.colours import Scheme
from gui.style.text import button_text, clamped_percent, window_title
from solvers.core.variant import all_variants
from solvers.running.trials_file import is_trials_file

if TYPE_CHECKING:
    from gui.dialogs.experiments import ExperimentsDialog
    from gui.dialogs.hosts import HostsDialog

_SHUT_DOWN_S = 2.0
_DialogT = TypeVar("_DialogT", bound=QDialog)


class MainWindow(WindowParts):
    """The application's window.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings):
        super().__init__(settings)
        self._connect()
        self._arrangement = WindowArrangement(self, settings, self.results_place.splitter, self._left, self._right)
        self._arrangement.restore()
        self.session.set_plan(settings.plan)
        self.commands["prepare-hierarchies"].setChecked(settings.prepares_hierarchies)
        ShiftedPlus(self.commands["type-larger"], self)
        self._show_choices()
        self.recolour()
        self.refresh()

    # -- wiring ------------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        session = self.session
        session.noticed.connect(self.notices.show_notice)
        self.notices.details_requested.connect(lambda notice: show_details(self, notice.text, notice.details))
        self.notices.report_requested.connect(lambda notice: show_crash_report(self, notice.report))
        session.graph_changed.connect(self._show_graph)
        session.weights_changed.connect(self._show_weights)
        for signal in (
            session.graph_changed, session.endpoints_changed, session.choices_changed, session.results_changed,
            session.selection_changed, session.device_changed, self.playback.trace_changed, self.jobs.changed,
            session.live.toggled, session.live.answered,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self.jobs.measuring_changed.connect(self.playback.hold)
        self.run_list.changed.connect(lambda: self.forecast.use(self.run_list.earlier_times))
        self.undo.changed.connect(self._show_steps)
        self.play_bar.trace_requested.connect(self.trace.trace_selected)
        self.open.lesson_opened.connect(self.show_lesson)
        self.lesson_panel.arc_shown.connect(self.canvas.set_step_arc)
        self._lesson_dock.visibilityChanged.connect(self.lesson_panel.set_front)
        self.start_page.tour_chosen.connect(self.tour.start)
        self.card.glossary_requested.connect(partial(self.show_help, "glossary"))
        self.card.race_requested.connect(self.commands["data-race"].trigger)
        for field in (self.endpoints.source, self.endpoints.target, self.endpoints.search):
            field.left.connect(self.canvas.setFocus)
        self.roads_panel.zoom_requested.connect(self.canvas.zoom_to)
        self.roads_panel.differences_shown.connect(self.canvas.show_differences)
        self.roads_panel.network_requested.connect(self.export.ask_network)
        self.roads_panel.table_requested.connect(self.export.ask_differences)
        self.canvas.layers_changed.connect(self._show_road_layer)
        self.path_panel.zoom_requested.connect(self.canvas.zoom_to_path)
        self.canvas.matrix_requested.connect(self.commands["matrix"].setChecked)
        self.all_sources.map_shown.connect(self.commands["all-sources-map"].setChecked)
        self.reach.shown.connect(self.commands["reach"].setChecked)
        self.session.live.toggled.connect(self.commands["live"].setChecked)
        self.live_film.recording_changed.connect(self.commands["record-drag"].setChecked)
        self.presentation.toggled.connect(self.commands["present"].setChecked)
        self.race.toggled.connect(self.commands["race"].setChecked)
        self.race.toggled.connect(lambda on: self.caption.say("race by real time" if on else ""))
        self.devices.found.connect(self._choose_at_start)
        self.canvas.layers_changed.connect(self._show_levels)
        self.canvas.split_changed.connect(self._show_choices)
        self.canvas.scenes.changed.connect(self._show_choices)
        self.playback.state_changed.connect(self._show_choices)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.recolour)

    # -- handlers of the action table --------------------------------------------------------------------------------

    def show_experiments(self) -> ExperimentsDialog:
        return self.experiments.show()

    def show_hosts(self) -> HostsDialog:
        return self.hosts.show()

    def show_roads(self) -> None:
        """Show the list of closed and slowed roads, ready for the ids of one."""
        self._roads_dock.show()
        self._roads_dock.raise_()
        self.roads_panel.field.setFocus()

    def find_vertex(self) -> None:
        """Focus the toolbar's search field."""
        self.endpoints.focus_search()

    def set_scheme(self, name: str) -> None:
        """Apply and remember the colour scheme: "light", "dark" or "system"."""
        self.settings.set_scheme(Scheme(name))
        application = QApplication.instance()
        assert isinstance(application, QApplication)  # there is no window without
        theme.apply(application, Scheme(name))
        self.recolour()

    def scale_type(self, by: int) -> None:
        """Make all type larger or smaller by so many per cent of the desktop's size, and keep that; 0 is that size."""
        percent = clamped_percent(self.settings.type_percent + by) if by else 100
        self.settings.set_type_percent(percent)
        self.presentation.set_type(percent)

    def show_plan(self) -> None:
        """Open the fields for trials, warm-ups and time limit."""
        self.plan_button.showMenu()

    def show_palette(self) -> PaletteDialog:
        return self._open(PaletteDialog(self.commands, self.session, self.show_parameter, self))

    def show_parameter(self, variant_id: str, name: str) -> None:
        """Show the field of a variant's parameter, ready to be edited."""
        self.session.select(variant_id)
        card, _ = self._left[1]
        card.show()
        card.raise_()
        self.card.focus_parameter(name)

    def show_shortcuts(self) -> ShortcutsDialog:
        return self._open(ShortcutsDialog(self.commands, self))

    def show_help(self, page: str, anchor: str = "") -> HelpPage:
        """Open a page of help, at a place in it if ``anchor`` names one."""
        return show_page(page, self, anchor)

    def show_about(self) -> AboutDialog:
        return self._open(AboutDialog(self))

    @staticmethod
    def _open(dialog: _DialogT) -> _DialogT:
        dialog.open()
        return dialog

    # -- following the session ---------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Enable the commands that are possible now."""
        self.commands.refresh(state_of(self.session, self.playback, self.jobs, self.undo.history))

    def _show_steps(self) -> None:
        """Name in the menu what can be undone and redone."""
        history = self.undo.history
        for action_id, verb, what in (("undo", "Undo", history.undo_text), ("redo", "Redo", history.redo_text)):
            self.commands[action_id].setText(button_text(f"{verb} {what}".rstrip()))
        self.refresh()

    def _show_road_layer(self) -> None:
        shown = self.canvas.layers()[Layer.DIFFERENCE.value]
        self.roads_panel.show_differences.setChecked(shown)

    def _show_choices(self) -> None:
        """Check the menu entries of the current layout, split and pace."""
        for action_id in (
            f"layout-{self.canvas.scenes.arrangement.value}", f"split-{self.canvas.split_count}",
            f"pace-{self.playback.pace.value}",
        ):  # fmt: skip
            self.commands[action_id].setChecked(True)

    def _show_levels(self) -> None:
        """Show the levels' bar, and check the menu entry, while the canvas shows them."""
        self.commands["levels"].setChecked(self.canvas.levels_shown)
        self.levels_bar.setVisible(self.canvas.levels_shown)

    def recolour(self) -> None:
        """Apply the colours of the current scheme."""
        if self.settings.scheme is Scheme.SYSTEM:
            QApplication.setPalette(theme.palette(theme.tokens()))
        self.commands[f"scheme-{self.settings.scheme.value}"].setChecked(True)
        self.commands.recolour()
        self.toolbar.recolour()
        self.endpoints.recolour()
        self.plan_button.recolour()
        self.run_button.refresh()
        self.start_page.recolour()

    def _show_graph(self) -> None:
        graph = self.session.graph
        leaves_start_page = graph is not None and self._pages.currentIndex() == 0
        self._pages.setCurrentIndex(0 if graph is None else 1)
        if leaves_start_page:  # which leaves the focus with the source's field, where keys are text
            self.canvas.setFocus()
        self.setWindowTitle(TITLE if graph is None else f"{TITLE} \N{EN DASH} {window_title(graph.name)}")
        self.notices.dismiss()
        self.toolbar.show_weights()
        self._show_weights()

    def _show_weights(self) -> None:
        """Check the menu entry of the open network's weights."""
        roads = None if self.session.whole_graph is None else self.session.whole_graph.roads
        for name in ("seconds", "metres"):
            units = [] if roads is None else [column.unit for column in roads.weights if column.name == name]
            graph = self.session.whole_graph
            self.commands[f"weights-{name}"].setChecked(graph is not None and graph.weight_unit in units)

    def show_lesson(self) -> None:
        """Bring the lesson to the front."""
        self._lesson_dock.show()
        self._lesson_dock.raise_()

    def _choose_at_start(self) -> None:
        """Tick the remembered variants or, at the first start, a default set that can run here."""
        if self.session.chosen_ids:
            return
        known = {v.id for v in all_variants()}
        remembered = self.settings.chosen_ids
        wanted = default_choices(self.session.device) if remembered is None else remembered
        self.session.choose_only(known.intersection(wanted))
        self.undo.start_again()

    # -- the window itself -------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open files given together: a session, tables of runs, or a graph, optionally with coordinates."""
        sessions = [path for path in paths if is_session_file(path)]
        if sessions:
            self.session_file.open(sessions[0])
        paths = [path for path in paths if path not in sessions]
        tables = [path for path in paths if is_trials_file(path)]
        if tables:
            self.kept_runs.import_files(tables)
        if graphs := [path for path in paths if path not in tables]:
            self.open.open_all(graphs)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.settings.layout is None and not event.spontaneous():
            QTimer.singleShot(0, self, self._arrangement.arrange)  # docks have no heights before the first layout pass

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc, where nothing that has the focus uses it, leaves what was entered last."""
        if event.key() != Qt.Key.Key_Escape or not self._leave():
            super().keyPressEvent(event)

    def _leave(self) -> bool:
        """Close the notice, or end presentation or race; False if there is none of them."""
        if self.notices.notice is not None:
            self.notices.dismiss()
            return True
        return self.presentation.leave() or self.race.leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the layout and the ticked variants, stop all jobs, and close."""
        self.race.leave()  # whose pace is not kept
        self.presentation.leave()
        self.last_session.end()
        self._arrangement.save()
        self.settings.set_chosen_ids(self.session.chosen_ids)
        self.settings.set_plan(self.session.plan)
        self.playback.pause()
        if "hosts" in self.__dict__:
            self.hosts.shut_down(_SHUT_DOWN_S)
        self.jobs.shut_down(_SHUT_DOWN_S)
        super().closeEvent(event)
