"""What a process of a user's own code may say: every field of its answer with values
that it cannot have, files that lie, and programs that try to do harm.

Each gives an error that names the field, and this process goes on. Most cases are
answers that a process might have written, read by the code that reads them; no process
is started for these.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

from solvers.core.problem import Phases, Problem, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import recording
from solvers.errors import (
    AnswerRefused,
    DeviceUnavailable,
    FileNotWritten,
    InputError,
    KernelBuildError,
    KernelCrashed,
    KernelTimeLimit,
    NegativeCycle,
    OutOfMemory,
    Unavailable,
    UserCodeFailed,
)
from solvers.features.own_kernels import user_answers, user_process
from solvers.features.own_kernels.instrumented import Logged
from solvers.features.own_kernels.user_code import UserCode
from solvers.features.own_kernels.user_messages import (
    MOST_HEADER,
    MOST_LOG,
    MOST_NOTE,
    CodeAnswer,
    CodeFailure,
    CodeReport,
    PhaseTimes,
    Solved,
    as_log,
    load,
    one_line,
    save,
)
from solvers.features.own_kernels.user_process import UserProcess
from solvers.features.own_kernels.user_variants import add_variants
from solvers.graphs.weights import INT32
from solvers.picture.layout.arrangements import rings
from solvers.picture.scene.activity import Activity
from solvers.verification.verify import verify_sssp
from tests.graphs import at_random
from tests.quick import first_quick
from tests.solvers.fakes import FakeDevice

ROOT = Path(__file__).resolve().parents[4]
GRAPH = at_random(6, 20, 1, low=1)
CODE = UserCode("mine", Answers.SSSP, "mine", "mine.py")
Fields, Table = dict[str, Any], dict[str, np.ndarray]

ROW = np.array([0, 3, 2, 9, 4, INT32.infinity], np.int32)
SOLVED: Fields = {
    "iterations": 3,
    "phases": {"prepare": 0.0, "h2d": 0.0, "solve": 1.5, "d2h": 0.0},
    "relaxations": 7,
    "peak_device_bytes": 0,
    "note": "It printed: nothing",
}
ROWS: Table = {
    "Solution.distances": ROW,
    "Solution.predecessors": np.array([-1, 0, 0, 1, 2, -1], np.int32),
}
LOGGED: Fields = {
    "sites": [
        {"file": "mine.cu", "line": 3, "name": "distance", "kind": "write"},
        {"file": "mine.cu", "line": 4, "name": "", "kind": "barrier"},
    ],
    "is_whole": True,
}
PASSES: Table = {
    "passes.offsets": np.array([0, 1, 3]),
    "passes.vertices": np.array([0, 1, 5], np.int32),
    "passes.relaxed": np.array([3, 4]),
    "passes.improved": np.array([2, 0]),
    "passes.ms": np.array([0.5, 0.25]),
    "passes.distances": np.array([ROW, ROW]),
}
STEP: Fields = {
    "type": "step",
    "step": 0,
    "phase": 1,
    "ms": 0.5,
    "relaxed": 36,
    "requested_bytes": 8,
    "copied_bytes": 4,
    "tiles": 1,
    "has_matrix": True,
}
SIX = {"where": "here", "remedy": "Less.", "needed_bytes": 9, "free_bytes": 3}


def reported(report: Fields, arrays: Table, **more: Any) -> tuple[Fields, Table]:
    return {"reports": [report], **more, "Solution": SOLVED}, {**ROWS, **arrays}


def failed(kind: str, **more: Any) -> tuple[Fields, Table]:
    return {"error": {"kind": kind, "words": "mine.cu:3: no", **SIX, **more}}, {}


GOOD: dict[str, tuple[Fields, Table]] = {  # an answer with what it is about
    "launches": reported(
        {"type": "launches", "count": 1},
        {"launches": np.array([[0, 2, 256]])},
        kernels=["relax"],
    ),
    "phase": reported({"type": "phase", "name": "climb", "unit": "vertex"}, {}),
    "passes": reported(
        {"type": "passes", "passes": 2, "vertices": 3, "has_distances": True}, PASSES
    ),
    "step": reported(
        STEP,
        {"step.tiles": np.array([[0, 6, 0, 3]]), "step.matrix": np.zeros((1, 6, 6), np.float32)},
    ),
    "Solution": ({"Solution": SOLVED}, ROWS),
    "AccessLog": (
        {"AccessLog": LOGGED, "kernels": ["relax"]},
        {
            "AccessLog.launches": np.array([[0, 2, 32]]),
            "AccessLog.entries": np.array([[0, 63, 5, 0, 4], [1, 0, 0, 0, 0]], np.int32),
            "AccessLog.outside": np.array([[0, 5, 0, 2**40, 6]]),
            "AccessLog.distances": ROW,
        },
    ),
    "remarks": ({"remarks": "mine.cu:3: a remark\nand more"}, {}),
    "NegativeCycle": (
        failed("NegativeCycle", weight=-3.0, iterations=6)[0],
        {"NegativeCycle.vertices": np.array([1, 2])},
    ),
    "OutOfMemory": failed("OutOfMemory"),
    "KernelBuildError": failed("KernelBuildError"),
    "Unavailable": failed("Unavailable"),
    "InputError": failed("InputError"),
    "UserCodeFailed": failed("UserCodeFailed"),
}
OPTIONAL = {"relaxed", "requested_bytes", "copied_bytes", "relaxations"}

# By the type of a right value; None where a field is not optional.
HOSTILE: dict[type, tuple[Any, ...]] = {
    int: (-1, 2**63, 1.5, float("nan"), "7", [1], {}, True),
    float: (float("nan"), float("inf"), float("-inf"), 1e300, "1.5", [1.0]),
    str: ("x" * (MOST_LOG + 1), "\x1b[31m", "a\x00", "\u202eb", 7, b"x", ["x"]),
    bool: (1, "true", [True]),
    list: ("x", 7, {}, [None], [7], [{}]),
    dict: ([], "x", {}, {"more": 1}),
}
SIGNED = {"weight"}  # whose right values are negative
ZERO_IS_WRONG = {"weight", "phase"}
LINES = {"remarks", "words"}  # texts of several lines
WRONG_COUNTS = {"count", "passes", "vertices", "tiles"}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values in a message's fields, tables and lists included."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            found += paths(one, (*path, key))
    return found


def hostile_fields(kind: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The way to each field of an answer, and each value that the field cannot have."""
    fields = GOOD[kind][0]
    for path in paths(fields):
        right, name = value_at(fields, path), path[-1]
        if name == "reports" or (path[0] == "Solution" and kind != "Solution"):
            continue
        is_optional = name in OPTIONAL or len(path) == 1
        values = [*HOSTILE[type(right)], *([] if is_optional else [None])]
        if isinstance(right, str) and name not in LINES:
            values.append("two\nlines")
        values += [0.0] if name in ZERO_IS_WRONG else []
        values += [3.0] if name in SIGNED else []
        values += [right + 1] if name in WRONG_COUNTS else []
        for value in values:
            yield path, value


