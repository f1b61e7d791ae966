"""The library: its functions, loaded on use; questions and answers in the file's ids;
failures that are raised.
"""

from __future__ import annotations

import doctest
import errno
import importlib
import inspect
import math
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest

import solvers
from solvers import all_sources, errors, generate, list_devices, prepare, read, solve, variants
from solvers.core.problem import Phases
from solvers.core.variant import Answers, all_variants, find_variant
from solvers.devices import discover
from solvers.errors import (
    DeviceUnavailable,
    InputError,
    NegativeCycle,
    OptionNotApplicable,
    ParameterError,
    TautpathError,
    UnknownName,
    UnknownVertex,
    UnsuitableGraph,
    WrongAnswer,
)
from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.turn_rules import TurnRules
from solvers.library.solving import AUTOMATIC
from solvers.running.request import LEAST_TRIALS, MOST_TRIALS, MOST_WARMUPS
from solvers.version import __version__
from tests import graphs
from tests.solvers.fakes import diamond, fake_variant, solve_sssp

ROOT = Path(solvers.__file__).parents[1]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return diamond()


def test_one_path_in_the_ids_of_the_file(graph: Graph) -> None:
    answer = solve(graph, source=10, target=40)

    assert (answer.variant, answer.source, answer.target) == ("auto-target", 10, 40)
    assert (answer.distance, answer.path) == (5, [10, 20, 40])
    assert isinstance(answer.distance, int)
    assert answer.verified
    assert "proved" in answer.verdict.text
    assert answer.time > 0
    assert answer.times == [answer.time]
    assert "was chosen" in answer.note


def test_one_path_says_nothing_of_what_it_did_not_settle(graph: Graph) -> None:
    answer = solve(graph, "dijkstra-target", source=10, target=20)

    assert answer.distances[:2].tolist() == [0, 2]
    assert np.isnan(answer.distances[3:]).all()
    assert answer.path_to(20) == [10, 20]
    assert answer.path_to(10) == [10]
    for ask in (answer.distance_to, answer.path_to):
        with pytest.raises(InputError, match="Only the path to 20"):
            ask(40)


def test_one_path_that_does_not_exist(graph: Graph) -> None:
    answer = solve(graph, source=10, target=99)

    assert answer.distance == math.inf
    assert answer.path is None
    assert answer.path_to(99) is None
    assert answer.distances[4] == math.inf
    assert answer.verified


def test_from_one_source_to_any_target(graph: Graph) -> None:
    with warnings.catch_warnings(action="error"):
        answer = solve(graph, source=10)

    assert answer.variant == "auto"
    assert answer.distances.tolist() == [0, 2, 4, 5, math.inf]
    assert answer.ids.tolist() == [10, 20, 30, 40, 99]
    assert answer.distances.dtype == np.float64
    assert [answer.distance_to(id_) for id_ in (10, 20, 30, 40, 99)] == [0, 2, 4, 5, math.inf]
    assert [answer.path_to(id_) for id_ in (40, 99)] == [[10, 20, 40], None]
    assert answer.path_between(10, 30) == [10, 30]
    assert (answer.distance, answer.path, answer.target) == (None, None, None)
    with pytest.raises(InputError, match="from 10 only"):
        answer.path_between(20, 40)
    with pytest.raises(UnknownVertex):
        answer.path_to(11)


def test_between_all_pairs(graph: Graph) -> None:
    answer = solve(graph)

    assert answer.variant == "auto-apsp"
    np.testing.assert_array_equal(answer.distances, graphs.right_matrix(graph))
    assert answer.distance_between(20, 40) == 3
    assert answer.path_between(20, 40) == [20, 40]
    assert answer.path_between(40, 20) is None
    with pytest.raises(InputError, match="No source"):
        answer.path_to(40)
    assert solve(graph, "fw-serial", source=10, target=40).path == [10, 20, 40]


def test_long_distances_are_exact_where_floats_round() -> None:
    far = graphs.from_list(2, [(0, 1, 2**53 + 1)], np.int64)

    answer = solve(far, "dijkstra-heap", source=10, target=13)

    assert answer.distance == 2**53 + 1
    assert answer.result.distances[1] == 2**53 + 1


