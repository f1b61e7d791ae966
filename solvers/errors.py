"""The exception hierarchy of Tautpath.

::

    TautpathError
    ├── InputError                    invalid input, which the user can correct: exit status 2
    │   ├── FileFormatError           a line, or the whole file, cannot be read as a graph
    │   │   └── ColumnsUnknown        it is not clear which columns are source, target and weight
    │   ├── FileMissing               there is no such file
    │   ├── FileNotWritten            a file cannot be written: folder, permission, disk space
    │   ├── UnknownName               no variant, generator, parameter ... of that name
    │   │   ├── UnknownVertex         no vertex with that id
    │   │   └── UnknownArc            no arc between these vertices
    │   ├── SeveralMeant              several streets or places have that name
    │   ├── ParameterError            a value of the wrong type or out of range
    │   │   ├── NotUndirected         called undirected, but an arc leads one way only
    │   │   └── OptionNotApplicable   an option that does not apply to the format of a file
    │   ├── VariantFileError          a user's file of variants cannot be used; the others can
    │   │   └── ExerciseFileError     a user's exercise, or folder of them, cannot be used
    │   ├── KernelMismatch            a changed kernel has other entry points or signatures
    │   ├── NoRoadNear                no road within a distance of a place
    │   ├── WeightNotChanged          a slow-down that an arc's weight does not allow
    │   ├── ForeignQuery              a query whose vertices or weights are of another graph
    │   ├── UnsuitableGraph           the algorithm is not defined on this graph
    │   │   └── SeparatorsTooLarge    contracting it would produce too many arcs
    │   └── NotDispatched             NetworkX's backend cannot take a graph or an argument
    ├── Unavailable                   valid, but unavailable on this machine: exit status 3
    │   ├── DeviceUnavailable         no such device, or its driver failed
    │   ├── TurnsNotSearched      rules for turns by which no feature here searches
    │   ├── MpiUnavailable            no mpiexec, or no mpi4py
    │   ├── PlacesNotTaken        a place as an end, of which no feature here makes a vertex
    │   ├── StoreUnavailable          the store of runs cannot be read or written
    │   ├── DownloadFailed            a server or the network failed; what can be used is kept
    │   │   └── WrongChecksum         a downloaded file differs from the expected one
    │   ├── PackageMissing            a Python package that is an extra is not installed
    │   ├── ClusterUnavailable        a cluster cannot be used
    │   │   ├── SchedulerUnreachable  no scheduler answers, or the connection is lost
    │   │   ├── NoWorkers             a scheduler without workers
    │   │   ├── VersionsDiffer        client and workers run different versions
    │   │   ├── GraphNotOnWorker      a worker has no file of the graph, or another one
    │   │   └── WorkersLost           workers ended again and again on the same sources
    │   └── OutOfMemory               more bytes needed than free; raised before allocation
    ├── NegativeCycle                 an outcome: shortest paths do not exist
    ├── KernelBuildError              a kernel does not compile: a defect unless a user changed it
    ├── UserCodeFailed                 a user's own variant or changed kernel failed in its process
    │   ├── KernelTimeLimit           it did not end within its limit, and was ended
    │   ├── KernelCrashed             its process crashed
    │   └── AnswerRefused             what came back from it is not what may come
    ├── RehearsalFailed               code could not be compiled ahead; nothing is lost
    ├── VerificationFailed            an answer is wrong: a defect of Tautpath
    ├── RankFailed                    an MPI rank crashed or was killed
    ├── OrderFailed                   METIS ended without an answer
    └── Cancelled                     the user cancelled
        └── Skipped                   the user skipped one variant; the run goes on
            └── TimedOut              a time limit ended one variant

Each error carries its data as attributes, for dialogs and tests; ``str()`` gives one or
two sentences with the subject, the reason and the remedy. A class that declares fields
is a dataclass, with a `template` of its message. The warnings of the library are below
`TautpathWarning`. ``__all__`` holds all of these classes; `solvers` passes them on.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from errno import ENOENT
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from solvers.program import install_command, with_way_to_install
from solvers.text import (
    MOST_QUOTED,
    MOST_REASON,
    filled_in,
    format_bytes,
    grouped,
    plural,
    printable,
    quoted,
    shortened,
)

_MOST_MESSAGE, _MOST_LINE, _MOST_CYCLE, _MOST_CHOICES = 4_000, 80, 12, 12


@dataclass_transform(eq_default=False)
class TautpathError(Exception):
    """Base class of all errors that Tautpath raises. No message is longer than
    `_MOST_MESSAGE` characters.
    """

    template: ClassVar[str] = ""

    def __init__(self, message: str = ""):
        super().__init__(shortened(with_way_to_install(message), _MOST_MESSAGE))

    def __init_subclass__(cls) -> None:
        """A class with fields gets their constructor; errors stay equal by identity alone."""
        if "__annotations__" in vars(cls):
            dataclass(eq=False, repr=False)(cls)

    def __post_init__(self) -> None:
        sentence = with_way_to_install(self._sentence().rstrip(" "))
        self.args = (quoted(sentence, _MOST_MESSAGE),)

    def _sentence(self) -> str:
        return filled_in(self.template, vars(self))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows of an error in a cell: lines of the user's, and the message."""
        shown = sys.modules["IPython"].get_ipython().InteractiveTB
        cause, context, is_suppressed = self.__cause__, self.__context__, self.__suppress_context__
        self.__cause__ = None  # which suppresses the context, too
        try:
            lines = shown.structured_traceback(type(self), self, _without_ours(self.__traceback__))
        finally:
            self.__cause__, self.__context__ = cause, context
            self.__suppress_context__ = is_suppressed
        return list(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its attributes: the constructors of errors take other arguments
        than ``args`` holds.
        """
        return _made_again, (type(self), self.args), vars(self)


def _made_again(kind: type[TautpathError], args: tuple[Any, ...]) -> TautpathError:
    error = kind.__new__(kind, *args)
    error.args = args  # which an OSError takes in its constructor only
    return error


def _without_ours(found: TracebackType | None) -> TracebackType | None:
    """A traceback without what is called here and in IPython, whose first frame stays."""
    kept: list[TracebackType] = []
    while found is not None:
        package = found.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if not kept or package not in ("solvers", "tautpath", "IPython"):
            kept.append(found)
        found = found.tb_next
    for one in reversed(kept):
        found = TracebackType(found, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return found


class InputError(TautpathError):
    """Invalid input, which the user can correct."""


class FileFormatError(InputError):
    """A file cannot be read as a graph. Its texts are printable and cut; they may quote
    the file.
    """

    path: Path
    reason: str
    _: KW_ONLY
    line: int | None = None  # counted from 1; None if the whole file is at fault
    text: str = ""  # of the line
    hint: str = ""

    def __post_init__(self) -> None:
        text = printable(self.text[: _MOST_LINE + 1])
        self.text = text if len(text) <= _MOST_LINE else text[: _MOST_LINE - 1] + "…"
        self.reason, self.hint = quoted(self.reason, MOST_REASON), quoted(self.hint, MOST_REASON)
        super().__post_init__()

    def _sentence(self) -> str:
        name = self.path.name or str(self.path.absolute())  # of "" and "." the whole folder
        where = quoted(name) + ("" if self.line is None else f", line {self.line}")
        shown = f" — “{self.text}”" if self.text else ""
        return f"{where}: {self.reason}{shown}. {self.hint}"


class ColumnsUnknown(FileFormatError):
    """The columns of source, target and weight are not clear from a table with these
    titles or numbers.
    """

    def __init__(
        self, path: Path, titles: Sequence[str], unclear: str = "", example: str = "1,2,3"
    ):
        self.titles = tuple(titles)
        shown = ", ".join(quoted(title, 30) for title in titles[:8]) + (
            ", …" if len(titles) > 8 else ""
        )
        unclear = unclear or "the columns of source and target are not clear from this table"
        hint = f"Choose columns of source, target and weight, such as “{quoted(example)}”"
        if example.count(",") > 1:
            hint += "; without the third every weight is 1"
        super().__init__(path, f"{unclear} ({shown})", hint=f"{hint}.")


class FileMissing(InputError, FileNotFoundError):
    """There is no such file; ``hint`` names a similar one, or the folder that is missing too."""

    path: Path
    hint: str = ""

    template = "{path.name:quoted}: there is no such file. {hint:cut}"
    errno = property(lambda self: ENOENT)
    filename = property(lambda self: str(self.path))


class FileNotWritten(InputError):
    """A file cannot be written; an existing file of that name is unchanged."""

    path: Path | str  # or "standard output", or the address of an array
    reason: str

    def _sentence(self) -> str:
        reason = quoted(self.reason.rstrip("."), MOST_REASON)
        return f"Cannot write {quoted(str(self.path), 200)}: {reason[:1].lower()}{reason[1:]}."


class SeveralMeant(InputError):
    """A name means several things, such as streets in different places; ``choices`` are
    names that tell them apart.
    """

    def __init__(self, name: str, choices: Sequence[str]):
        self.name, self.choices = name, tuple(choices)
        shown = [quoted(choice, 60) for choice in self.choices[:_MOST_CHOICES]]
        more = ", …" if len(self.choices) > _MOST_CHOICES else ""
        super().__init__(
            f"“{quoted(name)}” is in several places. Choose one: {'; '.join(shown)}{more}."
        )


class UnknownName(InputError):
    """There is no object of a kind, such as "variant", with that name; ``nearest`` are
    up to three similar names.

    The message lists these or, without any, the first names that there are.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str] = (),
        *,
        nearest: Sequence[str] | None = None,
        more: str = "",
    ):
        self.kind, self.name = kind, str(name)
        choices = [str(choice) for choice in known]
        similar = difflib.get_close_matches(self.name[:MOST_QUOTED], choices, n=3, cutoff=0.4)
        self.nearest = tuple(similar if nearest is None else nearest)
        hint = f" Nearest: {', '.join(map(quoted, self.nearest))}." if self.nearest else ""
        if choices and not self.nearest:
            others = ", …" if len(choices) > _MOST_CHOICES else ""
            few = ", ".join(quoted(choice, 60) for choice in choices[:_MOST_CHOICES])
            hint = f" Choose from: {few}{others}."
        super().__init__(f"There is no {quoted(kind, 200)} “{quoted(self.name)}”.{hint}{more}")


