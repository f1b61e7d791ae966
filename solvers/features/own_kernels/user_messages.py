"""What this program and the process of a user's own code write for each other: data only.

A request and its answer are a file each: a header in MessagePack, which msgspec checks
against the types below, and the bytes of arrays::

    4 bytes     length of the header, little-endian
    header      a `CodeRequest` or an `CodeAnswer`, with name, type and shape of each array
    arrays      their bytes, in the order of the header

Neither side can make the other call anything, as a pickle could. The process may be
full of what a kernel wrote where it should not: every type here is bounded, and
`Refused` names the field that is not as declared. Whether arrays fit the question is
checked by `solvers.features.own_kernels.user_answers`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from solvers.features.own_kernels.user_code import UserCode
from solvers.system.files import open_regular, reason_of
from solvers.system.known_types import known
from solvers.text import filled_in, format_bytes, printable, quoted, shortened

MOST_HEADER = 1 << 25  # bytes
MOST_NAME, MOST_NOTE, MOST_LOG = 200, 1000, 1 << 16  # characters
DTYPES = ("int32", "int64", "float32", "float64")
_LENGTH = 4  # bytes of the header's length

_UNPRINTABLE = r"\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_ONE_LINE = rf"\A[^\n{_UNPRINTABLE}]*\Z"

Count = Annotated[int, Meta(ge=0, le=2**62)]
Milliseconds = Annotated[float, Meta(ge=0, le=1e15)]
Name = Annotated[str, Meta(max_length=MOST_NAME, pattern=_ONE_LINE)]
Note = Annotated[str, Meta(max_length=MOST_NOTE, pattern=_ONE_LINE)]
Log = Annotated[str, Meta(max_length=MOST_LOG, pattern=rf"\A[^{_UNPRINTABLE}]*\Z")]

Arrays = dict[str, NDArray[Any]]


class Refused(Exception):
    """A field of a message is ``got`` and must be ``right``; all are words."""

    def __init__(self, field: str, got: str, right: str):
        super().__init__(f"{field} is {got}; it must be {right}")
        self.field, self.got, self.right = field, got, right


class ArrayHead(msgspec.Struct, forbid_unknown_fields=True):
    name: Name
    dtype: Name
    shape: Annotated[tuple[Count, ...], Meta(max_length=3)]


class MappedGraph(msgspec.Struct, forbid_unknown_fields=True):
    """Where a graph lies: ``folder/indptr-number.npy`` and its likes."""

    folder: str
    number: int
    geographic: bool | None  # whether coordinates are; None without coordinates
    name: str
    directed: bool
    weight_unit: str


class CodeRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Solve a problem; without a graph, compile the kernel for the device."""

    code: UserCode
    device: str | None  # its key
    defines: dict[str, int | str] = {}  # to compile with
    graph: MappedGraph | None = None
    source: int | None = None
    target: int | None = None
    parameters: dict[str, bool | int | float | str] = {}
    wants_distances: bool | None = None  # of the recorder; None without a recorder
    records_launches: bool = False
    logged: int | None = None  # a `Logged`: an access log is wanted
    element: int = -1
    arrays: tuple[ArrayHead, ...] = ()


# -- what a recorder and a recorded device were told, in this order


class LaunchesMade(msgspec.Struct, forbid_unknown_fields=True, tag="launches"):
    """The next rows of the array ``launches``."""

    count: Count


class PhaseBegun(msgspec.Struct, forbid_unknown_fields=True, tag="phase"):
    """`Recorder.phase`."""

    name: Name
    unit: Name


class PassesMade(msgspec.Struct, forbid_unknown_fields=True, tag="passes"):
    """`Recorder.iterations`, of the next elements of the arrays called ``passes``."""

    passes: Count
    vertices: Count
    has_distances: bool


class StepMade(msgspec.Struct, forbid_unknown_fields=True, tag="step"):
    """`Recorder.matrix_step`, of the next elements of the arrays called ``step``."""

    step: Count
    phase: Annotated[int, Meta(ge=1, le=2**31)]
    ms: Milliseconds
    relaxed: Count | None
    requested_bytes: Count | None
    copied_bytes: Count | None
    tiles: Count
    has_matrix: bool


CodeReport = LaunchesMade | PhaseBegun | PassesMade | StepMade


# -- what came of it


class PhaseTimes(msgspec.Struct, forbid_unknown_fields=True):
    """The `Phases` of a solution."""

    prepare: Milliseconds
    h2d: Milliseconds
    solve: Milliseconds
    d2h: Milliseconds


