"""A small network of curved roads, whose drawing the tests of the picture look at."""

from __future__ import annotations

import numpy as np

from solvers.graphs.graph import Coordinates, Graph
from solvers.graphs.road_data import ArcColumn, RoadData, Shapes

ATTRIBUTION = "© the people of the town"


def curved_town() -> Graph:
    """Four vertices on a line, two roads between the second and the third: a detour to
    the north and one to the south.

    ::

              (4, 3)--------(6, 3)                 Hill Road: 1 -> 2 only
               /                 \\
        0 --- 1                   2 --- 3          Main Street, both ways
               \\                 /
              (4, -2)-------(6, -2)                Valley Road, both ways, drawn from 2 to 1
    """
    xy = np.array([[0.0, 0.0], [3.0, 0.0], [7.0, 0.0], [10.0, 0.0]])
    points = np.array([[4.0, 3.0], [6.0, 3.0], [6.0, -2.0], [4.0, -2.0]])
    arcs = [  # tail, head, tenths of metres and of seconds, shape, name
        (0, 1, 30, 10, 0, 0),
        (1, 0, 30, 10, 0, 0),
        (1, 2, 83, 20, 1, 1),
        (1, 2, 65, 40, -2, 2),
        (2, 1, 65, 40, 2, 2),
        (2, 3, 30, 10, 0, 0),
        (3, 2, 30, 10, 0, 0),
    ]
    table = np.array(arcs, np.int64)
    seconds, metres = table[:, 3].astype(np.int32), table[:, 2].astype(np.int32)
    roads = RoadData(
        (ArcColumn("seconds", "0.1 s", seconds), ArcColumn("metres", "0.1 m", metres)),
        Shapes(points, np.array([0, 2, 4]), table[:, 4].astype(np.int32)),
        ("Main Street", "Hill Road", "Valley Road"),
        table[:, 5].astype(np.int32),
        ATTRIBUTION,
    )
    indptr = np.concatenate(([0], np.cumsum(np.bincount(table[:, 0], minlength=4)))).astype(
        np.int64
    )
    return Graph(
        indptr,
        table[:, 1].astype(np.int32),
        seconds,
        Coordinates(xy),
        np.array([10, 20, 30, 40]),
        "town",
        weight_unit="0.1 s",
        roads=roads,
    )
