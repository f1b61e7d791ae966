"""Models and controllers of the main window, in the order in which they are made."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QMainWindow

from gui.canvas.area import CanvasArea
from gui.charts.board import ChartBoard
from gui.controllers.answer_export import AnswerExportController
from gui.controllers.ends import EndsController
from gui.controllers.export import ExportController
from gui.controllers.first_start import CompileAheadController, FirstStartController
from gui.controllers.help import HelpController, TourController
from gui.controllers.hierarchy import HierarchyController
from gui.controllers.look import LookController
from gui.controllers.losses import UnsavedWorkGuard
from gui.controllers.open import OpenController
from gui.controllers.roads import RoadsController
from gui.controllers.run import RunController, RunJobs
from gui.controllers.trace import TraceController
from gui.controllers.weights import WeightsController
from gui.model.devices import Devices
from gui.model.forecast import Forecast
from gui.model.jobs import Jobs
from gui.model.playback import Playback
from gui.model.session import Session
from gui.model.session_sections import SessionSection
from gui.model.settings import DisplayChoices, Settings
from gui.panels.path import PathPanel


class WindowComponents:
    """What the window is about, and what is done with it; `gui.window` builds the
    widgets around.
    """

    def __init__(self, window: QMainWindow, settings: Settings):
        self.window = window
        self.settings = settings
        self.session = Session(window)
        self.playback = Playback(window, settings)
        self.jobs = Jobs(window, self.session.window)
        self.canvas = CanvasArea(self.session, self.playback, self.jobs)
        self.losses = UnsavedWorkGuard(self.session, self.jobs, window)
        self.open = OpenController(self.session, self.jobs, settings, self.losses, window)
        self.compile_ahead = CompileAheadController(self.session, self.jobs, window)
        self.run_jobs = RunJobs(self.jobs)
        self.forecast = Forecast(self.session, window)
        self.run = RunController(self.session, self.forecast, self.jobs, self.run_jobs, window)
        self.trace = TraceController(
            self.session, self.playback, self.jobs, self.run_jobs, self.canvas, window
        )
        self.path_panel = PathPanel(self.session)
        self.look = LookController(window, self.canvas, settings, self.session.inform)
        self.hierarchy = HierarchyController(self.session, self.jobs, settings, window)
        self.roads = RoadsController(self.session, self.jobs, self.hierarchy, window)
        self.ends = EndsController(self.session, self.jobs, window)
        self.weights = WeightsController(self.session, self.jobs, window)
        # what parts of the window keep in a session; restored in this order
        self.sections: list[SessionSection[Any]] = [self.roads.section]
        self.devices = Devices(self.session, self.jobs, settings, window)
        self.help = HelpController(self.devices, window)
        self.first_start = FirstStartController(
            self.session, self.playback, self.devices, self.open, self.run, self.canvas, window
        )
        self.display_choices = DisplayChoices(settings, window)
        self.charts = ChartBoard(self.session, self.playback, self.display_choices)
        self.export = ExportController(
            self.session, self.playback, self.jobs, settings, self.canvas, self.charts, window
        )
        self.answer_export = AnswerExportController(
            self.session, settings, self.export, self.canvas.options, window
        )
        self.tour = TourController(window)

    def shut_down(self, seconds: float) -> None:
        """Stop what works outside the window's thread, and wait for it at most so long."""
        self.jobs.shut_down(seconds)
