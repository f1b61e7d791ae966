"""Every error that Tautline raises on purpose, in one tree.

::

    TautlineError
    ├── InputError                    the user can mend it: exit status 2
    │   ├── FileFormatError           a line (or the whole file) cannot be read
    │   ├── FileNotWritten            the system refuses to write a file: folder, permission, disk
    │   ├── UnknownName               no variant, generator, parameter ... of that name
    │   │   └── UnknownVertex         no vertex with that id
    │   ├── ParameterError            a value outside its range or type
    │   └── UnsuitableGraph           the algorithm is not defined on this graph
    ├── Unavailable                   not on this machine: exit status 3
    │   ├── DeviceUnavailable         no such device, or its driver is broken
    │   ├── MpiUnavailable            no mpiexec, or no mpi4py
    │   └── OutOfMemory               needs more bytes than are free; nothing was allocated
    ├── KernelBuildError              a kernel does not compile: ours to mend
    ├── RankFailed                    an MPI rank crashed or was killed
    └── Cancelled                     the user pressed Cancel

Each carries its data as attributes, so that a dialog can lay them out and a test can look at them; ``str()``
is one sentence or two that name the thing, the reason and the remedy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path


class TautlineError(Exception):
    """Root of the tree."""


class InputError(TautlineError):
    """Something the user gave cannot be used as it is."""


class FileFormatError(InputError):
    """A file cannot be read as a graph.

    Attributes
    ----------
    path : Path
    line : int or None
        Line number counted from 1; None where the fault is of the whole file.
    text : str
        The line as it stands in the file, cut to 80 characters.
    reason, hint : str
    """

    def __init__(self, path: Path | str, reason: str, *, line: int | None = None, text: str = "", hint: str = ""):
        self.path = Path(path)
        self.line = line
        self.text = text if len(text) <= 80 else text[:79] + "…"
        self.reason = reason
        self.hint = hint
        where = self.path.name if line is None else f"{self.path.name}, line {line}"
        shown = f" — “{self.text}”" if self.text else ""
        super().__init__(f"{where}: {reason}{shown}." + (f" {hint}" if hint else ""))


class FileNotWritten(InputError):
    """A file cannot be written; an older one of that name stands as it was.

    Attributes
    ----------
    path : Path
    reason : str
    """

    def __init__(self, path: Path | str, reason: str):
        self.path, self.reason = Path(path), reason
        super().__init__(f"Cannot write {self.path}: {reason[:1].lower()}{reason[1:]}.")


class UnknownName(InputError):
    """A name that stands for nothing.

    Attributes
    ----------
    kind, name : str
        What sort of thing was sought ("variant"), and under which name.
    nearest : tuple of str
        Up to three known names that resemble it.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), *, nearest: Sequence[str] | None = None):
        self.kind = kind
        self.name = str(name)
        if nearest is None:
            nearest = difflib.get_close_matches(self.name, list(known), n=3, cutoff=0.4)
        self.nearest = tuple(nearest)
        hint = f" Nearest: {', '.join(self.nearest)}." if self.nearest else ""
        super().__init__(f"There is no {kind} “{self.name}”.{hint}")


class UnknownVertex(UnknownName):
    """No vertex has that id; ``nearest`` holds the ids beside it."""

    def __init__(self, vertex_id: object, nearest: Sequence[int]):
        super().__init__("vertex", str(vertex_id), nearest=[str(v) for v in nearest])


class ParameterError(InputError):
    """A parameter's value is of the wrong type or outside its range.

    Attributes
    ----------
    owner, name : str
        Variant or generator, and its parameter.
    value : object
    reason : str
    """

    def __init__(self, owner: str, name: str, value: object, reason: str):
        self.owner, self.name, self.value, self.reason = owner, name, value, reason
        super().__init__(f"{owner}: parameter “{name}” cannot be {value!r}: {reason}.")


class UnsuitableGraph(InputError):
    """The algorithm is not defined on this graph (negative weights under Dijkstra, say)."""


class Unavailable(TautlineError):
    """Right in itself, but not to be had on this machine."""


class DeviceUnavailable(Unavailable):
    """No such device here, or its driver failed."""


class MpiUnavailable(Unavailable):
    """MPI ranks cannot be started here."""


class OutOfMemory(Unavailable):
    """More bytes are needed than are free. Raised before anything is allocated.

    Attributes
    ----------
    what : str
    needed_bytes, free_bytes : int
    """

    def __init__(self, what: str, needed_bytes: int, free_bytes: int, where: str = "this machine"):
        self.what, self.needed_bytes, self.free_bytes = what, int(needed_bytes), int(free_bytes)
        super().__init__(f"{what} needs {format_bytes(needed_bytes)}; {where} has {format_bytes(free_bytes)} free.")


class KernelBuildError(TautlineError):
    """A kernel does not compile on this device; carries the compiler's ``log``."""

    def __init__(self, kernel: str, device: str, log: str):
        self.kernel, self.device, self.log = kernel, device, log
        super().__init__(
            f"Kernel {kernel} does not compile for {device}: {log.strip().splitlines()[0] if log.strip() else 'no log'}"
        )


class RankFailed(TautlineError):
    """A rank of an MPI program crashed or was killed, and the others were ended.

    Attributes
    ----------
    program : str
    status : int
        Exit status of mpiexec.
    reason : str
    log : str
        The end of what the ranks and mpiexec wrote.
    """

    def __init__(self, program: str, status: int, reason: str, log: str):
        self.program, self.status, self.reason, self.log = program, status, reason, log
        super().__init__(f"{program}: an MPI rank failed, and the others were ended: {reason}.")


class Cancelled(TautlineError):
    """The user cancelled; whatever was finished before is kept."""

    def __init__(self, what: str = "The run"):
        super().__init__(f"{what} was cancelled.")


def format_bytes(count: float) -> str:
    """Bytes for people: ``format_bytes(5_400_000_000) == '5.4 GB'`` (decimal units, up to three digits)."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 999.5:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TB"
