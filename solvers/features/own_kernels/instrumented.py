"""Kernels with checked pointers that log what they read and write: slow, and for small graphs.

The text of a kernel is changed before it is compiled: each access ``name[i]`` to device
or shared memory calls a function that compares its address with the arrays of the
launch. An access outside of them goes to a scratch place and is noted with its line and
thread. On request every access, or the writes of one element, are logged; from that
follow the thread that wrote a value, the 32-byte sectors that each warp fetches, and
how many of its threads were active.

Not seen: what a kernel does through ``*p``, macros of its own, and functions that are
not declared ``DEVICE``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntFlag
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from solvers.devices.device import Device, DeviceSession, KernelSource, Program
from solvers.devices.kernel import KernelText, expanded_text, replaced_texts

_SCRATCH, _BAD, _MOST_BAD, _ENTRIES = 8, 40, 36, 256  # places in the log, in words
_WORDS_OF_BAD, _WORDS = 6, 5
_CAPACITY = 1 << 18  # accesses
WARP, SECTOR = 32, 32  # threads, and bytes

_SUPPORT = f"""
#define W_ const index_t *w_, GLOBAL int *log_, int launch_
DEVICE int thread_of_(void) {{
    index_t block = ((index_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return (int)(block * (blockDim.x * blockDim.y * blockDim.z)
                 + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}}
DEVICE void note_(W_, int site, index_t element, int size) {{
    int at = atomicAdd(&log_[0], 1);
    if (at >= log_[1]) return;
    GLOBAL int *entry = log_ + {_ENTRIES} + {_WORDS} * (index_t)at;
    entry[0] = site; entry[1] = thread_of_(); entry[2] = (int)element;
    entry[3] = launch_; entry[4] = size;
}}
DEVICE void outside_(W_, int site, index_t i, index_t count) {{
    int at = atomicAdd(&log_[4], 1);
    if (at >= {_MOST_BAD}) return;
    GLOBAL int *entry = log_ + {_BAD} + {_WORDS_OF_BAD} * at;
    entry[0] = site; entry[1] = thread_of_(); entry[2] = launch_; entry[3] = (int)(i & 0xffffffff);
    entry[4] = (int)(i >> 32); entry[5] = (int)count;
}}
DEVICE index_t seen_(W_, int site, int writes, index_t base, int size, index_t i) {{
    index_t at = base + i * size, count = 0;
    for (int k = 1; k < 2 * w_[0]; k += 2) {{
        if (at >= w_[k] && at + size <= w_[k + 1]) {{
            index_t element = (at - w_[k]) / size;
            if ((log_[2] & 1) || ((log_[2] & 2) && writes && element == log_[3]))
                note_(w_, log_, launch_, site, element, size);
            return i;
        }}
        if (base >= w_[k] && base < w_[k + 1]) count = (w_[k + 1] - base) / size;
    }}
    outside_(w_, log_, launch_, site, i, count);
    return ((index_t)(log_ + {_SCRATCH}) - base) / size + 1;
}}
DEVICE index_t within_(W_, int site, int depth, index_t count, index_t i) {{
    if (i >= 0 && i < count) {{
        if (log_[2] & 8) note_(w_, log_, launch_, site, i, -1 - depth);
        return i;
    }}
    outside_(w_, log_, launch_, site, i, count);
    return 0;
}}
DEVICE void arrive_(W_, int site) {{
    if (log_[2] & 4) note_(w_, log_, launch_, site, 0, 0);
}}
"""

_HIDDEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_FUNCTION = re.compile(r"\b(KERNEL|DEVICE)\b[^;{}()#]*?\b(\w+)\s*\(")
_POINTER = re.compile(
    r"(?:\bGLOBAL\b[^,;(){}]*\*\s*(?:restrict|__restrict__|const|\s)*|\bCONST_IN\([^)]*\)\s*)(\w+)"
)
# also those of device memory
_OTHER_POINTER = re.compile(r"[;{}\n]\s*((?:\w+\s+)*?\w+)\s*\*\s*(\w+)\s*[=;]")
# so that a pointer may leave device memory
_OTHER_CAST = re.compile(r"\b(\w+)\s*=\s*\((?![^()]*GLOBAL)[^()]*\*\)")
_ARRAY = re.compile(r"\b__shared__\s+[\w\s]*?\b(\w+)\s*\[")
_LINE = re.compile(r'^\s*#\s*line\s+(\d+)\s+"([^"]*)"')
_BARRIER = re.compile(r"\b__syncthreads\s*\(\s*\)")
_ASSIGNED = re.compile(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
_ATOMIC = re.compile(r"\batom\w*\s*\(\s*(?:\([^()]*\)\s*)?&\s*$")
_STEPPED = re.compile(r"(?:\+\+|--)\s*$")


class Logged(IntFlag):
    """What is logged; an access outside of its array always is."""

    NOTHING = 0
    ACCESSES = 1
    WRITES_OF_ELEMENT = 2
    BARRIERS = 4
    SHARED = 8  # accesses to shared arrays; needs BARRIERS


@dataclass(frozen=True)
class Site:
    """A place in the text where memory is accessed, or threads wait."""

    file: str
    line: int
    name: str  # of the array; "" for a barrier
    kind: str  # "read", "write", "atomic" or "barrier"


@dataclass(frozen=True)
class Outside:
    """An access outside of its array."""

    site: Site
    thread: int
    index: int
    count: int  # of the array's elements
    kernel: str

    def __str__(self) -> str:
        verb = {"read": "reads", "write": "writes", "atomic": "changes"}[self.site.kind]
        of = f", which has {self.count} elements" if self.count else ""
        place = f"Line {self.site.line} of {self.site.file}"
        return (
            f"{place}: thread {self.thread} of “{self.kernel}” {verb} "
            f"{self.site.name}[{self.index}]{of}."
        )


@dataclass(frozen=True, eq=False)
class Launch:
    kernel: str
    blocks: int
    block: int  # threads


@dataclass(frozen=True, eq=False)
class AccessLog:
    """What instrumented kernels did; rows of ``entries`` are site, thread, element,
    launch, and size in bytes.

    The size is negative for shared arrays: -1 for the first index, -2 for the second.
    """

    sites: tuple[Site, ...] = ()
    launches: tuple[Launch, ...] = ()
    entries: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, _WORDS), np.int32))
    outside: tuple[Outside, ...] = ()
    is_whole: bool = True

    def of(self, *kinds: str) -> NDArray[np.int32]:
        """The entries of sites of these kinds."""
        chosen = [number for number, site in enumerate(self.sites) if site.kind in kinds]
        return self.entries[np.isin(self.entries[:, 0], chosen)]

    def requests(self) -> NDArray[np.int64]:
        """Accesses by warp, as rows of: threads that were active, 32-byte sectors.

        Threads of a warp are taken to go abreast: the k-th access of each at a place is
        one request.
        """
        rows = self.of("read", "write", "atomic").astype(np.int64)
        rows = rows[rows[:, 4] > 0]
        if not len(rows):
            return np.empty((0, 2), np.int64)
        nth = _rank(rows[:, [3, 1, 0]])
        block = np.array([launch.block for launch in self.launches])[rows[:, 3]]
        warp = (rows[:, 1] // block) * (-(-block // WARP)) + (rows[:, 1] % block) // WARP
        keys = np.column_stack((rows[:, 3], rows[:, 0], warp, nth))
        _, request = np.unique(keys, axis=0, return_inverse=True)
        sectors = np.unique(
            np.column_stack((request.ravel(), rows[:, 2] * rows[:, 4] // SECTOR)), axis=0
        )
        return np.column_stack((np.bincount(request.ravel()), np.bincount(sectors[:, 0])))

    def shared_races(self) -> Iterator[tuple[Site, Site, Launch, tuple[int, int]]]:
        """Two places and threads of one block that access an element of a shared array,
        one writing, with no barrier between; the first of each pair of places.
        """
        rows = self.entries[self.entries[:, 4] <= 0].astype(np.int64)
        kinds = np.array(
            [("read", "write", "atomic", "barrier").index(site.kind) for site in self.sites]
        )
        names = np.unique([site.name for site in self.sites], return_inverse=True)[1]
        # each thread's, in its order
        order = np.lexsort((np.arange(len(rows)), rows[:, 1], rows[:, 3]))
        rows = rows[order]
        waits = kinds[rows[:, 0]] == 3
        passed = np.cumsum(waits)
        begins = np.ones(len(rows), np.bool_)
        begins[1:] = (rows[1:, [1, 3]] != rows[:-1, [1, 3]]).any(axis=1)
        passed -= np.maximum.accumulate(np.where(begins, passed - waits, 0))
        block = (
            rows[:, 1] // np.array([launch.block for launch in self.launches] or [1])[rows[:, 3]]
        )
        place = rows[:, 2].copy()
        seconds = np.flatnonzero(rows[:, 4] == -2)
        firsts = np.flatnonzero((rows[:, 4] == -1) & np.isin(rows[:, 0], rows[seconds, 0]))
        pairs = [
            np.column_stack((rows[at][:, [3, 1, 0]], _rank(rows[at][:, [3, 1, 0]])))
            for at in (firsts, seconds)
        ]
        _, number = np.unique(np.vstack(pairs), axis=0, return_inverse=True)
        first_of = np.full(len(number), -1)
        first_of[number.ravel()[: len(firsts)]] = rows[firsts, 2]
        place[seconds] += first_of[number.ravel()[len(firsts) :]] << 32
        used = ~waits
        used[firsts] = False
        keys = np.column_stack((rows[:, 3], block, names[rows[:, 0]], passed, place))[used]
        at = np.flatnonzero(used)
        order = np.lexsort(keys.T)
        same = np.zeros(len(order), np.bool_)
        same[1:] = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
        group = np.cumsum(~same) - 1
        site, thread = rows[at[order], 0], rows[at[order], 1]
        writes = np.zeros(len(order), np.bool_) | (kinds[site] == 1)
        begin_of = np.flatnonzero(~same)
        seen: set[tuple[int, int]] = set()
        for at_group in np.unique(group[writes]).tolist():
            end = begin_of[at_group + 1] if at_group + 1 < len(begin_of) else len(order)
            here = np.arange(begin_of[at_group], end)
            writer = here[writes[here]][0]
            others = here[(thread[here] != thread[writer]) & (kinds[site[here]] != 2)]
            if len(others):
                pair = int(site[writer]), int(site[others[0]])
                if pair not in seen:
                    seen.add(pair)
                    launch = self.launches[int(rows[at[order[writer]], 3])]
                    threads = int(thread[writer]), int(thread[others[0]])
                    yield self.sites[pair[0]], self.sites[pair[1]], launch, threads

    def uneven_barriers(self) -> Iterator[tuple[Site, Launch, int, int]]:
        """Barriers that not all threads of a block reached equally often: place,
        launch, block, threads that came.
        """
        rows = self.of("barrier")
        if not len(rows):
            return
        for site, number in np.unique(rows[:, [0, 3]], axis=0).tolist():
            launch = self.launches[number]
            threads = rows[(rows[:, 0] == site) & (rows[:, 3] == number), 1]
            came, times = np.unique(threads, return_counts=True)
            blocks, begins = np.unique(came // launch.block, return_index=True)
            most = np.maximum.reduceat(times, begins)
            is_most = times == most[np.searchsorted(blocks, came // launch.block)]
            counts = np.add.reduceat(is_most.astype(np.int64), begins)
            for at in np.flatnonzero(counts < launch.block).tolist():
                yield self.sites[site], launch, int(blocks[at]), int(counts[at])


def _rank(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many earlier rows are equal to each."""
    order = np.lexsort((np.arange(len(rows)), *rows.T))
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    ranks = np.empty(len(rows), np.int64)
    ranks[order] = np.arange(len(rows)) - np.maximum.accumulate(
        np.where(begins, np.arange(len(rows)), 0)
    )
    return ranks


def instrument(text: str, sites: list[Site]) -> tuple[str, dict[str, int]]:
    """The instrumented text of a kernel, and the number of pointers of each entry
    point; sites are appended.
    """
    code = _HIDDEN.sub(
        lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group()[0] == "/" else m.group(), text
    )
    edits: list[tuple[int, int, str]] = []  # where, characters that are replaced, and by what
    place_of = _places(text)
    entries: dict[str, int] = {}
    helpers = {m[2] for m in _FUNCTION.finditer(code) if m[1] == "DEVICE"}
    declared: set[int] = set()
    for found in _FUNCTION.finditer(code):
        first = found.end()
        last = _closing(code, first - 1, "()")
        body = last + 1 + len(code[last + 1 :]) - len(code[last + 1 :].lstrip())
        if body >= len(code) or code[body] != "{":
            continue
        declared.add(found.start(2))
        pointers = _POINTER.findall(code[first:last])
        is_empty = code[first:last].strip() in ("", "void")
        if found[1] == "KERNEL":
            entries[found[2]] = len(pointers)
            more = [
                *(f"index_t bytes_of_{name}_" for name in pointers),
                "GLOBAL int *log_",
                "int launch_",
            ]
            edits.append((last, 0, ("" if is_empty else ", ") + ", ".join(more)))
            begins = [
                (
                    f"w_[{2 * k + 1}] = (index_t){name}; "
                    f"w_[{2 * k + 2}] = w_[{2 * k + 1}] + bytes_of_{name}_;"
                )
                for k, name in enumerate(pointers)
            ]
            start = (
                f"index_t w_[{2 * len(pointers) + 1}]; w_[0] = {len(pointers)}; {' '.join(begins)}"
            )
            edits.append((body + 1, 0, f" {start}"))
        elif is_empty:
            edits.append((first, last - first, "W_"))
        else:
            edits.append((first, 0, "W_, "))
        end = _closing(code, body, "{}")
        pointers += _POINTER.findall(code[body:end])
        # under an #ifdef
        others = {m[2] for m in _OTHER_POINTER.finditer(code, body, end) if "GLOBAL" not in m[1]}
        others |= set(_OTHER_CAST.findall(code, body, end))
        pointers = [name for name in pointers if name not in others]
        _instrument_body(
            code, body, end, pointers, _ARRAY.findall(code[body:end]), sites, place_of, edits
        )
    for helper in helpers:
        for call in re.finditer(rf"\b{helper}\s*\(", code):
            if call.start() not in declared:
                empty = code[call.end() :].lstrip().startswith(")")
                edits.append((call.end(), 0, "w_, log_, launch_" + ("" if empty else ", ")))
    pieces, at = [], 0
    for where, count, new in sorted(edits, key=lambda edit: edit[0]):
        pieces += [text[at:where], new]
        at = where + count
    return "".join((*pieces, text[at:])), entries


def _instrument_body(
    code: str,
    begin: int,
    end: int,
    pointers: list[str],
    arrays: list[str],
    sites: list[Site],
    place_of: Callable[[int], tuple[str, int]],
    edits: list[tuple[int, int, str]],
) -> None:
    for barrier in _BARRIER.finditer(code, begin, end):
        edits.append((barrier.start(), 0, f"do {{ arrive_(w_, log_, launch_, {len(sites)}); "))
        # a statement, also where the macro is empty
        edits.append((barrier.end(), 0, "; } while (0)"))
        sites.append(Site(*place_of(barrier.start()), "", "barrier"))
    if not (names := {*pointers, *arrays}):
        return
    for access in re.finditer(
        rf"(?<![\w.>])({'|'.join(map(re.escape, sorted(names)))})\s*\[", code[:end]
    ):
        if access.start() < begin or code[
            code.rfind("\n", 0, access.start()) + 1 :
        ].lstrip().startswith("#"):
            continue
        if re.search(r"__shared__[^;]*$", code[begin : access.start()]):
            continue  # its declaration
        name, opening = access[1], access.end() - 1
        brackets = [(opening, _closing(code, opening, "[]"))]
        while name in arrays and re.match(r"\s*\[", code[brackets[-1][1] + 1 :]):
            opening = code.index("[", brackets[-1][1] + 1)
            brackets.append((opening, _closing(code, opening, "[]")))
        before, after = code[begin : access.start()], code[brackets[-1][1] + 1 : end]
        kind = "read"
        if _ATOMIC.search(before):
            kind = "atomic"
        elif _ASSIGNED.match(after) or _STEPPED.search(before):
            kind = "write"
        site = len(sites)
        sites.append(Site(*place_of(access.start()), name, kind))
        for depth, (opening, closing) in enumerate(brackets):
            if name in arrays:
                inner = name + "[0]" * depth
                count = f"(index_t)(sizeof({inner}) / sizeof({inner}[0]))"
                call = f"within_(w_, log_, launch_, {site}, {depth}, {count}, (index_t)("
            else:
                writes = int(kind != "read")
                call = (
                    f"seen_(w_, log_, launch_, {site}, {writes}, (index_t){name}, "
                    f"(int)sizeof(*{name}), (index_t)("
                )
            edits.append((opening + 1, 0, call))
            edits.append((closing, 0, "))"))


def _places(text: str) -> Callable[[int], tuple[str, int]]:
    """File and line of a position in a text with ``#line`` directives."""
    starts, places = [], []
    file, line, at = "", 1, 0
    for row in text.splitlines(keepends=True):
        starts.append(at)
        places.append((file, line))
        at += len(row)
        directive = _LINE.match(row)
        file, line = (directive[2], int(directive[1])) if directive else (file, line + 1)
    found = np.array(starts)
    return lambda position: places[int(np.searchsorted(found, position, "right")) - 1]


def _closing(code: str, opening: int, pair: str) -> int:
    """The position of the bracket that closes the one at ``opening``; the text's end if
    there is none.
    """
    depth = 0
    for at in range(opening, len(code)):
        depth += (code[at] == pair[0]) - (code[at] == pair[1])
        if depth == 0:
            return at
    return len(code)


class InstrumentedDevice:
    """A device whose programs are instrumented; for one solve, in a process of a user's
    own code.
    """

    def __init__(self, device: Device, session: DeviceSession, logged: Logged, element: int = -1):
        self._device, self._session = device, session
        self.sites: list[Site] = []
        self.launches: list[Launch] = []
        head = np.zeros(_ENTRIES + _WORDS * _CAPACITY, np.int32)
        head[1:4] = _CAPACITY, logged, element
        self._log = session.upload(head)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def compile(self, source: KernelSource) -> Program:
        kept = replaced_texts.get(source.path)
        text, pointers = instrument(expanded_text(source.path), self.sites)
        name = source.path.name if kept is None else kept.name
        replaced_texts[source.path] = KernelText(name, _SUPPORT + text)
        try:
            program = self._device.compile(source)
        finally:
            replaced_texts.pop(source.path)
            if kept is not None:
                replaced_texts[source.path] = kept
        return cast(Program, _InstrumentedProgram(program, pointers, self))

    @contextmanager
    def session(self) -> Iterator[DeviceSession]:
        with self._device.session() as session:
            yield cast(DeviceSession, _Unrecorded(session, cast(Device, self)))

    def arguments(
        self, kernel: str, grid: tuple[int, ...], block: tuple[int, ...]
    ) -> tuple[Any, ...]:
        """The log, and the number of this launch."""
        self.launches.append(Launch(kernel, prod(grid), prod(block)))
        return self._log, len(self.launches) - 1

    def log(self) -> AccessLog:
        """What was logged so far."""
        words = self._session.download(self._log)
        count = int(words[0])
        bad = words[_BAD : _BAD + _WORDS_OF_BAD * min(int(words[4]), _MOST_BAD)]
        entries = (
            words[_ENTRIES : _ENTRIES + _WORDS * min(count, _CAPACITY)].reshape(-1, _WORDS).copy()
        )
        outside = tuple(
            Outside(
                self.sites[site],
                thread,
                (high << 32) | (low & 0xFFFFFFFF),
                number,
                self.launches[launch].kernel,
            )
            for site, thread, launch, low, high, number in bad.reshape(-1, _WORDS_OF_BAD).tolist()
        )
        return AccessLog(
            tuple(self.sites), tuple(self.launches), entries, outside, count <= _CAPACITY
        )


class _Unrecorded:
    """A session that repeats launches by making them, since each has a number."""

    def __init__(self, session: DeviceSession, device: Device):
        self._session, self.device = session, device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def recorded(self, queue: Callable[[], None]) -> Callable[[], None]:
        return queue


class _InstrumentedProgram:
    def __init__(self, program: Program, pointers: dict[str, int], device: InstrumentedDevice):
        self._program, self._pointers, self._device = program, pointers, device

    def launch(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        *arguments: Any,
        **more: Any,
    ) -> None:
        if 0 in grid:
            return
        bytes_of = [a.nbytes for a in arguments if not isinstance(a, int | np.generic | np.ndarray)]
        added = self._device.arguments(kernel, grid, block)
        self._program.launch(kernel, grid, block, *arguments, *bytes_of, *added, **more)