def test_labels_of_networkx_are_the_ids() -> None:
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2), ("b", ("c", 1), 1), ("a", ("c", 1), 9)])

    answer = solve(graph, source="a", target=("c", 1))

    assert answer.path == nx.shortest_path(graph, "a", ("c", 1), weight="weight")
    assert (answer.source, answer.target, answer.distance) == ("a", ("c", 1), 3)
    assert answer.verdict.text.startswith("A shortest path to ('c', 1)")
    assert list(answer.ids) == ["a", "b", ("c", 1)]
    with pytest.raises(UnknownVertex):
        solve(graph, source="z")
    for several in ({"source": ["a", "b"]}, {"source": "a", "target": np.array(["a", "b"])}):
        with pytest.raises(UnknownVertex, match="One id is expected"):
            solve(graph, **several)


@pytest.mark.usefixtures("without_gpu")
@pytest.mark.parametrize("with_turns", [False, True])
def test_all_pairs_ask_a_router_where_a_hierarchy_pays(with_turns: bool) -> None:
    graph = generate("road", vertices=400, seed=4)
    if with_turns:
        turns = {(arc, graph.row(int(graph.indices[arc])).start): 1 for arc in range(0, 800, 3)}
        graph = graph.with_turns(TurnRules.of(turns))
    answer, right = solve(graph, verify="all"), solve(graph, "apsp-lanes-omp")
    assert answer.note.startswith("A router answered all pairs")
    assert (answer.variant, answer.verified, answer.sources) == ("auto-apsp", True, [])
    np.testing.assert_array_equal(answer.distances, right.distances)
    first, last = graph.ids[[0, -1]].tolist()
    assert answer.distance_between(first, last) == right.distance_between(first, last)
    path, length = answer.path_between(first, last), right.distance_between(first, last)
    assert path is None if math.isinf(length) else path.length == length
    assert "apsp-lanes-omp was chosen" in solve(graph, trials=2).note


@pytest.mark.parametrize("variant", ["auto", "bf-serial", "fw-serial"])
def test_a_negative_cycle_is_raised_in_the_ids_of_the_graph(variant: str) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1), ("b", "c", -3), ("c", "b", 1)])

    with pytest.raises(NegativeCycle, match="b") as caught:
        solve(graph, variant, source="a")

    assert sorted(caught.value.ids) == ["b", "c"]
    assert caught.value.weight == -2


# -- variants, parameters, devices
# -----------------------------------------------------------------------------------


def test_the_automatic_variants_exist_for_every_question() -> None:
    assert set(AUTOMATIC) == set(Answers)
    assert all(find_variant(id_).answers is answers for answers, id_ in AUTOMATIC.items())


def test_no_parameter_of_a_variant_hides_behind_one_of_solve() -> None:
    own = set(inspect.signature(solve).parameters) - {"parameters"}
    assert not [(v.id, p.name) for v in variants() for p in v.parameters if p.name in own]


def test_variants_can_be_listed_by_question() -> None:
    assert variants() == all_variants()
    assert {v.answers for v in variants("target")} == {Answers.TARGET}
    with pytest.raises(UnknownName, match=r"one path.*target, sssp, apsp"):
        variants("one path")


def test_parameters_are_keywords_and_are_checked(graph: Graph) -> None:
    answer = solve(graph, "dijkstra-heap", source=10, arity=8)

    assert answer.result.parameters == {"arity": 8}
    with pytest.raises(ParameterError):
        solve(graph, "dijkstra-heap", source=10, arity=1000)
    with pytest.raises(UnknownName) as caught:
        solve(graph, "dijkstra-heap", source=10, aritty=8)
    assert caught.value.nearest == ("arity",)
    with pytest.raises(UnknownName):
        solve(graph, "dijkstra-heep", source=10)