_IN_ROADS = (
    " Vertices of a road network are the junctions and ends of its roads: a point between them "
    "is named by its coordinates, as “47.14, 9.52”."
)


_SEVERAL = (
    " One id is expected here. For several ask solve(graph, sources=...), or table, lengths or "
    "nearest of a router."
)


class UnknownVertex(UnknownName):
    """No vertex has that id; ``nearest`` holds the nearest ids that exist, ``position``
    its index in a list.

    Ids of another type are told with their types: 1 is not “1”. ``in_roads`` is for a
    network whose file has points within roads, which are no vertices.
    """

    def __init__(
        self,
        vertex_id: object,
        nearest: Sequence[object],
        *,
        position: int | None = None,
        of: str = "ids",
        in_roads: bool = False,
    ):
        self.position, self.vertex_id, self.ids = position, vertex_id, tuple(nearest)
        self.in_roads = in_roads
        kind = "vertex" if position is None else f"vertex, at position {position} of {of},"
        is_other = {type(v) for v in nearest} == {str} and not isinstance(vertex_id, str)
        is_other |= isinstance(vertex_id, str) and any(not isinstance(v, str) for v in nearest)
        say = _with_type if is_other else str
        more = _IN_ROADS if in_roads else ""
        more = more if isinstance(vertex_id, Hashable) else _SEVERAL
        super().__init__(kind, say(vertex_id), nearest=[say(v) for v in nearest], more=more)

    def at(self, position: int, of: str) -> UnknownVertex:
        """The same of a vertex in a list."""
        return UnknownVertex(
            self.vertex_id, self.ids, position=position, of=of, in_roads=self.in_roads
        )


