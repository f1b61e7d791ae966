"""The parts of the main window: models, controllers and widgets, made and put in their places."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from gui.canvas.area import CanvasArea
from gui.canvas.levels_bar import LevelsBar
from gui.canvas.presentation_foot import PresentationFoot
from gui.charts.place import ChartPlace
from gui.controllers.answer_exporting import AnswerExporting
from gui.controllers.compiling import CompilingAhead
from gui.controllers.continuing import Continuing
from gui.controllers.data_racing import DataRacing
from gui.controllers.dataset_downloads import DatasetDownloads
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
from gui.model.devices import Devices
from gui.model.display_choices import DisplayChoices
from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.run_list import RunList
from gui.model.session import Session
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
from gui.shell import docks
from gui.shell.centre import FootCard, Overlay
from gui.shell.commands import Commands
from gui.shell.device_box import DeviceBox
from gui.shell.listed_menus import LayersMenu, RecentMenu
from gui.shell.notices import NoticeBar
from gui.shell.plan_button import PlanButton
from gui.shell.start_page import StartPage
from gui.shell.statusbar import StatusBar
from gui.shell.toolbar import EndpointsBar, RunButton, ToolBar
from gui.shell.weights_box import WeightsBox

if TYPE_CHECKING:
    from gui.controllers.experimenting import Experimenting
    from gui.controllers.hosting import Hosting

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
        self.continuing = Continuing(self.session, self.jobs, self.session_files, self.run_list, self.runs, self)
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
        self.start_page.continued.connect(self.continuing.restore)
        self.continuing.offered.connect(self.start_page.offer_last)
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