def test_trials_and_warm_ups_are_counted(graph: Graph) -> None:
    answer = solve(graph, "dijkstra-heap", source=10, trials=3, warmup=2)

    assert [t.is_warmup for t in answer.result.trials] == [True, True, False, False, False]
    once = solve(graph, "dijkstra-heap", source=10)
    assert [t.is_warmup for t in once.result.trials] == [False]
    assert once.time_interval is None
    assert len(answer.times) == 3
    with pytest.raises(ParameterError):
        solve(graph, source=10, trials=0)


def test_a_missing_end_point_is_said(graph: Graph) -> None:
    with pytest.raises(InputError, match="source"):
        solve(graph, "dijkstra-heap")
    with pytest.raises(InputError, match="source"):
        solve(graph, target=40)


def test_kernels_need_a_device_and_a_device_can_be_given(graph: Graph) -> None:
    with pytest.raises(DeviceUnavailable):
        solve(graph, "bf-strided", source=10, device=None)
    with pytest.raises(DeviceUnavailable):
        solve(graph, "bf-strided", source=10, device="opencl:77")
    if not discover().devices:
        pytest.skip("no device that runs kernels")
    device = discover().devices[-1]
    for given in (device, device.key):
        answer = solve(graph, "bf-strided", source=10, target=40, device=given, block=128)
        assert (answer.path, answer.result.device_name) == ([10, 20, 40], device.name)
        assert answer.result.parameters["block"] == 128


# -- what goes wrong is seen
# -----------------------------------------------------------------------------------------


def test_a_wrong_answer_warns_and_says_so_everywhere(graph: Graph) -> None:
    def one_too_far(problem):
        right = solve_sssp(problem)
        return replace(
            right,
            distances=right.distances
            + (np.arange(problem.graph.n) == 3).astype(right.distances.dtype),
        )

    with pytest.warns(WrongAnswer, match="40"):
        answer = solve(graph, fake_variant(solve=one_too_far), source=10, target=40)

    assert not answer.verified
    assert "40" in answer.verdict.text
    assert (answer.path, answer.path_to(40)) == (None, None)
    assert answer.distances[3] == 6
    assert repr(answer).endswith("WRONG)")


def test_a_defect_of_a_variant_keeps_its_traceback(graph: Graph) -> None:
    def fails_deep_inside(problem):
        raise ZeroDivisionError("by nought")

    with pytest.raises(ZeroDivisionError) as caught:
        solve(graph, fake_variant(solve=fails_deep_inside), source=10)

    assert "fails_deep_inside" in "".join(caught.value.__notes__)


# -- graphs in, and one line out
# -------------------------------------------------------------------------------------


def test_read_takes_files_and_graphs(graph: Graph, tmp_path) -> None:
    file = tmp_path / "two.gr"
    file.write_text("p sp 3 1\na 1 2 5\n")

    assert read(graph) is graph
    assert read(str(file)).ids.tolist() == [1, 2, 3]
    assert read(file, undirected=True, weights="unit").weights.tolist() == [1, 1]
    assert solve(file, source=1, target=2).distance == 5


def test_what_the_reader_doubts_is_a_warning(tmp_path) -> None:
    file = tmp_path / "claims.gr"
    file.write_text("p sp 2 7\na 1 2 5\n")

    with pytest.warns(UserWarning, match=r"claims\.gr: .*7"):
        read(file)


def test_options_that_do_not_go_with_a_source_are_refused(graph: Graph) -> None:
    for options in ({"weights": "unit"}, {"coordinates": "x.co"}, {"undirected": True}):
        with pytest.raises(ParameterError):
            read(graph, **options)
    with pytest.raises(ParameterError):
        read(([0, 0], [], []), weights="unit")