def value_at(fields: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        fields = fields[key]
    return fields


def frame(fields: Fields, arrays: Table, heads: dict[str, Any] | None = None) -> bytes:
    """An answer as bytes, whatever is in it; ``heads`` are told instead of the right ones."""
    true = {
        name: {"name": name, "dtype": a.dtype.name, "shape": list(a.shape)}
        for name, a in arrays.items()
    }
    content = {**fields, "arrays": list({**true, **(heads or {})}.values())}
    header = msgspec.msgpack.encode(content)
    whole = b"".join(array.tobytes() for array in arrays.values())
    return len(header).to_bytes(4, "little") + header + whole


LINES_OF_ONE = b"began\nanswered\n"


class Child:
    """In place of `subprocess.Popen`: answers any request with these bytes and lines."""

    pid, returncode = 0, None

    def __init__(self, folder: str, content: bytes, lines: bytes):
        self._answer, self._content = Path(folder) / "answer", content
        self._lines = io.BytesIO(lines)
        self._asked = threading.Event()
        self.stdin = self.stdout = self
        self.stderr = io.BytesIO()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, _: bytes) -> None:
        self._answer.write_bytes(self._content)

    def flush(self) -> None:
        self._asked.set()

    def close(self) -> None:
        self._asked.set()

    def readline(self, size: int) -> bytes:
        self._asked.wait(60)
        return self._lines.readline(size)

    def poll(self) -> int | None:
        return self.returncode

    def kill(self) -> None:
        self.returncode = -9

    def wait(self, timeout: float | None = None) -> int:
        self.returncode = -9
        return -9


@pytest.fixture
def heard() -> list[Any]:
    return []


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, heard: list[Any]) -> Any:
    """Asks for what an answer is about."""

    def asked(kind: str, content: bytes, lines: bytes = LINES_OF_ONE, limit: float = 20.0) -> Any:
        monkeypatch.setattr(
            user_process.subprocess,
            "Popen",
            lambda command, **__: Child(command[-1], content, lines),
        )
        device = recording(FakeDevice(), lambda *launch: heard.append(launch))
        recorder = MatrixRecorder(6) if kind == "step" else TraceRecorder(6)
        problem = Problem(GRAPH, 0, device=device, recorder=recorder)
        with UserProcess() as process:
            if kind == "remarks":
                return process.compile(CODE, "fake:0", INT32)
            if kind == "AccessLog":
                return process.watch(CODE, problem, Logged.ACCESSES, limit=limit)
            found = process.solve(CODE, problem, limit)
            heard.append(recorder.finish())
            return found

    return asked


