"""Reads experiments, with their claims and published values, from TOML files; finds
those that come with the program.

Every fault is named with its line and, for a name, the nearest that exist. The
experiments that come with the program are one for every figure and table of the papers.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from solvers.core.variant import find_variant
from solvers.errors import FileFormatError, ParameterError, UnknownName
from solvers.features.experiments.grid import KINDS, Expression, swept_values
from solvers.features.experiments.spec import (
    BOTH,
    ChartKind,
    ChartSpec,
    Claim,
    ClaimKind,
    Experiment,
    ExperimentScale,
    GraphSpec,
    Measuring,
    Published,
    PublishedPoint,
    Selection,
    SeriesSpec,
)
from solvers.graphs import generators
from solvers.parameters import Parameter
from solvers.running.request import MeasurementPlan
from solvers.system.files import FileTooLarge, read_regular, reason_of
from solvers.text import grouped

_TEXT_OF_LINES = re.compile(r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''", re.DOTALL)
_HEADER = re.compile(r"\s*\[\[?\s*([\w.\-]+)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*([\w\-]+)\s*(?:\.[^=]*)?=")
_OPENINGS = {"array": "[", "inline table": "{"}
_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)")
_SHIPPED = Path(__file__).with_name("shipped")
_MOST_BYTES = 4_000_000
_Named = TypeVar("_Named")
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_LONGEST_TRIAL_S = {ExperimentScale.SMALL: 20.0, ExperimentScale.PAPER: 3600.0}

_MS = {"ms": 1.0, "s": 1e3, "min": 6e4}


class TomlFile:
    """The values of a TOML file with the line of every key: the standard library's
    parser gives values only.

    Raises FileFormatError if it cannot be read, or is no TOML; carries the line.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            text = read_regular(path, _MOST_BYTES).decode()
        except FileTooLarge:
            raise FileFormatError(path, "it is too large for an experiment") from None
        except OSError as error:
            raise FileFormatError(path, reason_of(error)) from None
        except UnicodeDecodeError:
            raise FileFormatError(path, "it is not UTF-8 text") from None
        self._lines = text.split("\n")  # as tomllib counts
        self._code = _TEXT_OF_LINES.sub(
            lambda found: "''" + "\n" * found[0].count("\n"), text
        ).split("\n")
        try:
            self.values: dict[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise self._syntax_error(str(error)) from None

    def _syntax_error(self, words: str) -> FileFormatError:
        found = _SYNTAX.fullmatch(words)
        line = int(found.group(2)) if found and found.group(2) else len(self._lines)
        reason = found.group(1) if found else words
        opening = _OPENINGS.get(
            reason.removeprefix("Unclosed "), '"""' if reason == "Unterminated string" else ""
        )
        keys = (
            i
            for i in range(line, 0, -1)
            if opening in self._lines[i - 1] and _KEY.match(self._lines[i - 1])
        )
        return self.error(f"it is not valid TOML: {reason}", next(keys, line) if opening else line)

    def error(self, reason: str, line: int, hint: str = "") -> FileFormatError:
        text = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""
        return FileFormatError(self.path, reason, line=line, text=text, hint=hint)

    def tables(self, name: str) -> list[TomlTable]:
        """The tables of an array ``[[name]]``; empty if there is none."""
        found = self.values.get(name, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise self.error(f"“{name}” must be written as [[{name}]]", self.line_of("", 0, name))
        return [TomlTable(self, entry, name, i) for i, entry in enumerate(found)]

    def line_of(self, table: str, index: int, key: str = "", word: str = "") -> int:
        """Line, from 1, of a word in the value of a key; else of the key; else of the
        table's header.
        """
        begin, end = self._extent_of_table(table, index)
        if not key:
            return begin + 1
        first = next((i for i in range(begin, end) if self._is_key(i, key)), None)
        if first is None:
            return begin + 1
        after = next((i for i in range(first + 1, end) if _KEY.match(self._code[i])), end)
        if self._header_of(first):  # a table of its own, up to the next
            after = next((i for i in range(first + 1, end) if self._header_of(i)), end)
        pattern = re.compile(rf"(?<![\w\-]){re.escape(word)}(?![\w\-])") if word else None
        found = (
            i for i in range(first, after) if pattern is not None and pattern.search(self._lines[i])
        )
        return next(found, first) + 1

    def _is_key(self, line: int, key: str) -> bool:
        """Whether a line has the key, or is the header of a table that is the key's value."""
        found = _KEY.match(self._code[line])
        return self._header_of(line).endswith(f".{key}") or (
            found is not None and found.group(1) == key
        )

    def _header_of(self, line: int) -> str:
        found = _HEADER.fullmatch(self._code[line])
        return found.group(1) if found else ""

    def _extent_of_table(self, table: str, index: int) -> tuple[int, int]:
        """First line from 0, and the line after the last, of the ``index``-th table of
        that name.
        """
        headers = [(i, name) for i in range(len(self._code)) if (name := self._header_of(i))]
        if not table:
            return 0, headers[0][0] if headers else len(self._lines)
        places = [i for i, name in headers if name == table]
        begin = places[index] if index < len(places) else 0
        return begin, next(
            (i for i, name in headers if i > begin and not name.startswith(f"{table}.")),
            len(self._lines),
        )


class TomlTable:
    """One table of a file: reads values of a type, and refuses what is unknown, with the line.

    ``name`` is "" for the top of the file; ``index`` is the position among the tables
    of that name.
    """

    def __init__(self, file: TomlFile, values: Mapping[str, Any], name: str = "", index: int = 0):
        self._file, self.values, self._name, self._index = file, values, name, index

    def error(
        self, reason: str, key: str = "", word: str = "", nearest: Iterable[str] = ()
    ) -> FileFormatError:
        """An error at the line of that key, or of a word in its value."""
        near = list(nearest)
        hint = f"Nearest: {', '.join(near)}." if near else ""
        return self._file.error(
            reason, self._file.line_of(self._name, self._index, key, word), hint
        )

    def require(self, kind: str, name: str, known: Iterable[str], key: str) -> str:
        """The name if it exists; else the error has the nearest ones that do."""
        if name not in (names := list(known)):
            near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
            raise self.error(f"there is no {kind} “{name}”", key, name, near)
        return name

    def only(self, names: str) -> None:
        """Refuse keys other than these, with blanks between them."""
        for key in self.values:
            where = f"[[{self._name}]]" if self._name else "an experiment"
            self.require(f"key of {where}", key, names.split(), key)

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._typed(key, default, str, "text"))

    def flag(self, key: str, default: bool | None = None) -> bool:
        return bool(self._typed(key, default, bool, "true or false"))

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number; TOML has ``nan`` and ``inf``, too."""
        value = float(self._typed(key, default, (int, float), "a number"))
        if not math.isfinite(value):
            raise self.error(
                f"{key} is {grouped(value, 'g')}, which is not a "
                "finite number; write one such as 1.5",
                key,
            )
        return value

    def optional_number(self, key: str) -> float | None:
        return self.number(key) if key in self.values else None

    def whole(self, key: str, default: int | None = None) -> int:
        return int(self._typed(key, default, int, "a whole number"))

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in choices:
            near = difflib.get_close_matches(value, choices, n=3, cutoff=0.4)
            raise self.error(f"{key} must be one of {', '.join(choices)}", key, value, near)
        return value

    def table(self, key: str) -> Mapping[str, Any]:
        return self._typed(key, {}, dict, "a table such as { name = value }")

    def texts(self, key: str) -> tuple[str, ...]:
        found = self._typed(key, [], (list, str), "text, or a list of texts")
        values = [found] if isinstance(found, str) else found
        if not all(isinstance(value, str) for value in values):
            raise self.error(f"{key} takes texts", key)
        return tuple(values)

    def _typed(self, key: str, default: Any, kind: type | tuple[type, ...], words: str) -> Any:
        if key not in self.values:
            if default is None:
                what = f"[[{self._name}]]" if self._name else "the experiment"
                raise self.error(f"{what} has no “{key}”")
            return default
        value = self.values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(f"{key} takes {words}", key)
        return value


def read_experiment(path: Path | str) -> Experiment:
    """Read an experiment.

    Raises FileFormatError if the file is no TOML, names an unknown variant, parameter,
    generator, series or key, or gives a value that is out of range. Carries the line,
    the reason and the nearest names.
    """
    file = TomlFile(Path(path))
    top = TomlTable(file, file.values)
    top.only(
        "id title paper place citation question method baseline small paper_scale graph "
        "series chart published claim"
    )
    identity = top.text("id")
    if not _ID.fullmatch(identity):
        raise top.error("an id has small letters, digits and hyphens, at most 61", "id")
    graphs = tuple(_graph(table) for table in file.tables("graph"))
    series = tuple(_series(table) for table in file.tables("series"))
    _require_parts(top, file, graphs, series)
    labels = [one.label for one in series]
    baseline = top.require("series", top.text("baseline", labels[0]), labels, "baseline")
    x_names = (
        "vertices",
        "arcs",
        "graph",
        *dict.fromkeys(name for one in series for name in one.swept),
    )
    return Experiment(
        identity,
        top.text("title"),
        graphs,
        series,
        {scale: _measuring(file, scale) for scale in BOTH},
        baseline,
        tuple(_chart(table, labels, x_names, baseline) for table in file.tables("chart")),
        tuple(read_published(table, labels) for table in file.tables("published")),
        tuple(read_claim(table, series) for table in file.tables("claim")),
        *(top.text(name, "") for name in ("paper", "place", "citation")),
        *(re.sub(r"[ \n]+", " ", top.text(name, "")).strip() for name in ("question", "method")),
    )


def _require_parts(
    top: TomlTable, file: TomlFile, graphs: Sequence[GraphSpec], series: Sequence[SeriesSpec]
) -> None:
    for name, found in (("graph", graphs), ("series", series)):
        if not found:
            raise top.error(f"an experiment needs at least one [[{name}]]")
    seen: set[str] = set()
    for i, one in enumerate(series):
        if one.label in seen:
            raise file.error(
                f"two series are called “{one.label}”", file.line_of("series", i, "label")
            )
        seen.add(one.label)


def _scales(table: TomlTable) -> tuple[ExperimentScale, ...]:
    if "scale" not in table.values:
        return BOTH
    return (ExperimentScale(table.choice("scale", [scale.value for scale in BOTH])),)


def _found(table: TomlTable, key: str, find: Callable[[str], _Named]) -> _Named:
    try:
        return find(table.text(key))
    except UnknownName as error:
        raise table.error(
            f"there is no {key} “{error.name}”", key, error.name, error.nearest
        ) from None


def _graph(table: TomlTable) -> GraphSpec:
    table.only("label scale file vertices arcs undirected weights generator parameters source")
    label = table.text("label", "")
    scales = _scales(table)
    source = str(table.values.get("source", ""))
    if ("file" in table.values) == ("generator" in table.values):
        raise table.error("a [[graph]] has either “file” or “generator”")
    if "file" in table.values:
        if "parameters" in table.values:
            raise table.error("parameters belong to a generator", "parameters")
        undirected = table.flag("undirected") if "undirected" in table.values else None
        return GraphSpec(
            label,
            scales,
            file=table.text("file"),
            vertices=table.whole("vertices", 0),
            arcs=table.whole("arcs", 0),
            undirected=undirected,
            weights=table.text("weights", "column"),
            source=source,
        )
    family = _found(table, "generator", generators.find)
    parameters = _parameters(table, family.parameters, family.id)
    return GraphSpec(label, scales, family, parameters, source=source)


def _series(table: TomlTable) -> SeriesSpec:
    table.only("label variant parameters scale device")
    variant = _found(table, "variant", find_variant)
    parameters = _parameters(table, variant.parameters, variant.id)
    device = table.choice("device", KINDS) if "device" in table.values else ""
    if device and not variant.runs_on.takes_device:
        raise table.error(f"{variant.id} runs on no device", "device")
    return SeriesSpec(
        table.text("label", variant.title), variant, parameters, _scales(table), device
    )


def _parameters(
    table: TomlTable, declared: tuple[Parameter, ...], owner: str
) -> dict[str, tuple[Any, ...]]:
    """The values of each parameter, of its type and in its range; expressions stay as they are."""
    known = {parameter.name: parameter for parameter in declared}
    given = table.table("parameters")
    found: dict[str, tuple[Any, ...]] = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
            raise table.error(f"{owner} has no parameter “{name}”", "parameters", name, near)
        try:
            values = swept_values(value)
            found[name] = tuple(_parsed(known[name], one, given, owner) for one in values)
        except ParameterError as error:
            raise table.error(
                f"{owner}: “{name}” cannot be {error.value!r}: {error.reason}", "parameters", name
            ) from None
        except ValueError as error:
            raise table.error(f"{owner}: “{name}”: {error}", "parameters", name) from None
    return found


def _parsed(parameter: Parameter, value: object, given: Mapping[str, Any], owner: str) -> Any:
    is_number = isinstance(parameter.default, int | float) and not isinstance(
        parameter.default, bool
    )
    if isinstance(value, str) and is_number and (expression := Expression.parse(value)) is not None:
        if expression.parameter not in given or expression.parameter == parameter.name:
            raise ParameterError(
                owner, parameter.name, value, f"“{expression.parameter}” is not given beside it"
            )
        if isinstance(given[expression.parameter], str):
            raise ParameterError(
                owner, parameter.name, value, f"“{expression.parameter}” is an expression itself"
            )
        return expression
    return parameter.parse(value, owner)


def _measuring(file: TomlFile, scale: ExperimentScale) -> Measuring:
    name = "small" if scale is ExperimentScale.SMALL else "paper_scale"
    values = file.values.get(name, {})
    if not isinstance(values, dict):
        raise file.error(f"“{name}” must be written as [{name}]", file.line_of("", 0, name))
    table = TomlTable(file, values, name)
    table.only("trials warmups time_limit_s longest_trial_s")
    trials, warmups = table.whole("trials", 5), table.whole("warmups", 1)
    longest = table.number("longest_trial_s", _LONGEST_TRIAL_S[scale])
    if trials < 1:
        raise table.error("trials must be at least 1", "trials")
    try:
        plan = MeasurementPlan(
            warmups=warmups, trials=trials, time_limit_s=table.optional_number("time_limit_s")
        )
    except ParameterError as error:
        raise table.error(
            f"{error.name} cannot be {error.value}: {error.reason}", error.name
        ) from None
    if longest <= 0:
        raise table.error("longest_trial_s must be above 0", "longest_trial_s")
    return Measuring(plan, longest)


def _chart(
    table: TomlTable, labels: list[str], x_names: tuple[str, ...], baseline: str
) -> ChartSpec:
    table.only("kind title x series phase log baseline")
    kind = ChartKind(table.choice("kind", [kind.value for kind in ChartKind]))
    series = table.texts("series")
    for label in series:
        table.require("series", label, labels, "series")
    own = table.require("series", table.text("baseline", baseline), labels, "baseline")
    x = table.require("swept parameter or size", table.text("x", "vertices"), x_names, "x")
    phase = table.choice("phase", ("total", "solve"), "total")
    log = table.flag("log", kind in (ChartKind.TIME, ChartKind.SCALING, ChartKind.SPEED_UP))
    return ChartSpec(kind, table.text("title"), x, series, phase, log, own)


def read_published(table: TomlTable, labels: Sequence[str]) -> Published:
    """Read a table ``[[published]]``; raises `FileFormatError`."""
    table.only("series source hardware exact unit points")
    series = table.require("series", table.text("series"), labels, "series")
    factor = _MS[table.choice("unit", tuple(_MS), "s")]
    found = table.values.get("points")
    if (
        not isinstance(found, list)
        or not found
        or not all(isinstance(point, dict) for point in found)
    ):
        raise table.error(
            "points is a list of tables such as { vertices = 2000, time = 0.012 }", "points"
        )
    points = tuple(_published_point(table, dict(point), factor) for point in found)
    return Published(
        series, table.text("source"), table.text("hardware"), table.flag("exact", True), points
    )


def _published_point(table: TomlTable, values: dict[str, Any], factor: float) -> PublishedPoint:
    time = values.pop("time", None)
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0 < time < math.inf:
        raise table.error("every point needs a finite “time” above 0", "points")
    if not values:
        raise table.error("every point needs a position: vertices, graph, or a parameter", "points")
    return PublishedPoint(values, time * factor)


def read_claim(table: TomlTable, series: Sequence[SeriesSpec]) -> Claim:
    """Read a table ``[[claim]]``; raises `FileFormatError`."""
    table.only("text source kind of to parameter best at at_least at_most phase needs_gpu")
    kind = ClaimKind(table.choice("kind", [kind.value for kind in ClaimKind], "ratio"))
    claim = Claim(
        table.text("text"),
        table.text("source"),
        kind,
        _selection(table, "of", series),
        _selection(table, "to", series) if kind is ClaimKind.RATIO else None,
        table.text("parameter", ""),
        table.values.get("best"),
        table.choice("at", ("largest", "smallest", "each"), "largest"),
        table.optional_number("at_least"),
        table.optional_number("at_most"),
        table.choice("phase", ("total", "solve"), "total"),
        table.flag("needs_gpu", False),
    )
    _require_test(table, claim, series)
    return claim


def _require_test(table: TomlTable, claim: Claim, series: Sequence[SeriesSpec]) -> None:
    """Refuse a claim that cannot be tested, or that nothing could contradict."""
    if claim.kind in (ClaimKind.BEST, ClaimKind.EFFICIENCY):
        swept = next(one.swept for one in series if one.label == claim.of.series)
        table.require("swept parameter", claim.parameter, swept, "parameter")
    if claim.kind is ClaimKind.BEST:
        if claim.best is None:
            raise table.error("the claim names no “best” value")
    elif claim.at_least is None and claim.at_most is None:
        raise table.error("the claim needs “at_least” or “at_most”")


def _selection(table: TomlTable, key: str, series: Sequence[SeriesSpec]) -> Selection:
    values = dict(table.table(key))
    label = values.pop("series", None)
    labels = [one.label for one in series]
    if not isinstance(label, str):
        raise table.error(f"“{key}” names a series: {{ series = … }}", key)
    table.require("series", label, labels, key)
    variant = next(one.variant for one in series if one.label == label)
    known = ("graph", "vertices", *(parameter.name for parameter in variant.parameters))
    for name in values:
        table.require(f"parameter of {variant.id}", name, known, key)
    return Selection(label, values)


@cache
def shipped() -> tuple[Experiment, ...]:
    """All of them, in order of their ids."""
    return tuple(read_experiment(path) for path in _files())


def find_experiment(name: str) -> Experiment:
    """A shipped experiment by its id, or one of a file.

    Raises UnknownName if it is neither; carries the nearest ids; FileFormatError as
    `read_experiment`.
    """
    path = Path(name)
    known = {file.stem: file for file in _files()}
    if name in known:
        return read_experiment(known[name])
    if path.suffix == ".toml" or path.is_file():
        return read_experiment(path)
    raise UnknownName("experiment", name, known)


def _files() -> tuple[Path, ...]:
    return tuple(sorted(_SHIPPED.glob("*.toml")))