class Solved(msgspec.Struct, forbid_unknown_fields=True):
    """A `Solution`; arrays: distances, predecessors."""

    iterations: Count
    phases: PhaseTimes
    relaxations: Count | None
    peak_device_bytes: Count
    note: Note


class AccessSite(msgspec.Struct, forbid_unknown_fields=True):
    """A `Site` of an access log."""

    file: Name
    line: Count
    name: Name
    kind: Literal["read", "write", "atomic", "barrier"]


class Watched(msgspec.Struct, forbid_unknown_fields=True):
    """An `AccessLog`, and the distances if there are any.

    Arrays: launches, as those of an answer; entries, as those of `AccessLog`; outside,
    (k, 5) int64 of site, thread, number of the kernel, index and number of elements;
    distances.
    """

    sites: tuple[AccessSite, ...]
    is_whole: bool


class CodeFailure(msgspec.Struct, forbid_unknown_fields=True):
    """An error of `solvers.errors`; which fields say anything depends on its kind.

    Array of a negative cycle: vertices.
    """

    kind: Literal[
        "NegativeCycle",
        "OutOfMemory",
        "KernelBuildError",
        "DeviceUnavailable",
        "Unavailable",
        "InputError",
        "UserCodeFailed",
    ]
    words: Log = ""
    where: Name = ""
    remedy: Name = ""
    needed_bytes: Count = 0
    free_bytes: Count = 0
    weight: Annotated[float, Meta(ge=-1e300, lt=0)] = -1.0
    iterations: Count = 0


class CodeAnswer(
    msgspec.Struct,
    forbid_unknown_fields=True,
    rename={"solution": "Solution", "log": "AccessLog"},
):
    """What came of a request: an error, or what it asked for. Arrays are called after
    what they belong to, as ``Solution.distances``.

    ``launches``, of the answer and of its log, are (k, 3) int64: number of the kernel,
    blocks, and threads of a block.
    """

    error: CodeFailure | None = None
    remarks: Log | None = None  # of the compiler
    solution: Solved | None = None
    log: Watched | None = None
    reports: tuple[CodeReport, ...] = ()
    kernels: Annotated[tuple[Name, ...], Meta(max_length=1000)] = ()  # that were launched
    arrays: Annotated[tuple[ArrayHead, ...], Meta(max_length=20)] = ()


AnyMessage = TypeVar("AnyMessage", CodeRequest, CodeAnswer)


def one_line(text: object, most: int = MOST_NOTE) -> str:
    """Text of any origin as `Note` or, with its length, `Name`."""
    return quoted(" ".join(str(text).split()), most)


def as_log(text: str) -> str:
    """Text of any origin as `Log`."""
    lines = shortened(text, MOST_LOG // 4).splitlines()  # an escape has four characters or more
    return shortened("\n".join(map(printable, lines)), MOST_LOG)


# -- writing


def save(
    path: Path, message: CodeRequest | CodeAnswer, arrays: Mapping[str, object | None] | None = None
) -> None:
    """Write a message for `load`; arrays that are None are left out.

    Raises `Refused` for what is not data; nothing is written then. Raises OSError.
    """
    given = {name: _plain(name, one) for name, one in (arrays or {}).items() if one is not None}
    whole = msgspec.structs.replace(message, arrays=tuple(head for head, _ in given.values()))
    try:
        header = _ENCODER.encode(whole)
    except (TypeError, ValueError, OverflowError):
        raise _not_data("", whole) from None
    if len(header) > MOST_HEADER:
        raise _too_long("header", len(header), MOST_HEADER)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(_LENGTH, "little") + header)
        for _, content in given.values():
            file.write(content)


def _plain(name: str, value: object) -> tuple[ArrayHead, bytes | memoryview]:
    """The head and the bytes of an array; only the head of what will be refused."""
    if not isinstance(value, np.ndarray | np.generic):
        return ArrayHead(name, type(value).__name__[:MOST_NAME], ()), b""
    array = np.asarray(value)
    array = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    head = ArrayHead(name, array.dtype.name[:MOST_NAME], array.shape)
    if head.dtype not in DTYPES or not array.size:
        return head, b""
    return head, array.reshape(-1).view(np.uint8).data


def _number(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_number)