def _with_type(vertex_id: object) -> str:
    return f"{vertex_id!r} ({type(vertex_id).__name__})"


class UnknownArc(UnknownName):
    """No arc leads from ``tail`` to ``head`` (ids), or neither way; ``nearest`` holds
    arcs at the first of them.
    """

    def __init__(self, tail: object, head: object, graph: str, nearest: Sequence[str]):
        self.tail, self.head = tail, head
        ends = " – ".join(quoted(str(end), MOST_QUOTED // 2 - 2) for end in (tail, head))
        super().__init__(f"arc of {quoted(graph)} between", ends, nearest=nearest)


class ParameterError(InputError):
    """A parameter's value is of the wrong type or outside its range; ``owner`` is a
    variant or generator.
    """

    owner: str
    name: str
    value: object
    reason: str

    template = "{owner}: parameter “{name:quoted}” cannot be {value:value}: {reason:cut}."


class OptionNotApplicable(ParameterError):
    """An option does not apply to a file of ``format``; ``applies`` says what does, or
    to what the option applies.
    """

    template = "Reading: the option “{name}” does not apply to this input ({format}). {applies}."

    def __init__(self, name: str, value: object, form: str, applies: str):
        self.format, self.applies = form, applies.rstrip(".")
        super().__init__("Reading", name, value, "it does not apply")


class NotUndirected(ParameterError):
    """``graph`` is said to be undirected, and its arc between these ids has no opposite
    of the same weight.
    """

    template = (
        "{graph} cannot be undirected: {reason}. Make it directed, "
        "or give each edge two opposite arcs of one weight."
    )

    def __init__(self, graph: str, tail: object, head: object, weight: int | float):
        self.graph, self.tail, self.head, self.weight = graph, tail, head, weight
        reason = f"the arc {tail} → {head} of weight {weight:g} has no opposite of the same weight"
        super().__init__(graph, "directed", False, reason)


class VariantFileError(InputError):
    """A user's file of variants, a changed kernel or a package with variants cannot be used."""

    path: Path
    reason: str
    template = "{path.name:quoted}: {reason:cut}. Its variants are left out."


class ExerciseFileError(VariantFileError):
    """An exercise or a folder of exercises or of a class's solutions cannot be used."""

    template = "{path.name:quoted}: {reason:cut}."


class KernelMismatch(InputError):
    """A changed kernel does not fit the variant that launches it; ``entry`` names the
    entry point.
    """

    kernel: str
    entry: str
    reason: str
    template = (
        "{kernel:quoted}: {reason:cut}. Keep the names and parameters "
        "of the original's entry points."
    )


class NoRoadNear(InputError):
    """No road lies within a distance of a place."""

    latitude: float
    longitude: float
    metres: float  # to the nearest road
    within: float  # metres that were allowed
    graph: str
    remedy: str
    template = (
        "{latitude:g}, {longitude:g} is {metres:,.0f} m from the nearest road of {graph:quoted}, "
        "more than {within:,.0f} m. {remedy}"
    )


class WeightNotChanged(InputError):
    """The weight of an arc, whose ends are ids, cannot be multiplied by a factor."""

    tail: object
    head: object
    factor: float
    reason: str
    remedy: str
    template = (
        "The arc {tail:quoted} → {head:quoted} cannot be slowed by {factor:g}: {reason}. {remedy}"
    )


class ForeignQuery(InputError):
    """Vertices, weights or distances of a query are not those of the graph that it
    or the solver is for.
    """

    graph: str
    reason: str
    template = "A query about {graph} is refused: {reason}. Use data of the same graph."


class UnsuitableGraph(InputError):
    """The algorithm is not defined on this graph, for example Dijkstra on negative weights."""


class SeparatorsTooLarge(UnsuitableGraph):
    """A hierarchy of the graph would have too many arcs, because no few vertices divide
    it into parts.
    """

    variant_id: str
    graph: str
    arcs: int  # the least number that the hierarchy has, estimated or counted so far
    own_arcs: int
    template = (
        "{variant_id} suits graphs that a few vertices divide, such as road networks. In {graph} "
        "separators are large: contraction would turn its {own_arcs:count} arcs into more than "
        "{arcs:count}. Choose a Dijkstra, near-far or delta-stepping variant."
    )


class NotDispatched(InputError, NotImplementedError):
    """The backend of NetworkX cannot take a graph or an argument; NetworkX then uses
    its own implementation.
    """

    what: str
    reason: str
    template = (
        'The backend tautpath does not take {what}: {reason}. Without backend="tautpath" NetworkX '
        "solves it itself."
    )


class Unavailable(TautpathError):
    """Valid, but unavailable on this machine."""


class DeviceUnavailable(Unavailable):
    """The device does not exist on this machine, or its driver failed."""


class TurnsNotSearched(Unavailable):
    """A network has rules for turns, and no feature here searches by them."""

    network: str
    rules: str  # in words
    template = (
        "{network} has rules for turns that paths must obey ({rules}), and the feature that "
        "searches by them is not installed. Install Tautpath whole, or read the file without its "
        'rules where its format allows it: --turns ignore, turns="ignore".'
    )


class MpiUnavailable(Unavailable):
    """MPI ranks cannot be started on this machine."""


class PlacesNotTaken(Unavailable):
    """A place on the map is given as an end, and no feature here makes a vertex of it."""

    network: str
    template = (
        "{network} takes no places on the map as ends: the feature that cuts roads at them is "
        "not installed. Install Tautpath whole, or give ends by the ids of vertices."
    )


class StoreUnavailable(Unavailable):
    """The store of runs cannot be read or written."""

    path: Path
    reason: str
    template = "Runs cannot be kept in {path}: {reason}."


class DownloadFailed(Unavailable):
    """A file cannot be downloaded; where a part of it arrived and is kept, the next
    attempt continues from there.
    """

    name: str
    url: str
    reason: str
    remedy: str = ""
    _: KW_ONLY
    kept_bytes: int = 0

    def _sentence(self) -> str:
        kept = f" {format_bytes(self.kept_bytes)} are kept; the next attempt continues from there."
        return (
            f"{self.name} was not downloaded: "
            f"{self.reason}.{kept if self.kept_bytes else ''} {self.remedy}"
        )


class WrongChecksum(DownloadFailed):
    """The SHA-256 of a file is not the expected one, published or recorded at the first
    download; it was discarded.
    """

    def __init__(
        self, name: str, url: str, expected: str, found: str, *, published: bool, since: str = ""
    ):
        self.expected, self.found, self.published = expected, found, published
        whose = (
            "that Tautpath knows"
            if published
            else f"recorded at the first download{since and f' on {since}'}"
        )
        remedy = (
            (
                "Try again; if the error remains, the publisher has replaced the file, "
                "or it was changed on the way."
            )
            if published
            else (
                "If the publisher has replaced it, accept the changed file; "
                "otherwise it was changed on the way."
            )
        )
        super().__init__(
            name, url, f"its SHA-256 {found[:12]}… is not the one {whose}, {expected[:12]}…", remedy
        )


class PackageMissing(Unavailable):
    """A Python package that not everyone needs is not installed; an extra of Tautpath
    installs it.
    """

    what: str
    package: str
    extra: str
    template = "{what} needs the package {package}: {install}."

    @property
    def install(self) -> str:
        """The command that installs it."""
        return install_command(self.extra)

    def _sentence(self) -> str:
        return filled_in(self.template, vars(self) | {"install": self.install})


class ClusterUnavailable(Unavailable):
    """The cluster of an address cannot be used; the reason holds the remedy."""

    cluster: str
    reason: str
    template = "The cluster {cluster} cannot be used: {reason}."


class SchedulerUnreachable(ClusterUnavailable):
    """No scheduler answers at an address, or the connection to it is lost."""

    def __init__(self, cluster: str, reason: str):
        remedy = "Check that dask scheduler runs there, and that its port can be reached from here"
        super().__init__(cluster, f"no scheduler answers ({reason.strip().rstrip('.')}). {remedy}")


class NoWorkers(ClusterUnavailable):
    """A scheduler has no workers, although they were waited for ``seconds``."""

    def __init__(self, cluster: str, seconds: float):
        self.seconds = seconds
        super().__init__(
            cluster, f"it had no worker for {seconds:.3g} s. Start some: dask worker {cluster}"
        )


class VersionsDiffer(ClusterUnavailable):
    """Client and workers differ: ``different`` holds, by worker and package, the
    versions here and there.
    """

    def __init__(self, different: Mapping[str, Mapping[str, tuple[str, str]]]):
        self.different = different
        shown = []
        for worker, names in list(different.items())[:3]:
            pairs = (f"{name} {there} (here {here})" for name, (here, there) in names.items())
            shown.append(f"{worker} has {', '.join(pairs)}")
        more = f"; and {len(different) - 3} other workers" if len(different) > 3 else ""
        remedy = "Install the same versions everywhere; constraints.txt pins them"
        super().__init__("of these workers", f"{'; '.join(shown)}{more}. {remedy}")


class GraphNotOnWorker(ClusterUnavailable):
    """A worker, named by its host, has no file of the graph, or another one; ``why`` says which."""

    def __init__(self, worker: str, path: str, reason: str):
        self.worker, self.path, self.why = worker, path, reason
        super().__init__(
            worker,
            f"its file of the graph, {path}, {reason}. Run again; the graph is then sent again",
        )


class WorkersLost(ClusterUnavailable):
    """Workers ended, one after the other, while they computed the same sources."""

    def __init__(self, cluster: str, sources: str):
        kept = "See their logs; finished sources are kept where there is a file to resume from"
        reason = f"several workers ended while they computed {sources}, perhaps for lack of memory"
        super().__init__(cluster, f"{reason}. {kept}")


class OutOfMemory(Unavailable):
    """More memory is needed, for ``what``, than is free. Raised before anything is allocated."""

    what: str
    needed_bytes: int
    free_bytes: int
    where: str = "this machine"
    _: KW_ONLY
    remedy: str = ""  # a sentence on what needs less
    template = "{what} needs {needed_bytes:bytes}; {where} has {free_bytes:bytes} free. {remedy}"


class NegativeCycle(TautpathError):
    """A negative cycle is reachable from the source: an outcome, which a run turns into
    a result of that status.
    """

    ids: tuple[object, ...]  # in order along the cycle, the first not repeated
    vertices: tuple[int, ...]  # the same by index
    weight: float  # with the lightest of parallel arcs
    iterations: int = 0  # until it was found

    def _sentence(self) -> str:
        rest = ("…",) if len(self.ids) > _MOST_CYCLE else ()
        shown = " → ".join(map(str, (*self.ids[:_MOST_CYCLE], *rest, self.ids[0])))
        length = grouped(self.weight, "g")
        return (
            f"Negative cycle of {plural(len(self.ids), 'vertex', 'vertices')}, "
            f"length {length}: {shown}."
        )


class KernelBuildError(TautpathError):
    """A kernel does not compile for this device; ``log`` is the compiler's."""

    kernel: str
    device: str
    log: str
    template = "Kernel {kernel} does not compile for {device}: {log:line}"


class UserCodeFailed(TautpathError):
    """A user's own variant or changed kernel failed; only its own process was affected."""

    code: str  # name of its file
    reason: str
    template = "{code:quoted} failed: {reason:cut}."


class KernelTimeLimit(UserCodeFailed):
    """A user's own code did not end within ``seconds``."""

    def __init__(self, code: str, seconds: float):
        self.seconds = seconds
        super().__init__(
            code, f"it did not end within {seconds:g} s and was ended. A greater limit can be set"
        )


_MOST_STATUS = 255
"""Of a program that ends by itself; Windows tells faults by greater ones."""


class KernelCrashed(UserCodeFailed):
    """The process of a user's own code crashed; ``status`` is its exit status, negative
    for a signal.
    """

    def __init__(self, code: str, status: int, log: str):
        self.status, self.log = status, log
        last = next((line for line in reversed(log.strip().splitlines()) if line.strip()), "")
        how = f"status {status}; {last}" if last else f"status {status}"
        if status < 0:
            how = f"signal {-status}"
        words = "it crashed, perhaps because it read or wrote outside its arrays"
        if 0 <= status <= _MOST_STATUS:
            words = "it ended its process before there was an answer"
        super().__init__(code, f"{words} ({how})")


class AnswerRefused(UserCodeFailed):
    """What came from a user's own code is not what may come: its ``field`` is ``got``
    and must be ``right``.
    """

    def __init__(self, code: str, field: str, got: str, right: str):
        self.field, self.got, self.right = field, got, right
        super().__init__(code, f"its {field} is {got}; it must be {right}")


class RehearsalFailed(TautpathError):
    """Functions or kernels could not be compiled ahead; they are compiled when they are needed."""


class VerificationFailed(TautpathError):
    """An answer that has nowhere to carry its verdict failed the verification, so it is
    not returned.
    """

    what: str  # was computed, and by which engine
    text: str  # the first failure
    wrong_vertices: int
    rows: tuple[int, ...] = ()  # that were checked, of all pairs or all sources
    template = (
        "{what} failed the verification: {text} This is a defect of Tautpath; "
        "please report it with the graph."
    )


class RankFailed(TautpathError):
    """A rank of an MPI program crashed or was killed, and the other ranks were terminated."""

    program: str
    status: int  # of mpiexec
    reason: str
    log: str  # the last part of the output of the ranks and mpiexec
    template = "{program}: an MPI rank failed, and the other ranks were terminated: {reason}."


class OrderFailed(TautpathError):
    """METIS ended without an answer."""

    status: int  # of its process; negative where a signal ended it
    log: str

    def _sentence(self) -> str:
        reason = self.log.strip().splitlines()[-1] if self.log.strip() else f"status {self.status}"
        return f"METIS could not order the graph: {reason}. Choose a variant that needs no order."


class Cancelled(TautpathError):
    """The user cancelled; results finished before are kept."""

    what: str = "The run"
    template = "{what} was cancelled."


class Skipped(Cancelled):
    """The user skipped the variant that was running; the run goes on with the next."""

    template = "Skipped."


class TimedOut(Skipped):
    """A time limit ended the variant that was running; the run goes on with the next."""

    template = "Timed out."


class TautpathWarning(UserWarning):
    """Base class of the library's warnings; `warnings.simplefilter` turns them off or
    into errors.
    """


class GraphFileWarning(TautpathWarning):
    """A graph file was read, but its content may be inconsistent or incomplete."""


class TurnsLeftOut(TautpathWarning):
    """A graph was converted to one that has no rules for turns."""


class WrongAnswer(TautpathWarning):
    """A variant's answer failed the verification."""


if not TYPE_CHECKING:  # type checkers read no computed list; without one they take all public names
    __all__ = [
        name
        for name, kind in vars().items()
        if isinstance(kind, type) and kind.__module__ == __name__
    ]
