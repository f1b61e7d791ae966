"""What the menu of a road does with the point of it under the pointer."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from gui.canvas.pointer import RoadUnder, Tool
from gui.model.session import Session


class RoadEndTool(Tool):
    def __init__(self, session: Session):
        self._session = session

    def add_to_road(self, menu: QMenu, road: RoadUnder) -> None:
        if (at := road.place) is None:
            return
        menu.addAction("Source here", partial(self._session.set_source, at))
        menu.addAction("Target here", partial(self._session.set_target, at))
        adding = menu.addAction("Add a source here", partial(self._session.add_source, at))
        adding.setEnabled(self._session.has_room)
