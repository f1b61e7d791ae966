"""All sources: what to compute beside the map that it colours, how long it takes,
progress, and radius, diameter and centre in words.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QStyle,
    QWidget,
)

from gui.features.all_sources.fields import AllSourcesPlace, FlowFields, greatest_html
from gui.style.forms import (
    NO_MARGINS,
    STRETCH,
    ProgressLine,
    WrappedLabel,
    as_html,
    choice_box,
    column_of,
    fill_panel,
    form_of,
    number_box,
    push_button,
    row_of,
    scrolling,
)
from gui.style.text import tool_tip
from gui.style.widgets import GAP, QuietLabel
from solvers.features.all_sources.answer import AllSources
from solvers.features.all_sources.maps import FlowView
from solvers.features.all_sources.reductions import REDUCTIONS, Reduction
from solvers.features.all_sources.request import Direction
from solvers.features.all_sources.road_flows import RoadFlows
from solvers.graphs.graph import Graph
from solvers.graphs.route import place_text
from solvers.text import format_distance
from solvers.units import public_unit

_MOST_BUDGET = 1e15
_NOTHING = "nothing"
_ON_HOSTS = "Computed on "  # begins what a run over a cluster notes of its hosts
_DIRECTIONS = (
    ("from each vertex to the others", Direction.OUT),
    ("to each vertex from the others", Direction.IN),
)


class AllSourcesPanel(QWidget):
    """Asks what to compute of a graph, and shows progress and outcome; the controller
    computes.
    """

    start_requested = Signal()  # start or resume; read `budget`, `direction` and `place`
    pause_requested = Signal()
    discard_requested = Signal()  # forget what an interrupted run has finished
    choice_changed = Signal()  # budget, direction or place changed
    shown_changed = Signal(object)  # the `Reduction` or `FlowView` to show in the picture, or None
    vertex_requested = Signal(int)  # a vertex of the outcome was clicked
    ends_requested = Signal()  # make the ends of the diameter source and target
    road_requested = Signal(int)  # a road was clicked, given by an arc
    export_requested = Signal()
    flows_requested = Signal()
    animation_requested = Signal()
    hosts_requested = Signal()

    def __init__(self, graph: Graph):
        super().__init__()
        self._running = self._resumable = False
        self._unit, unit = graph.weight_unit, public_unit(graph.weight_unit)
        heading = QuietLabel(
            "Computes the distances between all pairs of vertices without storing them, "
            "and from them eccentricity, closeness, reach and betweenness of each "
            "vertex, and the flows of roads."
        )
        self.reach_box = QCheckBox("Only paths within")
        tip = "Counts the vertices within this distance; betweenness is of paths up to it"
        self.reach_box.setToolTip(tool_tip(tip))
        decimals = 3
        if graph.weight_type.is_integer:
            decimals = 0 if unit == self._unit else 1  # 1: inside, they are tenths
        self.budget_box = number_box(
            _first_budget(graph, unit), 0.0, _MOST_BUDGET, decimals, unit=unit, name="Budget"
        )
        self.budget_box.setGroupSeparatorShown(True)
        self.budget_box.setEnabled(False)
        self.direction_box = choice_box(_DIRECTIONS)
        self.direction_box.setEnabled(graph.directed)
        self.flows = FlowFields(graph)
        self.place = AllSourcesPlace(graph)
        self.estimate = WrappedLabel("Looking at the graph")
        self.shown_box = QComboBox()
        self.shown_box.setEnabled(False)
        self.progress = ProgressLine(thin=True)
        self.outcome, self.greatest = self._linked_label(), self._linked_label()
        self.greatest.hide()
        self._add_buttons()
        self._lay_out(heading)
        self.reach_box.toggled.connect(self.budget_box.setEnabled)
        self.reach_box.toggled.connect(self.choice_changed)
        self.budget_box.valueChanged.connect(self.choice_changed)
        self.direction_box.currentIndexChanged.connect(self.choice_changed)
        self.flows.changed.connect(self.choice_changed)
        self.place.changed.connect(self._change_place)
        self.shown_box.currentIndexChanged.connect(
            lambda: self.shown_changed.emit(self.shown_box.currentData())
        )

    def _linked_label(self) -> QLabel:
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        label.linkActivated.connect(self._follow_link)
        return label

    def _add_buttons(self) -> None:
        self.start_button = push_button("Start", act=self._press)
        forget = "Discard what the interrupted run has finished"
        self.discard_button = push_button("Start afresh", forget, self.discard_requested)
        csv = "Write the numbers of every vertex: CSV or Parquet"
        self.export_button = push_button("Export CSV…", csv, self.export_requested)
        self.export_button.setEnabled(False)
        flows = (
            "Write the flow of every road, or its change, with coordinates: CSV, Parquet or GeoJSON"
        )
        self.flows_button = push_button("Export flows…", flows, self.flows_requested)
        tip = (
            "Export the flows as an animation, from those of one source to those of all: GIF or MP4"
        )
        self.animation_button = push_button("Export animation…", tip, self.animation_requested)
        hosts = "Show the workers of the cluster, with throughput and last log line"
        self.hosts_button = push_button("Hosts…", hosts, self.hosts_requested)
        for button in (
            self.discard_button,
            self.flows_button,
            self.animation_button,
            self.hosts_button,
        ):
            button.hide()

    def _lay_out(self, heading: QWidget) -> None:
        form = form_of(
            ("Distances", self.direction_box),
            ("Budget", row_of(self.reach_box, (self.budget_box, 1))),
            ("Betweenness", self.flows),
            ("Masses", self.flows.masses),
            ("Computed by", self.place),
            self.place.rows,
            ("Time", self.estimate),
        )
        found = form_of(("Picture shows", self.shown_box))
        for rows in (form, found):
            rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        self._content = QWidget()
        column_of(
            heading,
            form,
            self.outcome,
            found,
            self.greatest,
            row_of(self.export_button, self.flows_button, STRETCH),
            row_of(self.animation_button, STRETCH),
            STRETCH,
            parent=self._content,
            margins=NO_MARGINS,
            spacing=GAP,
        )
        buttons = row_of(self.start_button, self.discard_button, STRETCH, self.hosts_button)
        fill_panel(self, (scrolling(self._content), 1), self.progress, buttons)

    def minimumSizeHint(self) -> QSize:
        """So wide that nothing is scrolled sideways."""
        beside = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) + 2 * GAP
        width = self._content.minimumSizeHint().width() + beside
        return super().minimumSizeHint().expandedTo(QSize(width, 0))

    @property
    def budget(self) -> float | None:
        """In the unit that the box names; None if the reach is not wanted."""
        return self.budget_box.value() if self.reach_box.isChecked() else None

    @property
    def direction(self) -> Direction:
        direction: Direction = self.direction_box.currentData()
        return direction

    def show_estimate(self, words: str, *, resumable: bool) -> None:
        """Show how long it will take, and whether an interrupted run can be resumed."""
        self._resumable = resumable
        self.estimate.setText(words)
        self._label_buttons()

    def show_progress(self, fraction: float, words: str) -> None:
        self.progress.show_fraction(fraction)
        self.outcome.setText(as_html(words[:1].upper() + words[1:]))

    def show_running(self, running: bool) -> None:
        """Switch between Start and Pause, and lock the fields during the run."""
        self._running = running
        for control in (
            self.reach_box,
            self.budget_box,
            self.direction_box,
            self.flows,
            self.flows.masses,
            self.place,
            self.place.rows,
        ):
            control.setEnabled(not running)
        if not running:
            self.budget_box.setEnabled(self.reach_box.isChecked())
            self.progress.show_fraction(0.0)
        self._label_buttons()

    def show_message(self, words: str) -> None:
        """Say why there is no outcome."""
        self.outcome.setText(as_html(words))

    def show_outcome(self, found: AllSources, shown: Shown | None, graph_now: str = "") -> None:
        """Show radius, diameter and centre, and offer what the picture can show; they are old
        where the graph has a name ``graph_now``.
        """
        self.outcome.setText(outcome_html(found, graph_now))
        self.progress.show_fraction(1.0)
        self.export_button.setEnabled(True)
        self.shown_box.blockSignals(True)
        self.shown_box.clear()
        for choice in shown_choices(found):
            self.shown_box.addItem(name_of(choice), choice)
        self.shown_box.addItem(_NOTHING, None)
        self.shown_box.setCurrentIndex(
            self.shown_box.findText(_NOTHING if shown is None else name_of(shown))
        )
        self.flows_button.setVisible(found.flows is not None)
        self.shown_box.setEnabled(True)
        self.shown_box.blockSignals(False)

    def show_greatest(self, flows: RoadFlows | None) -> None:
        """List the roads of greatest flow, and offer their animation; None for neither."""
        self.animation_button.setVisible(flows is not None)
        words = "" if flows is None else greatest_html(flows)
        self.greatest.setText(words)
        self.greatest.setVisible(bool(words))

    def _label_buttons(self) -> None:
        start = "Resume" if self._resumable else "Start"
        self.start_button.setText("Pause" if self._running else start)
        self.discard_button.setVisible(self._resumable and not self._running)

    def _change_place(self) -> None:
        self.hosts_button.setVisible(self.place.is_cluster)
        self.choice_changed.emit()

    def _press(self) -> None:
        (self.pause_requested if self._running else self.start_requested).emit()

    def _follow_link(self, link: str) -> None:
        if link == "ends":
            self.ends_requested.emit()
        elif link.startswith("road:"):
            self.road_requested.emit(int(link.removeprefix("road:")))
        else:
            self.vertex_requested.emit(int(link))


Shown = Reduction | FlowView
"""What a picture can show of a run."""


def name_of(shown: Shown) -> str:
    return shown.value if isinstance(shown, FlowView) else shown.name


def shown_choices(found: AllSources) -> list[Shown]:
    """What the picture can show: numbers of distances only where all vertices are sources."""
    request = found.request
    choices: list[Shown] = [] if found.flows is None else list(FlowView)
    if request.sources is None:
        choices += [r for r in REDUCTIONS if request.budget is not None or not r.needs_budget]
    return choices


def outcome_html(found: AllSources, graph_now: str = "") -> str:
    """Radius, centre and diameter with links to their vertices, what they leave out,
    and the proof; of which graph, if its roads are changed or there is another ``graph_now``.
    """
    graph, unit = found.graph, public_unit(found.graph.weight_unit)
    first, last = found.end_vertices
    centre, is_whole = int(found.centre_vertices[0]), found.request.sources is None
    radius, diameter = (
        as_html(format_distance(value, unit)) for value in (found.radius, found.diameter)
    )
    least, greatest = (
        ("Radius", "Diameter") if is_whole else ("Least eccentricity", "Greatest eccentricity")
    )
    old = f" The graph is now {graph_now}: Start computes its numbers." if graph_now else ""
    of = f"Of {graph.name}.{old}" if old or graph.base is not None else ""
    lines = [
        *([as_html(of)] if of else []),
        f"<b>{least} {radius}</b>, at the {'centre' if is_whole else 'vertex'} "
        f"{_link(graph, centre)}{as_html(found.centre_text)}.",
        f"<b>{greatest} {diameter}</b>, from {_link(graph, first)} to "
        f'{_link(graph, last)} (<a href="ends">make them source and target</a>).',
        *(as_html(sentence) for sentence in found.sentences[2:]),
        as_html(found.verdict.text),
        *([as_html(_ON_HOSTS + where)] if (where := found.note.partition(_ON_HOSTS)[2]) else []),
    ]
    return "<br>".join(lines)


def _link(graph: Graph, vertex: int) -> str:
    return f'<a href="{vertex}">{as_html(place_text(graph, vertex))}</a>'


def _first_budget(graph: Graph, unit: str) -> float:
    """A budget to begin with: ten minutes, five kilometres, or about ten arcs."""
    mean = float(np.mean(np.abs(graph.weights))) if graph.m else 1.0
    return {"s": 600.0, "m": 5000.0}.get(unit, float(f"{10.0 * mean:.0e}"))
