"""Frame painter: content and camera to pixels. Keeps the last view's buffers, so that a
step only colours. No Qt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from solvers.graphs.isochrone import Isochrone, isochrone_of
from solvers.picture.colours import Tokens
from solvers.picture.raster.device import DrawingDevice, SliceBudget
from solvers.picture.raster.edge_buffers import EdgeBuffers, View
from solvers.picture.raster.flow_light import FlowLight
from solvers.picture.raster.marks import (
    MOST_PAINTED,
    PathPicture,
    draw_border,
    draw_frontier,
    draw_road_lines,
    path_picture,
)
from solvers.picture.raster.pixel_colours import (
    Colouring,
    OwnedPixels,
    SteppableImage,
    Tones,
    argb,
    coloured,
    make_tones,
)
from solvers.picture.scene.activity import Legend, banded
from solvers.picture.scene.camera import Camera
from solvers.picture.scene.content import Layer, PictureContent
from solvers.picture.scene.detail import Detail
from solvers.picture.scene.lit_roads import LitRoads
from solvers.picture.scene.paths import TREE_WIDTH, draw_tree, drawn_tree
from solvers.picture.scene.ramps import Ramp
from solvers.picture.scene.values import Shading
from solvers.system.array_types import UInt32s
from solvers.system.cancel import SILENT, Progress
from solvers.system.kept import KeptValue
from solvers.system.threads import ThreadTeam

PATIENCE_S = 3.0  # after this time the remaining edges are left out; a badge shows the share drawn


@dataclass(frozen=True, eq=False)
class Request:
    """A picture that is to be drawn."""

    content: PictureContent
    camera: Camera
    ratio: float  # device pixels per logical pixel
    tokens: Tokens
    background: str | None = None  # as in `pixel_colours.make_tones`
    # first and last + 1 row of device pixels to draw; None for all: bands have the same
    # pixels as the whole picture
    rows: tuple[int, int] | None = None
    id: int = 0  # of the request; its frames carry the same value
    # whether frames bring a picture of the path, where it is one line without bends
    with_path: bool = False
    with_detail: bool = True  # whether an overlay draws arcs and vertices of close views

    @property
    def view(self) -> View:
        return View(
            self.content.scene,
            self.camera,
            self.ratio,
            self.rows,
            self.content.shown_prominence,
            self.with_detail,
        )


@dataclass(frozen=True, eq=False)
class Frame:
    """A drawn picture."""

    pixels: UInt32s  # (h, w): premultiplied ARGB; h and w are device pixels
    camera: Camera
    ratio: float
    detail: Detail | None  # arcs and vertices that the overlay draws one by one
    drawn: float  # share of the visible edges drawn, in 0..1
    legend: Legend | None
    isochrones: tuple[Isochrone, ...]  # what lies within each budget, the least first
    request_id: int  # `Request.id` of the request that it answers
    # whether the pixels show the changed roads, which were too many to be painted over
    # them
    roads_drawn: bool = False
    path: PathPicture | None = None

    @property
    def isochrone(self) -> Isochrone | None:
        """What lies within the greatest budget, if there is one."""
        return self.isochrones[-1] if self.isochrones else None


class FramePainter:
    """Draws frames with one thread per core by default, on a device where that is
    faster; not thread-safe.
    """

    def __init__(self, team: ThreadTeam | None = None, device: DrawingDevice | None = None) -> None:
        self._team, self._budget, self._device = team or ThreadTeam(), SliceBudget(), device
        self._buffers: EdgeBuffers | None = None
        self._was_moved = False  # the buffers, for the present request
        self._steppable: SteppableImage | None = None
        self._owned: OwnedPixels | None = None
        self._shaded: Shading | None = None  # of the last complete picture of the buffers
        self._flow_light: FlowLight | None = None  # of the last view; not of bands
        # the picture of the buffers
        self._with_flows: tuple[Colouring, LitRoads, UInt32s] | None = None
        self._tones, self._banded = KeptValue[Tones](), KeptValue[Tones]()
        self._isochrones, self._path = KeptValue[tuple[Isochrone, ...]](), KeptValue[PathPicture]()

    def frames(
        self,
        request: Request,
        *,
        newer: Callable[[], bool] = lambda: False,
        patience_s: float = PATIENCE_S,
    ) -> Iterator[Frame]:
        """Yield pictures of ``request``, each with more edges than the previous one;
        usually one has all.

        ``newer`` is called after every picture: True stops. After ``patience_s``
        seconds no more edges are drawn.
        """
        buffers = self._buffers_of(request)
        if buffers.drawn > 0.0:
            yield self._stepped(buffers, request)
            if buffers.drawn >= 1.0 or newer():
                return
        start = time.monotonic()
        for _ in buffers.fill():
            yield self._coloured(buffers, request)
            if newer() or time.monotonic() - start > patience_s:
                return

    def last_frame(self, request: Request, progress: Progress = SILENT) -> Frame:
        """The picture with all edges, however long it takes.

        Edges are drawn in one slice, so that bands have the same pixels as the whole
        picture. Raises Cancelled.
        """
        buffers = self._buffers_of(request)
        if buffers.drawn >= 1.0:
            return self._stepped(buffers, request)
        for _ in buffers.fill(progress, at_once=True):
            pass
        return self._coloured(buffers, request)

    def settle(self, request: Request) -> None:
        """Prepare play-back steps in a view that was drawn; called when idle."""
        buffers = self._buffers_of(request)
        content = request.content
        if buffers.drawn > 0.0 and content.activity.trace is not None and content.lit_roads is None:
            self._steppable_of(buffers, request)

    def _buffers_of(self, request: Request) -> EdgeBuffers:
        known = self._buffers is not None and (
            self._buffers.view == request.view or self._buffers.follow(request.view)
        )
        if self._buffers is None or not known:
            # frees the memory first
            self._steppable = self._owned = self._shaded = self._with_flows = None
            self._buffers = self._buffers_from(request.view)
        else:
            self._was_moved = False
        return self._buffers

    def _buffers_from(self, view: View) -> EdgeBuffers:
        """Buffers of a view, in the memory of the last ones if they are of its size."""
        last, self._buffers = self._buffers, None
        moved = None if last is None else last.moved_to(view)
        self._was_moved = moved is not None
        if moved is not None:
            return moved
        pixels = None if last is None else last.cleared_for(view)
        last = None  # frees the memory first
        return EdgeBuffers(view, self._team, self._budget, self._device, pixels)

    def _coloured(self, buffers: EdgeBuffers, request: Request) -> Frame:
        colouring, position = self._colouring_of(buffers, request), request.content.position
        if request.content.flows is not None or (
            request.content.lit_roads is not None and buffers.detail is None
        ):
            return self._framed(buffers, request, self._flow_picture(buffers, request, colouring))
        owned = self._owned_of(buffers, colouring)
        if owned is None:
            return self._framed(
                buffers, request, coloured(buffers, colouring, position, self._team)
            )
        return self._framed(buffers, request, owned.coloured(colouring, position))

    def _flow_picture(
        self, buffers: EdgeBuffers, request: Request, colouring: Colouring
    ) -> UInt32s:
        """A copy of the roads by their flow, which no iteration changes, over all edges
        drawn so far.
        """
        flows = request.content.lit_roads
        assert flows is not None
        if self._with_flows is None or self._with_flows[:2] != (colouring, flows):
            light, of = self._flow_light, (buffers.view, flows, request.tokens)
            self._flow_light = None  # which becomes that of another view
            if light is None or not light.is_of(*of):
                light = FlowLight(
                    buffers.view, buffers.measures, flows, request.tokens, self._team, light
                )
            self._flow_light = light if buffers.drawn < 1.0 or request.rows is None else None
            image = coloured(buffers, colouring, request.content.position, self._team)
            light.lay_over(image, request.background, self._team)
            self._with_flows = colouring, flows, image
        return self._with_flows[2].copy()

    def _owned_of(self, buffers: EdgeBuffers, colouring: Colouring) -> OwnedPixels | None:
        """The owners of all pixels, from the second picture on that has other shades on
        the same pixels; else None.
        """
        shading = colouring.shading
        if buffers.drawn < 1.0 or shading is None or not len(shading.reveal):
            return None
        if self._owned is None and self._shaded is not None and self._shaded is not shading:
            self._owned = OwnedPixels(buffers, colouring, self._team)
        self._shaded = shading
        return self._owned

    def _stepped(self, buffers: EdgeBuffers, request: Request) -> Frame:
        """The same pixels as `_coloured`, faster where a trace has many steps.

        Without one, each picture is coloured by itself, as live distances are: no other
        would use the second colours.
        """
        if (
            request.content.activity.trace is None
            or request.content.lit_roads is not None
            or self._was_moved
        ):
            return self._coloured(buffers, request)
        return self._framed(
            buffers, request, self._steppable_of(buffers, request).at(request.content.position)
        )

    def _steppable_of(self, buffers: EdgeBuffers, request: Request) -> SteppableImage:
        colouring = self._colouring_of(buffers, request)
        if self._steppable is None or self._steppable.colouring != colouring:
            self._steppable = SteppableImage(buffers, colouring, self._team)
        return self._steppable

    def _colouring_of(self, buffers: EdgeBuffers, request: Request) -> Colouring:
        content = request.content
        return Colouring(
            content.shading, self._tones_of(request), content.has(Layer.EDGES), buffers.drawn
        )

    def _framed(self, buffers: EdgeBuffers, request: Request, image: UInt32s) -> Frame:
        content = request.content
        if (
            content.has(Layer.TREE)
            and content.tree is not None
            and (buffers.detail is None or not buffers.detail.arcs)
        ):
            view = buffers.view.span[0], *buffers.view.transform
            pen = argb(request.tokens.path), round(TREE_WIDTH * request.ratio)
            draw_tree(image, *drawn_tree(content.scene, content.tree), view, pen, self._team)
        if content.has(Layer.FRONTIER) and buffers.detail is None and content.flows is None:
            draw_frontier(image, buffers, content, request.tokens, self._team)
        isochrones = self._isochrones_of(content)
        if buffers.detail is None:
            for isochrone in isochrones:
                draw_border(image, buffers, isochrone, request.tokens, self._team)
        camera, ratio, marks, roads_drawn = request.camera, request.ratio, content.road_marks, False
        if content.has(Layer.ROADS) and sum(len(one.ends) for one in marks) > MOST_PAINTED:
            roads_drawn = draw_road_lines(image, buffers, marks, request.tokens, self._team)
        return Frame(
            image,
            camera,
            ratio,
            buffers.detail,
            buffers.drawn,
            content.legend,
            isochrones,
            request.id,
            roads_drawn,
            self._path_of(request) if request.with_path and buffers.detail is None else None,
        )

    def _path_of(self, request: Request) -> PathPicture | None:
        content = request.content
        path = content.known_path
        if path is None or not content.has(Layer.PATH):
            return None
        drawn = path, content.scene, request.camera, request.ratio, request.tokens
        return self._path.of(drawn, lambda: path_picture(*drawn))

    def _isochrones_of(self, content: PictureContent) -> tuple[Isochrone, ...]:
        """What lies within each of the content's budgets; none without a budget, or where no
        distances are shown.
        """
        activity = content.activity
        distances, budget = activity.distances, activity.budget
        if (
            distances is None
            or budget is None
            or content.values is not None
            or content.flows is not None
        ):
            return ()
        graph, budgets = content.scene.graph, (*activity.bounds, budget)
        return self._isochrones.of(
            (activity,),
            lambda: tuple(isochrone_of(graph, distances, each, self._team) for each in budgets),
        )

    def _tones_of(self, request: Request) -> Tones:
        content, legend = request.content, request.content.legend
        limited = (
            content.activity.budget is not None and content.values is None and content.flows is None
        )
        ramp = Ramp.DISTANCES if legend is None else legend.ramp
        prominent = content.shown_prominence is not None
        key = request.tokens, request.background, ramp, legend is not None, limited, prominent
        tones = self._tones.of(
            key,
            lambda: make_tones(*key[:3], faint=key[3], receding=limited, prominent=prominent),
        )
        if legend is None:
            return tones
        return self._banded.of(
            (tones, legend), lambda: tones._replace(shades=banded(tones.shades, legend))
        )
