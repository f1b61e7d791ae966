"""Session files: what is open and chosen in the window, without results, as a versioned
JSON text. No widgets.

The graph itself is not in the file, only where it came from and its hash. Vertices are
named by the ids of the graph's file. ``help/session.html`` describes every
field. msgspec checks the fields against the types below; errors name the field. One that
is missing, or null, has its default, and fields that nobody asks for are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import Meta, Struct

from gui.model.session_sections import GREATEST, SectionFields, absolute_path, relative_path
from solvers.errors import FileFormatError, ParameterError
from solvers.graphs.network import Place
from solvers.graphs.reading import SEPARATORS, ReadingOptions
from solvers.running.kept_run import GraphSource, reading_before
from solvers.system.files import FileTooLarge, read_regular, replace_atomically
from solvers.system.former_name import SESSION_FORMAT, SESSION_SUFFIX
from solvers.system.known_types import known
from solvers.text import printable
from solvers.version import __version__

SUFFIX = ".tautpath"
FORMAT = "tautpath session"
VERSION = 1
_MOST_BYTES = 64 << 20
_HINT = "Help > Session files describes the format."

_UNTOLD = "untold"  # how turns are read, in a file that was written before they were an option
_NOUNS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true, false or null",
    "array": "a list in brackets",
    "object": "an object in braces",
}
_REFUSAL = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<place>.*)`)?")

Finite = Annotated[float, Meta(ge=-GREATEST, le=GREATEST)]


@dataclass(frozen=True)
class GraphReference:
    """The graph of a session: where it came from, and what tells it from others.

    The paths of its source are absolute; those of a session file only where there is no
    relative path, as on another drive.
    """

    name: str
    sha256: str  # as `Graph.sha256`
    vertices: int
    arcs: int
    source: GraphSource = field(default_factory=GraphSource)
    # path of the graph's file from the session file's folder, with forward slashes; "":
    # none
    relative: str = ""
    relative_coordinates: str = ""  # the same for the file with coordinates

    def beside(self, folder: Path) -> GraphReference:
        """The same reference, with paths relative to ``folder``."""
        coordinates = self.source.reading.coordinates
        return replace(
            self,
            relative=relative_path(self.source.path, folder),
            relative_coordinates=relative_path(coordinates, folder),
        )

    def within(self, folder: Path) -> GraphReference:
        """The same reference, with the absolute paths that a session file in ``folder``
        does not name.
        """
        path = self.source.path or absolute_path(self.relative, folder)
        reading = self.source.reading
        coordinates = reading.coordinates or absolute_path(self.relative_coordinates, folder)
        return replace(
            self,
            source=replace(
                self.source, path=path, reading=replace(reading, coordinates=coordinates)
            ),
        )

    def found(self, folder: Path) -> GraphSource | None:
        """The source with the path of a file that exists, beside the session file
        first; None if there is none.
        """
        if self.source.generator:
            return self.source
        path = _existing(self.relative, self.source.path, folder)
        return None if path is None else GraphSource(str(path), self.reading(folder))

    def reading(self, folder: Path) -> ReadingOptions:
        """How the file was read; coordinates that no longer exist are left out."""
        coordinates = _existing(self.relative_coordinates, self.source.reading.coordinates, folder)
        return replace(
            self.source.reading, coordinates="" if coordinates is None else str(coordinates)
        )


class SavedView(Struct, frozen=True, rename={"fitted": "whole_graph"}):
    """Part of the graph that is shown."""

    x: Finite
    y: Finite
    scale: Annotated[float, Meta(gt=0, le=GREATEST)]
    fitted: bool = False
    layers: tuple[str, ...] = ()
    layout: str = ""  # value of an `Arrangement`; "" for the graph's default


@dataclass(frozen=True)
class SavedVariant:
    id: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedSession:
    """The content of a session file; vertices are ids of the graph's file."""

    graph: GraphReference
    source: int | None = None
    target: int | None = None
    more_sources: tuple[int, ...] = ()
    view: SavedView | None = None
    variants: tuple[SavedVariant, ...] = ()
    # of the target, then of each source, if not None: the ids above are of vertices near them
    places: tuple[Place | None, ...] = ()
    # of parts of the window, with absolute paths
    sections: tuple[SectionFields, ...] = ()