def test_the_table_has_every_field_of_every_answer() -> None:
    tags = {kind.__struct_config__.tag for kind in get_args(CodeReport)}
    told = {key for fields, _ in GOOD.values() for key in fields}
    assert told | {"arrays"} == set(CodeAnswer.__struct_encode_fields__)
    for kind in get_args(CodeReport):
        (report,) = GOOD[kind.__struct_config__.tag][0]["reports"]
        assert set(report) == {"type", *kind.__struct_fields__}
    assert tags < set(GOOD)
    assert set(GOOD["NegativeCycle"][0]["error"]) == set(CodeFailure.__struct_fields__)
    assert set(SOLVED) == set(Solved.__struct_fields__)
    assert set(SOLVED["phases"]) == set(PhaseTimes.__struct_fields__) == set(vars(Phases()))
    rows = {name.removeprefix("Solution.") for name in ROWS}
    assert {*SOLVED, *rows} == set(Solution.__dataclass_fields__)


ERRORS = {
    "NegativeCycle": NegativeCycle,
    "OutOfMemory": OutOfMemory,
    "KernelBuildError": KernelBuildError,
    "Unavailable": Unavailable,
    "InputError": InputError,
    "UserCodeFailed": UserCodeFailed,
}


@pytest.mark.parametrize("kind", GOOD)
def test_an_answer_as_it_should_be_is_taken(ask, heard, kind) -> None:
    content = frame(*GOOD[kind])
    if kind in ERRORS:
        with pytest.raises(ERRORS[kind]) as caught:
            ask(kind, content)
        assert type(caught.value) is ERRORS[kind]
        return
    found = ask(kind, content)
    if kind == "remarks":
        assert found == GOOD[kind][0]["remarks"]
    elif kind == "AccessLog":
        assert np.array_equal(found[0], ROW)
        assert str(found[1].outside[0]).startswith("Line 3 of mine.cu: thread 5 of “relax” writes")
    else:
        assert np.array_equal(found.distances, ROW)
        assert found.predecessors.tolist() == [-1, 0, 0, 1, 2, -1]
        assert (found.phases, found.iterations) == (Phases(0, 0, 1.5, 0), 3)
    if kind == "launches":
        assert heard[0] == ("relax", 2, 256)
    if kind == "passes":
        assert heard[-1].vertices.tolist() == [0, 1, 5]
    if kind == "step":
        assert heard[-1].steps[0].cells == 18


def test_reports_are_heard_in_their_order(ask, heard) -> None:
    """A launch belongs to the passes that are reported after it."""
    reports = [
        {"type": "launches", "count": 2},
        GOOD["passes"][0]["reports"][0],
        {"type": "launches", "count": 1},
        GOOD["passes"][0]["reports"][0],
    ]
    twice = {name: np.concatenate([array, array]) for name, array in PASSES.items()}
    launches = np.array([[0, 1, 32], [1, 2, 32], [0, 3, 32]])
    fields = {"reports": reports, "kernels": ["relax", "copy"], "Solution": SOLVED}
    ask("passes", frame(fields, {**ROWS, **twice, "launches": launches}))
    *launched, trace = heard
    assert launched == [("relax", 1, 32), ("copy", 2, 32), ("relax", 3, 32)]
    assert trace.vertices.tolist() == [0, 1, 5, 0, 1, 5]


def test_errors_come_back_with_their_fields(ask) -> None:
    with pytest.raises(NegativeCycle) as cycle:
        ask("", frame(*GOOD["NegativeCycle"]))
    assert (cycle.value.vertices, cycle.value.ids) == ((1, 2), (13, 16))
    with pytest.raises(OutOfMemory) as memory:
        ask("", frame(*GOOD["OutOfMemory"]))
    assert (memory.value.needed_bytes, memory.value.where) == (9, "here")
    lost = frame({"error": {"kind": "DeviceUnavailable", "words": "The device is lost."}}, {})
    with pytest.raises(UserCodeFailed, match=r"mine\.py failed: The device is lost\."):
        ask("", lost)
    with pytest.raises(DeviceUnavailable):
        ask("", lost, b"answered\n")  # before the code began


@pytest.mark.parametrize("kind", [kind for kind in GOOD if any(hostile_fields(kind))])
def test_a_value_that_a_field_cannot_have_is_refused(ask, kind) -> None:
    for path, value in hostile_fields(kind):
        fields, arrays = deepcopy(GOOD[kind])
        value_at(fields, path[:-1])[path[-1]] = value
        with pytest.raises(AnswerRefused) as caught:
            ask(kind, frame(fields, arrays))
        if path[-1] not in WRONG_COUNTS or value_at(GOOD[kind][0], path) + 1 != value:
            assert caught.value.field.startswith(str(path[0]))
            assert next(str(k) for k in path[::-1] if isinstance(k, str)) in str(caught.value)
        assert "it must be" in str(caught.value)
        assert str(caught.value).isprintable()