@pytest.mark.parametrize(
    ("call", "error", "choices"),
    [
        (lambda: variants("path"), UnknownName, "target, sssp, apsp"),
        (lambda: all_sources([(1, 2)], direction="back"), UnknownName, "out, in"),
        (
            lambda: all_sources([(1, 2)], reduce="xyz"),
            UnknownName,
            "eccentricity, closeness, reach",
        ),
        (
            lambda: all_sources([(1, 2)], masses=["a", "b"]),
            ParameterError,
            "one number for each vertex",
        ),
        (lambda: all_sources([(1, 2)], reduce="histogram", bins=("a", 3)), InputError, "50:1000"),
        (lambda: solve([(1, 2)], "qqq", source=1), UnknownName, "from: bf-"),
        (lambda: solve([(1, 2)], source=1, device="tpu"), UnknownName, "auto, cuda, opencl"),
        (lambda: generate("zzz"), UnknownName, "road"),
        (lambda: read(object()), ParameterError, "rustworkx"),
        (lambda: read([(1, 2)], weights="unit"), OptionNotApplicable, "for files"),
        (lambda: read([(1, 2)], columns="a,b"), OptionNotApplicable, "for tables"),
        (lambda: read("nowhere.gr"), FileNotFoundError, "no such file"),
    ],
    ids=[
        "answers",
        "direction",
        "reduce",
        "masses",
        "bins",
        "variant",
        "device",
        "family",
        "source",
        "weights",
        "columns",
        "file",
    ],
)
def test_every_error_of_the_face_is_ours_and_names_the_choices(
    call: Any, error: type, choices: str
) -> None:
    with pytest.raises(TautpathError, match=re.escape(choices)) as caught:
        call()
    assert isinstance(caught.value, error)


def test_a_missing_file_is_one_in_the_words_of_python_too() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        read("nowhere.gr")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, "nowhere.gr")


def test_the_length_of_a_graph_is_its_number_of_vertices_and_none_is_false(graph: Graph) -> None:
    assert len(graph) == graph.n
    assert read([])


def test_devices_are_those_that_solve_takes(graph: Graph) -> None:
    for device in list_devices():
        assert solve(graph, "dijkstra-heap", source=10, device=device.key).verified


def test_generate_takes_the_familys_parameters() -> None:
    assert generate("grid", rows=3, columns=4).n == 12
    with pytest.raises(UnknownName):
        generate("gird")
    with pytest.raises(ParameterError):
        generate("grid", rows=0)


def test_an_answer_shows_itself_in_one_line(graph: Graph) -> None:
    shown = repr(solve(graph, "dijkstra-heap", source=10, target=40))

    assert shown.startswith("ShortestPaths(dijkstra-heap, from 10 to 40: 5 m, ")
    assert shown.endswith("s of preparation, verified)")
    assert "unreachable" in repr(solve(graph, source=10, target=99))
    assert "all pairs" in repr(solve(graph))
    assert repr(solve(graph, source=10).result) == f"Result(auto on {graph!r}: ok)"


def test_times_are_seconds_and_preparation_is_apart(graph: Graph) -> None:
    def prepares_once(problem):
        phases = Phases(
            prepare=100.0 if not times else 1.0, solve=times.append(0) or 2.0 * len(times), d2h=0.5
        )
        return replace(solve_sssp(problem), phases=phases)

    times: list[int] = []
    # and the graph of two vertices before
    solve(graph, fake_variant(solve=prepares_once), source=10)
    answer = solve(graph, fake_variant(solve=prepares_once), source=10, trials=3, warmup=1)
    assert answer.times == pytest.approx([0.0085, 0.0105, 0.0125])
    assert (answer.time, answer.preparation) == pytest.approx((0.0105, 0.001))
    times.clear()
    assert solve(
        graph, fake_variant(solve=prepares_once), source=10, warmup=1
    ).preparation == pytest.approx(0.1)


def test_without_verification_nothing_is_claimed_and_the_path_is_there(
    graph: Graph, monkeypatch
) -> None:
    monkeypatch.setattr(
        "solvers.verification.prover.verify", lambda *_: pytest.fail("the graph is searched again")
    )
    for verify in (False, "none"):
        answer = solve(graph, source=10, target=40, verify=verify)
        assert (answer.verified, answer.verdict, answer.path) == (None, None, [10, 20, 40])
        assert repr(answer).endswith("s of preparation, not verified)")
    with pytest.raises(ParameterError, match="it takes True, False, sample, all, none"):
        solve(graph, source=10, verify="some")


