"""What is said of a network after it was read is known to few modules: those that translate it
into vertices, arcs and weights of an ordinary graph, and those of the border, where users say
it and answers name it. The window and the picture are such borders.
"""

from __future__ import annotations

import io
import re
import tokenize

import pytest

from tests.tree_size import ROOT

_READERS = """
graphs/interpretation.py graphs/reading.py graphs/readers/assemble.py graphs/readers/zones.py
library/graphs.py
features/openstreetmap/extract.py features/openstreetmap/network.py
features/openstreetmap/profiles.py features/openstreetmap/restrictions.py
"""
_COMMANDS = "features/closed_roads/solve.py commands/solve.py"

_OVERLAYS = {
    "turns": (
        r"(^|_)u?_?turns?_(rules|costs|angles)|(^|_)turns($|_)|Turn[CORS]|U_TURN",
        f"""
        graphs/isochrone.py
        graphs/graph.py graphs/turn_rules.py graphs/following_arcs.py graphs/searched.py
        features/turns/junctions.py features/turns/marks.py features/turns/search.py
        features/turns/u_turns.py
        graphs/road_patch.py features/ends_on_roads/cut_roads.py verification/networks.py
        {_READERS} {_COMMANDS} commands/convert.py commands/info.py commands/options.py
        graphs/writers.py library/networkx_export.py library/paths.py running/kept_run.py
        """,
    ),
    "what is searched": (  # it translates itself, at no cost where that is the network
        r"^is_split$",
        """
        graphs/searched.py features/turns/junctions.py running/prepared_network.py
        """,
    ),
    "hours": (
        r"(^|_)hours?($|_)|Hour",
        """
        graphs/graph.py graphs/hours.py graphs/road_changes.py features/openstreetmap/tags.py
        features/closed_roads/solve.py commands/hour_options.py
        features/all_sources/commands/all_sources.py
        commands/solve_output.py features/router/router.py
        running/answers/answer.py running/answers/fastest.py text.py verification/changed_roads.py
        """,
    ),
    "closed roads": (
        r"^closed$|^CLOSED$|_closed$",
        """
        graphs/graph.py graphs/road_changes.py graphs/road_patch.py graphs/changed_arcs.py
        features/ends_on_roads/road_points.py graphs/directions.py
        features/turns/junctions.py features/turns/u_turns.py
        features/openstreetmap/extract.py features/openstreetmap/profiles.py
        features/openstreetmap/network.py features/openstreetmap/restrictions.py
        features/closed_roads/marks.py features/closed_roads/solve.py
        features/ends_on_roads/road_ends.py features/router/router.py features/router/weights.py
        verification/changed_roads.py
        """,
    ),
    "places": (
        r"^with_places?$|Road(Point|Cut|Ends)$|^Place$|nearest_points",
        """
        graphs/graph.py graphs/network.py graphs/places.py
        features/ends_on_roads/road_points.py features/ends_on_roads/cut_roads.py
        features/ends_on_roads/road_ends.py features/ends_on_roads/paths.py
        commands/solve.py commands/solve_output.py library/paths.py library/solving.py
        features/alternatives/road_alternatives.py features/router/router.py
        verification/changed_roads.py
        """,
    ),
}
_OTHERWISE = {
    "closed roads": {"features/own_kernels/user_process.py"}  # of connections
}


@pytest.mark.parametrize("overlay", _OVERLAYS)
def test_few_modules_name_it(overlay: str) -> None:
    pattern, listed = _OVERLAYS[overlay]
    found = {
        path.relative_to(ROOT / "solvers").as_posix()
        for path in (ROOT / "solvers").rglob("*.py")
        if ROOT / "solvers" / "picture" not in path.parents
        and any(map(re.compile(pattern).search, _names(path.read_text(encoding="utf-8"))))
    }
    assert found - _OTHERWISE.get(overlay, set()) == set(listed.split())


def _names(text: str) -> set[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}