BIG = 10**8
WRONG: list[tuple[str, str, Any]] = [  # an array in place of the right one; None: it is left out
    ("Solution", "Solution.distances", None),
    ("Solution", "Solution.distances", ROW[:5]),
    ("Solution", "Solution.distances", np.append(ROW, 1).astype(np.int32)),
    ("Solution", "Solution.distances", np.zeros((6, 6), np.int32)),
    ("Solution", "Solution.distances", np.array(7, np.int32)),
    ("Solution", "Solution.distances", np.array(["a"] * 6)),
    ("Solution", "Solution.predecessors", np.full(6, BIG, np.int32)),
    ("Solution", "Solution.predecessors", np.array([-1, 0, 0, 1, 2, 6], np.int32)),
    ("Solution", "Solution.predecessors", np.array([-1, 0, 0, 1, 2, -2], np.int32)),
    ("Solution", "Solution.predecessors", np.zeros(6, np.int64)),
    ("Solution", "Solution.predecessors", np.zeros(6)),
    ("Solution", "Solution.predecessors", np.zeros(5, np.int32)),
    ("Solution", "Solution.predecessors", np.zeros((6, 6), np.int32)),
    ("NegativeCycle", "NegativeCycle.vertices", None),
    ("NegativeCycle", "NegativeCycle.vertices", np.array([1, 6])),
    ("NegativeCycle", "NegativeCycle.vertices", np.array([-1, 1])),
    ("NegativeCycle", "NegativeCycle.vertices", np.array([1, 1])),
    ("NegativeCycle", "NegativeCycle.vertices", np.empty(0, np.int64)),
    ("NegativeCycle", "NegativeCycle.vertices", np.arange(1000) % 6),
    ("NegativeCycle", "NegativeCycle.vertices", np.array([1.0, 2.0])),
    ("passes", "passes.offsets", None),
    ("passes", "passes.offsets", np.empty(0, np.int64)),
    ("passes", "passes.offsets", np.array([0, 2, 1])),
    ("passes", "passes.offsets", np.array([0, 1, 4])),
    ("passes", "passes.offsets", np.array([-1, 1, 3])),
    ("passes", "passes.offsets", np.array([0.0, 1.0, 3.0])),
    ("passes", "passes.offsets", np.array([0, 1, 2, 3])),
    ("passes", "passes.vertices", None),
    ("passes", "passes.vertices", np.array([0, 1, 6])),
    ("passes", "passes.vertices", np.array([0, -1, 5])),
    ("passes", "passes.vertices", np.array([0, 1, BIG], np.int32)),
    ("passes", "passes.vertices", np.array([[0, 1, 5]])),
    ("passes", "passes.relaxed", None),
    ("passes", "passes.relaxed", np.array([3, -4])),
    ("passes", "passes.relaxed", np.array([3])),
    ("passes", "passes.improved", None),
    ("passes", "passes.improved", np.array([np.nan, 0])),
    ("passes", "passes.ms", None),
    ("passes", "passes.ms", np.array([np.inf, 0])),
    ("passes", "passes.ms", np.array([-1.0, 0])),
    ("passes", "passes.distances", ROW),
    ("step", "step.tiles", None),
    ("step", "step.tiles", np.array([[0, 7, 0, 3]])),
    ("step", "step.tiles", np.array([[-1, 6, 0, 3]])),
    ("step", "step.tiles", np.array([[3, 2, 0, 3]])),
    ("step", "step.tiles", np.array([[0, 6, 3, 0]])),
    ("step", "step.tiles", np.array([0, 6, 0, 3])),
    ("step", "step.matrix", np.zeros((1, 5, 6), np.float32)),
    ("launches", "launches", np.array([[1, 2, 256]])),
    ("AccessLog", "AccessLog.launches", None),
    ("AccessLog", "AccessLog.launches", np.array([[1, 2, 32]])),
    ("AccessLog", "AccessLog.launches", np.array([[0, 0, 32]])),
    ("AccessLog", "AccessLog.launches", np.array([[0, 2, 0]])),
    ("AccessLog", "AccessLog.launches", np.array([[0, 2**41, 32]])),
    ("AccessLog", "AccessLog.launches", np.empty((0, 3), np.int64)),
    ("AccessLog", "AccessLog.entries", None),
    ("AccessLog", "AccessLog.entries", np.array([[2, 0, 0, 0, 4]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[-1, 0, 0, 0, 4]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[0, 64, 0, 0, 4]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[0, -1, 0, 0, 4]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[0, 0, 0, 1, 4]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[0, 0, 0, 0, 65]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.array([[0, 0, 0, 0, -9]], np.int32)),
    ("AccessLog", "AccessLog.entries", np.zeros((1, 4), np.int32)),
    ("AccessLog", "AccessLog.outside", None),
    ("AccessLog", "AccessLog.outside", np.array([[2, 5, 0, 7, 6]])),
    ("AccessLog", "AccessLog.outside", np.array([[0, -5, 0, 7, 6]])),
    ("AccessLog", "AccessLog.outside", np.array([[0, 5, 1, 7, 6]])),
    ("AccessLog", "AccessLog.distances", ROW[:2]),
]


@pytest.mark.parametrize("value", [np.nan, -np.inf, -1e300])
def test_distances_that_are_no_numbers_are_wrong_but_an_answer(ask, value) -> None:
    """A kernel that computes with bits leaves such ones; the verdict names the vertex, and what
    is drawn of them stays within its tables.
    """
    given = {**ROWS, "Solution.distances": np.array([0, 3, value, 9, 1e300, np.inf])}
    found = ask("", frame({"Solution": SOLVED}, given))
    verdict = verify_sssp(GRAPH, 0, found.distances)
    assert not verdict.verified
    assert verdict.wrong_vertices > 0
    assert len(Activity(6, found.distances, None).shade) == 6
    assert np.isfinite(rings(GRAPH, 0, found.distances).positions).all()


def test_the_table_has_every_array() -> None:
    own = {"launches": ROWS, "passes": ROWS, "step": ROWS}
    assert {(kind, name) for kind, name, _ in WRONG} == {
        (kind, name)
        for kind, (_, arrays) in GOOD.items()
        for name in arrays
        if name not in own.get(kind, {}) and kind != "phase"
    }


@pytest.mark.parametrize(
    ("kind", "name", "array"),
    WRONG,
    ids=[f"{name}-{number}" for number, (_, name, _) in enumerate(WRONG)],
)
def test_an_array_that_does_not_fit_is_refused(ask, kind, name, array) -> None:
    fields, arrays = GOOD[kind]
    given = {**arrays, name: array} if array is not None else {**arrays}
    if array is None:
        del given[name]
    with pytest.raises(AnswerRefused) as caught:
        ask(kind, frame(fields, given))
    assert caught.value.field.startswith(name.partition(".")[0])


@pytest.mark.parametrize(
    "head",
    [
        {"dtype": "object", "shape": [6]},
        {"dtype": "float16", "shape": [6]},
        {"dtype": "complex128", "shape": [6]},
        {"dtype": "<i4", "shape": [6]},
        {"dtype": 7, "shape": [6]},
        {"dtype": "x" * 10**5, "shape": [6]},
        {"dtype": "int32", "shape": [-6]},
        {"dtype": "int32", "shape": [6.0]},
        {"dtype": "int32", "shape": 6},
        {"dtype": "int32", "shape": [1] * 1000},
        {"dtype": "int32", "shape": [2**40]},
        {"dtype": "int32", "shape": [2**62, 2**62]},
        {"dtype": "int32", "shape": [0, 2**62]},
        {"dtype": "int32", "shape": [2**63]},
        {"dtype": "int32", "shape": [6], "more": 1},
        {"dtype": "int32"},
        None,
        "int32",
    ],
)
def test_a_head_that_lies_is_refused_and_named(ask, head) -> None:
    told = {"name": "Solution.distances", **head} if isinstance(head, dict) else head
    content = frame(*GOOD["Solution"], {"Solution.distances": told})
    with pytest.raises(AnswerRefused) as caught:
        ask("Solution", content)
    name = "Solution.distances" if isinstance(head, dict) else "arrays[0]"
    assert caught.value.field.startswith(name)


def test_more_arrays_than_there_are_and_larger_ones_are_refused(ask, monkeypatch) -> None:
    many = {f"a{number}": ROW for number in range(21)}
    with pytest.raises(AnswerRefused):
        ask("", frame(GOOD["Solution"][0], many))
    monkeypatch.setattr(user_answers, "_LEAST_ROOM", 1 << 16)
    monkeypatch.setattr(user_answers, "_MOST_RECORDED", 0)
    huge = {"x": np.zeros(1 << 14)}
    with pytest.raises(AnswerRefused, match=r"answer is of 131 kB; it must be at most 66 kB"):
        ask("", frame(GOOD["Solution"][0], huge))


def test_a_text_of_100_megabytes_is_refused_unread(ask) -> None:
    content = frame({"Solution": {**SOLVED, "note": "x" * BIG}}, ROWS)
    with pytest.raises(AnswerRefused, match=r"header is of 100 MB; it must be at most 33\.6 MB"):
        ask("", content)


@pytest.mark.parametrize("size", [0, 4, 5, 50, -1, -30])
def test_an_answer_that_is_cut_off_is_refused(ask, size) -> None:
    with pytest.raises(AnswerRefused):
        ask("", frame(*GOOD["Solution"])[:size])


@pytest.mark.parametrize(
    "content",
    [
        (2**32 - 1).to_bytes(4, "little") + b"x" * 100,
        (MOST_HEADER + 1).to_bytes(4, "little") + b"x" * 100,
        (100).to_bytes(4, "little") + b"\x93" * 100,
        (0).to_bytes(4, "little"),
        (5).to_bytes(4, "little") + b"\xdd\xff\xff\xff\xff",
        (6).to_bytes(4, "little") + b"\x81\xdb\xff\xff\xff\xff",
        (3).to_bytes(4, "little") + b"\xa2\xff\xfe",
        (1).to_bytes(4, "little") + b"\xc0",
        len(pickle.dumps(7)).to_bytes(8, "little") + pickle.dumps(7),
        b"a line of text that somebody printed\n" * 10,
        frame({}, {}),
        frame({"Nothing": {}}, {}),
        frame({"Solution": {**SOLVED, "more": 1}}, ROWS),
        frame({"Solution": {"iterations": 3}}, ROWS),
    ],
    ids=range(14),
)
def test_what_is_no_answer_is_refused(ask, content) -> None:
    with pytest.raises(UserCodeFailed):
        ask("", content)


def test_an_answer_that_is_no_file_is_refused(ask, monkeypatch) -> None:
    """A pipe would be waited for, and one without end would fill the memory."""
    monkeypatch.setattr(
        Child, "write", lambda self, _: self._answer.symlink_to("/dev/zero"), raising=True
    )
    with pytest.raises(AnswerRefused, match="it is a device, not a file"):
        ask("", b"")


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("", "remarks"),
        ("", "AccessLog"),
        ("AccessLog", "Solution"),
        ("remarks", "Solution"),
        ("remarks", "passes"),
        ("remarks", "NegativeCycle"),
    ],
)
def test_answers_to_other_questions_are_refused(ask, kind, answer) -> None:
    with pytest.raises(AnswerRefused, match="not what was asked"):
        ask(kind, frame(*GOOD[answer]))


