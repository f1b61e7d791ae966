"""What close views show of turns."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.graphs.graph import Coordinates
from solvers.graphs.turn_rules import TurnRules
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.display import Stroke
from solvers.picture.overlay.picture import overlay_marks
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.scene import build_scene
from tests.graphs import from_list
from tests.gui.pictures import camera_for, frame_of, view_of


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_a_restricted_junction_shows_its_allowed_turns(tokens: Tokens) -> None:
    """Straight on and to the right, from the south of a cross (2), not to the west (3)."""
    places = np.array([[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]], np.float64)
    graph = from_list(5, [(v, 4, 2) for v in range(4)], directed=False)
    ends = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    rules = TurnRules.of({(ends.index((2, 4)), ends.index((4, 3))): 7})
    shown = {}
    for turns in (None, rules):
        scene = build_scene(graph.with_turns(turns, coordinates=Coordinates(places)))
        content, camera = PictureContent(scene, Activity(graph.n)), camera_for(scene, (300, 300))
        frame = frame_of(content, camera=camera, tokens=tokens)
        marks = list(overlay_marks(view_of(content, camera, tokens, detail=frame.detail), frame))
        shown[turns] = [
            mark.points for mark in marks if isinstance(mark, Stroke) and mark.colour == tokens.good
        ]
    assert not shown[None]
    columns, rows = np.concatenate(shown[rules]).T
    assert rows.min() < 130, "to the north"
    assert columns.max() > 170, "to the east"
    assert columns.min() > 130, "not to the west"
