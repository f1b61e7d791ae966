"""Session files: what is open and chosen in the window, without results, as a versioned
JSON text. No widgets.

The graph itself is not in the file, only where it came from and its hash. Vertices are
named by the ids of the graph's file. ``resources/help/session.html`` describes every
field. Fields of the JSON object are read with checks, whose errors name the field.
"""

from __future__ import annotations

import builtins
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, NoReturn, TypeVar

from solvers.errors import FileFormatError, ParameterError
from solvers.graphs.edge_columns import SEPARATORS
from solvers.graphs.road_changes import RoadChanges
from solvers.running.store.kept_run import GraphSource, ReadingOptions, turns_before
from solvers.system.files import FileTooLarge, read_regular, replace_atomically
from solvers.version import __version__

SUFFIX = ".tautline"
FORMAT = "tautline session"
VERSION = 1
_MOST_BYTES = 64 << 20
_HINT = "Help > Session files describes the format."

T = TypeVar("T")


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
            relative=_relative(self.source.path, folder),
            relative_coordinates=_relative(coordinates, folder),
        )

    def within(self, folder: Path) -> GraphReference:
        """The same reference, with the absolute paths that a session file in ``folder``
        does not name.
        """
        path = self.source.path or _absolute(self.relative, folder)
        reading = self.source.reading
        coordinates = reading.coordinates or _absolute(self.relative_coordinates, folder)
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


@dataclass(frozen=True)
class SavedView:
    """Part of the graph that is shown."""

    x: float
    y: float
    scale: float
    fitted: bool
    layers: tuple[str, ...] = ()
    layout: str = ""  # value of an `Arrangement`; "" for the graph's default


@dataclass(frozen=True)
class SavedVariant:
    id: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedKernel:
    """The text of a changed kernel, by the id of its variant: ID@NAME."""

    id: str
    text: str


@dataclass(frozen=True)
class SavedSession:
    """The content of a session file; vertices are ids of the graph's file."""

    graph: GraphReference
    source: int | None = None
    target: int | None = None
    more_sources: tuple[int, ...] = ()
    live: bool = False
    roads: RoadChanges = field(default_factory=RoadChanges)
    view: SavedView | None = None
    variants: tuple[SavedVariant, ...] = ()
    kernels: tuple[SavedKernel, ...] = ()  # of the ticked variants
    budget: float | None = None  # of the isochrone, in the unit of the distances
    # id of the kept run whose results are shown, in the state that a window keeps of
    # itself
    run: str = ""


def is_session_file(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIX)


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
    graph, view = session.graph.beside(folder), session.view
    values: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": __version__,
        "graph": {
            "name": graph.name,
            "sha256": graph.sha256,
            "vertices": graph.vertices,
            "arcs": graph.arcs,
        },
        "source": session.source,
        "target": session.target,
        "more_sources": list(session.more_sources),
        "live": session.live,
        "roads": session.roads.to_dict()["roads"],
        "variants": [
            {"id": variant.id, "parameters": dict(variant.parameters)}
            for variant in session.variants
        ],
        "budget": session.budget,
    }
    if session.kernels:
        values["kernels"] = [{"id": kernel.id, "text": kernel.text} for kernel in session.kernels]
    if session.run:
        values["run"] = session.run
    if graph.source.generator:
        values["graph"]["generator"] = {
            "id": graph.source.generator,
            "parameters": dict(graph.source.parameters),
        }
    elif graph.source.path:
        reading = graph.source.reading
        path = "" if graph.relative else graph.source.path
        coordinates = "" if graph.relative_coordinates else reading.coordinates
        values["graph"]["file"] = {
            "path": graph.relative,
            "absolute_path": path,
            "coordinates": graph.relative_coordinates,
            "absolute_coordinates": coordinates,
            "undirected": reading.undirected,
            "weights": reading.weights,
            "profile": reading.profile,
            "largest_part": reading.largest_part,
            "columns": reading.columns,
            "separator": reading.separator,
            "header": reading.header,
            "attribute": reading.attribute,
            "turns": reading.turns,
        }
    if view is not None:
        values["view"] = {
            "x": view.x,
            "y": view.y,
            "scale": view.scale,
            "whole_graph": view.fitted,
            "layers": list(view.layers),
            "layout": view.layout,
        }
    return values


