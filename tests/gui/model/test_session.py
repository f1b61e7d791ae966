"""The session: what it keeps, forgets and tells; and notices of what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.model.notice import Notice, RepeatedErrors, Severity
from gui.model.question import Question
from gui.model.run_state import RunKey, RunState
from gui.model.session import Session
from solvers.core.recorder import TraceRecorder
from solvers.core.result import Result
from solvers.core.variant import find_variant
from solvers.errors import FileFormatError, KernelBuildError, ParameterError
from solvers.graphs.graph import Graph
from tests.gui.model import solved
from tests.solvers.features.kept_runs.store.kept import kept_run_of


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    made = Session()
    made.open_graph(solved.diamond())
    return made


def solve(session: Session, variant_id: str = "dijkstra-heap") -> Result:
    return solved.solve(Question(session.graph, session.source, session.target), variant_id)


def test_a_graph_opens_with_its_first_and_last_vertex(session: Session) -> None:
    assert (session.source, session.target) == (0, 3)
    assert session.results.all == ()


def test_an_empty_graph_has_no_end_points(qtbot: QtBot) -> None:
    session = Session()
    session.open_graph(Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)))
    assert (session.source, session.target) == (None, None)


def test_the_first_result_is_selected_and_is_the_baseline(session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignals([session.results.changed, session.results.selection_changed]):
        session.results.add([solve(session)])
    assert session.results.selected.variant.id == "dijkstra-heap"
    assert session.results.baseline is session.results.selected


def test_a_newer_result_of_a_variant_replaces_the_older(session: Session) -> None:
    session.results.add([solve(session)])
    newer = solve(session)
    session.results.add([newer])
    assert [r.run_id for r in session.results.all] == [newer.run_id]


def test_moving_the_target_keeps_results_and_redraws_their_paths(session: Session) -> None:
    session.results.add([solve(session)])
    session.set_target(2)
    result = session.results.selected
    assert result.path is not None
    assert (list(result.path), result.target_distance) == ([0, 2], 1.0)


def test_a_result_on_its_way_while_the_target_moved_gets_a_path_to_where_it_is_now(
    session: Session,
) -> None:
    late = solve(session)
    session.set_target(1)
    session.results.add([late])
    assert session.results.selected.path is not None
    assert list(session.results.selected.path) == [0, 1]


def test_all_pairs_answers_outlive_the_source_and_lead_from_the_new_one(session: Session) -> None:
    session.results.add([solve(session)])
    session.results.add([solve(session, "fw-serial")])
    session.results.select("fw-serial")
    session.set_source(1)
    assert [r.variant.id for r in session.results.all] == ["fw-serial"]
    assert session.results.baseline is session.results.selected
    result = session.results.selected
    assert result.path is not None
    assert (list(result.path), result.target_distance) == ([1, 3], 2.0)


def test_one_path_is_forgotten_when_the_target_moves_and_the_rest_stays(session: Session) -> None:
    late = solve(session, "dijkstra-bidirectional")
    session.results.add([late])
    session.results.add([solve(session)])
    session.set_target(2)
    assert [r.variant.id for r in session.results.all] == ["dijkstra-heap"]
    session.results.add([late])
    assert [r.variant.id for r in session.results.all] == ["dijkstra-heap"], (
        "it was for the target of before"
    )
    session.set_target(3)
    session.results.add([late])
    assert len(session.results.all) == 2


def test_swapping_exchanges_the_ends_and_forgets_results(session: Session) -> None:
    session.results.add([solve(session)])
    session.swap_endpoints()
    assert (session.source, session.target) == (3, 0)
    assert session.results.all == ()


def test_nothing_is_told_where_nothing_changed(session: Session, qtbot: QtBot) -> None:
    with (
        qtbot.assertNotEmitted(session.endpoints_changed),
        qtbot.assertNotEmitted(session.choices.changed),
    ):
        session.set_source(session.source)
        session.set_target(session.target)
        session.choices.choose("dijkstra-heap", False)


def test_choices_carry_the_parameters_that_were_set(session: Session) -> None:
    variant = next(
        v for v in (find_variant(i) for i in ("bf-strided-flag", "bf-vertex")) if v.parameters
    )
    parameter = variant.parameters[0]
    session.choices.choose(variant.id)
    session.choices.set_parameter(variant.id, parameter.name, parameter.default)
    (choice,) = session.choices.for_run()
    assert choice.variant is variant
    assert choice.parameters[parameter.name] == parameter.default


def test_a_refused_parameter_changes_nothing(session: Session) -> None:
    variant = find_variant("bf-strided-flag")
    number = next(p for p in variant.parameters if p.low is not None)
    before = dict(session.choices.parameters(variant.id))
    with pytest.raises(ParameterError):
        session.choices.set_parameter(variant.id, number.name, number.low - 1)
    assert session.choices.parameters(variant.id) == before


def test_a_trace_joins_the_result_and_leaves_its_times(session: Session) -> None:
    session.results.add([solve(session)])
    trials = session.results.selected.trials
    recorder = TraceRecorder(4)
    recorder.iteration(np.array([0]), 2, 2, 0.1)
    trace = recorder.finish()
    session.results.attach_trace(RunKey.of(session.results.selected), trace)
    assert session.results.selected.trace is trace
    assert session.results.selected.trials is trials


def test_a_trace_outlives_a_moved_target(session: Session) -> None:
    result, trace = solve(session), TraceRecorder(4).finish()
    session.results.add([result])
    session.set_target(2)
    session.results.attach_trace(RunKey.of(result), trace)
    assert (session.results.selected.trace, session.results.selected.target) == (trace, 2)


def test_a_trace_of_a_forgotten_or_replaced_run_is_dropped(session: Session, qtbot: QtBot) -> None:
    older = RunKey.of(solve(session))
    for results in ([], [solve(session)]):
        session.results.add(results)
        with qtbot.assertNotEmitted(session.results.changed):
            session.results.attach_trace(older, TraceRecorder(4).finish())
    assert session.results.selected.trace is None


def test_several_results_are_told_of_once(session: Session) -> None:
    told = []
    session.results.changed.connect(lambda: told.append(len(session.results.all)))
    session.results.add([solve(session, "dijkstra-heap"), solve(session, "bf-serial")])
    assert told == [2]
    assert session.results.selected_id == "dijkstra-heap"


def test_a_run_in_progress_is_known_to_everyone(session: Session) -> None:
    heard: list[tuple[tuple[str, ...], str | None, int]] = []
    session.results.run_state_changed.connect(
        lambda: heard.append(
            (
                session.results.run_state.queued,
                session.results.run_state.running_variant,
                len(session.results.run_state.live_trials),
            )
        )
    )
    trials = solve(session).trials
    session.results.set_run_state(RunState(("bf-serial",), "dijkstra-heap"))
    session.results.set_run_state(RunState(("bf-serial",), "dijkstra-heap", trials))
    session.results.set_run_state(RunState(("bf-serial",), "dijkstra-heap", trials))
    session.results.set_run_state(RunState())
    assert heard == [
        (("bf-serial",), "dijkstra-heap", 0),
        (("bf-serial",), "dijkstra-heap", len(trials)),
        ((), None, 0),
    ]


def test_results_return_with_the_end_points_that_they_answer(session: Session) -> None:
    """A stray click on the source dropped everything that had been measured."""
    for variant_id in ("dijkstra-heap", "bf-serial"):
        session.results.add([solve(session, variant_id)])
    session.results.set_baseline("bf-serial")
    before, source, target = session.results.all, session.source, session.target
    session.set_source(1)
    assert session.results.all == ()
    session.results.add([solve(session)])
    session.set_endpoints(source, target)
    assert [r.variant.id for r in session.results.all] == [r.variant.id for r in before]
    for now, then in zip(session.results.all, before, strict=True):
        assert now.trials is then.trials
        assert np.array_equal(now.path, then.path)
    assert session.results.baseline is session.results.get("bf-serial")
    session.set_source(1)
    assert [(r.variant.id, r.source) for r in session.results.all] == [("dijkstra-heap", 1)]


def test_many_variants_are_ticked_with_one_signal() -> None:
    session, heard = Session(), []
    session.choices.choose("bf-python")
    session.choices.changed.connect(lambda: heard.append(session.choices.ids))
    session.choices.choose_only(["bf-serial", "dijkstra-heap"])
    session.choices.choose_only(("dijkstra-heap", "bf-serial"))
    assert heard == [("bf-serial", "dijkstra-heap")]
    session.choices.choose_only(())
    assert heard[1:] == [()]


@dataclass(frozen=True)
class Heard:
    """A signal, and what those that hear it find."""

    signal: str
    question: tuple[Graph | None, int | None, int | None]
    results: tuple[str, ...]
    selected: bool


class Listening:
    """Notes the signals of a session in the order in which they come."""

    def __init__(self, session: Session):
        self.heard: list[Heard] = []
        for name in (
            "graph_changed",
            "weights_changed",
            "endpoints_changed",
            "vertex_selected",
            "results.changed",
            "results.selection_changed",
            "results.run_state_changed",
            "roads_wanted",
        ):
            attrgetter(name)(session).connect(partial(self._note, session, name))

    def _note(self, session: Session, signal: str) -> None:
        question = (session.graph, session.source, session.target)
        shown = tuple(result.variant.id for result in session.results.all)
        self.heard.append(Heard(signal, question, shown, session.results.selected is not None))


def test_another_graph_is_complete_when_it_is_first_told_of(session: Session) -> None:
    session.results.add([solve(session)])
    session.select_vertex(2)
    listening, graph = Listening(session), solved.diamond()
    session.open_graph(graph)
    assert {(heard.question, heard.results, heard.selected) for heard in listening.heard} == {
        ((graph, 0, 3), (), False)
    }
    signals = [heard.signal for heard in listening.heard]
    assert [signal for signal in signals if signal != "roads_wanted"] == [
        "graph_changed",
        "vertex_selected",
        "endpoints_changed",
        "results.changed",
        "results.selection_changed",
    ]


def test_results_are_exchanged_before_the_end_points_are_told_of(session: Session) -> None:
    graph = session.graph
    session.results.add([solve(session)])
    listening = Listening(session)
    session.set_endpoints(1, 3)
    session.set_endpoints(0, 3)
    gone, back = ((graph, 1, 3), (), False), ((graph, 0, 3), ("dijkstra-heap",), True)
    order = ("results.changed", "results.selection_changed", "endpoints_changed")
    assert listening.heard == [Heard(name, *found) for found in (gone, back) for name in order]


def test_a_stored_run_comes_after_its_end_points(session: Session) -> None:
    graph, now = session.graph, solve(session)
    session.set_source(1)
    elsewhere = solve(session)
    session.set_source(0)
    session.results.add([now])
    listening = Listening(session)
    session.show_stored(kept_run_of("stored"), [elsewhere])
    there = (graph, 1, 3)
    assert listening.heard == [
        Heard("endpoints_changed", there, (), False),
        Heard("results.changed", there, ("dijkstra-heap",), True),
        Heard("results.selection_changed", there, ("dijkstra-heap",), True),
    ]
    listening.heard.clear()
    session.show_stored(kept_run_of("another"), [elsewhere])
    assert [heard.signal for heard in listening.heard] == [
        "results.changed",
        "results.selection_changed",
    ]


def test_a_format_error_lays_out_file_line_text_and_remedy() -> None:
    error = FileFormatError(
        Path("/data/town.gr"),
        "the tail is not a number",
        line=12,
        text="a x 2 3",
        hint="Mend the line.",
    )
    notice = Notice.of(error)
    assert notice.severity is Severity.ERROR
    for words in ("town.gr", "line 12", "a x 2 3", "Mend the line."):
        assert words in notice.text
    assert notice.details.splitlines() == [
        "File: /data/town.gr",
        "Line: 12",
        "Text: a x 2 3",
        "Reason: the tail is not a number",
        "What to do: Mend the line.",
    ]


def test_a_compiler_s_log_is_the_details() -> None:
    assert (
        Notice.of(KernelBuildError("vertex.cu", "GPU", "line 3: error\nmore")).details
        == "line 3: error\nmore"
    )


def test_a_fault_of_ours_says_so_and_comes_with_a_crash_report() -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError as error:
        notice = Notice.of(error)
    assert "inside Tautpath" in notice.text
    assert "ZeroDivisionError" in notice.report
    assert "tests.gui.model.test_session, line" in notice.report


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_only_the_same_error_from_the_same_line_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [100.0]
    monkeypatch.setattr("gui.model.notice.time.monotonic", lambda: seconds[0])
    errors = RepeatedErrors()
    assert not errors.is_repeated(raised(ValueError("a")))
    assert errors.is_repeated(raised(ValueError("a")))
    assert not errors.is_repeated(raised(ValueError("b")))
    assert not errors.is_repeated(raised(KeyError("b")))
    seconds[0] += 1
    assert not errors.is_repeated(raised(KeyError("b"))), "a second has passed"


def test_reading_about_a_variant_without_a_result_leaves_the_one_shown(session: Session) -> None:
    """Its card took path and colours away."""
    session.results.add([solve(session, "bf-serial")])
    shown = session.results.selected
    for unsolved in ("dijkstra-heap", "bf-edge"):
        session.results.select(unsolved)
        assert (session.results.selected_id, session.results.selected) == (unsolved, shown)
    session.results.add([solve(session, "bf-python")])
    assert session.results.selected_id == "bf-edge"
    assert session.results.selected is shown
    session.results.add([solve(session, "bf-edge")])
    assert session.results.selected.variant.id == "bf-edge"
    session.results.clear()
    assert session.results.selected is None


def test_an_earlier_run_keeps_further_sources_only_behind_its_own(session: Session) -> None:
    """A session that is opened shows its run and keeps its sources; a run from
    elsewhere replaces them.
    """
    session.set_question((0, 2), 3)
    first = solve(session)
    session.show_stored(kept_run_of("stored"), [first])
    assert session.sources == (0, 2)
    session.set_question((1, 2), 3)
    session.show_stored(kept_run_of("stored"), [first])
    assert (session.sources, session.target) == ((0,), 3)