@pytest.mark.parametrize(
    ("verify", "finding"), [("sample", "1 of 3"), (True, "3 of 3"), (False, None)]
)
def test_many_sources_are_a_block_of_rows(graph: Graph, verify, finding) -> None:
    answer = solve(graph, sources=[40, 10, 40], verify=verify)

    whole = solve(graph)
    ids = graph.ids.tolist()
    np.testing.assert_array_equal(
        answer.distances, whole.distances[[ids.index(i) for i in (40, 10, 40)]]
    )
    assert (answer.distance_between(10, 40), answer.path_between(10, 40)) == (5, [10, 20, 40])
    assert answer.verified == (None if finding is None else True)
    assert str(answer.verdict) == (f"{finding} rows proved." if finding else "None")
    assert repr(answer).startswith("ShortestPaths(auto, from 3 sources, ")
    with pytest.raises(InputError, match="3 other sources"):
        answer.path_between(20, 40)


def test_many_sources_are_refused_with_what_does_not_apply_and_wrong_rows_warn(
    graph: Graph, monkeypatch
) -> None:
    for more in ({"variant": "dijkstra-heap"}, {"source": 10}, {"trials": 3}, {"arity": 2}):
        with pytest.raises(InputError, match="sources="):
            solve(graph, sources=[10], **more)
    with pytest.raises(InputError, match="empty"):
        solve(graph, sources=[])
    with pytest.raises(UnknownVertex) as caught:
        solve(graph, sources=[10, 11])
    assert caught.value.position == 1


def test_trials_are_as_many_as_needed_if_asked(graph: Graph) -> None:
    answer = solve(graph, "dijkstra-heap", source=10, trials=None, warmup=None)
    result = answer.result
    assert 2 <= sum(t.is_warmup for t in result.trials) <= MOST_WARMUPS
    assert LEAST_TRIALS <= len(result.times()) <= MOST_TRIALS
    low, high = answer.time_interval or (1.0, 0.0)
    assert low <= answer.time <= high
    assert answer.disturbances == tuple(d.words for d in result.disturbances)
    assert result.cold_ms is not None


_LAZY = """
import sys
import solvers
NAMES = dir(solvers)
assert {"AllSources", "NegativeCycle", "solve"} <= set(NAMES), NAMES
heavy = {"numpy", "numba", "scipy", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
from solvers import NegativeCycle
heavy = {"numpy", "numba", "scipy", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
from solvers import generate, read, solve, variants
heavy = {"scipy.sparse", "networkx", "pyopencl", "cupy"} & set(sys.modules)
assert not heavy, heavy
assert dir(solvers) == NAMES
"""


def test_importing_the_package_loads_no_numerics() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LAZY], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_name_is_found_and_no_other() -> None:
    for name in dir(solvers):
        assert callable(getattr(solvers, name))
        assert getattr(solvers, name).__name__ == name
    for name in errors.__all__:
        assert getattr(solvers, name) is getattr(errors, name)
    assert solvers.__version__ == __version__
    with pytest.raises(AttributeError, match="sovle"):
        solvers.sovle  # noqa: B018  # type: ignore[attr-defined]


def test_answers_are_shown_without_their_arrays() -> None:
    """`repr` of a tree, of paths, flows and verdicts listed every value."""
    graph = generate("grid", rows=20, columns=20)
    router, ids = prepare(graph, device=None), graph.ids.tolist()
    found = all_sources(graph, ["betweenness", "histogram"], device=None)
    shown = (
        router.tree(1),
        router.paths([(ids[0], ids[-1])] * 50),
        router.proofs,
        found,
        found.flows,
        found.histogram,
        found.verdict,
        solve(graph).verdict,
    )
    for answer in shown:
        assert repr(answer).startswith(type(answer).__name__)
        assert len(repr(answer)) < 200
        assert "array(" not in repr(answer)


def test_betweenness_of_the_answer() -> None:
    """It was under `flows` only, whatever was asked for."""
    graph = nx.path_graph(5)
    found = all_sources(graph, "betweenness")
    assert found.betweenness.tolist() == [0, 3, 4, 3, 0]
    assert found.values("betweenness") is found.betweenness is found.flows.vertices
    assert found.verified is found.verdict.verified is True
    with pytest.raises(InputError, match='reduce="betweenness" computes it'):
        all_sources(graph).betweenness  # noqa: B018


