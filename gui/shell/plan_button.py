"""The plan of trials, set by a button beside Run: how often and how long each variant is run,
and whether the graph stays on the device.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QMenu, QToolButton, QWidget, QWidgetAction

from gui.model.session import Session
from gui.style.forms import count_box, form_of, number_box, push_button
from gui.style.quantity import CountBox
from gui.style.text import tool_tip
from gui.style.widgets import QuietLabel, keep_icon
from solvers.running.request import (
    ADAPTIVE,
    DEFAULT_TIME_LIMIT_S,
    LEAST_TRIALS,
    MOST_TRIALS,
    MOST_WARMUPS,
    WARMUP_AGREEMENT,
    MeasurementPlan,
)
from solvers.text import plural

AUTOMATIC = "automatic"
WARM_GRAPH = (
    "The graph is uploaded once for each variant and stays on the device: "
    "trials copy only the source and the answer. Variants on the processor, "
    "and those that overwrite the graph, run as ever."
)
_MOST_COUNT, _MOST_SECONDS = 9999, 86_400.0
_TEXT_WIDTH = 300


class PlanForm(QWidget):
    """Fields for trials, warm-ups, time limit and warm graph; every change goes to the
    session at once.
    """

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self._showing = False  # the session's plan, which is not a change of the user's
        self.trials = _count_field("Trials", least=0)
        self.warmups = _count_field("Warm-ups", least=-1)
        self.limit = number_box(0.0, 0.0, _MOST_SECONDS, 1, unit="s", name="Time limit per variant")
        self.warm_graph = QCheckBox("&Keep the graph on the device")
        self.warm_graph.setToolTip(tool_tip(WARM_GRAPH))
        self.note = QuietLabel()
        self.note.setFixedWidth(_TEXT_WIDTH)
        self.reset = push_button("All automatic", act=lambda: session.choices.set_plan(ADAPTIVE))
        form_of(
            ("&Trials", self.trials),
            ("&Warm-ups", self.warmups),
            ("Time &limit per variant", self.limit),
            self.warm_graph,
            self.note,
            self.reset,
            parent=self,
        )
        self.refresh()
        for field in (self.trials, self.warmups, self.limit):
            field.valueChanged.connect(self._take)
        self.warm_graph.toggled.connect(self._take)
        session.choices.plan_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the session's plan."""
        plan = self._session.choices.plan
        self._showing = True
        self.trials.setValue(plan.trials or 0)
        self.warmups.setValue(-1 if plan.warmups is None else plan.warmups)
        usual = "none" if plan.trials is not None else f"{DEFAULT_TIME_LIMIT_S:.0f} s"
        self.limit.setSpecialValueText(usual)
        self.limit.setValue(plan.time_limit_s or 0.0)
        self.warm_graph.setChecked(plan.warm_graph)
        self._showing = False
        self.note.setText(explanation(plan))
        self.reset.setEnabled(plan != ADAPTIVE)

    def _take(self) -> None:
        if self._showing:
            return
        warmups = self.warmups.value()
        self._session.choices.set_plan(
            MeasurementPlan(
                warmups=None if warmups < 0 else warmups,
                trials=self.trials.value() or None,
                time_limit_s=self.limit.value() or None,
                warm_graph=self.warm_graph.isChecked(),
            )
        )


class PlanButton(QToolButton):
    """Shows the plan in a word or two; a click opens the form."""

    def __init__(self, session: Session):
        super().__init__()
        self._session = session
        self.setObjectName("plan")
        self.setAccessibleName("Trials, warm-ups and time limit")
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.form = PlanForm(session)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(self.form)
        menu.addAction(action)
        menu.aboutToShow.connect(self.form.trials.setFocus)
        self.setMenu(menu)
        session.choices.plan_changed.connect(self.refresh)
        keep_icon(self, "clock", "muted")
        self.refresh()

    def refresh(self) -> None:
        """Show the session's plan."""
        plan = self._session.choices.plan
        self.setText("Auto" if plan == ADAPTIVE else short_text(plan))
        self.setToolTip(tool_tip(explanation(plan)))


def short_text(plan: MeasurementPlan) -> str:
    """ "5 trials", "5 trials, 30 s", "Auto, 30 s, warm graph"."""
    count = "Auto" if plan.trials is None else plural(plan.trials, "trial")
    limit = "" if plan.time_limit_s is None else f", {plan.time_limit_s:g} s"
    return f"{count}{limit}{', warm graph' if plan.warm_graph else ''}"


def explanation(plan: MeasurementPlan) -> str:
    """A few sentences on how often each variant is run, and on where the graph is meanwhile."""
    if plan.warmups is None:
        first = (
            f"Warm-ups repeat until two agree within {WARMUP_AGREEMENT * 100:.0f} %, "
            f"at most {MOST_WARMUPS}."
        )
    else:
        made = max(1, plan.warmups) if plan.warm_graph else plan.warmups
        first = f"{plural(made, 'warm-up').capitalize()} of each variant."
    if plan.trials is None:
        second = (
            f"Then {LEAST_TRIALS} to {MOST_TRIALS} timed trials, until the 95 % interval of the "
            f"median is within ± {plan.precision * 100:g} % of it."
        )
    else:
        second = f"Then {plural(plan.trials, 'timed trial')}."
    limit = (
        "" if plan.limit_s == float("inf") else f" No further one begins after {plan.limit_s:g} s."
    )
    return f"{first} {second}{limit}{f' {WARM_GRAPH}' if plan.warm_graph else ''}"


def _count_field(name: str, least: int) -> CountBox:
    field = count_box(least, least, _MOST_COUNT)
    field.setSpecialValueText(AUTOMATIC)
    field.setAccessibleName(name)
    return field
