"""What each dialog says, as kept in ``tests/golden``: in its first state, and what is
new in the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.dialogs import help as help_dialogs
from gui.dialogs.export import AnimationDialog, ExportDialog
from gui.dialogs.messages import CrashReportDialog, DetailsDialog, show_log
from gui.dialogs.open import GenerateDialog, OpenOptionsDialog
from gui.features.all_sources.panel import AllSourcesPanel
from gui.features.clusters.dialog import HostsDialog
from gui.features.clusters.link import ClusterStatus, LinkState
from gui.features.data_race.controller import contention_text, outcome_text
from gui.features.data_race.dialog import DataRaceDialog
from gui.features.datasets.dialog import DatasetsDialog
from gui.features.exercises.dialog import ExercisesDialog
from gui.features.experiments.page import (
    Doing,
    ExperimentList,
    ExperimentPage,
    ExperimentState,
    Offer,
)
from gui.features.experiments.tabs import ForecastView
from gui.features.kept_runs.dialog import CompareRunsDialog
from gui.features.lesson.dialog import QuestionsDialog
from gui.features.page.dialog import WebPageDialog
from gui.model.playback import Playback
from gui.model.session import Session
from solvers import all_sources
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.devices import DeviceList
from solvers.features.data_race.counting import ContentionLevel, RaceReport, WrongVertex
from solvers.features.datasets.catalogue import DatasetStore, dataset
from solvers.features.exercises.course import Attempt, exercises
from solvers.features.experiments.charts import ChartMaker
from solvers.features.experiments.claims import judge
from solvers.features.experiments.forecast import forecast
from solvers.features.experiments.graphs import GraphFiles
from solvers.features.experiments.report import Findings
from solvers.features.experiments.spec import ExperimentScale
from solvers.features.lesson.questions import questions_of
from solvers.graphs.edge_columns import TablePreview, preview_of
from solvers.graphs.generators import generators
from solvers.graphs.graph import Graph
from solvers.graphs.reading import TableOptions
from tests import graphs
from tests.golden import Golden
from tests.gui.features.clusters.made_cluster import worker
from tests.gui.panels.sample import PretendGpu, activity_trace, make_result, opened_session
from tests.gui.said import said_by
from tests.solvers.fakes import FakeDevice
from tests.solvers.features.experiments.measured import by_label
from tests.solvers.features.experiments.samples import sample
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of
from tests.solvers.features.openstreetmap.town import write_osm

Dialog = TypeVar("Dialog", bound=QWidget)
Request = pytest.FixtureRequest

TIMES = {
    "scan": [4.0] * 6,
    "heap, arity 2": [2.0] * 6,
    "heap, arity 4": [1.0, 1.0, 1.0, 1.1, 1.1, 9.0],
}
LOST = WrongVertex(2, 1, 517.0, 2.0)
TOWNS = "id;way;place;km\n1;Vaduz;Schaan;6\n2;Schaan;Planken;9.5\n"


def after(made: Dialog, *acts: Callable[[Dialog], object]) -> Dialog:
    """The dialog, after these were done with it."""
    for act in acts:
        act(made)
    return made


def path_graph() -> Graph:
    return graphs.from_list(4, [(0, 1, 2), (1, 2, 3), (2, 3, 1)], directed=False)


def tall_panel() -> AllSourcesPanel:
    """The panel of all sources, with room for all that it says."""
    return after(AllSourcesPanel(path_graph()), lambda made: made.resize(400, 1000))


def compared_runs(request: Request, folder: Path) -> CompareRunsDialog:
    heap = kept_variant_of("dijkstra-heap", 2.0, 2.1, 2.0, 1.9, 2.2)
    faster = kept_variant_of("dijkstra-heap", 1.0, 1.1, 1.0, 0.9, 1.2, parameters={"arity": 2})
    other = kept_run_of("aa2", faster, kept_variant_of("bf-serial", 5.0), source=20)
    return CompareRunsDialog(kept_run_of("aa1", heap, name="before"), other)


def datasets_dialog(folder: Path) -> DatasetsDialog:
    return DatasetsDialog(
        (dataset("USA-road-d.NY"), dataset("roadNet-CA")), DatasetStore(folder / "cache")
    )


def open_dialog(folder: Path, name: str, text: str) -> OpenOptionsDialog:
    (folder / name).write_text(text)
    preview = preview_of(text.splitlines(), TableOptions()) if name.endswith(".csv") else None
    return OpenOptionsDialog(folder / name, preview=preview)


def race_told(words: str) -> DataRaceDialog:
    return after(
        DataRaceDialog("Data-driven", "It races.", "line"), lambda made: made.outcome.setText(words)
    )


def raced(runs: int, wrong: tuple[int, ...]) -> DataRaceDialog:
    """After runs of which these have a vertex each that is wrong, or other numbers of vertices."""
    report = RaceReport(
        runs, sum(map(bool, wrong)), (*wrong, *[0] * (runs - len(wrong))), LOST if wrong else None
    )
    return race_told(outcome_text(path_graph(), report))


def contended(wrong: int, *, on_processor: bool = False) -> DataRaceDialog:
    """After 200 right runs with little contention, and 200 with more, of which some were wrong."""
    device = PretendGpu()
    if on_processor:
        device.is_cpu, device.compute_units = True, 2
    reports = (
        RaceReport(200, some, (1,) * some + (0,) * (200 - some), LOST if some else None)
        for some in (0, wrong)
    )
    levels = (
        ContentionLevel(path_graph(), 1023 - lasts, lasts, one)
        for lasts, one in zip((1, 64), reports, strict=True)
    )
    return race_told(contention_text(tuple(levels), device))


def experiment_page(folder: Path, **attributes: Any) -> ExperimentPage:
    experiment = sample(folder)
    look = forecast(experiment, ExperimentScale.SMALL, GraphFiles(), None)
    shown = replace(ExperimentState(view=ForecastView.of(look), needs=look.words), **attributes)
    page = ExperimentPage(ExperimentList((experiment,)))
    return after(page, lambda made: made.show_state(shown))


def judged_experiment(request: Request, folder: Path) -> ExperimentPage:
    experiment = sample(folder)
    measured = by_label(experiment, TIMES)
    found = Findings(
        experiment,
        ExperimentScale.SMALL,
        experiment.measuring[ExperimentScale.SMALL],
        measured,
        (),
        ChartMaker(experiment, measured).all(),
        judge(experiment, ExperimentScale.SMALL, measured),
    )
    made = experiment_page(folder, findings=found, is_offered=True)
    return after(made, lambda made: made.tabs.setCurrentIndex(1))


def hosts_dialog(state: LinkState, problem: str = "") -> HostsDialog:
    return after(HostsDialog(("tcp://node0:8786",)), lambda made: made.show_state(state, problem))


def questions_dialog() -> QuestionsDialog:
    session = opened_session()
    results = traced_and_plain(session)
    session.results.add(results)
    return QuestionsDialog(session, Playback(session), results, questions_of(results))


def traced_and_plain(session: Session) -> list[Result]:
    trace = activity_trace((1, 2, 2))
    traced = make_result(session, "bf-vertex", (2.0,), trace=trace, iterations=3)
    return [traced, make_result(session, "dijkstra-heap", (1.0,))]


def exercises_dialog(request: Request, folder: Path) -> ExercisesDialog:
    course = exercises()[0]
    tried = {
        course[0].id: Attempt(True, 3, "solved", ""),
        course[1].id: Attempt(False, 1, "slow", ""),
    }
    return after(ExercisesDialog(), lambda made: made.show_course(course, tried))


def about(request: Request, folder: Path) -> help_dialogs.AboutDialog:
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    patch.setattr(help_dialogs.platform, "python_version", lambda: "3.11")
    patch.setattr(help_dialogs, "pyside_version", "6")
    return help_dialogs.AboutDialog()


def devices(request: Request, folder: Path) -> help_dialogs.DevicesDialog:
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    patch.setattr(help_dialogs.machine, "cpu_name", lambda: "Test processor")
    patch.setattr(help_dialogs.machine, "cores", lambda: 2)
    patch.setattr(
        help_dialogs.machine, "memory", lambda: SimpleNamespace(total_bytes=8e9, free_bytes=4e9)
    )
    found = DeviceList((FakeDevice(),), ("OpenCL: no platform answered",))
    return after(help_dialogs.DevicesDialog(), lambda made: made.show_list(found))


def unread_log(request: Request, folder: Path) -> QWidget:
    request.getfixturevalue("monkeypatch").setattr(
        "platformdirs.user_log_path", lambda *_, **__: folder / "none"
    )
    return show_log(None)


def search_for(words: str) -> Callable[[Request, Path], QWidget]:
    def search(request: Request, folder: Path) -> QWidget:
        card = request.getfixturevalue("window").parts.help.search()
        return after(card, lambda made: made.field.setText(words))

    return search


STATES: dict[str, dict[str, Callable[[Request, Path], QWidget]]] = {
    "all sources": {
        "opened": lambda *_: after(
            tall_panel(),
            lambda made: made.show_estimate("about 2 min", resumable=False),
        ),
        "interrupted, on a cluster": lambda *_: after(
            tall_panel(),
            lambda made: made.place.choice.setCurrentIndex(2),
            lambda made: made.show_estimate("about 2 min", resumable=True),
        ),
        "running": lambda *_: after(
            tall_panel(),
            lambda made: made.show_running(True),
            lambda made: made.show_progress(0.5, "2 of 4 sources"),
        ),
        "finished": lambda *_: after(
            tall_panel(),
            lambda made: made.show_estimate("took 3 s", resumable=False),
            lambda made: made.show_outcome(
                all_sources(path_graph(), ("reach", "betweenness"), budget=3.0), None
            ),
        ),
    },
    "compare runs": {"another source and another parameter": compared_runs},
    "data race": {
        "opened": lambda *_: DataRaceDialog(
            "Data-driven", find_variant("da2cf-f-gpu-racy").caveat, "harbour"
        ),
        "running": lambda *_: after(
            DataRaceDialog("Data-driven", "It races.", ""),
            lambda made: made.show_running(True),
            lambda made: made.show_progress(0.1, "20 of 200 runs"),
        ),
        "3 of 200 runs are wrong, alike": lambda *_: raced(200, (0, 0, 1, 1, 1)),
        "2 of 3 runs are wrong, in other vertices": lambda *_: raced(3, (1, 0, 2)),
        "no run is wrong": lambda *_: raced(200, ()),
        "5 runs are wrong at the second level": lambda *_: contended(5),
        "no run is wrong at two levels": lambda *_: contended(0),
        "no run is wrong at two levels on a processor": lambda *_: contended(0, on_processor=True),
    },
    "export": {
        "a picture": lambda *_: ExportDialog(
            "Export picture", "Show", ("View", "All of it"), QSize(800, 600)
        ),
        "an animation": lambda *_: AnimationDialog(
            ("View", "All of it"), QSize(800, 600), 1200, "iteration", True
        ),
        "an animation up to a budget, without MP4": lambda *_: after(
            AnimationDialog(("View",), QSize(800, 600), 8, "step", False, budget=(50.0, "m")),
            lambda made: made.show_mp4("MP4 needs another package."),
        ),
    },
    "web page": {
        "two runs": lambda *_: WebPageDialog("line", traced_and_plain(opened_session()), ()),
        "no run": lambda *_: WebPageDialog("line", (), ()),
    },
    "datasets": {
        "opened": lambda _, folder: datasets_dialog(folder),
        "one without a published checksum, while another arrives": lambda _, folder: after(
            datasets_dialog(folder),
            lambda made: made.show_busy("USA-road-d.NY", "34 %"),
            lambda made: made.choose("roadNet-CA"),
        ),
        "a file unlike its first download": lambda _, folder: after(
            datasets_dialog(folder),
            lambda made: made.show_outcome("It differs.", dataset("USA-road-d.NY")),
        ),
    },
    "open": {
        "DIMACS": lambda _, folder: open_dialog(folder, "road.gr", "p sp 2 1\na 1 2 3\n"),
        "attributes": lambda _, folder: open_dialog(
            folder, "road.json", '{"nodes": [], "links": []}'
        ),
        "a network": lambda _, folder: OpenOptionsDialog(write_osm(folder / "town.osm")),
        "a table": lambda _, folder: open_dialog(folder, "towns.csv", TOWNS),
        "a Parquet table": lambda *_: OpenOptionsDialog(
            Path("t.parquet"), preview=TablePreview("", True, ("a", "b"), (("1", "2"),))
        ),
        "a table, its source its target": lambda _, folder: after(
            open_dialog(folder, "towns.csv", TOWNS),
            lambda made: made.table.source.setCurrentIndex(1),
        ),
        "a table, by another separator": lambda _, folder: after(
            open_dialog(folder, "towns.csv", TOWNS),
            lambda made: made.table.separator.setCurrentText("Comma"),
        ),
    },
    "generate": {
        one.id: lambda *_, title=one.title: after(
            GenerateDialog(), lambda made: made.family.setCurrentText(title)
        )
        for one in generators()
    },
    "experiments": {
        "opened": lambda _, folder: experiment_page(folder, is_offered=True),
        "on a cluster": lambda _, folder: after(
            experiment_page(folder, view=None, needs="Name its scheduler.", offer=Offer.CONNECT),
            lambda made: made.place.choice.setCurrentIndex(1),
        ),
        "running": lambda _, folder: experiment_page(
            folder, activity=Doing.RUNNING, words="scan on random"
        ),
        "measured": judged_experiment,
    },
    "list of experiments": {
        "opened": lambda _, folder: ExperimentList((sample(folder),)),
    },
    "hosts": {
        "opened": lambda *_: hosts_dialog(LinkState.NONE),
        "connecting": lambda *_: hosts_dialog(LinkState.CONNECTING),
        "lost": lambda *_: hosts_dialog(LinkState.LOST, "The connection is lost."),
        "connected": lambda *_: after(
            hosts_dialog(LinkState.CONNECTED),
            lambda made: made.show_status(
                ClusterStatus(
                    (
                        worker(1),
                        worker(2),
                        worker(3, sources_per_s=8.0),
                        worker(4, answered=False, sources_per_s=0.0, silent_s=30.0),
                    )
                )
            ),
        ),
    },
    "lessons": {
        "a question": lambda *_: questions_dialog(),
        "a wrong answer": lambda *_: after(
            questions_dialog(),
            lambda made: made.answer.setText("10, 60"),
            lambda made: made.answer.textEdited.emit("10, 60"),
            lambda made: made.check(),
        ),
        "all questions, as they are copied": lambda *_: DetailsDialog(
            None, "Copied", questions_dialog().text
        ),
        "exercises": exercises_dialog,
    },
    "help": {
        "about": about,
        "keyboard shortcuts": lambda request, _: help_dialogs.ShortcutsDialog(
            request.getfixturevalue("window").commands
        ),
        "devices": devices,
    },
    "messages": {
        "a crash report": lambda *_: CrashReportDialog(None, "Tautpath 0.1.0\nIndexError"),
        "a log that cannot be read": unread_log,
    },
    "search": {"commands": search_for("export"), "nothing": search_for("no such thing")},
}


@pytest.mark.parametrize(
    ("dialog", "state"), [(dialog, state) for dialog in STATES for state in STATES[dialog]]
)
def test_what_a_dialog_says(
    dialog: str, state: str, request: Request, qtbot: QtBot, golden: Golden, tmp_path: Path
) -> None:
    known: list[str] = []
    for name in dict.fromkeys((next(iter(STATES[dialog])), state)):
        made = STATES[dialog][name](request, tmp_path)
        if made.parentWidget() is None:
            qtbot.addWidget(made)
        known = [line for line in said_by(made).splitlines() if line not in known]
    golden.check(f"dialog {dialog}", state, "\n".join(known), measured=True)


@pytest.mark.parametrize("dialog", STATES)
def test_all_that_is_kept_was_said(dialog: str, golden: Golden) -> None:
    golden.require_no_others(f"dialog {dialog}", list(STATES[dialog]))
