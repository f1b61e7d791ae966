"""Checked access to the fields of a JSON object; errors name the field. No widgets."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


class FieldError(ValueError):
    """A field is missing, or its value is of another type."""


@dataclass(frozen=True)
class Fields:
    """The fields of one object.

    A field that is missing, or null, has its default; without a default that is an error. Fields that nobody asks for
    are ignored.

    Attributes
    ----------
    values : mapping
    place : str
        Path of the object within the file, for errors: "graph."; "" for the whole file.
    """

    values: Mapping[str, Any]
    place: str = ""

    @classmethod
    def of(cls, value: object, place: str = "") -> Fields:
        """The fields of ``value``, which must be an object.

        Raises
        ------
        FieldError
        """
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
        return [self._checked(f"{name}[{i}]", item, int, "a whole number") for i, item in enumerate(self.list(name))]

    def texts(self, name: str) -> builtins.list[str]:
        return [self._checked(f"{name}[{i}]", item, str, "a text") for i, item in enumerate(self.list(name))]

    def objects(self, name: str) -> builtins.list[Fields]:
        return [Fields.of(item, f"{self.place}{name}[{number}].") for number, item in enumerate(self.list(name))]

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
