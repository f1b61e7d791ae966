"""What the user changed, as values, told to who keeps steps that can be undone. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True)
class Change:
    """What the user changed: a step that can be undone."""

    text: str  # what was done, in lower case: "move source"
    # what was changed; quick successive changes of the same thing are merged
    thing: tuple[object, ...]
    before: Any  # values of the thing
    after: Any
    apply: Callable[[Any], object]  # sets the thing to a value
    outlasts_graph: bool = False  # it is about no graph, and stays when another one is opened
    is_return: bool = False  # to the values in effect, from others that were refused


class Changes(QObject):
    """Kept by the session."""

    recorded = Signal(object)  # Change, which has been made
    # what was set so far is no doing of the user that could be undone
    settled = Signal()

    def __init__(self, parent: QObject):
        super().__init__(parent)
        # what the button of a notice does; a keeper of steps takes its place
        self.take_back: Callable[[Change], object] = lambda change: change.apply(change.before)

    def record(self, change: Change) -> None:
        self.recorded.emit(change)