@pytest.mark.parametrize(
    "line",
    [b"began", b"", b"nan 1", b"-1 2", b"1 0", b"1 inf", b"1 2 3", b"\xff\x00", b"x" * 10**6],
)
def test_lines_that_say_nothing_are_refused(ask, line) -> None:
    """Else a process that begins again and again would never reach its limit."""
    with pytest.raises(AnswerRefused, match=r"report is .*what is done"):
        ask("", frame(*GOOD["Solution"]), b"began\n" + line + b"\nanswered\n")


def test_a_process_that_ends_without_an_answer_is_told(ask) -> None:
    with pytest.raises(KernelCrashed):
        ask("", frame(*GOOD["Solution"]), b"began\n")


def test_an_answer_that_could_not_be_written_is_told(ask) -> None:
    with pytest.raises(FileNotWritten, match="the disk is full"):
        ask("", b"", b"began\nunwritten the disk is full\n")


def test_a_process_that_reports_without_end_is_ended_at_its_limit(ask, monkeypatch) -> None:
    monkeypatch.setattr(user_process, "_START_LIMIT_S", 0.5)
    with pytest.raises(KernelTimeLimit):
        ask("", b"", b"began\n" + b"1 2\n" * 200_000, limit=0.2)


def test_random_changes_of_bytes_never_give_another_error(ask) -> None:
    """The answer may also be right: a byte of a distance is not checked here."""
    generator = random.Random(45)
    refused = 0
    for _ in range(300):
        kind = generator.choice(list(GOOD))
        content = bytearray(frame(*GOOD[kind]))
        for _ in range(generator.randint(1, 4)):
            content[generator.randrange(len(content))] = generator.randrange(256)
        try:
            ask(kind, bytes(content))
        except (UserCodeFailed, *ERRORS.values()) as error:
            refused += isinstance(error, AnswerRefused | KernelCrashed)
    assert refused > 100


