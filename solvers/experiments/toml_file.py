"""TOML with the line of every key: the standard library's parser gives values only."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from solvers.errors import FileFormatError
from solvers.system.files import FileTooLarge, read_regular, reason_of

_HEADER = re.compile(r"\s*\[\[?\s*([\w.\-]+)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*([\w\-]+)\s*=")
_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)")
_MOST_BYTES = 4_000_000


class TomlFile:
    """A TOML file and its lines.

    Attributes
    ----------
    path : Path
    values : dict

    Raises
    ------
    FileFormatError
        If it cannot be read, or is no TOML; carries the line.
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
            raise FileFormatError(path, "it is no text in UTF-8") from None
        self._lines = text.splitlines()
        try:
            self.values: dict[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise self._syntax_error(str(error)) from None

    def _syntax_error(self, words: str) -> FileFormatError:
        found = _SYNTAX.fullmatch(words)
        line = int(found.group(2)) if found and found.group(2) else len(self._lines)
        return self.error(f"it is no TOML: {found.group(1) if found else words}", line)

    def error(self, reason: str, line: int, hint: str = "") -> FileFormatError:
        text = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""
        return FileFormatError(self.path, reason, line=line, text=text, hint=hint)

    def table(self, values: Mapping[str, Any], name: str = "", index: int = 0) -> TomlTable:
        return TomlTable(self, values, name, index)

    def tables(self, name: str) -> list[TomlTable]:
        """The tables of an array ``[[name]]``; empty if there is none."""
        found = self.values.get(name, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise self.error(f"“{name}” must be written as [[{name}]]", self.line_of("", 0, name))
        return [self.table(entry, name, i) for i, entry in enumerate(found)]

    def line_of(self, table: str, index: int, key: str = "", word: str = "") -> int:
        """Line, from 1, of a word in the value of a key; else of the key; else of the table's header."""
        begin, end = self._extent_of_table(table, index)
        if not key:
            return begin + 1
        first = next((i for i in range(begin, end) if self._is_key(i, key)), None)
        if first is None:
            return begin + 1
        after = next((i for i in range(first + 1, end) if _KEY.match(self._lines[i])), end)
        pattern = re.compile(rf"(?<![\w\-]){re.escape(word)}(?![\w\-])") if word else None
        found = (i for i in range(first, after) if pattern is not None and pattern.search(self._lines[i]))
        return next(found, first) + 1

    def _is_key(self, line: int, key: str) -> bool:
        found = _KEY.match(self._lines[line])
        return found is not None and found.group(1) == key

    def _extent_of_table(self, table: str, index: int) -> tuple[int, int]:
        """First line from 0, and the line after the last, of the ``index``-th table of that name."""
        headers = [(i, m.group(1)) for i, line in enumerate(self._lines) if (m := _HEADER.fullmatch(line))]
        if not table:
            return 0, headers[0][0] if headers else len(self._lines)
        places = [i for i, name in headers if name == table]
        begin = places[index] if index < len(places) else 0
        return begin, next((i for i, _ in headers if i > begin), len(self._lines))


class TomlTable:
    """One table of a file: reads values of a type, and refuses what is unknown, with the line.

    Parameters
    ----------
    file : TomlFile
    values : mapping
    name : str
        "" for the top of the file.
    index : int
        Position among the tables of that name.
    """

    def __init__(self, file: TomlFile, values: Mapping[str, Any], name: str = "", index: int = 0):
        self._file, self.values, self._name, self._index = file, values, name, index

    def error(self, reason: str, key: str = "", word: str = "", nearest: Iterable[str] = ()) -> FileFormatError:
        """An error at the line of that key, or of a word in its value."""
        near = list(nearest)
        hint = f"Nearest: {', '.join(near)}." if near else ""
        return self._file.error(reason, self._file.line_of(self._name, self._index, key, word), hint)

    def unknown(self, kind: str, name: str, known: Iterable[str], key: str) -> FileFormatError:
        """An error for a name that does not exist, with the nearest ones that do."""
        near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)
        return self.error(f"there is no {kind} “{name}”", key, name, near)

    def only(self, *keys: str) -> None:
        """Refuse keys other than these."""
        for key in self.values:
            if key not in keys:
                where = f"[[{self._name}]]" if self._name else "an experiment"
                raise self.unknown(f"key of {where}", key, keys, key)

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._typed(key, default, str, "text"))

    def flag(self, key: str, default: bool | None = None) -> bool:
        return bool(self._typed(key, default, bool, "true or false"))

    def number(self, key: str, default: float | None = None) -> float:
        value = self._typed(key, default, (int, float), "a number")
        return float(value)

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
        found: Mapping[str, Any] = self._typed(key, {}, dict, "a table such as { name = value }")
        return found

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        found = self._typed(key, list(default), (list, str), "text, or a list of texts")
        values = [found] if isinstance(found, str) else found
        if not all(isinstance(value, str) for value in values):
            raise self.error(f"{key} takes texts", key)
        return tuple(values)

    def checked(self, key: str, check: Callable[[], Any]) -> Any:
        """What ``check`` returns; a `ValueError` becomes an error at the key."""
        try:
            return check()
        except ValueError as error:
            raise self.error(str(error), key) from None

    def _typed(self, key: str, default: Any, kind: type | tuple[type, ...], words: str) -> Any:
        if key not in self.values:
            if default is None:
                what = f"[[{self._name}]]" if self._name else "the experiment"
                raise self.error(f"{what} has no “{key}”")
            return default
        value = self.values[key]
        is_flag = isinstance(value, bool)
        if not isinstance(value, kind) or (is_flag and kind is not bool):
            raise self.error(f"{key} takes {words}", key)
        return value
