"""Run > Experiments: the figures and tables of the papers, what they need here, their progress and what they found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTabWidget,
    QTextBrowser,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.dialogs.experiment_place import ExperimentPlaceChooser
from gui.dialogs.experiment_tabs import ExperimentCharts, ExperimentPoints, ForecastView, claims_html
from gui.style.text import tool_tip, visible
from gui.style.widgets import (
    PlainLabel,
    QuietLabel,
    ScaledLabel,
    add_heading,
    button_box,
    make_tree,
    on_scheme_change,
    soften_selection,
)
from solvers.experiments.charts import ChartData
from solvers.experiments.claims import ClaimVerdict, Judgement
from solvers.experiments.measurement import Measurement, Omission
from solvers.experiments.spec import Experiment, ExperimentScale

_SIZE = (1120, 700)
_SHARES = (400, 700)
_STEPS = 1000
_ROLE = Qt.ItemDataRole.UserRole
_OWN = "Own"
_HEADING = 1.3
_CLAIMS, _CHARTS = 1, 2  # tabs
_ADVICE = "Every figure and table of the five papers, here or on a cluster; what cannot run is said before the start."
_PROBES = " Single trials on the smallest graphs replace the guesses at the start, or now by Probe."
_SCALES = {ExperimentScale.SMALL: "small: minutes on a laptop", ExperimentScale.PAPER: "paper: sizes of the paper"}


class ExperimentsDialog(QDialog):
    """List of experiments, and of the current one the points, progress and claims. Not modal.

    Parameters
    ----------
    experiments : sequence of Experiment

    Signals
    -------
    chosen()
        Another experiment, scale or place is current.
    connect_requested(), hosts_requested()
        Of the cluster that is chosen as the place.
    probe_requested(), start_requested(), pause_requested(), resume_requested(), cancel_requested()
    report_requested(), charts_requested(), file_requested(), folder_requested(),
    own_requested()
    chart_requested(ChartData)
        Export one chart as it is drawn.
    """

    chosen = Signal()
    connect_requested = Signal()
    hosts_requested = Signal()
    probe_requested = Signal()
    start_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    cancel_requested = Signal()
    report_requested = Signal()
    charts_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()
    own_requested = Signal()
    chart_requested = Signal(object)

    def __init__(self, experiments: Sequence[Experiment], parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Experiments")
        self.resize(*_SIZE)
        self._running = self._paused = False
        self.list = make_tree(("Experiment", "Figure"), "Experiments")
        self.list.setRootIsDecorated(False)
        self.list.setIndentation(14)
        self.points = ExperimentPoints()
        self.claims = QTextBrowser()
        self.claims.setFrameShape(QFrame.Shape.NoFrame)
        self.claims.setAccessibleName("Claims")
        self.charts = ExperimentCharts()
        self.charts.export_requested.connect(self.chart_requested)
        self._judgements: tuple[Judgement, ...] = ()
        self.title, self.question = ScaledLabel(factor=_HEADING, weight=QFont.Weight.DemiBold), PlainLabel()
        self.method, self.needs, self.remarks = QuietLabel(selectable=True), PlainLabel(), QuietLabel()
        self.remarks.hide()
        for label in (self.title, self.question, self.needs):
            label.setWordWrap(True)
        self.scale_box = QComboBox()
        self.scale_box.setAccessibleName("Scale")
        for scale, words in _SCALES.items():
            self.scale_box.addItem(words, scale)
        self.place = ExperimentPlaceChooser()
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.words = PlainLabel()
        self.words.setWordWrap(True)
        self.words.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._add_buttons()
        self._lay_out()
        for experiment in experiments:
            self.add(experiment)
        self.list.currentItemChanged.connect(self._change)
        self.scale_box.currentIndexChanged.connect(lambda: self.chosen.emit())
        self.place.changed.connect(self.chosen)
        self.place.hosts_requested.connect(self.hosts_requested)
        on_scheme_change(self._restyle)
        self._restyle()
        if items := self._experiment_items():
            self.list.setCurrentItem(items[0])

    # -- what is chosen ----------------------------------------------------------------------------------------------

    @property
    def current(self) -> Experiment | None:
        """The selected experiment; None on the heading of a paper."""
        item = self.list.currentItem()
        found: Experiment | None = None if item is None else item.data(0, _ROLE)
        return found

    @property
    def scale(self) -> ExperimentScale:
        found: ExperimentScale = self.scale_box.currentData()
        return found

    def choose(self, experiment_id: str) -> None:
        """Select an experiment."""
        for item in self._experiment_items():
            if item.data(0, _ROLE).id == experiment_id:
                self.list.setCurrentItem(item)
                self._change()  # also if it was selected, and its file was read again

    def add(self, experiment: Experiment) -> None:
        """Add an experiment to the list, in place of one with the same id."""
        for known in self._experiment_items():
            if known.data(0, _ROLE).id == experiment.id:
                known.setData(0, _ROLE, experiment)
                known.setText(0, visible(experiment.title))
                return
        item = QTreeWidgetItem(self._head(experiment.paper or _OWN), [visible(experiment.title), experiment.place])
        item.setToolTip(0, tool_tip(experiment.question))
        item.setData(0, _ROLE, experiment)

    def _experiment_items(self) -> list[QTreeWidgetItem]:
        heads = [self.list.topLevelItem(i) for i in range(self.list.topLevelItemCount())]
        places = ((head, i) for head in heads if head is not None for i in range(head.childCount()))
        return [item for head, i in places if (item := head.child(i)) is not None]

    def _head(self, title: str) -> QTreeWidgetItem:
        for i in range(self.list.topLevelItemCount()):
            head = self.list.topLevelItem(i)
            if head is not None and head.text(0) == visible(title):
                return head
        head = add_heading(self.list, title)
        head.setExpanded(True)
        return head

    # -- what is shown -----------------------------------------------------------------------------------------------

    def show_forecast(self, view: ForecastView, remarks: Sequence[str] = ()) -> None:
        """List the points of the current experiment, with their expected time or why they are left out.

        Parameters
        ----------
        view : ForecastView
        remarks : sequence of str
            What is to be said of the place where they are measured.
        """
        self.points.show_forecast(view)
        self._say_needs(f"{_sentence(view.words)}.{_PROBES * view.will_probe}", " ".join(remarks))
        self.probe_button.setVisible(view.has_guesses)
        self._offer("Start", enabled=view.is_runnable or view.will_probe)

    def show_size(self, words: str) -> None:
        """Say how large a grid is that is too large to be listed before somebody confirmed it."""
        self.points.clear()
        self._say_needs(f"{_sentence(words)}, estimated from some of them. Start asks first.")
        self.probe_button.hide()
        self._offer("Start")

    def show_unconnected(self, words: str) -> None:
        """Say that the cluster is not connected, and offer to connect."""
        self.points.clear()
        self._say_needs(words)
        self.probe_button.hide()
        self._offer("Connect")

    def show_reason(self, words: str) -> None:
        """Say why there are no points, or what is waited for before they can be listed."""
        self.points.clear()
        self._say_needs(words)
        self.probe_button.hide()
        self._offer(self.start_button.text(), enabled=False)

    def _say_needs(self, words: str, remarks: str = "") -> None:
        self.needs.setText(visible(words))
        self.remarks.setText(visible(remarks))
        self.remarks.setVisible(bool(remarks))

    def _offer(self, words: str, *, enabled: bool = True) -> None:
        """Let the first button start the run, or connect; during a run it pauses and resumes."""
        if not self._running:
            self.start_button.setText(words)
            self.start_button.setEnabled(enabled)

    def show_outcome(self, outcome: Measurement | Omission) -> None:
        """Show what came of one point."""
        self.points.show_outcome(outcome)

    def show_findings(self, judgements: Sequence[Judgement], charts: Sequence[ChartData]) -> None:
        """Show which claims hold, with the figure behind each, and the charts."""
        self._judgements = tuple(judgements)
        self.claims.setHtml(claims_html(judgements))
        self.charts.show_charts(charts)
        counts = [sum(found.verdict is verdict for found in judgements) for verdict in ClaimVerdict]
        words = ("hold", "do not", "not testable")
        told = ", ".join(f"{count} {word}" for count, word in zip(counts, words, strict=True) if count)
        self.tabs.setTabText(_CLAIMS, f"Claims: {told}" if told else "Claims")
        self.tabs.setTabText(_CHARTS, f"Charts: {len(charts)}" if charts else "Charts")

    def show_progress(self, fraction: float, words: str) -> None:
        self.progress.setValue(int(fraction * _STEPS))
        self.words.setText(visible(words[:1].upper() + words[1:]))

    def show_running(self, running: bool, *, paused: bool = False) -> None:
        """Switch the buttons; during a run the choice stays as it is."""
        self._running, self._paused = running, paused
        self.start_button.setText(("Resume" if paused else "Pause") if running else "Start")
        self.start_button.setEnabled(True)
        self._lock(running)

    def show_probing(self, probing: bool) -> None:
        """The same while single trials replace guesses, which can be cancelled but not paused."""
        self.start_button.setEnabled(not probing)
        self._lock(probing)

    def _lock(self, on: bool) -> None:
        self.cancel_button.setEnabled(on)
        self.probe_button.setEnabled(not on)
        files = self.own_button, self.file_button, self.folder_button
        for control in (self.list, self.scale_box, self.place, self.place.cluster, *files):
            control.setEnabled(not on)

    def forget_findings(self) -> None:
        """Show nothing of an earlier run."""
        self.show_findings((), ())
        self.progress.setValue(0)
        self.show_message("")

    def show_message(self, words: str, *, has_report: bool = False) -> None:
        """Say how it ended, and whether there is something to report."""
        self.words.setText(visible(words))
        self.report_button.setEnabled(has_report)
        self.charts_button.setEnabled(has_report)

    # -- building ----------------------------------------------------------------------------------------------------

    def _add_buttons(self) -> None:
        self.buttons = button_box(self, QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.start_button = self.buttons.addButton("Start", role)
        self.cancel_button = self.buttons.addButton("Cancel", role)
        self.report_button = self.buttons.addButton("Report…", role)
        self.report_button.setToolTip("Write everything into one HTML file, and open it")
        self.charts_button = self.buttons.addButton("Export charts…", role)
        self.charts_button.setToolTip(
            "Write all charts as they are drawn: PNG, SVG, pgfplots, and a table of what they show"
        )
        self.own_button, self.file_button, self.folder_button = map(QPushButton, ("New…", "Open…", "Graph files…"))
        self.own_button.setToolTip("Write the open graph and the ticked variants as an experiment, to vary and share")
        self.file_button.setToolTip("Open an experiment that a TOML file describes")
        self.folder_button.setToolTip("Name a folder in which files of graphs are looked for")
        self.probe_button = QPushButton("Probe")
        self.probe_button.setToolTip("Make single trials on the smallest graphs now, in place of guesses")
        self.probe_button.setAutoDefault(False)
        self.probe_button.hide()
        self.cancel_button.setEnabled(False)
        self.report_button.setEnabled(False)
        self.charts_button.setEnabled(False)
        for button in (*self.buttons.buttons(), self.own_button, self.file_button, self.folder_button):
            if isinstance(button, QPushButton):
                button.setAutoDefault(button is self.start_button)
        self.start_button.clicked.connect(self._press)
        self.probe_button.clicked.connect(self.probe_requested)
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.report_button.clicked.connect(self.report_requested)
        self.charts_button.clicked.connect(self.charts_requested)
        self.own_button.clicked.connect(self.own_requested)
        self.file_button.clicked.connect(self.file_requested)
        self.folder_button.clicked.connect(self.folder_requested)

    def _lay_out(self) -> None:
        left, right = QWidget(), QWidget()
        inside = QVBoxLayout(left)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.addWidget(self.own_button)
        row.addWidget(self.file_button)
        row.addWidget(self.folder_button)
        inside.addLayout(row)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.points, "Points")
        self.tabs.addTab(self.claims, "Claims")
        self.tabs.addTab(self.charts, "Charts")
        details = QVBoxLayout(right)
        details.setContentsMargins(14, 0, 0, 0)
        details.setSpacing(8)
        for widget in (self.title, self.question, self.method):
            details.addWidget(widget)
        where = QHBoxLayout()
        where.addWidget(self.scale_box)
        where.addWidget(self.place)
        where.addStretch(1)
        details.addLayout(where)
        details.addWidget(self.place.cluster)
        needs = QHBoxLayout()
        needs.addWidget(self.needs, 1)
        needs.addWidget(self.probe_button, 0, Qt.AlignmentFlag.AlignTop)
        details.addLayout(needs)
        details.addWidget(self.remarks)
        details.addWidget(self.tabs, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(right)
        split.setSizes(list(_SHARES))
        split.setStretchFactor(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(10)
        column.addWidget(QuietLabel(_ADVICE))
        column.addWidget(split, 1)
        column.addWidget(self.progress)
        column.addWidget(self.words)
        column.addWidget(self.buttons)

    def _restyle(self) -> None:
        for tree in (self.list, self.points.tree):
            soften_selection(tree)
        self.claims.setHtml(claims_html(self._judgements))

    def _change(self, *_: object) -> None:
        found = self.current
        if found is None:
            return
        self.title.setText(visible(found.title))
        self.question.setText(visible(found.question))
        self.method.setText(visible(found.method))
        self.chosen.emit()

    def _press(self) -> None:
        if not self._running:
            (self.start_requested if self.start_button.text() == "Start" else self.connect_requested).emit()
        else:
            (self.resume_requested if self._paused else self.pause_requested).emit()


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