# -- the format


def both_ways(path: Path, message: CodeAnswer, arrays: Any = None) -> Any:
    save(path, message, arrays)
    return load(path, CodeAnswer, 1 << 20)


def test_arrays_of_any_layout_and_order_of_bytes_come_back_equal(tmp_path) -> None:
    for array in (
        np.arange(6).reshape(2, 3).T,
        np.arange(6, dtype=">i4"),
        np.arange(12.0)[::2],
        np.empty((0, 4), np.float32),
        np.array(3),
        np.float64(3),
    ):
        _, arrays = both_ways(tmp_path / "answer", CodeAnswer(), {"one": array, "none": None})
        assert list(arrays) == ["one"]
        assert np.array_equal(arrays["one"], array)
        assert arrays["one"].shape == array.shape


def test_numbers_of_numpy_are_numbers(tmp_path) -> None:
    times = PhaseTimes(np.float32(1.5), 0.0, np.float64(2.0), 0)
    given = Solved(np.int32(3), times, np.int64(4), np.uint8(5), np.str_("a"))
    found = both_ways(tmp_path / "answer", CodeAnswer(solution=given))[0].solution
    assert (found.iterations, found.relaxations, found.note) == (3, 4, "a")
    assert found.phases.prepare == 1.5


def test_texts_of_any_origin_are_made_fit(tmp_path) -> None:
    wild = "\x1b[31m\tone\u2028two\r\nthree\x00\ud800" * 1000
    found = both_ways(tmp_path / "answer", CodeAnswer(remarks=as_log(wild)))[0].remarks
    assert found.count("\n") > 100
    assert len(one_line(wild)) <= MOST_NOTE
    assert one_line(wild).isprintable()


