"""Which turns a road network forbids, and what turns cost: values beside the arcs of a graph.

A feature makes of them a graph that every algorithm can search (`solvers.graphs.searched`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property

import numpy as np

from solvers.errors import ParameterError
from solvers.system.array_types import AnyArray, Int64s
from solvers.system.ranges import offsets_of
from solvers.text import plural
from solvers.units import SECONDS_PER_UNIT

U_TURN = 0
"""Stands for a relation where no relation forbids a sequence but the rule against U-turns."""

ZONE = -1
"""Stands for a relation where a sequence leads through a zone, where paths begin and end."""

RESTRICTIONS, COSTS, IGNORE = "restrictions", "costs", "ignore"
_OWNER = "Turns"
_NAMED = 3  # relations that are told, of one reason


@dataclass(frozen=True)
class TurnCosts:
    """Seconds that a turn takes, by its angle, where two ways lead on or more, beside the one
    back. Where one leads on, a road bends, or two meet, and turning costs nothing.

    They are of driving on the right; exchange ``left`` and ``right`` for the left.
    """

    left: float = 8.0  # 30 to 180 degrees
    right: float = 3.0
    sharp: float = 4.0  # more, beyond 120 degrees
    signals: float = 6.0  # at traffic lights, whatever the direction
    around: float = 15.0  # at a dead end

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not 0 <= value <= 3600:
                raise ParameterError(_OWNER, entry.name, value, "it takes 0 to 3600 seconds")

    def __str__(self) -> str:
        return ", ".join(f"{entry.name} {getattr(self, entry.name):g} s" for entry in fields(self))


@dataclass(frozen=True)
class TurnOptions:
    """What to do with the turns of a road network."""

    restrictions: bool = True
    costs: TurnCosts | None = None

    @classmethod
    def parse(cls, text: str) -> TurnOptions:
        """Options as the user writes them: "restrictions", "ignore", "costs", or
        "costs:left=10,signals=0" where some are other than those of `TurnCosts`.

        Raises ParameterError.
        """
        kind, _, rest = text.partition(":")
        if kind in (RESTRICTIONS, IGNORE) and not rest:
            return cls(kind == RESTRICTIONS)
        if kind != COSTS:
            raise ParameterError(
                _OWNER, "turns", text, f"it takes {RESTRICTIONS}, {COSTS} or {IGNORE}"
            )
        return cls(True, TurnCosts(**_seconds_by_name(rest)))


def _seconds_by_name(text: str) -> dict[str, float]:
    known = [entry.name for entry in fields(TurnCosts)]
    found = {}
    for part in filter(None, text.split(",")):
        name, _, value = (word.strip() for word in part.partition("="))
        try:
            found[name] = float(value)
        except ValueError:
            raise ParameterError(_OWNER, "costs", part, "it takes NAME=SECONDS") from None
        if name not in known:
            raise ParameterError(_OWNER, "costs", part, f"the names are {', '.join(known)}")
    return found


@dataclass(frozen=True)
class TurnReport:
    """What became of the turn restrictions of a file."""

    read: int = 0
    used: int = 0
    idle: int = 0  # which forbid what one-way or closed roads rule out
    conditional: int = 0  # which hold at some times only
    others: int = 0  # for other means of travel
    refused: tuple[tuple[int, str], ...] = ()  # relation, reason
    on_red: int = 0  # which are of turns at red lights only
    zones: int = 0  # vertices that no path leads through
    for_destination: int = 0  # roads, which no path passes through

    def __str__(self) -> str:
        """ "45 turn restrictions used; 2 conditional ones ignored; 1 refused: a member is
        missing (relation 77); mend them in the map"; "" without any.
        """
        if self.zones:
            return f"no way leads through {plural(self.zones, 'zone')}"
        roads = plural(self.for_destination, "road")
        through = f"no through traffic on {roads} for destination only"
        if not (self.used or self.idle or self.conditional or self.refused or self.on_red):
            return through if self.for_destination else ""
        parts = [f"{plural(self.used, 'turn restriction')} used"]
        if self.idle:
            parts.append(f"{self.idle} without effect")
        if self.conditional:
            parts.append(f"{plural(self.conditional, 'conditional one')} ignored")
        if self.others:
            parts.append(f"{self.others} for other means of travel")
        if self.on_red:
            parts.append(f"{self.on_red} of turns at red lights ignored")
        reasons = Counter(reason for _, reason in self.refused)
        for reason, count in reasons.most_common():
            numbers = [str(number) for number, why in self.refused if why == reason]
            named = ", ".join([*numbers[:_NAMED], *["…"] * (count > _NAMED)])
            parts.append(f"{count} refused: {reason} (relation {named})")
        parts += ["mend them in the map"] * bool(reasons)
        parts += [through] * bool(self.for_destination)
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class TurnRules:
    """Sequences of arcs that no path may contain, arcs for destination only, and what turns
    cost.

    Sequence ``k`` is ``arcs[offsets[k]:offsets[k + 1]]``, two arcs or more, each of which
    begins where the one before it ends. Arcs are positions in `Graph.indices`, of the
    graph with all roads where some are changed.

    U-turns that are not listed are allowed without ``costs``, and forbidden with them but
    at dead ends. Of ``no_u_turns``, those are listed that a shortest path would make.
    """

    arcs: Int64s
    offsets: Int64s  # (k + 1,)
    relations: Int64s  # (k,) the relation that forbids each, or `U_TURN`
    costs: TurnCosts | None = None
    # arcs that end at traffic lights, ascending
    signals: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    report: TurnReport = TurnReport()
    no_u_turns: bool = False  # but at dead ends
    # arcs with ``costs`` whose heads are dead ends by roads that are closed, ascending
    new_ends: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    # arcs that a path may have at its beginning and at its end alone, ascending
    for_destination: Int64s = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(
        cls,
        sequences: dict[tuple[int, ...], int],
        costs: TurnCosts | None = None,
        report: TurnReport | None = None,
        *,
        no_u_turns: bool = False,
    ) -> TurnRules:
        """Rules that forbid sequences, which are keys, with their relations."""
        ordered = sorted(sequences)
        sizes = [len(one) for one in ordered]
        return cls(
            np.array([arc for one in ordered for arc in one], np.int64),
            offsets_of(sizes),
            np.array([sequences[one] for one in ordered], np.int64),
            costs,
            report=report or TurnReport(),
            no_u_turns=no_u_turns,
        )

    def __len__(self) -> int:
        return len(self.relations)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        """For people: the report, and the costs."""
        return self.in_words("s")

    def in_words(self, weight_unit: str) -> str:
        """The same of a graph with weights in a unit: turns cost nothing if it is none of time."""
        costs = f"turns cost: {self.costs}"
        if weight_unit not in SECONDS_PER_UNIT:
            costs = "turns cost nothing, as weights are not times"
        return "; ".join(filter(None, (str(self.report), "" if self.costs is None else costs)))

    @cached_property
    def forbidden(self) -> dict[tuple[int, ...], int]:
        """The relation that forbids each sequence."""
        arcs, cuts = self.arcs.tolist(), self.offsets.tolist()
        return {
            tuple(arcs[a:b]): relation
            for a, b, relation in zip(cuts, cuts[1:], self.relations.tolist(), strict=False)
        }

    @property
    def forbids_u_turns(self) -> bool:
        return self.no_u_turns or self.costs is not None

    @cached_property
    def u_turns(self) -> Int64s:
        """The arcs after which a listed U-turn is forbidden that no relation names, ascending."""
        return self.arcs[self.offsets[:-1][self.relations == U_TURN]]

    @property
    def arrays(self) -> tuple[AnyArray, ...]:
        """All that has an effect, for hashes; none without."""
        if not self.has_effect:
            return ()
        costs = () if self.costs is None else astuple(self.costs)
        costs_array = np.array(costs, np.float64)
        return self.arcs, self.offsets, self.signals, costs_array, self.for_destination

    @property
    def has_effect(self) -> bool:
        return len(self) > 0 or self.costs is not None or len(self.for_destination) > 0
