"""The exception hierarchy of Tautline.

::

    TautlineError
    ├── InputError                    invalid input, which the user can correct: exit status 2
    │   ├── FileFormatError           a line, or the whole file, cannot be read as a graph
    │   │   └── ColumnsUnknown        a table does not tell which columns are source, target and weight
    │   ├── FileNotWritten            a file cannot be written: folder, permission, disk space
    │   ├── UnknownName               no variant, generator, parameter ... of that name
    │   │   ├── UnknownVertex         no vertex with that id
    │   │   └── UnknownArc            no arc between these vertices
    │   ├── ParameterError            a value of the wrong type or out of range
    │   │   ├── NotUndirected         a graph that is said to be undirected, with an arc that leads one way only
    │   │   └── OptionNotApplicable   an option that the format of a file has no use for
    │   ├── WeightNotChanged          a slow-down that an arc's weight does not allow
    │   ├── ForeignQuery              a live query whose vertices or weights are of another graph
    │   ├── UnsuitableGraph           the algorithm is not defined on this graph
    │   │   └── SeparatorsTooLarge    contracting it would produce too many arcs
    │   └── NotDispatched             NetworkX's backend cannot take a graph or an argument
    ├── Unavailable                   valid, but unavailable on this machine: exit status 3
    │   ├── DeviceUnavailable         no such device, or its driver failed
    │   ├── MpiUnavailable            no mpiexec, or no mpi4py
    │   ├── StoreUnavailable          the store of runs cannot be read or written
    │   ├── DownloadFailed            a server or the network failed; what arrived is kept where it can be used
    │   │   └── WrongChecksum         a downloaded file is not the one that was expected
    │   ├── PackageMissing            a Python package that is an extra is not installed
    │   ├── ClusterUnavailable        a cluster cannot be used
    │   │   ├── SchedulerUnreachable  no scheduler answers, or the connection is lost
    │   │   ├── NoWorkers             a scheduler without workers
    │   │   ├── VersionsDiffer        client and workers run different versions
    │   │   ├── GraphNotOnWorker      a worker has no file of the graph, or another one
    │   │   └── WorkersLost           workers ended again and again while they computed the same sources
    │   └── OutOfMemory               more bytes needed than free; raised before allocation
    ├── KernelBuildError              a kernel does not compile: a defect of Tautline
    ├── RehearsalFailed               functions or kernels could not be compiled ahead; nothing is lost
    ├── VerificationFailed            an answer is wrong: a defect of Tautline
    ├── RankFailed                    an MPI rank crashed or was killed
    ├── OrderFailed                   METIS ended without an answer
    └── Cancelled                     the user cancelled
        └── Skipped                   the user skipped one variant; the run goes on

Each error carries its data as attributes, for dialogs and tests; ``str()`` gives one or two sentences with the subject,
the reason and the remedy.

The warnings of the library's `read` and `solve` form a tree of their own under `TautlineWarning`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

MOST_QUOTED = 80
"""Characters of a name or value that a message quotes."""
MOST_REASON = 400
"""Characters of one sentence of a message; libraries whose words are passed on write of any length."""
_MOST_MESSAGE = 4_000


class TautlineError(Exception):
    """Base class of all errors that Tautline raises. No message is longer than `_MOST_MESSAGE` characters."""

    def __init__(self, *args: object):
        super().__init__(*(shortened(value, _MOST_MESSAGE) if isinstance(value, str) else value for value in args))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its attributes: the constructors of errors take other arguments than ``args`` holds."""
        return _unpickled, (type(self), self.args, self.__dict__)


class InputError(TautlineError):
    """Invalid input, which the user can correct."""


class FileFormatError(InputError):
    """A file cannot be read as a graph.

    Attributes
    ----------
    path : Path
    line : int or None
        Line number counted from 1; None if the whole file is at fault.
    text : str
        The line's text, printable and cut to 80 characters.
    reason, hint : str
        Printable, and cut to `MOST_REASON` characters; they may quote the file.
    """

    def __init__(self, path: Path | str, reason: str, *, line: int | None = None, text: str = "", hint: str = ""):
        self.path = Path(path)
        self.line = line
        text = printable(text[:81])
        self.text = text if len(text) <= 80 else text[:79] + "…"
        self.reason = quoted(reason, MOST_REASON)
        self.hint = quoted(hint, MOST_REASON)
        name = quoted(self.path.name)
        where = name if line is None else f"{name}, line {line}"
        shown = f" — “{self.text}”" if self.text else ""
        super().__init__(f"{where}: {self.reason}{shown}." + (f" {self.hint}" if hint else ""))


