"""Closed and slowed roads of the open graph, and the hour by which roads are weighed:
wanted changes, applied ones, and what they do. No widgets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from solvers.graphs.graph import Graph
from solvers.graphs.hours import Hour
from solvers.graphs.road_changes import Road, RoadChanges
from solvers.graphs.weights import exact_distance
from solvers.running.differences import Differences
from solvers.system.array_types import Int32s


@dataclass(frozen=True, eq=False)
class RoadComparison:
    """Answers before and after roads were closed or slowed, at the same hour.

    The paths are from the target's nearest source; None without a target, and if it
    cannot be reached.
    """

    graph: Graph  # the changed graph
    sources: tuple[int, ...]
    target: int | None
    path_before: Int32s | None
    path_after: Int32s | None
    differences: Differences  # of the distances from the nearest source

    @property
    def length_before(self) -> float | None:
        """Length of the path; inf if the target cannot be reached, None without a target."""
        return None if self.target is None else exact_distance(self.differences.before, self.target)

    @property
    def length_after(self) -> float | None:
        return None if self.target is None else exact_distance(self.differences.after, self.target)


class RoadState(QObject):
    """The changes to the roads of the open graph; kept by the session.

    The list of changes is the user's at once; graph and comparison follow when they
    have been computed.
    """

    wanted_changed = Signal()  # `changes` is another list
    applied = Signal()  # the session's graph is that of the changes
    compared = Signal()  # `comparison` is new, or was dropped

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._changes = self._applied = RoadChanges()
        self._comparison: RoadComparison | None = None

    @property
    def changes(self) -> RoadChanges:
        return self._changes

    @property
    def applied_changes(self) -> RoadChanges:
        """The changes that the session's graph has."""
        return self._applied

    def want(self, changes: RoadChanges) -> None:
        """Set the whole list."""
        if changes != self._changes:
            self._changes = changes
            self.wanted_changed.emit()

    def close(self, *roads: Road, one_way: bool = False) -> None:
        self.want(self._changes.close(*roads, one_way=one_way))

    def slow(self, factor: float, *roads: Road, one_way: bool = False) -> None:
        """Multiply weights. Raises ParameterError if the factor is not a finite number above 0."""
        self.want(self._changes.slow(factor, *roads, one_way=one_way))

    def clear(self) -> None:
        """Open all roads again, and slow none; the hour stays."""
        self.want(RoadChanges(hour=self._changes.hour))

    def weigh_at(self, hour: Hour | None) -> None:
        """Weigh roads as at an hour; None for the network's own weights."""
        self.want(replace(self._changes, hour=hour))

    def set_applied(self, changes: RoadChanges) -> None:
        """Say which changes the session's graph has; by the session."""
        self._applied = changes

    def forget(self) -> None:
        """Drop everything, for another graph; by the session, which then calls `emit_changes`."""
        self._changes = self._applied = RoadChanges()
        self._comparison = None

    def emit_changes(self) -> None:
        """Emit what `forget` has changed, when all of the session is of the new graph."""
        self.wanted_changed.emit()
        self.compared.emit()

    @property
    def comparison(self) -> RoadComparison | None:
        """The newest comparison; it may be of other end points than the current."""
        return self._comparison

    def set_comparison(self, comparison: RoadComparison | None) -> None:
        if comparison is not self._comparison:
            self._comparison = comparison
            self.compared.emit()
