"""Closed and slowed roads, and the hour, in a session. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from gui.model.session import Session
from gui.model.session_sections import (
    OpeningSession,
    SectionFields,
    SessionSection,
    absolute_path,
    relative_path,
)
from solvers.errors import InputError
from solvers.graphs.graph import Graph
from solvers.graphs.road_changes import RoadChanges
from solvers.text import plural

T = TypeVar("T")


class RoadFields(SectionFields, frozen=True):
    roads: tuple[Any, ...] = ()
    hour: dict[str, Any] | None = None

    @classmethod
    def of(cls, changes: RoadChanges) -> RoadFields:
        values = changes.to_dict()
        told = (road.items() for road in values["roads"])  # those that are null are not
        roads = ({name: value for name, value in one if value is not None} for one in told)
        return cls(tuple(roads), values["hour"])

    def __post_init__(self) -> None:
        _ = self.changes

    @property
    def changes(self) -> RoadChanges:
        return RoadChanges.from_dict({"roads": self.roads, "hour": self.hour})

    def beside(self, folder: Path) -> RoadFields:
        return self._with_path(lambda path: relative_path(path, folder) or path)

    def within(self, folder: Path) -> RoadFields:
        return self._with_path(lambda path: absolute_path(path, folder))

    def _with_path(self, change: Callable[[str], str]) -> RoadFields:
        """With another path of the table of weights by hour."""
        if self.hour is None:
            return self
        return RoadFields(self.roads, self.hour | {"path": change(self.hour["path"])})


def road_section(session: Session) -> SessionSection[RoadFields]:
    """Roads that the opened graph does not have are skipped."""

    def restore(kept: RoadFields, opening: OpeningSession) -> None:
        graph, changes = opening.graph, kept.changes

        def known(entries: Iterable[T], changes_of: Callable[[T], RoadChanges]) -> tuple[T, ...]:
            found = []
            for entry in entries:
                one = changes_of(entry)
                try:
                    one.arcs(graph)
                except (InputError, OverflowError):
                    opening.skipped.append(_skipped(one, graph))
                else:
                    found.append(entry)
            return tuple(found)

        single = known(changes.roads, lambda road: RoadChanges((road,)))
        areas = known(changes.areas, lambda area: RoadChanges((), (area,)))
        session.want_roads(RoadChanges(single, areas, changes.hour))

    return SessionSection(RoadFields, lambda: RoadFields.of(session.roads), restore)


def _skipped(change: RoadChanges, graph: Graph) -> str:
    """In words, that a graph does not have a road, or not all roads of an area."""
    if change.areas:
        return f"an area of {plural(len(change), 'road')}, not all of which {graph.name} has"
    (road,) = change.roads
    return f"road {road.tail}\N{EN DASH}{road.head}, which {graph.name} does not have"