class ColumnsUnknown(FileFormatError):
    """A table does not tell which of its columns hold source, target and weight.

    Attributes
    ----------
    titles : tuple of str
        Of the columns; numbers where there are none.
    """

    def __init__(self, path: Path | str, titles: Sequence[str]):
        self.titles = tuple(titles)
        shown = ", ".join(quoted(title, 30) for title in titles[:8]) + (", …" if len(titles) > 8 else "")
        super().__init__(
            path,
            f"this table does not tell its columns of source and target ({shown})",
            hint="Choose them: File > Open with options, or --columns SOURCE,TARGET,WEIGHT.",
        )


class FileNotWritten(InputError):
    """A file cannot be written; an existing file of that name is unchanged.

    Attributes
    ----------
    path : Path
    reason : str
    """

    def __init__(self, path: Path | str, reason: str):
        self.path, self.reason = Path(path), reason
        said = quoted(reason, MOST_REASON)
        super().__init__(f"Cannot write {quoted(str(self.path), 200)}: {said[:1].lower()}{said[1:]}.")


class UnknownName(InputError):
    """No object of that kind has that name.

    Attributes
    ----------
    kind, name : str
        Kind of object ("variant"), and the unknown name.
    nearest : tuple of str
        Up to three similar known names.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), *, nearest: Sequence[str] | None = None):
        self.kind = kind
        self.name = str(name)
        if nearest is None:
            nearest = difflib.get_close_matches(self.name[:MOST_QUOTED], list(known), n=3, cutoff=0.4)
        self.nearest = tuple(nearest)
        hint = f" Nearest: {', '.join(map(quoted, self.nearest))}." if self.nearest else ""
        super().__init__(f"There is no {quoted(kind, 200)} “{quoted(self.name)}”.{hint}")


class UnknownVertex(UnknownName):
    """No vertex has that id; ``nearest`` holds the nearest existing ids."""

    def __init__(self, vertex_id: object, nearest: Sequence[object]):
        super().__init__("vertex", str(vertex_id), nearest=[str(v) for v in nearest])


class UnknownArc(UnknownName):
    """No arc leads from one vertex to another, or, if both directions count, neither way.

    Attributes
    ----------
    tail, head : object
        Ids of the vertices; ``nearest`` holds arcs at the first of them.
    """

    def __init__(self, tail: object, head: object, graph: str, nearest: Sequence[str]):
        self.tail, self.head = tail, head
        ends = " – ".join(quoted(str(end), MOST_QUOTED // 2 - 2) for end in (tail, head))
        super().__init__(f"arc of {quoted(graph)} between", ends, nearest=nearest)


class ParameterError(InputError):
    """A parameter's value is of the wrong type or outside its range.

    Attributes
    ----------
    owner, name : str
        Id of the variant or generator, and name of its parameter.
    value : object
    reason : str
    """

    def __init__(self, owner: str, name: str, value: object, reason: str):
        self.owner, self.name, self.value, self.reason = owner, name, value, reason
        shown = quoted(_repr(value))
        super().__init__(f"{owner}: parameter “{quoted(name)}” cannot be {shown}: {quoted(reason, MOST_REASON)}.")


class OptionNotApplicable(ParameterError):
    """An option does not apply to the file, or to what else a graph is made of.

    Attributes
    ----------
    format : str
        Of the file: "DIMACS shortest-path graph (.gr)".
    applies : str
        What applies instead, or to what the option applies, as a sentence.
    """

    def __init__(self, name: str, value: object, form: str, applies: str):
        self.format, self.applies = form, applies
        reason = f"it does not apply to this input ({form}). {applies.rstrip('.')}"
        super().__init__("Reading", name, value, reason)


class NotUndirected(ParameterError):
    """A graph is said to be undirected, and an arc of it has no opposite of the same weight.

    Attributes
    ----------
    graph : str
        Its name.
    tail, head : object
        Ids of the arc's vertices.
    weight : int or float
    """

    def __init__(self, graph: str, tail: object, head: object, weight: int | float):
        self.graph, self.tail, self.head, self.weight = graph, tail, head, weight
        self.owner, self.name, self.value = graph, "directed", False
        self.reason = f"the arc {tail} → {head} of weight {weight:g} has no opposite of the same weight"
        InputError.__init__(
            self,
            f"{printable(graph)} cannot be undirected: {printable(self.reason)}. Make it directed, or give each edge "
            "two opposite arcs of one weight.",
        )


class WeightNotChanged(InputError):
    """The weight of an arc cannot be multiplied by a factor.

    Attributes
    ----------
    tail, head : object
        Ids of the vertices.
    factor : float
    reason, remedy : str
    """

    def __init__(self, tail: object, head: object, factor: float, reason: str, remedy: str):
        self.tail, self.head, self.factor, self.reason, self.remedy = tail, head, factor, reason, remedy
        ends = " → ".join(quoted(str(end)) for end in (tail, head))
        super().__init__(f"The arc {ends} cannot be slowed by {factor:g}: {reason}. {remedy}")


class ForeignQuery(InputError):
    """Vertices, weights or distances of a live query are not those of the graph that it names.

    Attributes
    ----------
    graph : str
        Name of the graph that the query, or the solver, is for.
    reason : str
    """

    def __init__(self, graph: str, reason: str):
        self.graph, self.reason = printable(graph), reason
        super().__init__(f"A live query about {self.graph} is refused: {reason}. Ask again with what belongs to it.")


class UnsuitableGraph(InputError):
    """The algorithm is not defined on this graph, for example Dijkstra on negative weights."""


class SeparatorsTooLarge(UnsuitableGraph):
    """A hierarchy of the graph would have too many arcs, because no few vertices divide it into parts.

    Attributes
    ----------
    graph : str
        Name of the graph.
    arcs, own_arcs : int
        Least number of arcs of the hierarchy, estimated or counted so far, and number of arcs of the graph.
    """

    def __init__(self, variant_id: str, graph: str, arcs: int, own_arcs: int):
        self.graph, self.arcs, self.own_arcs = graph, arcs, own_arcs
        super().__init__(
            f"{variant_id} suits graphs that a few vertices divide, such as road networks. In {graph} separators are "
            f"large: contraction would turn its {_grouped(own_arcs)} arcs into more than {_grouped(arcs)}. Choose a "
            "Dijkstra, near-far or delta-stepping variant."
        )


class NotDispatched(InputError, NotImplementedError):
    """The backend of NetworkX cannot take a graph or an argument; NetworkX then uses its own implementation.

    Attributes
    ----------
    what, reason : str
    """

    def __init__(self, what: str, reason: str):
        self.what, self.reason = what, reason
        super().__init__(
            f"The backend tautline does not take {what}: {reason}. "
            'Without backend="tautline" NetworkX solves it itself.'
        )


class Unavailable(TautlineError):
    """Valid, but unavailable on this machine."""


class DeviceUnavailable(Unavailable):
    """The device does not exist on this machine, or its driver failed."""


class MpiUnavailable(Unavailable):
    """MPI ranks cannot be started on this machine."""


class StoreUnavailable(Unavailable):
    """The store of runs cannot be read or written.

    Attributes
    ----------
    path : Path
    reason : str
    """

    def __init__(self, path: Path | str, reason: str):
        self.path, self.reason = Path(path), reason
        super().__init__(f"Runs cannot be kept in {printable(str(self.path))}: {reason}.")


class DownloadFailed(Unavailable):
    """A file cannot be downloaded.

    Attributes
    ----------
    name, url : str
        Of the file.
    reason, remedy : str
    kept_bytes : int
        How much arrived and is kept, so that the next attempt goes on from there.
    """

    def __init__(self, name: str, url: str, reason: str, remedy: str = "", *, kept_bytes: int = 0):
        self.name, self.url, self.reason = printable(name), printable(url), printable(reason)
        self.remedy, self.kept_bytes = remedy, kept_bytes
        kept = f" {format_bytes(kept_bytes)} are kept; the next attempt goes on from there." if kept_bytes else ""
        super().__init__(f"{self.name} was not downloaded: {self.reason}.{kept}" + (f" {remedy}" if remedy else ""))


class WrongChecksum(DownloadFailed):
    """The SHA-256 of a file is not the expected one; the file was discarded.

    Attributes
    ----------
    expected, found : str
        SHA-256 in hexadecimal digits.
    published : bool
        Whether Tautline brings the expected checksum; else it was recorded at the first download.
    """

    def __init__(self, name: str, url: str, expected: str, found: str, *, published: bool, since: str = ""):
        self.expected, self.found, self.published = expected, found, published
        whose = "that Tautline knows" if published else f"recorded at the first download{since and f' on {since}'}"
        remedy = (
            "Try again; if it stays so, the publisher has replaced the file, or someone changed it on the way."
            if published
            else "If the publisher has replaced it, accept the changed file; else somebody changed it on the way."
        )
        super().__init__(name, url, f"its SHA-256 {found[:12]}… is not the one {whose}, {expected[:12]}…", remedy)


class PackageMissing(Unavailable):
    """A Python package that not everyone needs is not installed.

    Attributes
    ----------
    what, package, extra : str
        What needs it, its name, and the extra of Tautline that installs it.
    """

    def __init__(self, what: str, package: str, extra: str):
        self.what, self.package, self.extra = what, package, extra
        super().__init__(f'{what} needs the package {package}: pip install "tautline[{extra}]".')


class ClusterUnavailable(Unavailable):
    """A cluster cannot be used.

    Attributes
    ----------
    cluster, reason : str
        Its address, and why, with the remedy.
    """

    def __init__(self, cluster: str, reason: str):
        self.cluster, self.reason = printable(cluster), printable(reason)
        super().__init__(f"The cluster {self.cluster} cannot be used: {self.reason}.")


class SchedulerUnreachable(ClusterUnavailable):
    """No scheduler answers at an address, or the connection to it is lost."""

    def __init__(self, cluster: str, reason: str):
        remedy = "Check that dask scheduler runs there, and that its port can be reached from here"
        super().__init__(cluster, f"no scheduler answers ({reason.strip().rstrip('.')}). {remedy}")


class NoWorkers(ClusterUnavailable):
    """A scheduler has no workers.

    Attributes
    ----------
    seconds : float
        For which workers were waited for.
    """

    def __init__(self, cluster: str, seconds: float):
        self.seconds = seconds
        super().__init__(cluster, f"it had no worker for {seconds:.3g} s. Start some: dask worker {cluster}")


class VersionsDiffer(ClusterUnavailable):
    """Client and workers run different versions of what results depend on.

    Attributes
    ----------
    different : mapping
        For each worker, the packages that differ, with the versions here and there.
    """

    def __init__(self, different: Mapping[str, Mapping[str, tuple[str, str]]]):
        self.different = different
        shown = [
            f"{worker} has {', '.join(f'{name} {there} (here {here})' for name, (here, there) in names.items())}"
            for worker, names in list(different.items())[:3]
        ]
        more = f"; and {len(different) - 3} other workers" if len(different) > 3 else ""
        super().__init__(
            "of these workers",
            f"{'; '.join(shown)}{more}. Install the same versions in all places; constraints.txt pins them",
        )


class GraphNotOnWorker(ClusterUnavailable):
    """A worker has no file of the graph, or another one.

    Attributes
    ----------
    worker, path : str
        Host of the worker, and the file.
    """

    def __init__(self, worker: str, path: str, reason: str):
        self.worker, self.path, self.why = worker, path, reason
        super().__init__(worker, f"its file of the graph, {path}, {reason}. Run again: it is sent anew")


class WorkersLost(ClusterUnavailable):
    """Workers ended, one after the other, while they computed the same sources."""

    def __init__(self, cluster: str, sources: str):
        super().__init__(
            cluster,
            f"several workers ended while they computed {sources}, perhaps for lack of memory. Their logs tell more; "
            "finished sources are kept where --resume names a file",
        )


class OutOfMemory(Unavailable):
    """More memory is needed than is free. Raised before anything is allocated.

    Attributes
    ----------
    what : str
        What the memory is needed for.
    needed_bytes, free_bytes : int
    remedy : str
        A sentence on what needs less; "" if nothing is known to.
    """

    def __init__(self, what: str, needed_bytes: int, free_bytes: int, where: str = "this machine", *, remedy: str = ""):
        self.what, self.needed_bytes, self.free_bytes, self.remedy = what, int(needed_bytes), int(free_bytes), remedy
        sentence = f"{what} needs {format_bytes(needed_bytes)}; {where} has {format_bytes(free_bytes)} free."
        super().__init__(f"{sentence} {remedy}".rstrip())


class KernelBuildError(TautlineError):
    """A kernel does not compile for this device.

    Attributes
    ----------
    kernel, device : str
    log : str
        The compiler's log.
    """

    def __init__(self, kernel: str, device: str, log: str):
        self.kernel, self.device, self.log = kernel, device, log
        super().__init__(
            f"Kernel {kernel} does not compile for {device}: {log.strip().splitlines()[0] if log.strip() else 'no log'}"
        )


class VerificationFailed(TautlineError):
    """An answer that has nowhere to carry its verdict failed the verification, so it is not returned.

    Attributes
    ----------
    what : str
        What was computed, and by which engine.
    text : str
        The first failure.
    wrong_vertices : int
        Number of distances that are wrong.
    rows : tuple of int
        All pairs or all sources: the rows that were checked.
    """

    def __init__(self, what: str, text: str, wrong_vertices: int, rows: Sequence[int] = ()):
        self.what, self.text, self.wrong_vertices, self.rows = what, text, wrong_vertices, tuple(rows)
        super().__init__(
            f"{what} failed the verification: {text} This is a defect of Tautline; please report it with the graph."
        )


class RankFailed(TautlineError):
    """A rank of an MPI program crashed or was killed, and the other ranks were terminated.

    Attributes
    ----------
    program : str
    status : int
        Exit status of mpiexec.
    reason : str
    log : str
        The last part of the output of the ranks and mpiexec.
    """

    def __init__(self, program: str, status: int, reason: str, log: str):
        self.program, self.status, self.reason, self.log = program, status, reason, log
        super().__init__(f"{program}: an MPI rank failed, and the other ranks were terminated: {reason}.")


class RehearsalFailed(TautlineError):
    """Functions or kernels could not be compiled ahead; they are compiled when they are needed."""


class Cancelled(TautlineError):
    """The user cancelled; results finished before are kept."""

    def __init__(self, what: str = "The run"):
        super().__init__(f"{what} was cancelled.")


class Skipped(Cancelled):
    """The user skipped the variant that was running; the run goes on with the next."""

    def __init__(self) -> None:
        TautlineError.__init__(self, "Skipped.")


class TautlineWarning(UserWarning):
    """Base class of the library's warnings; `warnings.simplefilter` turns them off or into errors."""


