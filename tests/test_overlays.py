"""What is said of a network after it was read is known to few modules: those that translate it
into vertices, arcs and weights of an ordinary graph, and those of the border, where users say
it and answers name it. Of the window few modules are such borders, of the picture none.
"""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.tree_size import PACKAGES, ROOT

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
        r"^with_places?$|Road(Points?|Cut|Ends)$|^Place$|nearest_points",
        """
        graphs/graph.py graphs/network.py graphs/places.py
        features/ends_on_roads/road_points.py features/ends_on_roads/cut_roads.py
        features/ends_on_roads/road_ends.py features/ends_on_roads/paths.py
        commands/solve.py commands/solve_output.py library/paths.py library/shortest_paths.py
        library/solving.py
        features/alternatives/road_alternatives.py features/router/router.py
        verification/ways_back.py
        """,
    ),
}
_OF_THE_WINDOW = {
    "turns": "dialogs/open.py features/sessions/file.py",
    "hours": """
        controllers/roads.py features/closed_roads/controller.py features/closed_roads/panel.py
        features/hours/__init__.py features/hours/bar.py features/hours/question.py
        features/live/animation.py features/live/controller.py features/live/recorder.py
        features/live/recording.py features/undo/controller.py model/road_section.py panels/path.py
        """,
    "closed roads": "features/closed_roads/panel.py features/closed_roads/tools.py",
    "places": """
        canvas/pointer.py canvas/road_tools.py canvas/vertex_tools.py canvas/view.py
        controllers/ends.py features/live/controller.py features/sessions/controller.py
        features/sessions/file.py model/session.py model/unmeasured.py
        """,
}
_OTHERWISE = {
    "turns": {"gui/style/fusion.py", "gui/style/paint.py"},  # of marks
    "closed roads": {
        "solvers/features/own_kernels/user_process.py",  # of connections
        # of bins of distances
        "solvers/algorithms/near_far/delta_memory.py",
        "solvers/algorithms/near_far/delta_threads.py",
        # of lines, windows and dialogs
        "solvers/picture/colours.py",
        "solvers/picture/overlay/lines.py",
        "gui/charts/board.py",
        "gui/export/animation.py",
        "gui/features/data_race/dialog.py",
        "gui/features/isochrone/bar.py",
        "gui/features/isochrone/controller.py",
        "gui/features/race/bars.py",
        "gui/features/race/controller.py",
        "gui/panels/path.py",
    },
    "places": {"gui/features/race/bars.py"},  # of runners
}

_NAMING = ("id", "attr", "name", "asname", "module", "arg")  # fields of nodes of ast


@pytest.mark.parametrize("overlay", _OVERLAYS)
def test_few_modules_name_it(overlay: str) -> None:
    pattern, listed = _OVERLAYS[overlay]
    expected = {f"solvers/{name}" for name in listed.split()}
    expected |= {f"gui/{name}" for name in _OF_THE_WINDOW.get(overlay, "").split()}
    found = {
        file for file, names in _names().items() if any(map(re.compile(pattern).search, names))
    }
    assert found - _OTHERWISE.get(overlay, set()) == expected


@cache
def _names() -> dict[str, set[str]]:
    """What each file of the program names."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): _names_in(path.read_text("utf-8")) for path in paths}


def _names_in(text: str) -> set[str]:
    """Parsed, as before Python 3.12 what an f-string names is no token."""
    values = (getattr(node, field, None) for node in ast.walk(ast.parse(text)) for field in _NAMING)
    return {part for value in values if isinstance(value, str) for part in value.split(".")}