@pytest.mark.parametrize(
    ("ask", "stages"),
    [
        (
            lambda graph, show: solve(graph, source=1, progress=show),
            ("verifying the answer", "finished"),
        ),
        (lambda graph, show: solve(graph, sources=[1, 2], progress=show), ("rows",)),
        (lambda graph, show: all_sources(graph, progress=show), ("all sources",)),
        (lambda graph, show: prepare(graph, progress=show), ("preparing",)),
    ],
    ids=["solve", "rows", "all sources", "prepare"],
)
def test_progress_is_told(
    ask: Any, stages: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[tuple[float, str]] = []
    ask(generate("grid", rows=30, columns=30), lambda *said: told.append(said))
    assert set(stages) <= {stage for _, stage in told}
    assert all(0 <= done <= 1 for done, _ in told)
    assert capsys.readouterr().err == ""
    ask(generate("grid", rows=30, columns=30), True)
    assert "%" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="“progress” cannot be “7”: it takes True for a bar"):
        ask(generate("grid", rows=30, columns=30), "7")


class _Bar:
    """What a bar of tqdm is asked for."""

    made: ClassVar[list[_Bar]] = []

    def __init__(self, total: int, **_: object) -> None:
        self.total, self.n, self.stages, self.closed = total, 0.0, [], False
        self.made.append(self)

    def set_description_str(self, stage: str, refresh: bool) -> None:
        self.stages.append(stage)

    def update(self, more: float) -> None:
        self.n += more

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_a_notebook_has_a_bar_of_tqdm_if_there_is_one(
    has_tqdm: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tqdm = SimpleNamespace(tqdm=_Bar) if has_tqdm else None
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setattr(_Bar, "made", [])
    solve(generate("grid", rows=30, columns=30), source=1, progress=True)
    assert ("%" in capsys.readouterr().err) is not has_tqdm
    assert [(bar.total, round(bar.n), bar.closed) for bar in _Bar.made] == [
        (100, 100, True)
    ] * has_tqdm
    assert all("verifying the answer" in bar.stages for bar in _Bar.made)


def test_a_path_as_arcs_with_keys() -> None:
    roads = nx.MultiDiGraph()
    roads.add_edge("a", "b", key="old", weight=5)
    roads.add_edge("a", "b", key="new", weight=3)
    roads.add_edge("b", "c", key="only", weight=1)
    answer = solve(roads, source="a", target="c")
    assert answer.path_arcs == [("a", "b", "new"), ("b", "c", "only")]
    both_ways = solve(nx.MultiGraph(roads), source="c", target="a")
    assert both_ways.path_arcs == [("c", "b", "only"), ("b", "a", "new")]
    numbered = solve([(7, 5, 2), (5, 9, 4), (5, 9, 3), (5, 9, 3)], source=7, target=9)
    assert numbered.path_arcs == [(7, 5, 0), (5, 9, 1)]
    assert solve([(1, 2)], source=2, target=1).path_arcs is None
    assert solve([(1, 2)], source=2, target=2).path_arcs == []


_ROWS = [0, 2, 3, 3], [1, 2, 2], [4, 9, 3]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: solve([]), "has no vertices"),
        (lambda: solve(nx.Graph(), source=1), "There is no vertex “1”"),
        (lambda: solve(_ROWS, source=0, trials="3"), "“trials” cannot be “3”: it takes a whole"),
        (lambda: solve(_ROWS, source=0, trials=1.5), "“trials” cannot be 1.5"),
        (lambda: solve(_ROWS, source=0, trials=math.nan), "“trials” cannot be nan"),
        (lambda: solve(_ROWS, source=0, warmup=-1), "whole number of at least 0"),
        (lambda: solve(_ROWS, source=0, device=3), "“device” cannot be 3"),
        (lambda: solve(_ROWS, sources=[0], device=3), "“device” cannot be 3"),
        (lambda: solve(_ROWS, [], source=0), "it takes an id or a Variant"),
        (lambda: solve(_ROWS, source="0"), "“'0' (str)”. Nearest: 0 (int)"),
        (lambda: solve([("1", "2", 4)], source=1), "“1 (int)”. Nearest: '1' (str)"),
        (lambda: solve([("1", "2", 4)], sources=["1", 2]), "position 1 of sources, “2 (int)”"),
        (lambda: generate([]), "There is no generator"),
        (lambda: all_sources(_ROWS, None), "“reduce” cannot be None"),
        (lambda: all_sources(_ROWS, threads="2"), "“threads” cannot be “2”"),
        (lambda: all_sources(_ROWS, threads=1.5), "“threads” cannot be 1.5"),
        (lambda: all_sources(_ROWS, device=3), "“device” cannot be 3"),
        (lambda: all_sources(_ROWS, ["histogram"], bins=None), "“bins” cannot be None"),
        (lambda: all_sources(_ROWS, sources="01"), "a number of vertices, or a list of ids"),
        (lambda: all_sources(_ROWS, sources=True), "a number of vertices, or a list of ids"),
        (lambda: all_sources(_ROWS, sources=1.5), "a number of vertices, or a list of ids"),
        (lambda: all_sources(_ROWS, resume=3), "“resume” cannot be 3: it takes a file name"),
    ],
)
def test_arguments_of_other_types_are_refused_in_words(call: Any, said: str) -> None:
    """They ended in errors of Python, NumPy and numba; NaN trials had no end."""
    with pytest.raises(InputError) as refused:
        call()
    assert said in str(refused.value)