def read_session(path: Path) -> SavedSession:
    """Read and check a session file.

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
        session = _session_of(values)
        return replace(session, graph=session.graph.within(path.resolve().parent))
    except (FieldError, ParameterError, OverflowError) as error:
        raise FileFormatError(path, str(error).rstrip("."), hint=_HINT) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _session_of(values: object) -> SavedSession:
    fields = Fields.of(values)
    if fields.text("format", "") != FORMAT:
        raise FieldError("it is not a session of Tautline: “format” is missing or different")
    version = fields.integer("version")
    if version > VERSION:
        raise FieldError(
            f"it is of version {version}; this Tautline reads up to version "
            f"{VERSION}. A newer one opens it"
        )
    if version < 1:
        raise FieldError(f"there is no version {version}")
    budget = fields.number_or_none("budget")
    if budget is not None and budget < 0:
        raise FieldError("“budget” is negative")
    return SavedSession(
        _graph_of(fields.object("graph")),
        fields.integer_or_none("source"),
        fields.integer_or_none("target"),
        tuple(fields.integers("more_sources")),
        bool(fields.boolean_or_none("live")),
        RoadChanges.from_dict({"roads": fields.list("roads")}),
        _view_of(fields.object("view")) if fields.has("view") else None,
        tuple(_variant_of(variant) for variant in fields.objects("variants")),
        tuple(
            SavedKernel(kernel.text("id"), kernel.text("text"))
            for kernel in fields.objects("kernels")
        ),
        budget,
        fields.text("run", ""),
    )


def _graph_of(fields: Fields) -> GraphReference:
    name, sha256 = fields.text("name", "graph"), fields.text("sha256")
    counts = fields.integer("vertices"), fields.integer("arcs")
    if fields.has("generator"):
        generator = fields.object("generator")
        source = GraphSource(
            generator=generator.text("id"), parameters=generator.mapping("parameters")
        )
        return GraphReference(name, sha256, *counts, source)
    if not fields.has("file"):
        return GraphReference(name, sha256, *counts)
    file = fields.object("file")
    reading = ReadingOptions(
        file.text("absolute_coordinates", ""),
        file.boolean_or_none("undirected"),
        file.text("weights", "column"),
        file.text("profile", "car"),
        bool(file.boolean_or_none("largest_part")),
        file.text("columns", ""),
        _separator(file.text("separator", "")),
        file.boolean_or_none("header"),
        file.text("attribute", ""),
        file.text("turns", turns_before(file.text("path", "") or file.text("absolute_path", ""))),
    )
    source = GraphSource(file.text("absolute_path", ""), reading)
    return GraphReference(
        name, sha256, *counts, source, file.text("path", ""), file.text("coordinates", "")
    )


def _separator(name: str) -> str:
    if name and name not in SEPARATORS:
        raise FieldError(f"“graph.file.separator” must be one of {', '.join(SEPARATORS)}")
    return name


def _view_of(fields: Fields) -> SavedView:
    scale = fields.number("scale")
    if not scale > 0:
        raise FieldError("“view.scale” must be above 0")
    fitted = bool(fields.boolean_or_none("whole_graph"))
    layers = tuple(fields.texts("layers"))
    return SavedView(
        fields.number("x"), fields.number("y"), scale, fitted, layers, fields.text("layout", "")
    )


def _variant_of(fields: Fields) -> SavedVariant:
    return SavedVariant(fields.text("id"), fields.mapping("parameters"))


def _relative(path: str, folder: Path) -> str:
    if not path:
        return ""
    try:
        return PurePath(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return ""


def _absolute(relative: str, folder: Path) -> str:
    return os.path.normpath(folder / relative) if relative else ""


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


@dataclass(frozen=True)
class Fields:
    """The fields of one object.

    A field that is missing, or null, has its default; without a default that is an
    error. Fields that nobody asks for are ignored.
    """

    values: Mapping[str, Any]
    # path of the object within the file, for errors: "graph."; "" for the whole file
    place: str = ""

    @classmethod
    def of(cls, value: object, place: str = "") -> Fields:
        """The fields of ``value``, which must be an object; raises FieldError."""
        if not isinstance(value, Mapping):
            where = f"“{place.rstrip('.')}”" if place else "the whole file"
            raise FieldError(f"{where} must be an object in braces")
        return cls(value, place)

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        return self._value(name, str, "a text", default)

    def integer(self, name: str) -> int:
        return self._value(name, int, "a whole number")

    def integer_or_none(self, name: str) -> int | None:
        return self.integer(name) if self.has(name) else None

    def number(self, name: str) -> float:
        value = self.values.get(name)
        try:
            number = float(value if type(value) is int else self._value(name, float, "a number"))
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise FieldError(f"“{self.place}{name}” is out of range")
        return number

    def number_or_none(self, name: str) -> float | None:
        return self.number(name) if self.has(name) else None

    def boolean_or_none(self, name: str) -> bool | None:
        if not self.has(name):
            return None
        value = self.values[name]
        if not isinstance(value, bool):
            raise FieldError(f"“{self.place}{name}” must be true, false or null")
        return value

    def object(self, name: str) -> Fields:
        if not self.has(name):
            raise FieldError(f"“{self.place}{name}” is missing")
        return Fields.of(self.values[name], f"{self.place}{name}.")

    def mapping(self, name: str) -> Mapping[str, Any]:
        """The values of an object; empty if it is missing."""
        return self.object(name).values if self.has(name) else {}

    def list(self, name: str) -> builtins.list[Any]:
        """The items of a list; empty if it is missing."""
        return self._value(name, builtins.list, "a list in brackets", [])

    def integers(self, name: str) -> builtins.list[int]:
        return [
            self._checked(f"{name}[{i}]", item, int, "a whole number")
            for i, item in enumerate(self.list(name))
        ]

    def texts(self, name: str) -> builtins.list[str]:
        return [
            self._checked(f"{name}[{i}]", item, str, "a text")
            for i, item in enumerate(self.list(name))
        ]

    def objects(self, name: str) -> builtins.list[Fields]:
        return [
            Fields.of(item, f"{self.place}{name}[{number}].")
            for number, item in enumerate(self.list(name))
        ]

    def _value(self, name: str, kind: type[T], noun: str, default: T | None = None) -> T:
        value = self.values.get(name)
        if value is not None:
            return self._checked(name, value, kind, noun)
        if default is None:
            raise FieldError(f"“{self.place}{name}” is missing")
        return default

    def _checked(self, name: str, value: Any, kind: type[T], noun: str) -> T:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise FieldError(f"“{self.place}{name}” must be {noun}")
        return value