# -- programs that try


HEAD = """
import os, pickle, subprocess, sys
import numpy as np
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.variant import Algorithm, Answers, RunsOn, WorkMapping, variant
from solvers.errors import NegativeCycle, OutOfMemory, UnsuitableGraph

class Touching:
    def __reduce__(self):
        return os.system, ("touch {place}",)
    def __str__(self):
        return "harmless"

class Text(str):
    __reduce__ = Touching.__reduce__

@variant(
    id="mine", title="mine", algorithm=Algorithm.DIJKSTRA, answers=Answers.SSSP,
    runs_on=RunsOn.SERIAL, mapping=WorkMapping.CORE_BY_VERTEX, idea="None.",
)
def solve(problem: Problem) -> Solution:
    n = problem.graph.n
    given = dict(distances=np.zeros(n, np.int32), iterations=1, phases=Phases(solve=1.0))
    {body}
"""


@pytest.fixture
def written(folder, tmp_path) -> Any:
    """Writes a variant with that body, and gives it with the file that harm would leave."""

    def write(body: str) -> tuple[Any, Path]:
        place = tmp_path / "harm"
        text = HEAD.replace("{place}", str(place)).replace("{body}", body.replace("\n", "\n    "))
        (folder / "mine.py").write_text(text)
        add_variants()
        return find_variant("mine"), place

    return write


@pytest.mark.parametrize(
    ("body", "words"),
    first_quick(
        [
            ("return Solution(**given, note=Touching())", r"Solution\.note is of type Touching"),
            ("return Solution(**given | {'phases': Touching()})", "AttributeError"),
            (
                "return Solution(**given | {'distances': np.array([Touching()] * n)})",
                r"Solution\.distances is of type object",
            ),
            ("return Touching()", "it returned Touching"),
            ("raise SystemExit(3)", r"it ended the program by exit\(3\), line \d+ of mine.py"),
            ("os._exit(3)", r"it ended its process before there was an answer \(status 3"),
            ("raise UnsuitableGraph(Touching())", "harmless|TypeError"),
            ("raise NegativeCycle((1,), (Touching(),), -1)", "of type object"),
            (
                "evil = pickle.dumps(('answer', Touching()))\n"
                "for pipe in range(1, 12):\n"
                "    try: os.write(pipe, len(evil).to_bytes(8, 'little') + evil)\n"
                "    except OSError: pass\n"
                "return Solution(**given)",
                "failed",
            ),
            ("return Solution(**given, relaxations=Touching())", r"Solution\.relaxations is of"),
            ("return Solution(**given | {'distances': Touching()})", "of type Touching"),
            (
                "return Solution(**given | {'iterations': 2**70})",
                r"Solution\.iterations is 1180591",
            ),
            ("return Solution(**given | {'iterations': 1.5})", r"Solution\.iterations is 1\.5"),
            ("return Solution(**given | {'distances': np.float64(3)})", "shape \\(\\); it must be"),
            ("exit(0)", r"it ended the program by exit\(0\)"),
            ("raise KeyboardInterrupt", "it ended the program by KeyboardInterrupt"),
            ("return None", "it returned NoneType"),
            (
                "raise NegativeCycle((1,), (10**8,), -1)",
                r"NegativeCycle\.vertices\[0\] is 100000000",
            ),
            (
                "e = OutOfMemory('It', 1, 2)\ne.free_bytes = Touching()\nraise e",
                "free_bytes is of type T",
            ),
        ],
        9,
    ),
)
def test_objects_with_commands_in_them_run_nothing_here(written, body, words) -> None:
    entry, harm = written(body)
    with pytest.raises((UserCodeFailed, InputError), match=words):
        entry.solve(Problem(GRAPH, 0))
    assert not harm.exists()


