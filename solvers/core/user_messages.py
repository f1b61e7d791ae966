"""The messages between this program and the process of a user's own code: data only.

A message is a header in MessagePack, which msgspec checks against the types below, and
the bytes of its arrays::

    4 bytes     length of the header, little-endian
    header      `Envelope`: the message, and the type and shape of each array
    arrays      their bytes, in the order of the header

Neither side can make the other call anything, as a pickle could. The process may be
full of what a kernel wrote where it should not: every type here is bounded, and
`Refused` names the field that is not as declared. Whether arrays fit the question is
checked by `solvers.core.user_answers`.
"""

from __future__ import annotations

import re
from math import prod
from typing import IO, Annotated, Any, Generic, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from solvers.core.user_code import UserCode
from solvers.text import filled_in, format_bytes, printable, quoted, shortened

MOST_HEADER = 1 << 24  # bytes
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


class Message(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind", tag=True):
    """Base class of all messages; its header has the name of the class."""


# -- to the process


class MappedGraph(msgspec.Struct, forbid_unknown_fields=True):
    """Where a graph lies: ``folder/indptr-number.npy`` and its likes."""

    folder: str
    number: int
    geographic: bool | None  # whether coordinates are; None without coordinates
    name: str
    directed: bool
    weight_unit: str


class CompileRequest(Message):
    """Compile the kernel for a device; answered by `Compiled`."""

    code: UserCode
    device: str  # its key
    defines: dict[str, int | str]


class SolveRequest(Message):
    """Solve a problem; answered by `Solved`, or by `Watched` if ``logged`` is given."""

    code: UserCode
    graph: MappedGraph
    source: int | None
    target: int | None
    parameters: dict[str, bool | int | float | str]
    device: str | None  # its key
    wants_distances: bool | None  # of the recorder; None without a recorder
    records_launches: bool
    logged: int | None = None  # a `Logged`
    element: int = -1


class EndRequest(Message):
    """The process is to end by itself."""


Request = CompileRequest | SolveRequest | EndRequest


# -- from the process, while it works


class Began(Message):
    """The code is loaded and runs from now on; comes once, before all that follow."""


class ProgressMade(Message):
    done: Annotated[float, Meta(ge=0, le=1e18)]
    total: Annotated[float, Meta(gt=0, le=1e18)]


class LaunchMade(Message):
    """A kernel was launched."""

    kernel: Name
    blocks: Annotated[int, Meta(ge=1, le=2**40)]
    block: Annotated[int, Meta(ge=1, le=2**20)]  # threads


class PhaseBegun(Message):
    """`Recorder.phase`."""

    name: Name
    unit: Name


class PassesMade(Message):
    """`Recorder.iterations`; arrays: offsets, vertices, relaxed, improved, ms, distances."""


class StepMade(Message):
    """`Recorder.matrix_step`; arrays: tiles, matrix."""

    step: Count
    phase: Annotated[int, Meta(ge=1, le=2**31)]
    ms: Milliseconds
    relaxed: Count | None
    requested_bytes: Count | None
    copied_bytes: Count | None


# -- from the process, at the end


class PhaseTimes(msgspec.Struct, forbid_unknown_fields=True):
    """The `Phases` of a solution."""

    prepare: Milliseconds
    h2d: Milliseconds
    solve: Milliseconds
    d2h: Milliseconds


class Solved(Message, tag="Solution"):
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


class Watched(Message, tag="AccessLog"):
    """An `AccessLog`, and the distances if there are any.

    Arrays: launches, (k, 3) int64 of number of the kernel, blocks and threads of a
    block; entries, as those of `AccessLog`; outside, (k, 5) int64 of site, thread,
    number of the kernel, index and number of elements; distances.
    """

    sites: tuple[AccessSite, ...]
    kernels: tuple[Name, ...]
    is_whole: bool


class Compiled(Message):
    """The kernel compiles; what the compiler says of it."""

    remarks: Log


class CycleFound(Message, tag="NegativeCycle"):
    """Array: vertices."""

    weight: Annotated[float, Meta(ge=-1e300, lt=0)]
    iterations: Count


class MemoryLacking(Message, tag="OutOfMemory"):
    what: Name
    needed_bytes: Count
    free_bytes: Count
    where: Name
    remedy: Name


class KernelNotBuilt(Message, tag="KernelBuildError"):
    device: Name
    log: Log


class NotAvailable(Message, tag="Unavailable"):
    words: Note
    is_device: bool  # a device that failed


class NotSuitable(Message, tag="InputError"):
    """The graph or a parameter is not for this variant."""

    words: Note


class CodeFailed(Message, tag="UserCodeFailed"):
    reason: Note


Failure = CycleFound | MemoryLacking | KernelNotBuilt | NotAvailable | NotSuitable | CodeFailed
Answer = Solved | Watched | Compiled
Event = Began | ProgressMade | LaunchMade | PhaseBegun | PassesMade | StepMade
Reply = Event | Answer | Failure

AnyMessage = TypeVar("AnyMessage")


class ArrayHead(msgspec.Struct, forbid_unknown_fields=True):
    dtype: Name
    shape: Annotated[tuple[Count, ...], Meta(max_length=3)]


class Envelope(msgspec.Struct, Generic[AnyMessage], forbid_unknown_fields=True):
    message: AnyMessage
    arrays: Annotated[dict[Name, ArrayHead], Meta(max_length=8)]


Decoder = msgspec.msgpack.Decoder
REQUESTS: Decoder[Envelope[Request]] = Decoder(Envelope[Request])
REPLIES: Decoder[Envelope[Reply]] = Decoder(Envelope[Reply])


def name_of(message: Message) -> str:
    """As messages to the user call it."""
    return str(type(message).__struct_config__.tag)


def one_line(text: object, most: int = MOST_NOTE) -> str:
    """Text of any origin as `Note` or, with its length, `Name`."""
    return quoted(" ".join(str(text).split()), most)


def as_log(text: str) -> str:
    """Text of any origin as `Log`."""
    lines = shortened(text, MOST_LOG // 4).splitlines()  # an escape has four characters or more
    return shortened("\n".join(map(printable, lines)), MOST_LOG)


# -- writing


def send(stream: IO[bytes], message: Message, **arrays: object) -> None:
    """Write a message for `receive` at the other end of a pipe; arrays that are None are left out.

    Raises `Refused` for what is not data; nothing is written then. Raises OSError.
    """
    given = {name: _plain(array) for name, array in arrays.items() if array is not None}
    envelope = Envelope(message, {name: head for name, (head, _) in given.items()})
    try:
        header = _ENCODER.encode(envelope)
    except (TypeError, ValueError, OverflowError):
        raise _not_data(name_of(message), message) from None
    if len(header) > MOST_HEADER:
        raise _too_long(name_of(message), len(header), MOST_HEADER)
    stream.write(len(header).to_bytes(_LENGTH, "little") + header)
    for _, content in given.values():
        if content is not None:
            stream.write(content)
    stream.flush()


def _plain(value: object) -> tuple[ArrayHead, memoryview | None]:
    """The head and the bytes of an array; only the head of what will be refused."""
    if not isinstance(value, np.ndarray):
        return ArrayHead(type(value).__name__[:MOST_NAME], ()), None
    array = np.asarray(value)
    array = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    head = ArrayHead(array.dtype.name[:MOST_NAME], array.shape)
    if head.dtype not in DTYPES or not array.size:
        return head, None
    return head, array.reshape(-1).view(np.uint8).data


def _number(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_number)


def _not_data(place: str, message: msgspec.Struct) -> Refused:
    """The first field that cannot be written."""
    for name in message.__struct_fields__:
        value = getattr(message, name)
        try:
            _ENCODER.encode(value)
        except (TypeError, ValueError, OverflowError):
            if isinstance(value, msgspec.Struct):
                return _not_data(f"{place}.{name}", value)
            return Refused(f"{place}.{name}", _words(value), "a number of 64 bits or text in UTF-8")
    raise AssertionError  # heads of arrays are made here, of what can be written


# -- reading


def receive(
    stream: IO[bytes], decoder: Decoder[Envelope[AnyMessage]], most_bytes: int
) -> tuple[AnyMessage, Arrays] | None:
    """The next message with its arrays, of at most ``most_bytes``; None at the end, also
    where a message is cut off.

    Raises `Refused`; what follows in the stream cannot be read then.
    """
    try:
        size = int.from_bytes(_exactly(stream, _LENGTH), "little")
        if size > MOST_HEADER:
            raise _too_long("message", size, MOST_HEADER)
        envelope = _decoded(_exactly(stream, size), decoder)
        _require_room(envelope, most_bytes)
        return envelope.message, {
            name: _read_array(stream, f"{_tag(envelope)}.{name}", head)
            for name, head in envelope.arrays.items()
        }
    except EOFError:
        return None


def _exactly(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _decoded(header: bytes, decoder: Decoder[AnyMessage]) -> AnyMessage:
    try:
        return decoder.decode(header)
    except msgspec.ValidationError as error:
        raise _refusal(str(error), header) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Refused("message", "not readable", "MessagePack") from None


def _tag(envelope: Envelope[Any]) -> str:
    return name_of(envelope.message)


def _require_room(envelope: Envelope[Any], most_bytes: int) -> None:
    total = 0
    for name, head in envelope.arrays.items():
        if head.dtype not in DTYPES:
            raise Refused(
                f"{_tag(envelope)}.{name}", f"of type {head.dtype}", f"an array of {one_of(DTYPES)}"
            )
        total += prod(head.shape) * np.dtype(head.dtype).itemsize
    if total > most_bytes:
        raise _too_long(_tag(envelope), total, most_bytes)


def _read_array(stream: IO[bytes], field: str, head: ArrayHead) -> NDArray[Any]:
    try:
        array = np.empty(head.shape, head.dtype)
    except (MemoryError, ValueError):  # ValueError: an empty one with a side beyond all bounds
        raise Refused(field, f"of shape {head.shape}", "an array that fits into memory") from None
    if array.size:
        rest = array.reshape(-1).view(np.uint8).data
        while rest:
            count = stream.readinto(rest)  # type: ignore[attr-defined]
            if not count:
                raise EOFError
            rest = rest[count:]
    return array


def one_of(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _too_long(field: str, size: int, most: int) -> Refused:
    return Refused(field, f"of {format_bytes(size)}", f"at most {format_bytes(most)}")


_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
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
        kind = content["message"]["kind"]
    except (msgspec.DecodeError, KeyError, TypeError, RecursionError):
        return Refused("message", "not readable", "a message with a kind")
    path = path.removesuffix("`")
    field = f"{one_line(kind, MOST_NAME)}{path.removeprefix('.message')}"
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