class GraphFileWarning(TautlineWarning):
    """A graph file was read, but its content may be inconsistent or incomplete."""


class WrongAnswer(TautlineWarning):
    """A variant's answer failed the verification."""


def _unpickled(kind: type[TautlineError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> TautlineError:
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(attributes)
    return error


_THIN_SPACE = "\u202f"  # as `solvers.text.THIN_SPACE`, which is in a layer above


def _grouped(count: int) -> str:
    """As `solvers.text.format_count`, which is in a layer above."""
    return f"{count:,}".replace(",", _THIN_SPACE)


def printable(text: str) -> str:
    """Text from a file, or a file's name, safe to print: what a terminal would obey, or cannot encode, is escaped.

    ``printable("a\\x1b[31m") == "a\\\\x1b[31m"``; a byte of a file name that is not UTF-8 is shown as ``\\xff``. Tabs
    become spaces; the thin spaces of counts stay.
    """
    return "".join(
        character if character.isprintable() or character == _THIN_SPACE else _escape(character) for character in text
    )


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """Text of any origin and length as a message quotes it: `printable`, and of ``most`` characters at most."""
    return shortened(printable(shortened(text, most)), most)  # cut first, since escaping takes time for each character


def shortened(text: str, most: int) -> str:
    """Text of ``most`` characters at most; what is too long loses its middle: ``"abc…xyz"``."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def _repr(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes integers of 4,300 digits at most
        return f"a number of {value.bit_length()} bits" if isinstance(value, int) else type(value).__name__


def _escape(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that Python could not decode
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else character.encode("ascii", "backslashreplace").decode()


def format_bytes(count: float) -> str:
    """A byte count in decimal units with up to three digits: ``format_bytes(5_400_000_000) == '5.4 GB'``."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 999.5:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"


class OrderFailed(TautlineError):
    """METIS ended without an answer.

    Attributes
    ----------
    status : int
        Exit status of its process; negative where a signal ended it.
    log : str
    """

    def __init__(self, status: int, log: str):
        self.status, self.log = status, log
        reason = log.strip().splitlines()[-1] if log.strip() else f"status {status}"
        super().__init__(f"METIS could not order the graph: {reason}. Choose a variant that needs no order.")