def _not_data(place: str, message: msgspec.Struct) -> Refused:
    """The first field that cannot be written."""
    fields = zip(message.__struct_fields__, message.__struct_encode_fields__, strict=True)
    for attribute, name in fields:
        value = getattr(message, attribute)
        try:
            _ENCODER.encode(value)
        except (TypeError, ValueError, OverflowError):
            field = f"{place}{name}"
            values = value if isinstance(value, tuple) else (value,)
            for part in values:
                if isinstance(part, msgspec.Struct) and _is_not_data(part):
                    return _not_data(f"{field}.", part)
            return Refused(field, _words(value), "a number of 64 bits or text in UTF-8")
    raise AssertionError  # heads of arrays are made here, of what can be written


def _is_not_data(part: msgspec.Struct) -> bool:
    try:
        _ENCODER.encode(part)
    except (TypeError, ValueError, OverflowError):
        return True
    return False


# -- reading


def load(path: Path, kind: type[AnyMessage], most_bytes: int) -> tuple[AnyMessage, Arrays]:
    """A message and its arrays, of a file of at most ``most_bytes``; raises `Refused`."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most_bytes:
                raise _too_long("answer", size, most_bytes)
            length = int.from_bytes(file.read(_LENGTH), "little")
            if length > MOST_HEADER:
                raise _too_long("header", length, MOST_HEADER)
            message = _decoded(file.read(length), kind)
            left = size - _LENGTH - length
            arrays = {}
            for head in message.arrays:
                if head.dtype not in DTYPES:
                    right = f"an array of {one_of(DTYPES)}"
                    raise Refused(head.name, f"of type {head.dtype}", right)
                needed = prod(head.shape) * np.dtype(head.dtype).itemsize
                found = np.fromfile(file, head.dtype, prod(head.shape)) if needed <= left else None
                left -= needed
                arrays[head.name] = _shaped(head, found)
    except OSError as error:
        raise Refused("answer", f"not readable ({reason_of(error)})", "a file") from None
    return message, arrays


def _shaped(head: ArrayHead, found: NDArray[Any] | None) -> NDArray[Any]:
    try:
        if found is not None:
            return found.reshape(head.shape)
    except ValueError:  # a side beyond all bounds, or a file that shrank
        pass
    raise Refused(head.name, f"of shape {head.shape}", "an array that the file holds")


def _decoded(header: bytes, kind: type[AnyMessage]) -> AnyMessage:
    try:
        return msgspec.msgpack.decode(header, type=known(kind))
    except msgspec.ValidationError as error:
        raise _refusal(str(error), header) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _unreadable() from None


def _unreadable() -> Refused:
    return Refused("answer", "not readable", "a header in MessagePack")


def one_of(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _too_long(field: str, size: int, most: int) -> Refused:
    return Refused(field, f"of {format_bytes(size)}", f"at most {format_bytes(most)}")


_STEP = re.compile(r"(?:^|\.)(\w+)|\[(\d+)\]")
_ARRAY = re.compile(r"arrays\[(\d+)\]")
_WORDS = {
    "`int`": "a whole number",
    "`float`": "a number",
    "`int | float`": "a number",
    "`str`": "text",
    "`array`": "a list",
    "`object`": "a table",
    "`bool`": "true or false",
    "`null`": "none",
    "`": "",
}


def _refusal(words: str, header: bytes) -> Refused:
    """What msgspec says of a header, with the value that it found."""
    what, _, path = words.partition(" - at `$")
    try:
        content = msgspec.msgpack.decode(header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # behind what is wrong
        return _unreadable()
    path = path.removesuffix("`").removeprefix(".")
    field = path or "answer"
    if array := _ARRAY.match(path):  # is called by its name
        named = content["arrays"][int(array[1])]
        name = named.get("name") if isinstance(named, dict) else None
        field = f"{one_line(name or array[0], MOST_NAME)}{path[array.end() :]}"
    expected = re.fullmatch(r"Expected (.+?)(?:, got `.*`)?", what)
    if expected is None:  # an unknown or missing field, or another word than the declared ones
        return Refused(field, f"malformed ({one_line(what, MOST_NAME)})", "what is declared")
    right = re.sub(r" matching regex .*", " that is printable", expected[1])
    for code, word in _WORDS.items():
        right = right.replace(code, word)
    return Refused(field, _words(_found(content, path)), right)


def _found(content: Any, path: str) -> object:
    for name, index in _STEP.findall(path):
        content = content[name] if name else content[int(index)]
    return content


def _words(value: object) -> str:
    if value is None or isinstance(value, bool | int | float | str):
        return filled_in("{value:value}", {"value": value})
    return f"of type {type(value).__name__}"