class _Generator(Struct):
    id: str
    parameters: dict[str, Any] = {}


@dataclass(frozen=True)
class _GraphFile(ReadingOptions):
    """The paths that are not absolute begin at the folder of the session file."""

    turns: str = _UNTOLD
    path: str = ""
    absolute_path: str = ""
    absolute_coordinates: str = ""


class _Graph(Struct):
    sha256: str
    vertices: int
    arcs: int
    name: str = "graph"
    generator: _Generator | None = None
    file: _GraphFile | None = None


class _Content(Struct):
    """What a session file holds besides its format, its version and sections."""

    graph: _Graph
    source: int | None = None
    target: int | None = None
    more_sources: tuple[int, ...] = ()
    places: tuple[Place | None, ...] = ()
    view: SavedView | None = None
    variants: tuple[SavedVariant, ...] = ()


class _Head(Struct):
    format: str = ""
    version: int | None = None


def is_session_file(path: Path) -> bool:
    return path.name.lower().endswith((SUFFIX, SESSION_SUFFIX))


def write_session(path: Path, session: SavedSession) -> None:
    """Write a session file; an existing one is replaced atomically; raises FileNotWritten."""
    values = session_values(session, path.resolve().parent)
    try:
        text = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # a file name that is not UTF-8
        text = json.dumps(values, indent=2, allow_nan=False).encode()
    with replace_atomically(path) as beside:
        beside.write_bytes(text + b"\n")


def session_values(session: SavedSession, folder: Path) -> dict[str, Any]:
    """The session as plain values, for a file in ``folder``."""
    graph = session.graph.beside(folder)
    source, reading = graph.source, graph.source.reading
    generator, file = None, None
    if source.generator:
        generator = _Generator(source.generator, dict(source.parameters))
    elif source.path:
        file = _GraphFile(
            **asdict(replace(reading, coordinates=graph.relative_coordinates)),
            path=graph.relative,
            absolute_path="" if graph.relative else source.path,
            absolute_coordinates="" if graph.relative_coordinates else reading.coordinates,
        )
    told = _Graph(graph.sha256, graph.vertices, graph.arcs, graph.name, generator, file)
    others = {name: getattr(session, name) for name in _Content.__struct_fields__[1:]}
    content = msgspec.to_builtins(_Content(told, **others))
    for section in session.sections:
        content |= msgspec.to_builtins(section.beside(folder))
    head = {"format": FORMAT, "version": VERSION, "written_by": __version__}
    values: dict[str, Any] = head | _without_nulls(content)
    return values


