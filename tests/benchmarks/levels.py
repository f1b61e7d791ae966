"""What the picture of levels costs: preparing it, and drawing the graph at each level of detail.

    python -m tests.benchmarks.levels [GRAPH ...] [--rounds N] [--size WIDTHxHEIGHT]

Details are drawn in turns, so that other load falls on all alike; every round draws
each once, from nothing to the last edge. Times are medians in ms, the time that passed
and the processor time of all threads.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial

from solvers.algorithms.hierarchy.levels import levels_of
from solvers.picture.colours import LIGHT
from solvers.picture.raster.frames import FramePainter, Request
from solvers.picture.scene.activity import Activity
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import PictureContent
from solvers.picture.scene.levels import LevelPicture, level_picture
from solvers.picture.scene.scene import build_scene
from tests.benchmarks.graphs import SPECS, graph_of
from tests.benchmarks.timing import Times


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("graphs", nargs="*", default=["road:1000000"], help=SPECS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", default="1280x800")
    chosen = parser.parse_args(given)
    width, height = map(int, chosen.size.split("x"))
    for spec in chosen.graphs:
        graph = graph_of(spec)
        scene = build_scene(graph)
        began = time.perf_counter()
        levels = levels_of(graph)
        prepared = time.perf_counter()
        picture = level_picture(levels, scene)
        built = time.perf_counter()
        print(
            f"{spec}: hierarchy, separators and cores {prepared - began:.1f} s, scenes "
            f"{built - prepared:.1f} s"
        )
        print(f"{'vertices':>12}{'strokes':>12}{'ms':>9}{'CPU ms':>9}")
        times = redraws(picture, Camera.fitting(scene.bounds, width, height), chosen.rounds)
        for i, (drawn, (passed, used)) in enumerate(zip(picture.scenes, times, strict=True)):
            mark = "  automatic" if i == picture.automatic else ""
            print(f"{drawn.vertices:>12,}{drawn.edges:>12,}{passed:>9.1f}{used:>9.1f}{mark}")


def redraws(picture: LevelPicture, camera: Camera, rounds: int) -> list[tuple[float, float]]:
    """Median ms of each detail, passed and used, after one round that is not counted."""
    painter = FramePainter()
    contents = [
        PictureContent(scene, Activity(scene.graph.n), values=picture.values)
        for scene in picture.scenes
    ]
    requests = [Request(content, camera, 1.0, LIGHT) for content in contents]
    for request in requests:
        painter.last_frame(request)
    times = [Times() for _ in requests]
    for _ in range(rounds):
        for found, request in zip(times, requests, strict=True):
            found.of(partial(painter.last_frame, request))
    return [found.medians for found in times]


if __name__ == "__main__":
    main()
