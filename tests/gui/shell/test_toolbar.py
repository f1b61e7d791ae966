"""Trials, warm-ups and time limit beside Run: what is set is what runs, and is remembered."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.model.session import Session
from gui.model.settings import Settings
from gui.shell.toolbar import PlanButton, explanation
from gui.window import MainWindow
from solvers.running.request import ADAPTIVE, MeasurementPlan
from tests.gui.windows import TINY, open_graph, tick_only, wait_until_idle


def test_what_the_fields_say_is_the_plan(qtbot: QtBot) -> None:
    session = Session()
    button = PlanButton(session)
    qtbot.addWidget(button)
    form = button.form
    assert button.text() == "Auto"
    assert (form.trials.text(), form.warmups.text(), form.limit.text()) == ("automatic", "automatic", "10 s")
    assert not form.reset.isEnabled()
    form.trials.setValue(5)
    assert session.choices.plan == MeasurementPlan(trials=5)
    assert form.limit.text() == "none", "fixed counts have no time limit by themselves"
    form.warmups.setValue(0)
    form.limit.setValue(30)
    assert session.choices.plan == MeasurementPlan(warmups=0, trials=5, time_limit_s=30)
    assert button.text() == "5 trials, 30 s"
    form.warm_graph.click()
    assert session.choices.plan == MeasurementPlan(warmups=0, trials=5, time_limit_s=30, warm_graph=True)
    assert button.text() == "5 trials, 30 s, warm graph"
    assert form.note.text().startswith("1 warm-up of each variant."), "it uploads the graph"
    form.reset.click()
    assert session.choices.plan == ADAPTIVE
    assert not form.warm_graph.isChecked()
    assert form.trials.text() == "automatic"


def test_the_tooltip_explains_the_plan() -> None:
    assert explanation(MeasurementPlan(time_limit_s=10.0)) == (
        "Warm-ups repeat until two agree within 5 %, at most 5. Then 6 to 200 timed trials, until the 95 % interval of "
        "the median is within ± 3 % of it. No further one begins after 10 s."
    )
    assert explanation(MeasurementPlan(warmups=1, trials=3)) == "1 warm-up of each variant. Then 3 timed trials."


def test_a_run_follows_the_plan_and_the_next_start_knows_it(
    qtbot: QtBot, window: MainWindow, settings: Settings
) -> None:
    open_graph(qtbot, window, TINY)
    window.plan_button.form.trials.setValue(2)
    window.plan_button.form.warmups.setValue(3)
    window.plan_button.form.warm_graph.click()
    tick_only(window, "dijkstra-heap")
    window.commands["run"].trigger()
    wait_until_idle(qtbot, window)
    result = window.parts.session.result("dijkstra-heap")
    assert result is not None
    assert [trial.is_warmup for trial in result.trials] == [True] * 3 + [False] * 2
    window.close()
    assert settings.plan == MeasurementPlan(warmups=3, trials=2, warm_graph=True)
    again = MainWindow(settings)
    qtbot.addWidget(again)
    assert again.parts.session.choices.plan == settings.plan


def test_settings_that_make_no_sense_are_ignored(settings: Settings) -> None:
    assert settings.plan == ADAPTIVE
    for value in ("-3", "many"):
        settings._store.setValue("plan/trials", value)
        assert settings.plan == ADAPTIVE


def test_a_long_run_is_announced_on_the_run_button(qtbot: QtBot, window: MainWindow) -> None:
    open_graph(qtbot, window, TINY)
    tick_only(window, "dijkstra-heap")
    window.parts.session.choices.set_plan(MeasurementPlan(trials=2))
    assert window.run_button.text() == "Run 1"
    assert "will take" not in window.run_button.toolTip()
    window.parts.session.choices.set_plan(MeasurementPlan(warmups=0, trials=10**9))
    assert window.run_button.text().startswith("Run 1, ≈ ")
    assert "This will take about " in window.run_button.toolTip()
    assert "a rough guess from the size of the graph" in window.run_button.toolTip()
