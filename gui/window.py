"""Main window: builds and wires widgets and controllers; has no behaviour of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gui.canvas.area import CanvasArea
from gui.canvas.levels_bar import LevelsBar
from gui.canvas.presentation_foot import PresentationFoot
from gui.charts.place import ChartPlace
from gui.controllers.answer_exporting import AnswerExporting
from gui.controllers.compiling import CompilingAhead
from gui.controllers.data_racing import DataRacing
from gui.controllers.dataset_downloads import DatasetDownloads
from gui.controllers.defaults import default_choices
from gui.controllers.devices import DeviceListing
from gui.controllers.exporting import Exporting
from gui.controllers.first_start import FirstStart
from gui.controllers.live import Live
from gui.controllers.live_film import LiveFilm
from gui.controllers.opening import Opening
from gui.controllers.pinning import Pinning
from gui.controllers.preparing import Preparing
from gui.controllers.presenting import Presenting
from gui.controllers.racing import Racing
from gui.controllers.reaching import Reaching
from gui.controllers.road_editing import RoadEditing
from gui.controllers.run_jobs import RunJobs
from gui.controllers.running import Running
from gui.controllers.runs import Runs
from gui.controllers.session_files import SessionFiles
from gui.controllers.summarising import Summarising
from gui.controllers.touring import Place, Touring
from gui.controllers.tracing import Tracing
from gui.controllers.undoing import Undoing
from gui.controllers.weighing import Weighing
from gui.dialogs.about import AboutDialog
from gui.dialogs.crash_report import show_crash_report
from gui.dialogs.details import show_details
from gui.dialogs.help_page import HelpPage, show_page
from gui.dialogs.palette import PaletteDialog
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.model.devices import Devices
from gui.model.display_choices import DisplayChoices
from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.run_list import RunList
from gui.model.session import Session
from gui.model.session_file import is_session_file
from gui.model.settings import Settings
from gui.panels.caption import CaptionLine
from gui.panels.card import VariantCard
from gui.panels.lesson import LessonPanel
from gui.panels.path import PathPanel
from gui.panels.playbar import PlayBar
from gui.panels.results import ResultsPanel
from gui.panels.results_place import ResultsPlace
from gui.panels.roads import RoadsPanel
from gui.panels.runs import RunsPanel
from gui.panels.variants import VariantsPanel
from gui.picture.scene.content import Layer
from gui.shell import docks
from gui.shell.arrangement import WindowArrangement
from gui.shell.centre import FootCard, Overlay
from gui.shell.commands import Commands, state_of
from gui.shell.device_box import DeviceBox
from gui.shell.listed_menus import LayersMenu, RecentMenu
from gui.shell.notices import NoticeBar
from gui.shell.plan_button import PlanButton
from gui.shell.start_page import StartPage
from gui.shell.statusbar import StatusBar
from gui.shell.toolbar import EndpointsBar, RunButton, ToolBar
from gui.shell.weights_box import WeightsBox
from gui.style import theme, type_size
from gui.style.plain_text import button_text, window_title
from gui.style.tokens import Scheme
from solvers.contracts import catalog
from solvers.running.trials_file import is_trials_file

if TYPE_CHECKING:
    from gui.controllers.experimenting import Experimenting
    from gui.controllers.hosting import Hosting
    from gui.dialogs.experiments import ExperimentsDialog
    from gui.dialogs.hosts import HostsDialog

TITLE = "Tautline"
_SHUT_DOWN_S = 2.0
_LEAST_SIZE = (960, 600)
_DialogT = TypeVar("_DialogT", bound=QDialog)


class MainWindow(QMainWindow):
    """The application's window: variants on the left, canvas in the middle, results and charts on the right.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings
        self.session = Session(self)
        self.playback = Playback(self, settings)
        self.jobs = Jobs(self, self.session.turns)
        self.canvas = CanvasArea(self.session, self.playback, self.jobs)
        self.opening = Opening(self.session, self.jobs, settings, self)
        self.dataset_downloads = DatasetDownloads(self.session, self.jobs, self.opening, self)
        self.compiling = CompilingAhead(self.session, self.jobs, self)
        run_jobs = RunJobs(self.jobs)
        self.run_list = RunList(self.session, self.jobs, parent=self)
        self.forecast = Forecast(self.session, self)
        self.running = Running(self.session, self.forecast, self.jobs, run_jobs, self.run_list, self)
        self.tracing = Tracing(self.session, self.playback, self.jobs, run_jobs, self.canvas, self)
        self.reaching = Reaching(self.session, self.canvas, self)
        self.data_racing = DataRacing(self.session, self.jobs, self)
        self.presenting = Presenting(self, self.canvas)
        self.racing = Racing(self.session, self.playback, self.jobs, self.running, self.canvas, self)
        self.preparing = Preparing(self.session, self.jobs, settings, self)
        self.road_editing = RoadEditing(self.session, self.jobs, self.preparing, self)
        self.weighing = Weighing(self.session, self.jobs, self)
        self.undoing = Undoing(self.session, self.canvas, self)
        self.live = Live(self.session, self.jobs, self.preparing, self.canvas, self)
        self.session_files = SessionFiles(
            self.session, self.opening, settings, self.canvas, self.reaching, self.live, self.undoing, self
        )
        self.devices = Devices(self.session, self.jobs, settings, self)
        self.device_listing = DeviceListing(self.devices, self)
        self.first_start = FirstStart(
            self.session, self.playback, self.devices, self.opening, self.running, self.canvas, self
        )
        self.display_choices = DisplayChoices(settings, self)
        self.charts = ChartPlace(self.session, self.playback, self.display_choices)
        self.summarising = Summarising(self.session, self.jobs, self.canvas, self.charts, lambda: self.hosting, self)
        self.exporting = Exporting(self.session, self.playback, self.jobs, settings, self.canvas, self.charts, self)
        self.answer_exporting = AnswerExporting(self.session, settings, self.exporting, self)
        self.live_film = LiveFilm(self.session, self.canvas, self.exporting, self)
        self.pinning = Pinning(self.session, self.running, self)
        self.lesson_panel = LessonPanel(self.session, self.playback)
        self.runs_panel = RunsPanel(self.run_list, self.session)
        self.runs = Runs(
            self.runs_panel, self.run_list, self.session, self.jobs, settings, self.opening, self.exporting, self
        )
        self.touring = Touring(self)
        self.commands = self._make_commands()
        self.endpoints = EndpointsBar(self.session, self.commands, self.canvas.go_to_vertex)
        self.weights_box = WeightsBox(self.session, self.weighing.weigh_by)
        self.plan_button = PlanButton(self.session)
        self.run_button = RunButton(self.session, self.forecast, self.jobs, self.commands)
        self.notices = NoticeBar()
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*_LEAST_SIZE)
        self.setAcceptDrops(True)
        self._add_toolbar()
        self._add_left_docks()  # in reading order, which becomes the tab order
        self._add_centre()
        self._add_right_docks()
        self._add_menus()
        self.setStatusBar(StatusBar(self.session, self.jobs))
        self.touring.set_places(self._tour_places())
        self._connect()
        self._arrangement = WindowArrangement(self, settings, self.results_place.splitter, self._left, self._right)
        self._arrangement.restore()
        self.session.set_plan(settings.plan)
        self.commands["prepare-hierarchies"].setChecked(settings.prepares_hierarchies)
        self._show_choices()
        self.recolour()
        self.refresh()

    # -- assembly ----------------------------------------------------------------------------------------------------

    def _make_commands(self) -> Commands:
        return Commands(
            self,
            {
                "window": self,
                "session": self.session,
                "playback": self.playback,
                "canvas": self.canvas,
                "opening": self.opening,
                "running": self.running,
                "tracing": self.tracing,
                "data_racing": self.data_racing,
                "datasets": self.dataset_downloads,
                "presenting": self.presenting,
                "racing": self.racing,
                "reaching": self.reaching,
                "sessions": self.session_files,
                "summarising": self.summarising,
                "exporting": self.exporting,
                "answer_exporting": self.answer_exporting,
                "devices": self.device_listing,
                "charts": self.charts,
                "runs": self.runs,
                "undoing": self.undoing,
                "live": self.live,
                "lesson": self.lesson_panel,
                "touring": self.touring,
                "live_film": self.live_film,
                "pinning": self.pinning,
                "preparing": self.preparing,
                "roads": self.road_editing,
                "weighing": self.weighing,
            },
        )

    def _add_toolbar(self) -> None:
        device_box = DeviceBox(self.session, self.devices)
        self.toolbar = ToolBar(
            self.commands, self.endpoints, self.weights_box, device_box, self.plan_button, self.run_button
        )
        self.toolbar.setContextMenuPolicy(self.contextMenuPolicy().PreventContextMenu)
        self.addToolBar(self.toolbar)

    def _add_centre(self) -> None:
        self.start_page = StartPage(
            self.settings, self.commands["open"], self.commands["generate"], self.commands["datasets"]
        )
        self.start_page.file_chosen.connect(self.opening.open)
        self.start_page.sample_chosen.connect(self.opening.open_sample)
        self.play_bar = PlayBar(self.playback, self.session)
        self.levels_bar = LevelsBar(self.canvas.levels)
        self.levels_bar.hide()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.start_page)
        self._pages.addWidget(self.canvas)
        foot = FootCard(self.levels_bar, self.play_bar)
        self.overlay = Overlay(self._pages, self.notices, foot, self.canvas)
        self.overlay.covered.connect(self.canvas.set_covered)
        self.overlay.reserve(foot.height_with(self.play_bar.full_height))
        self.caption = CaptionLine(self.session, self.playback, self.display_choices)
        self.presentation_foot = PresentationFoot(self.playback, self.canvas)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.caption)
        column.addWidget(self.overlay, 1)
        column.addWidget(self.presentation_foot)
        self.setCentralWidget(centre)
        self.presenting.use(self.overlay, self.caption, self.presentation_foot)

    def _add_left_docks(self) -> None:
        self.variants_panel = VariantsPanel(self.session)
        self.card = VariantCard(self.session, self.playback)
        self._left = [
            (docks.add_dock(self, "Variants", self.variants_panel, docks.LEFT), 3),
            (docks.add_dock(self, "Selected variant", self.card, docks.LEFT), 2),
        ]

    def _add_right_docks(self) -> None:
        self.results_panel = ResultsPanel(self.session, self.display_choices)
        self.results_place = ResultsPlace(self.session, self.display_choices, self.results_panel, self.charts)
        self.path_panel = PathPanel(self.session)
        self._right = [
            (docks.add_dock(self, "Results", self.results_place, docks.RIGHT), 8),
            (docks.add_dock(self, "Path", self.path_panel, docks.RIGHT), 2),
        ]
        results, _ = self._right[0]
        self._runs_dock = docks.add_dock(self, "Runs", self.runs_panel, docks.RIGHT)
        docks.add_tab(self, results, self._runs_dock)
        self.roads_panel = RoadsPanel(self.session)
        self._roads_dock = docks.add_dock(self, "Roads", self.roads_panel, docks.RIGHT)
        docks.add_tab(self, results, self._roads_dock)
        self._lesson_dock = docks.add_dock(self, "Lesson", self.lesson_panel, docks.RIGHT)
        docks.add_tab(self, results, self._lesson_dock)
        # Other windows may have added runs since the last look.
        self._runs_dock.visibilityChanged.connect(lambda visible: self.run_list.load() if visible else None)

    def _add_menus(self) -> None:
        menus = self.commands.fill(self.menuBar())
        self.recent_menu = RecentMenu(self.settings, self.opening.open, self)
        menus["File"].insertMenu(self.commands["generate"], self.recent_menu)
        self.layers_menu = LayersMenu(self.canvas.layers, self.canvas.set_layer, self)
        menus["View"].insertMenu(self.commands["scheme-system"], self.layers_menu)
        panels = menus["View"].addMenu("Panels")
        for dock in (*(dock for dock, _ in (*self._left, *self._right)), self._runs_dock, self._roads_dock,
                     self._lesson_dock):  # fmt: skip
            panels.addAction(dock.toggleViewAction())

    def _tour_places(self) -> dict[Place, QWidget]:
        """What each stop of the tour points at."""
        (variants, _), (card, _) = self._left
        (results, _), *_ = self._right
        return {
            Place.WINDOW: self,
            Place.ENDPOINTS: self.endpoints,
            Place.VARIANTS: variants,
            Place.RUN: self.run_button,
            Place.RESULTS: results,
            Place.PLAY: self.play_bar,
            Place.LESSON: self._lesson_dock,
            Place.CARD: card,
            Place.CHARTS: self.charts,
        }

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
        self.undoing.changed.connect(self._show_steps)
        self.play_bar.trace_requested.connect(self.tracing.trace_selected)
        self.opening.lesson_opened.connect(self.show_lesson)
        self.lesson_panel.arc_shown.connect(self.canvas.set_step_arc)
        self._lesson_dock.visibilityChanged.connect(self.lesson_panel.set_front)
        self.start_page.tour_chosen.connect(self.touring.start)
        self.card.glossary_requested.connect(partial(self.show_help, "glossary"))
        self.card.race_requested.connect(self.commands["data-race"].trigger)
        for field in (self.endpoints.source, self.endpoints.target, self.endpoints.search):
            field.left.connect(self.canvas.setFocus)
        self.roads_panel.zoom_requested.connect(self.canvas.zoom_to)
        self.roads_panel.differences_shown.connect(self.canvas.show_differences)
        self.roads_panel.network_requested.connect(self.exporting.ask_network)
        self.roads_panel.table_requested.connect(self.exporting.ask_differences)
        self.canvas.layers_changed.connect(self._show_road_layer)
        self.path_panel.zoom_requested.connect(self.canvas.zoom_to_path)
        self.canvas.matrix_requested.connect(self.commands["matrix"].setChecked)
        self.summarising.map_shown.connect(self.commands["all-sources-map"].setChecked)
        self.reaching.shown.connect(self.commands["reach"].setChecked)
        self.session.live.toggled.connect(self.commands["live"].setChecked)
        self.live_film.recording_changed.connect(self.commands["record-drag"].setChecked)
        self.presenting.toggled.connect(self.commands["present"].setChecked)
        self.racing.toggled.connect(self.commands["race"].setChecked)
        self.racing.toggled.connect(lambda on: self.caption.say("race by real time" if on else ""))
        self.devices.found.connect(self._choose_at_start)
        self.canvas.layers_changed.connect(self._show_levels)
        self.canvas.split_changed.connect(self._show_choices)
        self.canvas.scenes.changed.connect(self._show_choices)
        self.playback.state_changed.connect(self._show_choices)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.recolour)

    @cached_property
    def experimenting(self) -> Experimenting:
        """Runs experiments; made when first used, because few sessions do, and their modules are many."""
        from gui.controllers.experimenting import Experimenting

        return Experimenting(self.session, self.jobs, lambda: self.hosting, self)

    @cached_property
    def hosting(self) -> Hosting:
        """Connects to clusters; made when first used, like the experiments."""
        from gui.controllers.hosting import Hosting

        return Hosting(self.session, self.jobs.quiet, self.settings, self)

    # -- handlers of the action table --------------------------------------------------------------------------------

    def show_experiments(self) -> ExperimentsDialog:
        return self.experimenting.show()

    def show_hosts(self) -> HostsDialog:
        return self.hosting.show()

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
        percent = type_size.clamped(self.settings.type_percent + by) if by else 100
        self.settings.set_type_percent(percent)
        self.presenting.set_type(percent)

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
        self.commands.refresh(state_of(self.session, self.playback, self.jobs, self.undoing.history))

    def _show_steps(self) -> None:
        """Name in the menu what can be undone and redone."""
        history = self.undoing.history
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
        self._pages.setCurrentIndex(0 if graph is None else 1)
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
        known = {v.id for v in catalog.variants()}
        remembered = self.settings.chosen_ids
        wanted = default_choices(self.session.device) if remembered is None else remembered
        self.session.choose_only(known.intersection(wanted))
        self.undoing.start_again()

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
            self.session_files.open(sessions[0])
        paths = [path for path in paths if path not in sessions]
        tables = [path for path in paths if is_trials_file(path)]
        if tables:
            self.runs.import_files(tables)
        if graphs := [path for path in paths if path not in tables]:
            self.opening.open_all(graphs)

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
        return self.presenting.leave() or self.racing.leave()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save the layout and the ticked variants, stop all jobs, and close."""
        self.racing.leave()  # whose pace is not kept
        self.presenting.leave()
        self._arrangement.save()
        self.settings.set_chosen_ids(self.session.chosen_ids)
        self.settings.set_plan(self.session.plan)
        self.playback.pause()
        if "hosting" in self.__dict__:
            self.hosting.shut_down(_SHUT_DOWN_S)
        self.jobs.shut_down(_SHUT_DOWN_S)
        super().closeEvent(event)
