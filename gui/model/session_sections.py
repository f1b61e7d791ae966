"""What each part of the window keeps in a session: fields of its own in the file. No widgets.

A part that is not there has no fields, and those of a file are then ignored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from solvers.graphs.graph import Graph

GREATEST = sys.float_info.max
Amount = Annotated[float, Meta(ge=0, le=GREATEST)]


class SectionFields(Struct, frozen=True):
    """Fields of a session file, each with a default.

    Where values that msgspec accepts may still be wrong, ``__post_init__`` raises
    `ParameterError`: a file with a fault changes nothing.
    """

    def beside(self, folder: Path) -> SectionFields:
        """The same with paths relative to the session file's folder, as in the file."""
        return self

    def within(self, folder: Path) -> SectionFields:
        """The inverse of `beside`."""
        return self


F = TypeVar("F", bound=SectionFields)


@dataclass
class OpeningSession:
    """A session that is being opened; sections say here what they could not restore."""

    graph: Graph  # as read
    name: str  # of the session, for notices
    of_window: bool  # whether the window kept it; else it is a file of the user
    # to be ticked, with parameters; a section takes those out that it sees to
    variants: dict[str, Mapping[str, Any]]
    skipped: list[str] = field(default_factory=list)  # what is unknown here, in words
    # called when everything else is set
    afterwards: list[Callable[[], object]] = field(default_factory=list)


@dataclass(frozen=True)
class SessionSection(Generic[F]):
    """Fields of a part of the window, what they are now, and how they are restored."""

    fields: type[F]
    current: Callable[[], F]
    restore: Callable[[F, OpeningSession], object]
    of_window: bool = False  # only in what the window keeps for its next start, not in files


def relative_path(path: str, folder: Path) -> str:
    """With forward slashes; "" where there is none, as on another drive."""
    if not path:
        return ""
    try:
        return PurePath(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return ""


def absolute_path(relative: str, folder: Path) -> str:
    return os.path.normpath(folder / relative) if relative else ""
