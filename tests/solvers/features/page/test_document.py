"""Pages: what they carry and leave out, that no name leaves its place, and questions on
a run; gui draws one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.commands.console import BAD_INPUT
from solvers.core.recorder import TraceRecorder
from solvers.core.result import Result
from solvers.core.result_view import iterations_cell
from solvers.core.variant import find_variant
from solvers.features.lesson.questions import (
    QuestionKind,
    TraceQuestion,
    is_right,
    questions_of,
    right_answer,
)
from solvers.features.page import document
from solvers.features.page.document import KeptSteps, PageDrawing
from solvers.features.page.pack import Packer, varints
from solvers.graphs.readers import read_graph
from solvers.running.request import Choice, MeasurementPlan, RunRequest
from solvers.running.run import run
from solvers.system.files import RESOURCES
from tests.solvers.made_up_variants import solve

PLAIN = PageDrawing(None, picture=b"PNG")


def unpacked(page: str) -> dict:
    """The description in a page."""
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page)[1]))
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def test_numbers_are_packed_in_few_bytes():
    packer = Packer()
    packer.integers("near", np.arange(1000) + 10**9)
    packer.values("lengths", np.array([3.0, np.inf]))
    packer.values("fractions", np.array([0.5, np.inf]))
    packer.integers("huge", np.array([2**60]))
    data = zlib.decompress(base64.b64decode(packer.finish({"name": "</script>"})))
    head = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    assert [(a["kind"], a["bytes"]) for a in head["arrays"]] == [
        ("d", 1004),
        ("l", 2),
        ("f8", 16),
        ("f8", 8),
    ]
    assert varints(np.array([0, -1, 1, 64, -(2**40)])) == bytes(
        [0, 1, 2, 0x80, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F]
    )


@pytest.mark.parametrize(
    ("steps", "entries", "positions", "gathered", "words"),
    [
        (100, 100, [0, 1, 2, 3, 4], 1, ""),
        (2, 100, [2, 4], 3, "a step shows 3 iterations together"),
        (100, 2, [0, 3, 4], 1, "3 of 5 frontiers are kept"),
    ],
)
def test_long_traces_are_gathered_and_large_ones_thinned(
    monkeypatch, steps, entries, positions, gathered, words
):
    monkeypatch.setattr(document, "_MOST_STEPS", steps)
    monkeypatch.setattr(document, "_MOST_ENTRIES", entries)
    recorder = TraceRecorder(5)
    for vertex in range(5):
        recorder.iteration(np.array([vertex]), relaxed=1, improved=1, ms=1.0)
    kept = KeptSteps.of(trace := recorder.finish())
    assert (kept.positions.tolist(), kept.gathered, kept.words(trace)) == (
        positions,
        gathered,
        words,
    )
    shown = np.concatenate([kept.frontier(trace, step) for step in range(len(positions))])
    assert set(shown.tolist()) == (set(range(5)) if kept.complete else {0, 3, 4})


@pytest.mark.usefixtures("made_up_catalogue")
def test_solve_writes_a_page_that_runs_only_its_own_script(tautpath, diamond_file, tmp_path):
    path = tmp_path / "out.html"
    status, out, _ = tautpath(*solve(diamond_file, "--variants", "good,other", "--page", path))
    assert status == 0
    assert "out.html" in out
    page = path.read_text("utf-8")
    script = re.search(r"<script>(.*)</script>", page, re.DOTALL)[1]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in page
    assert "unsafe" not in page
    assert set(re.findall(r"https?://[^\"]*", page)) == {"http://www.w3.org/2000/svg"}
    assert [run["id"] for run in unpacked(page)["runs"]] == ["good", "other"]


@pytest.mark.usefixtures("made_up_catalogue")
def test_a_page_of_too_many_variants_is_refused_before_work(
    tautpath, diamond_file, tmp_path, monkeypatch
):
    arguments = solve(diamond_file, "--variants", "good,other", "--page", tmp_path / "out.html")
    monkeypatch.setattr("solvers.features.page.document.MOST_RUNS", 1)
    status, _, err = tautpath(*arguments)
    assert (status, "up to 1 variants, not 2" in err) == (BAD_INPUT, True)


# -- questions
# --------------------------------------------------------------------------------------


def test_questions_and_their_answers_follow_from_the_trace():
    graph = read_graph(RESOURCES / "samples" / "textbook.gr").graph
    variants = [find_variant(one) for one in ("dijkstra-heap", "bf-serial")]
    choices = tuple(Choice(one, one.settle({})) for one in variants)
    plan = MeasurementPlan(warmups=0, trials=1)
    results = list(
        run(RunRequest(graph, source=0, target=None, choices=choices, plan=plan, trace=True))
    )
    trace, asked = results[0].trace, questions_of(results)
    of_matrices = {QuestionKind.CELLS, QuestionKind.CELL}
    assert {question.kind for question in asked} == set(QuestionKind) - of_matrices
    for question in asked:
        after, answer = question.position + 1, question.answer
        if question.kind is QuestionKind.FRONTIER:
            assert answer == tuple(sorted(trace.frontier(after).tolist()))
        elif question.kind is QuestionKind.ARCS:
            assert set(graph.tails[list(answer)].tolist()) <= set(trace.frontier(after).tolist())
            assert len(answer) == trace.relaxed[after]
        elif question.kind is QuestionKind.DISTANCE:
            assert answer == (trace.distances[after][question.vertex],)
            assert (
                trace.distances[after][question.vertex]
                < trace.distances[after - 1][question.vertex]
            )
        else:
            counts = np.array([result.trace.iterations for result in results])
            assert answer == tuple(np.flatnonzero(counts == counts.min()).tolist())
    assert asked[0].worded("Who?").described()["words"] == "Who?"


def test_the_run_that_ends_first_is_the_one_that_is_seen_to_end_first():
    """A timed run of threads that race may take fewer iterations than the watched one."""
    graph = read_graph(RESOURCES / "samples" / "textbook.gr").graph

    def made(timed, watched=None):
        recorder = TraceRecorder(graph.n)
        for _ in range(watched or 0):
            recorder.iteration(np.array([0]), relaxed=1, improved=0, ms=1.0)
        trace = None if watched is None else recorder.finish()
        variant = find_variant("bf-serial")
        return Result(variant, {}, graph, 0, None, iterations=timed, trace=trace)

    def first(*results):
        asked = [one for one in questions_of(results) if one.kind is QuestionKind.FIRST]
        return [one.answer for one in asked]

    assert first(made(5, 90), made(76, 76)) == [(1,)]
    assert first(made(5, 5), made(76)) == [(0,)]
    assert first(made(5), made(76)) == [(0,)]
    assert first(made(5, 90), made(76)) == [], "both numbers of the first are told"
    assert iterations_cell(made(5, 90)) == "5 (90 watched)"


@pytest.mark.parametrize(
    ("kind", "answer", "given", "right"),
    [
        (QuestionKind.FRONTIER, (1, 2), "3,2", True),
        (QuestionKind.FRONTIER, (1, 2), "2", False),
        (QuestionKind.ARCS, (0,), "1 -> 2", True),
        (QuestionKind.ARCS, (0,), "2-1", False),
        (QuestionKind.DISTANCE, (float("inf"),), "∞", True),
        (QuestionKind.DISTANCE, (2.5,), "2.5", True),
        (QuestionKind.DISTANCE, (2.5,), "far", False),
    ],
)
def test_answers_in_words_are_judged(kind, answer, given, right):
    result = SimpleNamespace(graph=read_graph(RESOURCES / "samples" / "textbook.gr").graph)
    question = TraceQuestion(kind, "", 0, 0, answer)
    assert is_right(question, given, [result]) is right
    assert is_right(question, right_answer(question, [result]), [result])
