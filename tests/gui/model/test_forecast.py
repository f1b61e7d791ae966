"""The estimate of the next run: from results, from earlier sessions, or from a model; none if nothing would run."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from gui.model.forecast import Forecast
from gui.model.session import Session
from solvers.core.variant import find_variant
from solvers.graphs.graph import Graph
from solvers.running.estimate import EarlierTime, EstimateBasis
from solvers.running.request import MeasurementPlan
from solvers.running.run import run


def test_the_estimate_follows_the_session(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    assert forecast.estimate is None
    session.open_graph(Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32)))
    assert forecast.estimate is None, "nothing is ticked"
    with qtbot.waitSignal(forecast.changed):
        session.choose("dijkstra-heap")
    assert forecast.estimate is not None
    assert forecast.estimate.basis is EstimateBasis.MODEL
    session.set_plan(MeasurementPlan(warmups=0, trials=10))
    request = session.request()
    assert request is not None
    session.add_results(run(request))
    assert forecast.estimate.basis is EstimateBasis.MEASURED


def test_times_of_earlier_sessions_count(qtbot: QtBot) -> None:
    session = Session()
    forecast = Forecast(session)
    session.open_graph(Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), np.array([1, 1], dtype=np.int32)))
    session.choose("dijkstra-heap")
    session.set_plan(MeasurementPlan(warmups=0, trials=10))
    parameters = find_variant("dijkstra-heap").settle({})
    forecast.use([EarlierTime("dijkstra-heap", parameters, 3, 2, "", total_ms=2_000.0)])
    assert forecast.estimate is not None
    assert forecast.estimate.seconds == 20.0
