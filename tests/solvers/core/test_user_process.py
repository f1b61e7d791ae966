"""What a process of a user's own code may say: every field of every message with values
that it cannot have, frames that lie, and programs that try to do harm.

Each gives an error that names the field, and this process goes on. Most cases are
frames that a process might have sent, read by the code that reads them; no process is
started for these.
"""

from __future__ import annotations

import io
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

from solvers.core import user_answers, user_process
from solvers.core.problem import Phases, Problem, Solution
from solvers.core.recorder import MatrixRecorder, TraceRecorder
from solvers.core.user_code import UserCode
from solvers.core.user_messages import (
    MOST_HEADER,
    MOST_LOG,
    MOST_NOTE,
    REPLIES,
    REQUESTS,
    Answer,
    Compiled,
    Failure,
    PhaseTimes,
    Reply,
    Solved,
    as_log,
    name_of,
    one_line,
    receive,
    send,
)
from solvers.core.user_process import UserProcess
from solvers.core.user_variants import add_user_variants
from solvers.core.variant import Answers, find_variant
from solvers.devices.device import recording
from solvers.devices.instrumented import Logged
from solvers.errors import (
    AnswerRefused,
    DeviceUnavailable,
    InputError,
    KernelBuildError,
    KernelCrashed,
    KernelTimeLimit,
    NegativeCycle,
    OutOfMemory,
    Unavailable,
    UserCodeFailed,
)
from solvers.graphs.weights import INT32
from solvers.picture.layout.arrangements import rings
from solvers.picture.scene.activity import Activity
from solvers.verification.verify import verify_sssp
from tests.graphs import at_random
from tests.quick import first_quick
from tests.solvers.fakes import FakeDevice

ROOT = Path(__file__).resolve().parents[3]
GRAPH = at_random(6, 20, 1, low=1)
CODE = UserCode("mine", Answers.SSSP, "mine", "mine.py")
Fields, Table = dict[str, Any], dict[str, np.ndarray]

