"""Edges collected from a table: ends with ids or names, and weights, as the content of a graph file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.errors import quoted
from solvers.graphs.readers.exchange.attributes import number_of, whole_names
from solvers.graphs.readers.formats import Parsed
from solvers.graphs.readers.table import Rows, narrowed

_WHOLE = re.compile(r"[+-]?[0-9]+")
_GROUPED = re.compile(r"[+-]?\d{1,3}([ '.,\u00a0\u2009\u202f]\d{3})+([.,]\d+)?")
MISSING_WEIGHT = "the weight is missing"
OTHER_WEIGHTS = "choose another column of weights, or take every weight as 1 (weights “unit”)."
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class BadCell(Exception):
    """A cell that cannot be read, with its place among the rows given.

    Attributes
    ----------
    row : int
    reason, hint : str
    """

    def __init__(self, row: int, reason: str, hint: str = ""):
        self.row, self.reason, self.hint = row, reason, hint
        super().__init__(reason)


class EdgeCollector:
    """Takes the rows of a table piece by piece.

    Vertices are numbered as they occur; at the end names that all write integers become ids, in ascending order.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._ends: list[NDArray[np.int32]] = []
        self._weights: list[NDArray[Any]] = []

    def add(self, tails: Sequence[Any], heads: Sequence[Any], weights: NDArray[Any] | None) -> None:
        """Take some rows.

        Parameters
        ----------
        tails, heads : sequence of str or int
        weights : (r,) as of `weights_of`, or None

        Raises
        ------
        BadCell
            If an end is missing.
        """
        number = self._numbers
        ends = np.array(
            [[number.setdefault(name, len(number)) for name in names] for names in (tails, heads)], np.int32
        )
        for missing in ("", None):
            if missing in number:
                row, column = np.argwhere(number[missing] == ends.T)[0].tolist()
                raise BadCell(row, f"the {('source', 'target')[column]} is missing")
        self._ends.append(ends.T)
        if weights is not None:
            self._weights.append(weights)

    def parsed(self, weights_from: str, warnings: tuple[str, ...] = ()) -> Parsed:
        """All rows as the content of a graph file."""
        ends = np.concatenate(self._ends) if self._ends else np.empty((0, 2), np.int32)
        values, rounded = _joined(self._weights, len(ends))
        nodes = list(self._numbers)
        names: Sequence[Any] = whole_names(nodes) or [str(node) for node in nodes]
        if names and isinstance(names[0], int):
            order = sorted(range(len(names)), key=names.__getitem__)
            rank = np.empty(len(order), np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            ends, names = rank[ends], [names[place] for place in order]
        vertices = Rows(np.arange(len(names))[:, None], np.empty((len(names), 0)))
        return Parsed(
            Rows(ends, values, len(rounded), int(rounded[0]) if len(rounded) else 0),
            weights_from=weights_from if self._weights else "",
            vertices=vertices,
            names=tuple(names),
            warnings=warnings,
        )


def weights_of(texts: Sequence[str]) -> NDArray[Any]:
    """Weights that texts write: int64 if all are integers, float64 if none is, objects if some are.

    Raises
    ------
    BadCell
        At the first that is no finite number of 64 bits.
    """
    if (plain := _plain_weights(texts)) is not None:
        return plain
    numbers = [_weight(text) for text in texts]
    if None in numbers:
        row = numbers.index(None)
        shown = texts[row].strip()
        reason = f"the weight “{quoted(shown, 40)}” is not a finite number of 64 bits" if shown else MISSING_WEIGHT
        raise BadCell(row, reason, _remedy(shown))
    kinds = {type(number) for number in numbers}
    return np.array(numbers, object if len(kinds) > 1 else np.int64 if kinds == {int} else np.float64)


def _remedy(shown: str) -> str:
    correct = "Correct the cell"
    if _DECIMAL_COMMA.fullmatch(shown):
        correct = "Write decimals with a point"
    elif _GROUPED.fullmatch(shown):
        correct = "Write numbers without separators between their digits"
    return f"{correct}, {OTHER_WEIGHTS}"


def _plain_weights(texts: Sequence[str]) -> NDArray[Any] | None:
    """Weights that are all integers, or all decimals, which Python converts in one go; None for others."""
    together = "".join(texts)
    if "_" in together or not together.isascii():  # Python takes 1_000, and digits of every script
        return None
    try:
        if "." not in together:
            return np.array(list(map(int, texts)), np.int64)
        if all("." in text for text in texts):
            decimals = np.array(list(map(float, texts)))
            return decimals if np.isfinite(decimals).all() else None
    except (ValueError, OverflowError):
        pass
    return None


def _weight(text: str) -> int | float | None:
    """The number that a text writes; None if it is no number, not finite, or an integer past 64 bits."""
    number = number_of(text)
    if isinstance(number, float) and _WHOLE.fullmatch(text.strip()):
        whole = int(Decimal(text.strip()))  # int() refuses thousands of digits
        return whole if -(2**63) <= whole < 2**63 else None
    return number


def _joined(parts: Sequence[NDArray[Any]], count: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All weights as (m, 1), or (m, 0) without any; and the integers that lose digits because others are decimals."""
    if not parts:
        return np.empty((count, 0)), np.empty(0, np.int64)
    kinds = {part.dtype.kind for part in parts}
    if kinds == {"i"}:
        return narrowed(np.concatenate(parts))[:, None], np.empty(0, np.int64)
    integers = (number for part in parts if part.dtype.kind != "f" for number in part.tolist() if type(number) is int)
    lost = np.array([number for number in integers if int(float(number)) != number], np.int64)
    return np.concatenate([part.astype(np.float64) for part in parts])[:, None], lost
