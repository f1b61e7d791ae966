"""Experiments: a panel lists the figures and tables of the papers, and the page beside
the graph has what the chosen one needs here, its progress and what it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QTabWidget, QTextBrowser, QTreeWidgetItem, QWidget

from gui.features.experiments.tabs import (
    ExperimentCharts,
    ExperimentPoints,
    ForecastView,
    claims_html,
)
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    ProgressLine,
    WrappedLabel,
    address_field,
    choice_box,
    column_of,
    fill_panel,
    push_button,
    row_of,
    scrolling,
)
from gui.style.tables import add_heading, make_tree
from gui.style.text import escape_controls, tool_tip
from gui.style.widgets import GAP, Heading, QuietLabel, on_scheme_change
from solvers.features.experiments.claims import ClaimVerdict
from solvers.features.experiments.report import Findings
from solvers.features.experiments.spec import Experiment, ExperimentScale

_ROLE = Qt.ItemDataRole.UserRole
_OWN = "Own"
_HEADING = 1.3
_CLAIMS, _CHARTS = 1, 2  # tabs
_SCALES = (
    ("small: minutes on a laptop", ExperimentScale.SMALL),
    ("paper: sizes of the paper", ExperimentScale.PAPER),
)


class Offer(Enum):
    """What the first button does; the values are its words."""

    START = "Start"
    CONNECT = "Connect"
    PAUSE = "Pause"
    RESUME = "Resume"


class Doing(Enum):
    """What goes on; the choice of experiment, scale and place is locked unless it is idle."""

    IDLE, PROBING, RUNNING, PAUSED = range(4)


@dataclass(frozen=True)
class ExperimentState:
    """What the page shows of the chosen experiment: its points, what it needs or why
    it cannot run, and its run.
    """

    view: ForecastView | None = None
    needs: str = ""
    remarks: str = ""  # on the place where it is measured
    # what the first button does while nothing goes on: `START` or `CONNECT`
    offer: Offer = Offer.START
    is_offered: bool = False
    activity: Doing = Doing.IDLE
    fraction: float = 0.0  # of the run
    words: str = ""  # what runs now, or how it ended
    findings: Findings | None = None  # of the last run; with them there is something to report

    @property
    def button(self) -> Offer:
        """What the first button does now."""
        return {Doing.RUNNING: Offer.PAUSE, Doing.PAUSED: Offer.RESUME}.get(
            self.activity, self.offer
        )

    @property
    def is_pressable(self) -> bool:
        """Whether the first button can be pressed: a probe can be cancelled but not paused."""
        return (
            self.is_offered if self.activity is Doing.IDLE else self.activity is not Doing.PROBING
        )


class ExperimentHostChooser(QWidget):
    """A choice of this machine and a ``cluster``, whose fields are put below and shown
    while it is chosen.
    """

    changed = Signal()
    hosts_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice = choice_box(
            (("on this machine", False), ("on hosts of a cluster", True)), "Measured"
        )
        self.field = address_field()
        self.any_box = QCheckBox("unequal hosts too")
        self.any_box.setToolTip(
            tool_tip(
                "Let hosts with another processor, number of cores or device measure too; "
                "what cannot be compared across them is marked, and no claim is judged on it"
            )
        )
        hosts = "Show the workers of the cluster, with memory and last log line"
        self.hosts_button = push_button("Hosts…", hosts, self.hosts_requested)
        self.cluster = QWidget()
        row_of(self.choice, parent=self, margins=NO_MARGINS)
        row_of(self.field, self.any_box, self.hosts_button, parent=self.cluster, margins=NO_MARGINS)
        self.setFocusProxy(self.choice)
        self.choice.currentIndexChanged.connect(self._show_fields)
        self.choice.currentIndexChanged.connect(self.changed)
        self.field.editingFinished.connect(self._edit)
        self.any_box.toggled.connect(self.changed)
        self._edited = ""
        self._show_fields()

    @property
    def is_cluster(self) -> bool:
        return bool(self.choice.currentData())

    @property
    def address(self) -> str:
        """Address of the cluster as it was typed; "" for this machine, or if none was."""
        return self.field.text().strip() if self.is_cluster else ""

    @property
    def takes_any(self) -> bool:
        """Whether hosts that differ from the others measure too."""
        return self.is_cluster and self.any_box.isChecked()

    def offer(self, address: str) -> None:
        """Write an address into the empty field, such as that of the cluster that is connected."""
        if not self.field.text().strip():
            self.field.setText(address)
            self._edited = address

    def _edit(self) -> None:
        """The field says so whenever the focus leaves it."""
        if self.field.text() != self._edited:
            self._edited = self.field.text()
            self.changed.emit()

    def _show_fields(self) -> None:
        self.cluster.setVisible(self.is_cluster)


class ExperimentList(QWidget):
    """The experiments by paper, and what adds to them."""

    chosen = Signal()  # another experiment is current
    opened = Signal()  # an experiment was clicked, or Enter pressed on it
    file_requested = Signal()
    folder_requested = Signal()
    own_requested = Signal()

    def __init__(self, experiments: Sequence[Experiment]):
        super().__init__()
        self.tree = make_tree(("Experiment",), "Experiments")
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(14)
        own = "Write the open graph and the ticked variants as an experiment, to vary and share"
        self.own_button = push_button("New…", own, self.own_requested)
        file = "Open an experiment from a TOML file"
        self.file_button = push_button("Open…", file, self.file_requested)
        folder = "Choose a folder to search for graph files"
        self.folder_button = push_button("Graph files…", folder, self.folder_requested)
        files = row_of(self.own_button, self.file_button, self.folder_button)
        fill_panel(self, (self.tree, 1), files)
        self._heads: dict[str, QTreeWidgetItem] = {}  # by paper
        self._items: dict[str, QTreeWidgetItem] = {}  # by id of the experiment
        for experiment in experiments:
            self.add(experiment)
        for item in list(self._items.values())[:1]:
            self.tree.setCurrentItem(item)
        self.tree.currentItemChanged.connect(self._change)
        self.tree.itemClicked.connect(self._open)
        self.tree.itemActivated.connect(self._open)

    @property
    def current(self) -> Experiment | None:
        """The selected experiment; None on the heading of a paper."""
        item = self.tree.currentItem()
        found: Experiment | None = None if item is None else item.data(0, _ROLE)
        return found

    def choose(self, experiment_id: str) -> None:
        if (item := self._items.get(experiment_id)) is not None:
            self.tree.setCurrentItem(item)
            self._change()  # also if it was selected, and its file was read again

    def add(self, experiment: Experiment) -> None:
        """Add an experiment to the list, in place of one with the same id."""
        if (item := self._items.get(experiment.id)) is None:
            item = QTreeWidgetItem(self._head(experiment.paper or _OWN))
            self._items[experiment.id] = item
        item.setText(0, escape_controls(experiment.title))
        item.setToolTip(0, tool_tip("\n".join((experiment.title, experiment.question))))
        item.setData(0, _ROLE, experiment)

    def _head(self, title: str) -> QTreeWidgetItem:
        if (head := self._heads.get(title)) is None:
            head = self._heads[title] = add_heading(self.tree, title)
            head.setExpanded(True)
        return head

    def _change(self, *_: object) -> None:
        if self.current is not None:
            self.chosen.emit()

    def _open(self, *_: object) -> None:
        if self.current is not None:
            self.opened.emit()


class ExperimentPage(QWidget):
    """Plan, claims and charts of the current experiment of a list, and its progress."""

    chosen = Signal()  # another experiment, scale or place is current
    pressed = Signal(object)  # Offer: what the first button offers was taken
    hosts_requested = Signal()
    probe_requested = Signal()
    skip_requested = Signal()
    cancel_requested = Signal()
    report_requested = Signal()
    charts_requested = Signal()
    chart_requested = Signal(object)  # ChartData: export one chart as it is drawn

    def __init__(self, listing: ExperimentList):
        super().__init__()
        self.listing = listing
        self._state = ExperimentState()
        self.points = ExperimentPoints()
        self.claims = QTextBrowser()
        self.claims.setFrameShape(QFrame.Shape.NoFrame)
        self.claims.setAccessibleName("Claims")
        self.charts = ExperimentCharts()
        self.charts.export_requested.connect(self.chart_requested)
        self.title = Heading(_HEADING)
        self.place_in_paper, self.remarks = QuietLabel(), QuietLabel()
        self.method = QuietLabel(selectable=True)
        self.question, self.needs = WrappedLabel(), WrappedLabel()
        self.remarks.hide()
        self.scale_box = choice_box(_SCALES, "Scale")
        self.place = ExperimentHostChooser()
        self.progress = ProgressLine(thin=True)
        self.words = WrappedLabel(lines=2)
        self._add_buttons()
        self._lay_out()
        self.show_state(self._state)
        listing.chosen.connect(self._change)
        self.scale_box.currentIndexChanged.connect(lambda: self.chosen.emit())
        self.place.changed.connect(self.chosen)
        self.place.hosts_requested.connect(self.hosts_requested)
        on_scheme_change(self._restyle)
        self._restyle()
        self._change()

    @property
    def current(self) -> Experiment | None:
        return self.listing.current

    @property
    def scale(self) -> ExperimentScale:
        found: ExperimentScale = self.scale_box.currentData()
        return found

    def show_state(self, state: ExperimentState) -> None:
        """Show what the controller knows of the chosen experiment."""
        before, self._state = self._state, state
        if state.view is not before.view:
            self.points.show_forecast(state.view)
        if state.findings is not before.findings:
            self._show_findings()
        self.needs.setText(state.needs)
        self.remarks.setText(state.remarks)
        self.remarks.setVisible(bool(state.remarks))
        self.progress.show_fraction(state.fraction)
        self.words.setText(state.words)
        self.start_button.setText(state.button.value)
        self.start_button.setEnabled(state.is_pressable)
        self.probe_button.setVisible(state.view is not None and state.view.has_guesses)
        is_idle = state.activity is Doing.IDLE
        self.cancel_button.setEnabled(not is_idle)
        self.skip_button.setEnabled(state.activity is Doing.RUNNING)
        choices = self.listing, self.scale_box, self.place, self.place.cluster, self.probe_button
        for control in choices:
            control.setEnabled(is_idle)
        for button in (self.report_button, self.charts_button):
            button.setEnabled(state.findings is not None)

    def _show_findings(self) -> None:
        """Which claims hold, with the figure behind each, and the charts."""
        findings = self._state.findings
        judgements, charts = (
            (findings.judgements, findings.charts) if findings is not None else ((), ())
        )
        self.claims.setHtml(claims_html(judgements))
        self.charts.show_charts(charts)
        counts = [sum(found.verdict is verdict for found in judgements) for verdict in ClaimVerdict]
        words = (
            ("holds", "hold"),
            ("does not", "do not"),
            ("uncertain",) * 2,
            ("not testable",) * 2,
        )
        told = ", ".join(
            f"{count} {word[count > 1]}" for count, word in zip(counts, words, strict=True) if count
        )
        self.tabs.setTabText(_CLAIMS, f"Claims: {told}" if told else "Claims")
        self.tabs.setTabText(_CHARTS, f"Charts: {len(charts)}" if charts else "Charts")

    def _add_buttons(self) -> None:
        self.start_button = push_button("Start", act=lambda: self.pressed.emit(self._state.button))
        skip = "End only the point being measured, and go on with the next one"
        self.skip_button = push_button("Skip", skip, self.skip_requested)
        cancel = "Stop; what is finished is kept, and Start continues from there"
        self.cancel_button = push_button("Cancel", cancel, self.cancel_requested)
        report = "Write everything into one HTML file, and open it"
        self.report_button = push_button("Report…", report, self.report_requested)
        charts = (
            "Write all charts as they are drawn: PNG, SVG, pgfplots, and a table of what they show"
        )
        self.charts_button = push_button("Export charts…", charts, self.charts_requested)
        probe = "Make single trials on small graphs now, instead of estimates"
        self.probe_button = push_button("Probe", probe, self.probe_requested)

    def _lay_out(self) -> None:
        plan = QWidget()
        needs = row_of((self.needs, 1), self.probe_button)
        needs.setAlignment(self.probe_button, Qt.AlignmentFlag.AlignTop)
        column_of(
            self.method,
            row_of(self.scale_box, self.place, STRETCH),
            self.place.cluster,
            needs,
            self.remarks,
            (self.points, 1),
            parent=plan,
            margins=(0, GAP, 0, 0),
        )
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for page, name in (
            (scrolling(plan), "Plan"),
            (self.claims, "Claims"),
            (self.charts, "Charts"),
        ):
            self.tabs.addTab(page, name)
        buttons = row_of(
            self.start_button,
            self.skip_button,
            self.cancel_button,
            STRETCH,
            self.report_button,
            self.charts_button,
        )
        fill_panel(
            self,
            self.place_in_paper,
            self.title,
            self.question,
            (self.tabs, 1),
            self.progress,
            self.words,
            buttons,
        )

    def _restyle(self) -> None:
        findings = self._state.findings
        self.claims.setHtml(claims_html(findings.judgements if findings is not None else ()))

    def _change(self) -> None:
        if (found := self.current) is not None:
            self.place_in_paper.setText(", ".join(filter(None, (found.paper or _OWN, found.place))))
            self.title.setText(found.title)
            self.question.setText(found.question)
            self.method.setText(found.method)
            self.chosen.emit()