def test_a_text_with_a_command_in_it_is_a_text(written) -> None:
    entry, harm = written("return Solution(**given, note=Text('a'))")
    assert entry.solve(Problem(GRAPH, 0)).note == "a"
    assert not harm.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the command is one of a POSIX shell")
def test_the_harm_would_have_been_done_by_a_pickle(tmp_path) -> None:
    """So that the tests above can fail."""
    place = tmp_path / "harm"

    class Touching:
        def __reduce__(self) -> Any:
            return subprocess.call, (["touch", str(place)],)

    pickle.loads(pickle.dumps(Touching()))
    assert place.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="nobody keeps watch elsewhere")
@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("return Solution(**given)", None),
        ("while True: pass", KernelTimeLimit),
        ("os.kill(os.getpid(), 11)", KernelCrashed),
    ],
)
def test_nothing_outlives_the_process(written, tmp_path, end, kind) -> None:
    """Also what has a session of its own, no parent, and the pipes of the process."""
    left = tmp_path / "left"
    entry, _ = written(
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if not os.fork():\n"
        f"        open({str(left)!r}, 'w').write(str(os.getpid()))\n"
        "        import time; time.sleep(600)\n"
        "    os._exit(0)\n"
        f"while not (os.path.exists({str(left)!r}) and os.path.getsize({str(left)!r})): pass\n"
        f"{end}"
    )
    gc.collect()  # files that other tests left open are closed now, not meanwhile
    threads, descriptors = set(threading.enumerate()), set(os.listdir("/proc/self/fd"))
    with UserProcess() as process:
        if kind is None:
            process.solve(entry.code, Problem(GRAPH, 0))
        else:
            with pytest.raises(kind):
                process.solve(entry.code, Problem(GRAPH, 0), 2.0)
    assert not Path("/proc", left.read_text()).exists()
    deadline = time.monotonic() + 10
    while set(threading.enumerate()) - threads and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - threads
    assert not set(os.listdir("/proc/self/fd")) - descriptors


@pytest.mark.skipif(sys.platform != "linux", reason="nobody keeps watch elsewhere")
def test_nothing_outlives_a_program_that_is_killed(written, tmp_path) -> None:
    """Though the code never lets the thread run that would notice."""
    place = tmp_path / "pid"
    written(
        f"open({str(place)!r}, 'w').write(str(os.getpid()))\n"
        "import re; re.match('(a|a)*$', 'a' * 60 + 'b')\n"
        "return Solution(**given)"
    )
    program = (
        "import solvers.running.request\n"
        "from solvers.core.problem import Problem\n"
        "from solvers.core.variant import find_variant\n"
        "from tests.graphs import at_random\n"
        "find_variant('mine').solve(Problem(at_random(6, 20, 1, low=1), 0))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as running:
        _wait_for(lambda: place.exists() and place.read_text())
        running.kill()
    _wait_for(lambda: not Path("/proc", place.read_text()).exists())


def _wait_for(is_so: Any) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_folder_that_is_removed_is_named(written) -> None:
    entry, _ = written("return Solution(**given)")
    with UserProcess() as process:
        process.solve(entry.code, Problem(GRAPH, 0))
        shutil.rmtree(process._place)
        with pytest.raises(FileNotWritten, match=r"tautpath-own-.*there is no such file or folder"):
            process.solve(entry.code, Problem(GRAPH, 0))
    entry, _ = written("import shutil, sys\nshutil.rmtree(sys.argv[1])\nreturn Solution(**given)")
    with pytest.raises(FileNotWritten, match="there is no such file or folder"):
        entry.solve(Problem(GRAPH, 0))


@pytest.mark.parametrize("field", first_quick(["predecessors", "distances"]))
def test_the_command_line_survives_predecessors_that_lead_nowhere(tmp_path, field) -> None:
    """They ended the program with a segmentation fault."""
    values = {"predecessors": "np.full(n, 10**8, np.int32)", "distances": "np.zeros(1, np.int32)"}
    body = (
        "from solvers.core.variant import find_variant\n"
        "    right = find_variant('dijkstra-heap').solve(Problem(problem.graph, problem.source))\n"
        "    given['distances'] = right.distances\n"
        f"    return Solution(**given | {{{field!r}: {values[field]}}})"
    )
    (tmp_path / "mine.py").write_text(HEAD.replace("{body}", body))
    command = ["solve", "resources/samples/textbook.gr", "--source", "1", "--target", "5"]
    more = ["--variants-from", str(tmp_path), "--variants", "mine", "--trials", "1"]
    done = subprocess.run(
        [sys.executable, "main.py", *command, *more],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tautpath: mine.py failed: its Solution.{field}")
