"""The parts of the main window: models, controllers and widgets, made and put in their places."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.levels import LevelsBar
from gui.canvas.presentation import CaptionLine, PresentationFoot
from gui.charts.place import ChartPlace
from gui.controllers.all_sources import AllSourcesController
from gui.controllers.answer_export import AnswerExportController
from gui.controllers.data_race import DataRaceController
from gui.controllers.export import ExportController
from gui.controllers.first_start import CompileAheadController, FirstStartController
from gui.controllers.help import DeviceListController, Place, TourController
from gui.controllers.hierarchy import HierarchyController
from gui.controllers.kept_runs import KeptRunsController
from gui.controllers.last_session import LastSessionController
from gui.controllers.live import LiveController, LiveFilmController, PinController
from gui.controllers.open import DatasetsController, OpenController
from gui.controllers.presentation import PresentationController
from gui.controllers.race import RaceController
from gui.controllers.reach import ReachController
from gui.controllers.roads import RoadsController, WeightsController
from gui.controllers.run import RunController, RunJobs
from gui.controllers.session_file import SessionFileController
from gui.controllers.trace import TraceController
from gui.controllers.undo import UndoController
from gui.model.devices import Devices
from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.kept_runs import RunList
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.settings import DisplayChoices, Settings
from gui.panels.lesson import LessonPanel
from gui.panels.path import PathPanel
from gui.panels.play_bar import PlayBar
from gui.panels.results import ResultsPlace
from gui.panels.results_table import ResultsPanel
from gui.panels.roads import RoadsPanel
from gui.panels.runs import RunsPanel
from gui.panels.variant_card import VariantCard
from gui.panels.variants import VariantsPanel
from gui.shell import docks
from gui.shell.centre import FootCard, NoticeBar, Overlay
from gui.shell.commands import Commands, LayersMenu, RecentMenu
from gui.shell.start_page import StartPage
from gui.shell.statusbar import StatusBar
from gui.shell.toolbar import EndpointsBar, PlanButton, RunButton, ToolBar
from gui.shell.toolbar_fields import DeviceBox, WeightsBox

if TYPE_CHECKING:
    from gui.controllers.experiments import ExperimentsController
    from gui.controllers.hosts import HostsController

TITLE = "Tautline"
_LEAST_SIZE = (960, 600)


class WindowParts(QMainWindow):
    """Base class of the main window: variants on the left, canvas in the middle, results and charts on the right.

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
        self.open = OpenController(self.session, self.jobs, settings, self)
        self.datasets = DatasetsController(self.session, self.jobs, self.open, self)
        self.compile_ahead = CompileAheadController(self.session, self.jobs, self)
        run_jobs = RunJobs(self.jobs)
        self.run_list = RunList(self.session, self.jobs, parent=self)
        self.forecast = Forecast(self.session, self)
        self.run = RunController(self.session, self.forecast, self.jobs, run_jobs, self.run_list, self)
        self.trace = TraceController(self.session, self.playback, self.jobs, run_jobs, self.canvas, self)
        self.reach = ReachController(self.session, self.canvas, self)
        self.data_race = DataRaceController(self.session, self.jobs, self)
        self.presentation = PresentationController(self, self.canvas)
        self.race = RaceController(self.session, self.playback, self.jobs, self.run, self.canvas, self)
        self.hierarchy = HierarchyController(self.session, self.jobs, settings, self)
        self.roads = RoadsController(self.session, self.jobs, self.hierarchy, self)
        self.weights = WeightsController(self.session, self.jobs, self)
        self.undo = UndoController(self.session, self.canvas, self)
        self.live = LiveController(self.session, self.jobs, self.hierarchy, self.canvas, self)
        self.session_file = SessionFileController(
            self.session, self.open, settings, self.canvas, self.reach, self.live, self.undo, self
        )
        self.devices = Devices(self.session, self.jobs, settings, self)
        self.device_list = DeviceListController(self.devices, self)
        self.first_start = FirstStartController(
            self.session, self.playback, self.devices, self.open, self.run, self.canvas, self
        )
        self.display_choices = DisplayChoices(settings, self)
        self.charts = ChartPlace(self.session, self.playback, self.display_choices)
        self.all_sources = AllSourcesController(
            self.session, self.jobs, self.canvas, self.charts, lambda: self.hosts, self
        )
        self.export = ExportController(self.session, self.playback, self.jobs, settings, self.canvas, self.charts, self)
        self.answer_export = AnswerExportController(self.session, settings, self.export, self)
        self.live_film = LiveFilmController(self.session, self.canvas, self.export, self)
        self.pin = PinController(self.session, self.run, self)
        self.lesson_panel = LessonPanel(self.session, self.playback)
        self.runs_panel = RunsPanel(self.run_list, self.session)
        self.kept_runs = KeptRunsController(
            self.runs_panel, self.run_list, self.session, self.jobs, settings, self.open, self.export, self
        )
        self.last_session = LastSessionController(
            self.session, self.jobs, self.session_file, self.run_list, self.kept_runs, self
        )
        self.tour = TourController(self)
        self.commands = self._make_commands()
        self.endpoints = EndpointsBar(self.session, self.commands, self.canvas.go_to_vertex)
        self.weights_box = WeightsBox(self.session, self.weights.weigh_by)
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
        self.tour.set_places(self._tour_places())

    # -- assembly ----------------------------------------------------------------------------------------------------

    def _make_commands(self) -> Commands:
        return Commands(
            self,
            {
                "window": self,
                "session": self.session,
                "playback": self.playback,
                "canvas": self.canvas,
                "open": self.open,
                "run": self.run,
                "trace": self.trace,
                "data_race": self.data_race,
                "datasets": self.datasets,
                "presentation": self.presentation,
                "race": self.race,
                "reach": self.reach,
                "session_file": self.session_file,
                "all_sources": self.all_sources,
                "export": self.export,
                "answer_export": self.answer_export,
                "device_list": self.device_list,
                "charts": self.charts,
                "kept_runs": self.kept_runs,
                "undo": self.undo,
                "live": self.live,
                "lesson": self.lesson_panel,
                "tour": self.tour,
                "live_film": self.live_film,
                "pin": self.pin,
                "hierarchy": self.hierarchy,
                "roads": self.roads,
                "weights": self.weights,
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
        self.start_page.file_chosen.connect(self.open.open)
        self.start_page.sample_chosen.connect(self.open.open_sample)
        self.start_page.continued.connect(self.last_session.restore)
        self.last_session.offered.connect(self.start_page.offer_last)
        self.play_bar = PlayBar(self.playback, self.session)
        self.levels_bar = LevelsBar(self.canvas.levels)
        self.levels_bar.hide()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.start_page)
        self._pages.addWidget(self.canvas)
        foot = FootCard(self.levels_bar, self.play_bar)
        foot.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # before the proxy, which would take it instead
        foot.setFocusProxy(self.canvas)  # a click on the play bar leaves text fields, so that Space plays
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
        self.presentation.use(self.overlay, self.caption, self.presentation_foot)

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
        self.recent_menu = RecentMenu(self.settings, self.open.open, self)
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

    @cached_property
    def experiments(self) -> ExperimentsController:
        """Runs experiments; made when first used, because few sessions do, and their modules are many."""
        from gui.controllers.experiments import ExperimentsController

        return ExperimentsController(self.session, self.jobs, lambda: self.hosts, self)

    @cached_property
    def hosts(self) -> HostsController:
        """Connects to clusters; made when first used, like the experiments."""
        from gui.controllers.hosts import HostsController

        return HostsController(self.session, self.jobs.quiet, self.settings, self)