def read_session(path: Path, kinds: Sequence[type[SectionFields]] = ()) -> SavedSession:
    """Read and check a session file, with sections of these kinds.

    Raises FileFormatError if it cannot be read, is not a session, is of a newer
    version, or a field is missing or of another type.
    """
    try:
        data = read_regular(path, _MOST_BYTES)
    except FileTooLarge as error:
        raise FileFormatError(path, "it is too large for a session file") from error
    except OSError as error:
        raise FileFormatError(path, (error.strerror or str(error)).lower()) from error
    try:
        values = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        line = error.doc.split("\n")[error.lineno - 1]
        raise FileFormatError(
            path, error.msg.lower(), line=error.lineno, text=line, hint=_HINT
        ) from error
    except (ValueError, RecursionError) as error:
        # no UTF-8, a number without end, brackets without end
        raise FileFormatError(path, "it is not a JSON text", hint=_HINT) from error
    try:
        session, folder = _session_of(values, kinds), path.resolve().parent
        sections = tuple(section.within(folder) for section in session.sections)
        return replace(session, graph=session.graph.within(folder), sections=sections)
    except msgspec.ValidationError as error:
        raise FileFormatError(path, str(FieldError.of(error)), hint=_HINT) from error
    except (FieldError, ParameterError, OverflowError) as error:
        raise FileFormatError(path, str(error).rstrip("."), hint=_HINT) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _session_of(values: object, kinds: Sequence[type[SectionFields]]) -> SavedSession:
    values = _without_nulls(values)
    head = msgspec.convert(values, known(_Head))
    if head.format not in (FORMAT, SESSION_FORMAT):
        raise FieldError("it is not a session of Tautpath: “format” is missing or different")
    if head.version is None:
        raise FieldError("“version” is missing")
    if head.version > VERSION:
        raise FieldError(
            f"it is of version {head.version}; this Tautpath reads up to version "
            f"{VERSION}. A newer one opens it"
        )
    if head.version < 1:
        raise FieldError(f"there is no version {head.version}")
    content = msgspec.convert(values, known(_Content))
    named = {name: getattr(content, name) for name in _Content.__struct_fields__[1:]}
    sections = tuple(msgspec.convert(values, known(kind)) for kind in kinds)
    return SavedSession(_reference_of(content.graph), **named, sections=sections)


def _reference_of(graph: _Graph) -> GraphReference:
    told = graph.name, graph.sha256, graph.vertices, graph.arcs
    if (made := graph.generator) is not None:
        return GraphReference(*told, GraphSource(generator=made.id, parameters=made.parameters))
    file = graph.file or _GraphFile()
    reading = ReadingOptions(
        **{one.name: getattr(file, one.name) for one in fields(ReadingOptions)}
    )
    reading = replace(reading, coordinates=file.absolute_coordinates)
    if reading.turns == _UNTOLD:
        reading = replace(reading, turns=reading_before(file.path or file.absolute_path))
    if reading.separator and reading.separator not in SEPARATORS:
        raise FieldError(f"“graph.file.separator” must be one of {', '.join(SEPARATORS)}")
    source = GraphSource(file.absolute_path, reading)
    return GraphReference(*told, source, file.path, file.coordinates)


def _without_nulls(values: Any) -> Any:
    """``values`` without the fields of objects that are null; raises `FieldError` for half
    of a surrogate pair, which no text or name of a file can have.
    """
    if isinstance(values, str):
        try:
            values.encode("utf-8", "surrogateescape")  # which stands for bytes of a file's name
        except UnicodeEncodeError:
            raise FieldError(f"“{printable(values)}” has half of a surrogate pair") from None
    if isinstance(values, list):
        return [_without_nulls(value) for value in values]
    if not isinstance(values, dict):
        return values
    return {name: _without_nulls(value) for name, value in values.items() if value is not None}


def _existing(relative: str, absolute: str, folder: Path) -> Path | None:
    """The first of both paths that is a file; None if neither is."""
    candidates = [folder / relative] if relative else []
    candidates += [Path(absolute)] if absolute else []
    for path in candidates:
        try:
            if path.is_file():
                return path.resolve()
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None


class FieldError(ValueError):
    """A field is missing, or its value is of another type."""

    @classmethod
    def of(cls, error: msgspec.ValidationError) -> FieldError:
        """msgspec's error in our words."""
        found = _REFUSAL.fullmatch(str(error))
        what, place = (found["what"], found["place"] or "") if found is not None else ("", "")
        words = what.split("`")  # the types and names in it are between backticks
        if what.startswith("Object missing"):
            return cls(f"“{f'{place}.{words[1]}'.lstrip('.')}” is missing")
        where = f"“{place}”" if place else "the whole file"
        if what.startswith("Expected") and len(words) > 3:
            return cls(f"{where} must be {_NOUNS[words[1].removesuffix(' | null')]}")
        limits = {" >= 0.0": "is negative", " > 0.0": "must be above 0"}
        return cls(f"{where} {limits.get(words[-1], 'is out of range')}")