ROW = np.array([0, 3, 2, 9, 4, INT32.infinity], np.int32)
GOOD: dict[str, tuple[Fields, Table]] = {
    "Began": ({}, {}),
    "ProgressMade": ({"done": 1.0, "total": 2.0}, {}),
    "LaunchMade": ({"kernel": "relax", "blocks": 2, "block": 256}, {}),
    "PhaseBegun": ({"name": "climb", "unit": "vertex"}, {}),
    "PassesMade": (
        {},
        {
            "offsets": np.array([0, 1, 3]),
            "vertices": np.array([0, 1, 5], np.int32),
            "relaxed": np.array([3, 4]),
            "improved": np.array([2, 0]),
            "ms": np.array([0.5, 0.25]),
            "distances": np.array([ROW, ROW]),
        },
    ),
    "StepMade": (
        {
            "step": 0,
            "phase": 1,
            "ms": 0.5,
            "relaxed": 36,
            "requested_bytes": 8,
            "copied_bytes": 4,
        },
        {"tiles": np.array([[0, 6, 0, 3]]), "matrix": np.zeros((6, 6), np.float32)},
    ),
    "Solution": (
        {
            "iterations": 3,
            "phases": {"prepare": 0.0, "h2d": 0.0, "solve": 1.5, "d2h": 0.0},
            "relaxations": 7,
            "peak_device_bytes": 0,
            "note": "It printed: nothing",
        },
        {"distances": ROW, "predecessors": np.array([-1, 0, 0, 1, 2, -1], np.int32)},
    ),
    "AccessLog": (
        {
            "sites": [
                {"file": "mine.cu", "line": 3, "name": "distance", "kind": "write"},
                {"file": "mine.cu", "line": 4, "name": "", "kind": "barrier"},
            ],
            "kernels": ["relax"],
            "is_whole": True,
        },
        {
            "launches": np.array([[0, 2, 32]]),
            "entries": np.array([[0, 63, 5, 0, 4], [1, 0, 0, 0, 0]], np.int32),
            "outside": np.array([[0, 5, 0, 2**40, 6]]),
            "distances": ROW,
        },
    ),
    "Compiled": ({"remarks": "mine.cu:3: a remark\nand more"}, {}),
    "NegativeCycle": ({"weight": -3.0, "iterations": 6}, {"vertices": np.array([1, 2])}),
    "OutOfMemory": (
        {"what": "It", "needed_bytes": 9, "free_bytes": 3, "where": "here", "remedy": "Less."},
        {},
    ),
    "KernelBuildError": ({"device": "Fake Nine", "log": "mine.cu:3: no\nsuch"}, {}),
    "Unavailable": ({"words": "No device.", "is_device": False}, {}),
    "InputError": ({"words": "Not for this graph."}, {}),
    "UserCodeFailed": ({"reason": "line 3 of mine.py"}, {}),
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
ZERO_IS_WRONG = {"total", "weight", "blocks", "block", "phase"}


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values in a message's fields, tables and lists included."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            found += paths(one, (*path, key))
    return found


def hostile_fields(kind: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The way to each field of a message, and each value that the field cannot have."""
    fields = GOOD[kind][0]
    for path in paths(fields):
        right, name = value_at(fields, path), path[-1]
        values = [*HOSTILE[type(right)], *([] if name in OPTIONAL else [None])]
        if isinstance(right, str) and name not in ("remarks", "log"):
            values.append("two\nlines")
        values += [0.0] if name in ZERO_IS_WRONG else []
        values += [3.0] if name in SIGNED else []
        for value in values:
            yield path, value


def value_at(fields: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        fields = fields[key]
    return fields


def frame(kind: str, fields: Fields, arrays: Table, heads: dict[str, Any] | None = None) -> bytes:
    """A message as bytes, whatever is in it; ``heads`` are told instead of the right ones."""
    true = {name: {"dtype": a.dtype.name, "shape": list(a.shape)} for name, a in arrays.items()}
    content = {"message": {"kind": kind, **fields}, "arrays": {**true, **(heads or {})}}
    header = msgspec.msgpack.encode(content)
    whole = b"".join(array.tobytes() for array in arrays.values())
    return len(header).to_bytes(4, "little") + header + whole


def good(kind: str) -> bytes:
    return frame(kind, *GOOD[kind])


class Pipe(io.BytesIO):
    """What a process would have written, which is there once it was asked."""

    def __init__(self, content: bytes, asked: threading.Event):
        super().__init__(content)
        self._asked = asked

    def read(self, size: int | None = -1, /) -> bytes:
        self._asked.wait(60)
        return super().read(size)


class Asking(io.BytesIO):
    def __init__(self, asked: threading.Event):
        super().__init__()
        self._asked = asked

    def flush(self) -> None:
        self._asked.set()


class Child:
    """In place of `subprocess.Popen`."""

    pid = 0

    def __init__(self, content: bytes):
        asked = threading.Event()
        self.stdin, self.stdout, self.stderr = Asking(asked), Pipe(content, asked), io.BytesIO()
        self.killed = False

    def poll(self) -> int | None:
        return -9 if self.killed else None

    def kill(self) -> None:
        self.killed = True

    def wait(self, timeout: float | None = None) -> int:
        return -9


@pytest.fixture
def heard() -> list[Any]:
    return []


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, heard: list[Any]) -> Any:
    """Asks for what the last message of some frames is about."""

    def asked(kind: str, content: bytes, limit: float = 20.0) -> Any:
        monkeypatch.setattr(user_process.subprocess, "Popen", lambda *_, **__: Child(content))
        device = recording(FakeDevice(), lambda *launch: heard.append(launch))
        recorder = MatrixRecorder(6) if kind == "StepMade" else TraceRecorder(6)
        problem = Problem(GRAPH, 0, device=device, recorder=recorder)
        with UserProcess() as process:
            if kind == "Compiled":
                return process.compile(CODE, "fake:0", INT32)
            if kind == "AccessLog":
                return process.watch(CODE, problem, Logged.ACCESSES, limit=limit)
            found = process.solve(CODE, problem, limit)
            heard.append(recorder.finish())
            return found

    return asked


def replies(kind: str, content: bytes) -> bytes:
    """What comes before and after a message of that kind."""
    ends = tuple(name_of_type(one) for one in (*get_args(Answer), *get_args(Failure)))
    began = b"" if kind == "Began" else good("Began")
    return began + content + (b"" if kind in ends else good("Solution"))


def name_of_type(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def test_the_table_has_every_field_of_every_message() -> None:
    declared = {name_of_type(kind): set(kind.__struct_fields__) for kind in get_args(Reply)}
    assert declared == {kind: set(fields) for kind, (fields, _) in GOOD.items()}
    assert set(GOOD["Solution"][0]["phases"]) == set(PhaseTimes.__struct_fields__)
    assert set(vars(Phases())) == set(PhaseTimes.__struct_fields__)
    told = {*GOOD["Solution"][0], *GOOD["Solution"][1]}
    assert told == set(Solution.__dataclass_fields__)


ERRORS = {
    "NegativeCycle": NegativeCycle,
    "OutOfMemory": OutOfMemory,
    "KernelBuildError": KernelBuildError,
    "Unavailable": Unavailable,
    "InputError": InputError,
    "UserCodeFailed": UserCodeFailed,
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_message_as_it_should_be_is_taken(ask, heard, kind) -> None:
    content = replies(kind, good(kind))
    if kind in ERRORS:
        with pytest.raises(ERRORS[kind]) as caught:
            ask(kind, content)
        assert type(caught.value) is ERRORS[kind]
        return
    found = ask(kind, content)
    if kind == "Compiled":
        assert found == GOOD[kind][0]["remarks"]
    elif kind == "AccessLog":
        assert np.array_equal(found[0], ROW)
        assert str(found[1].outside[0]).startswith("Line 3 of mine.cu: thread 5 of “relax” writes")
    else:
        assert np.array_equal(found.distances, ROW)
        assert found.predecessors.tolist() == [-1, 0, 0, 1, 2, -1]
        assert (found.phases, found.iterations) == (Phases(0, 0, 1.5, 0), 3)
    if kind == "LaunchMade":
        assert heard[0] == ("relax", 2, 256)
    if kind == "PassesMade":
        assert heard[-1].vertices.tolist() == [0, 1, 5]
    if kind == "StepMade":
        assert heard[-1].steps[0].cells == 18


def test_errors_come_back_with_their_fields(ask) -> None:
    with pytest.raises(NegativeCycle) as cycle:
        ask("", replies("NegativeCycle", good("NegativeCycle")))
    assert (cycle.value.vertices, cycle.value.ids) == ((1, 2), (13, 16))
    with pytest.raises(OutOfMemory) as memory:
        ask("", replies("OutOfMemory", good("OutOfMemory")))
    assert (memory.value.needed_bytes, memory.value.where) == (9, "here")
    lost = frame("Unavailable", {"words": "The device is lost.", "is_device": True}, {})
    with pytest.raises(UserCodeFailed, match=r"mine\.py failed: The device is lost\."):
        ask("", replies("Unavailable", lost))
    with pytest.raises(DeviceUnavailable):
        ask("", lost)  # before the code began


@pytest.mark.parametrize("kind", [kind for kind in GOOD if any(hostile_fields(kind))])
def test_a_value_that_a_field_cannot_have_is_refused(ask, kind) -> None:
    for path, value in hostile_fields(kind):
        fields, arrays = deepcopy(GOOD[kind])
        value_at(fields, path[:-1])[path[-1]] = value
        with pytest.raises(AnswerRefused) as caught:
            ask(kind, replies(kind, frame(kind, fields, arrays)))
        assert caught.value.field.startswith(kind)
        assert next(str(key) for key in path if isinstance(key, str)) in caught.value.field
        assert "it must be" in str(caught.value)
        assert str(caught.value).isprintable()


BIG = 10**8
WRONG: list[tuple[str, str, Any]] = [  # an array in place of the right one; None: it is left out
    ("Solution", "distances", None),
    ("Solution", "distances", ROW[:5]),
    ("Solution", "distances", np.append(ROW, 1).astype(np.int32)),
    ("Solution", "distances", np.zeros((6, 6), np.int32)),
    ("Solution", "distances", np.array(7, np.int32)),
    ("Solution", "distances", np.array(["a"] * 6)),
    ("Solution", "predecessors", np.full(6, BIG, np.int32)),
    ("Solution", "predecessors", np.array([-1, 0, 0, 1, 2, 6], np.int32)),
    ("Solution", "predecessors", np.array([-1, 0, 0, 1, 2, -2], np.int32)),
    ("Solution", "predecessors", np.zeros(6, np.int64)),
    ("Solution", "predecessors", np.zeros(6)),
    ("Solution", "predecessors", np.zeros(5, np.int32)),
    ("Solution", "predecessors", np.zeros((6, 6), np.int32)),
    ("NegativeCycle", "vertices", None),
    ("NegativeCycle", "vertices", np.array([1, 6])),
    ("NegativeCycle", "vertices", np.array([-1, 1])),
    ("NegativeCycle", "vertices", np.array([1, 1])),
    ("NegativeCycle", "vertices", np.empty(0, np.int64)),
    ("NegativeCycle", "vertices", np.arange(1000) % 6),
    ("NegativeCycle", "vertices", np.array([1.0, 2.0])),
    ("PassesMade", "offsets", None),
    ("PassesMade", "offsets", np.empty(0, np.int64)),
    ("PassesMade", "offsets", np.array([0, 2, 1])),
    ("PassesMade", "offsets", np.array([0, 1, 4])),
    ("PassesMade", "offsets", np.array([-1, 1, 3])),
    ("PassesMade", "offsets", np.array([0.0, 1.0, 3.0])),
    ("PassesMade", "offsets", np.array([0, 1, 2, 3])),
    ("PassesMade", "vertices", None),
    ("PassesMade", "vertices", np.array([0, 1, 6])),
    ("PassesMade", "vertices", np.array([0, -1, 5])),
    ("PassesMade", "vertices", np.array([0, 1, BIG], np.int32)),
    ("PassesMade", "vertices", np.array([[0, 1, 5]])),
    ("PassesMade", "relaxed", None),
    ("PassesMade", "relaxed", np.array([3, -4])),
    ("PassesMade", "relaxed", np.array([3])),
    ("PassesMade", "improved", None),
    ("PassesMade", "improved", np.array([np.nan, 0])),
    ("PassesMade", "ms", None),
    ("PassesMade", "ms", np.array([np.inf, 0])),
    ("PassesMade", "ms", np.array([-1.0, 0])),
    ("PassesMade", "distances", ROW),
    ("StepMade", "tiles", None),
    ("StepMade", "tiles", np.array([[0, 7, 0, 3]])),
    ("StepMade", "tiles", np.array([[-1, 6, 0, 3]])),
    ("StepMade", "tiles", np.array([[3, 2, 0, 3]])),
    ("StepMade", "tiles", np.array([[0, 6, 3, 0]])),
    ("StepMade", "tiles", np.array([0, 6, 0, 3])),
    ("StepMade", "matrix", np.zeros((5, 6), np.float32)),
    ("AccessLog", "launches", None),
    ("AccessLog", "launches", np.array([[1, 2, 32]])),
    ("AccessLog", "launches", np.array([[0, 0, 32]])),
    ("AccessLog", "launches", np.array([[0, 2, 0]])),
    ("AccessLog", "launches", np.array([[0, 2**41, 32]])),
    ("AccessLog", "launches", np.empty((0, 3), np.int64)),
    ("AccessLog", "entries", None),
    ("AccessLog", "entries", np.array([[2, 0, 0, 0, 4]], np.int32)),
    ("AccessLog", "entries", np.array([[-1, 0, 0, 0, 4]], np.int32)),
    ("AccessLog", "entries", np.array([[0, 64, 0, 0, 4]], np.int32)),
    ("AccessLog", "entries", np.array([[0, -1, 0, 0, 4]], np.int32)),
    ("AccessLog", "entries", np.array([[0, 0, 0, 1, 4]], np.int32)),
    ("AccessLog", "entries", np.array([[0, 0, 0, 0, 65]], np.int32)),
    ("AccessLog", "entries", np.array([[0, 0, 0, 0, -9]], np.int32)),
    ("AccessLog", "entries", np.zeros((1, 4), np.int32)),
    ("AccessLog", "outside", None),
    ("AccessLog", "outside", np.array([[2, 5, 0, 7, 6]])),
    ("AccessLog", "outside", np.array([[0, -5, 0, 7, 6]])),
    ("AccessLog", "outside", np.array([[0, 5, 1, 7, 6]])),
    ("AccessLog", "distances", ROW[:2]),
]


@pytest.mark.parametrize("value", [np.nan, -np.inf, -1e300])
def test_distances_that_are_no_numbers_are_wrong_but_an_answer(ask, value) -> None:
    """A kernel that computes with bits leaves such ones; the verdict names the vertex, and what
    is drawn of them stays within its tables.
    """
    fields, arrays = GOOD["Solution"]
    given = {**arrays, "distances": np.array([0, 3, value, 9, 1e300, np.inf])}
    found = ask("", replies("Solution", frame("Solution", fields, given)))
    verdict = verify_sssp(GRAPH, 0, found.distances)
    assert not verdict.verified
    assert verdict.wrong_vertices > 0
    assert len(Activity(6, found.distances, None).shade) == 6
    assert np.isfinite(rings(GRAPH, 0, found.distances).positions).all()


def test_the_table_has_every_array() -> None:
    assert {(kind, name) for kind, name, _ in WRONG} == {
        (kind, name) for kind, (_, arrays) in GOOD.items() for name in arrays
    }


@pytest.mark.parametrize(
    ("kind", "name", "array"),
    WRONG,
    ids=[f"{kind}.{name}-{number}" for number, (kind, name, _) in enumerate(WRONG)],
)
def test_an_array_that_does_not_fit_is_refused(ask, kind, name, array) -> None:
    fields, arrays = GOOD[kind]
    given = {**arrays, name: array} if array is not None else {**arrays}
    if array is None:
        del given[name]
    with pytest.raises(AnswerRefused) as caught:
        ask(kind, replies(kind, frame(kind, fields, given)))
    assert caught.value.field.startswith(kind)


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
def test_a_head_that_lies_is_refused_before_room_is_made(ask, head) -> None:
    content = frame("Solution", *GOOD["Solution"], {"distances": head})
    with pytest.raises(AnswerRefused):
        ask("Solution", replies("Solution", content))


def test_more_arrays_than_there_are_and_larger_ones_are_refused(ask, monkeypatch) -> None:
    many = {f"a{number}": ROW for number in range(9)}
    with pytest.raises(AnswerRefused):
        ask("", replies("Solution", frame("Solution", GOOD["Solution"][0], many)))
    monkeypatch.setattr(user_answers, "_LEAST_ROOM", 1 << 16)
    huge = {"x": np.zeros(1 << 14)}
    with pytest.raises(AnswerRefused, match=r"Solution is of 131 kB; it must be at most 66 kB"):
        ask("", replies("Solution", frame("Solution", GOOD["Solution"][0], huge)))


def test_a_text_of_100_megabytes_is_refused_unread(ask) -> None:
    fields, arrays = GOOD["Solution"]
    content = frame("Solution", {**fields, "note": "x" * BIG}, arrays)
    with pytest.raises(AnswerRefused, match=r"message is of 100 MB; it must be at most 16\.8 MB"):
        ask("", good("Began") + content)


@pytest.mark.parametrize("size", [4, 5, 50, -1, -30])
def test_a_message_that_is_cut_off_is_a_crash(ask, size) -> None:
    with pytest.raises(KernelCrashed):
        ask("", good("Began") + good("Solution")[:size])


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
        frame("Nothing", {}, {}),
        frame("Solution", {**GOOD["Solution"][0], "more": 1}, GOOD["Solution"][1]),
        frame("Solution", {"iterations": 3}, GOOD["Solution"][1]),
    ],
    ids=range(13),
)
def test_what_is_no_message_is_refused(ask, content) -> None:
    with pytest.raises(UserCodeFailed):
        ask("", good("Began") + content)


def test_answers_to_other_questions_are_refused(ask) -> None:
    for kind, answer in (
        ("", "Compiled"),
        ("", "AccessLog"),
        ("AccessLog", "Solution"),
        ("Compiled", "Solution"),
        ("Compiled", "PassesMade"),
        ("Compiled", "LaunchMade"),
        ("Compiled", "NegativeCycle"),
    ):
        arrays = {} if kind == "Compiled" else GOOD[answer][1]
        with pytest.raises(AnswerRefused, match=answer):
            ask(kind, replies("Began", good("Began") + frame(answer, GOOD[answer][0], arrays)))


def test_what_is_not_asked_for_twice_is_refused(ask) -> None:
    """Else a process that begins again and again would never reach its limit."""
    with pytest.raises(AnswerRefused, match="Began"):
        ask("", good("Began") * 2 + good("Solution"))


@pytest.mark.parametrize(
    ("kind", "limit"),
    [("PassesMade", "MOST_EVENTS"), ("StepMade", "MOST_TILES"), ("LaunchMade", "MOST_KERNELS")],
)
def test_reports_without_end_are_refused(ask, monkeypatch, kind, limit) -> None:
    monkeypatch.setattr(user_answers, limit, 3)
    fields, arrays = GOOD[kind]
    named = [{**fields, "kernel": f"k{k}"} if "kernel" in fields else fields for k in range(40)]
    content = b"".join(frame(kind, one, arrays) for one in named)
    with pytest.raises(AnswerRefused):
        ask(kind, replies(kind, content))


def test_a_process_that_reports_without_end_is_ended_at_its_limit(ask, monkeypatch) -> None:
    monkeypatch.setattr(user_process, "_START_LIMIT_S", 0.5)
    content = good("Began") + good("ProgressMade") * 200_000
    with pytest.raises(KernelTimeLimit):
        ask("", content, limit=0.2)


def test_random_changes_of_bytes_never_give_another_error(ask) -> None:
    """The answer may also be right: a byte of a distance is not checked here."""
    generator = random.Random(45)
    refused = 0
    for _ in range(300):
        kind = generator.choice(list(GOOD))
        content = bytearray(good(kind))
        for _ in range(generator.randint(1, 4)):
            content[generator.randrange(len(content))] = generator.randrange(256)
        try:
            ask(kind, replies(kind, bytes(content)))
        except (UserCodeFailed, *ERRORS.values()) as error:
            refused += isinstance(error, AnswerRefused | KernelCrashed)
    assert refused > 100


# -- the format


def both_ways(message: Any, **arrays: Any) -> Any:
    stream = io.BytesIO()
    send(stream, message, **arrays)
    stream.seek(0)
    return receive(stream, REPLIES, 1 << 20)


def test_arrays_of_any_layout_and_order_of_bytes_come_back_equal() -> None:
    for array in (
        np.arange(6).reshape(2, 3).T,
        np.arange(6, dtype=">i4"),
        np.arange(12.0)[::2],
        np.empty((0, 4), np.float32),
        np.array(3),
    ):
        message, arrays = both_ways(Compiled(""), one=array, none=None)
        assert (message, list(arrays)) == (Compiled(""), ["one"])
        assert np.array_equal(arrays["one"], array)
        assert arrays["one"].shape == array.shape


def test_numbers_of_numpy_are_numbers() -> None:
    times = PhaseTimes(np.float32(1.5), 0.0, np.float64(2.0), 0)
    found, _ = both_ways(Solved(np.int32(3), times, np.int64(4), np.uint8(5), np.str_("a")))
    assert (found.iterations, found.relaxations, found.note) == (3, 4, "a")
    assert found.phases.prepare == 1.5


def test_texts_of_any_origin_are_made_fit() -> None:
    wild = "\x1b[31m\tone\u2028two\r\nthree\x00\ud800" * 1000
    found, _ = both_ways(Compiled(as_log(wild)))
    assert found.remarks.count("\n") > 100
    assert len(one_line(wild)) <= MOST_NOTE
    assert one_line(wild).isprintable()


def test_the_name_of_a_message_is_told() -> None:
    assert name_of(Compiled("")) == "Compiled"
    assert receive(io.BytesIO(), REQUESTS, 0) is None


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
        add_user_variants()
        return find_variant("mine"), place

    return write


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return Solution(**given, note=Touching())", r"Solution\.note is of type Touching"),
        ("return Solution(**given, relaxations=Touching())", r"Solution\.relaxations is of"),
        ("return Solution(**given | {'phases': Touching()})", "AttributeError"),
        ("return Solution(**given | {'distances': Touching()})", "of type Touching"),
        (
            "return Solution(**given | {'distances': np.array([Touching()] * n)})",
            r"Solution\.distances is of type object",
        ),
        ("return Solution(**given | {'iterations': 2**70})", r"Solution\.iterations is 1180591"),
        ("return Solution(**given | {'iterations': 1.5})", r"Solution\.iterations is 1\.5"),
        ("return Touching()", "it returned Touching"),
        ("return None", "it returned NoneType"),
        ("raise UnsuitableGraph(Touching())", "harmless|TypeError"),
        ("raise NegativeCycle((1,), (Touching(),), -1)", "of type object"),
        ("raise NegativeCycle((1,), (10**8,), -1)", r"NegativeCycle\.vertices\[0\] is 100000000"),
        (
            "e = OutOfMemory('It', 1, 2)\ne.free_bytes = Touching()\nraise e",
            "free_bytes is of type T",
        ),
        (
            "evil = pickle.dumps(('answer', Touching()))\n"
            "for pipe in range(1, 12):\n"
            "    try: os.write(pipe, len(evil).to_bytes(8, 'little') + evil)\n"
            "    except OSError: pass\n"
            "return Solution(**given)",
            "failed",
        ),
    ],
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