def test_a_cluster_that_is_none_is_refused_in_words() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="“cluster” cannot be 3"):
        all_sources(_ROWS, cluster=3)


def test_a_processor_is_chosen_by_none_everywhere() -> None:
    one, other = (all_sources(_ROWS, device=device) for device in (None, "none"))
    assert one.eccentricity.tolist() == other.eccentricity.tolist() == [7, 3, 0]
    assert len(all_sources(_ROWS, sources=np.int64(2)).sources) == 2


def test_warnings_are_at_the_line_of_the_caller(tmp_path: Path) -> None:
    """However deep the library noticed; and they name no options of the command line."""
    file = tmp_path / "two.csv"
    file.write_text("from,to,km,toll\na,b,1,3\nb,c,4,6\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
        solve(file, source="a", target="c")
        read(file)
    assert [(one.filename, one.lineno) for one in caught] == [
        (__file__, line),
        (__file__, line + 1),
    ]
    file.write_text("from,to,x,y\na,b,1,2\nb,c,4,5\n")
    with pytest.warns(errors.GraphFileWarning, match="Choose columns, such as") as caught:
        read(file)
    assert "--" not in str(caught[0].message)


@pytest.mark.parametrize(
    "module",
    [
        "features.all_sources.call",
        "features.router.router",
        "library.graphs",
        "library.solving",
    ],
)
def test_the_examples_in_the_docstrings_hold(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"solvers.{module}"))
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("option", [{"undirected": True}, {"columns": "1,2"}])
def test_options_of_reading_name_read(graph: Graph, option: dict[str, Any]) -> None:
    with pytest.raises(OptionNotApplicable, match=r"solve\(read\(graph, "):
        solve(graph, source=graph.vertex_id(0), **option)


def test_places_stand_for_points_of_roads() -> None:
    roads = generate("road", vertices=300, seed=2)
    if roads.coordinates is None or not roads.coordinates.geographic:
        roads = replace(roads, coordinates=Coordinates(roads.coordinates.xy * 1e-4, True))
    x, y = roads.coordinates.xy[[5, 200]].mean(axis=0).tolist()
    answer = solve(roads, source=(y, x), target=7)
    point, none = answer.points
    assert none is None
    assert answer.verified
    assert answer.graph.n == roads.n + (point.vertex is None)
    assert answer.path[-1] == 7
    with pytest.raises(UnsuitableGraph, match="no longitudes and latitudes"):
        solve(generate("rmat", scale=5, seed=1), source=(1.5, 2.5))
    with pytest.raises(UnknownVertex):
        solve({(0, 1): {(1, 1): 2}}, source=(1.5, 2.5))
