"""Proposed names of exported files: the graph, what is shown of it, and the kind of picture."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SUFFIXES = (".gz", ".bz2", ".gr", ".txt", ".csv", ".tmp", ".graph", ".mtx", ".osm", ".pbf")
_MOST_LETTERS = 100


def file_name(graph: str, parts: Iterable[str], suffix: str) -> str:
    """A name such as "NY-bf-serial-vs-dijkstra-heap.svg", of letters that every file system takes.

    Parameters
    ----------
    graph : str
        Its name, with or without the suffixes of its file.
    parts : iterable of str
        Ids of variants, kind of picture; empty ones are left out.
    suffix : str
        With its dot.
    """
    words = [_clean(word) for word in (_without_suffixes(graph), *parts)]
    name = "-".join(filter(None, words))[:_MOST_LETTERS].rstrip("-.")
    return f"{name or 'tautline'}{suffix}"


def _without_suffixes(name: str) -> str:
    known = next((suffix for suffix in _SUFFIXES if name.lower().endswith(suffix)), None)
    return name if known is None else _without_suffixes(name[: -len(known)])


def _clean(word: str) -> str:
    """``word`` with runs of other letters as one hyphen."""
    return re.sub(r"[^\w.+-]+", "-", word).strip("-.")
