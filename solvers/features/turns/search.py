"""What the core asks of networks with rules for turns."""

from solvers.features.turns.junctions import junctions_elsewhere, junctions_of
from solvers.features.turns.u_turns import (
    dead_ends_text,
    rules_of_changed,
    turn_costs,
    without_u_turns,
)
from solvers.graphs.searched import TurnSearch

SEARCH = TurnSearch(
    searched=junctions_of,
    elsewhere=junctions_elsewhere,
    of_changed=rules_of_changed,
    told=dead_ends_text,
    completed=without_u_turns,
    costs=turn_costs,
)
