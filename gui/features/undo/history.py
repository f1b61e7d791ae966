"""Undo and redo: changes as values on a QUndoStack. No widgets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack

from gui.model.changes import Change

MOST_CHANGES = 200
_MERGE_S = 1.0  # changes of one thing that follow each other faster are one step
_MERGE_ID = 1


class _Step(QUndoCommand):
    """A change on the stack; it was made before it was recorded, so the first redo does nothing."""

    def __init__(self, change: Change):
        super().__init__(change.text)
        self.change, self._made, self._time = change, True, time.monotonic()

    def redo(self) -> None:
        if not self._made:
            self.change.apply(self.change.after)
        self._made = False

    def undo(self) -> None:
        self.change.apply(self.change.before)

    def id(self) -> int:
        return _MERGE_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Step):
            return False
        if other.change.is_return:
            self.setObsolete(True)
            return True
        if other.change.thing != self.change.thing:
            return False
        if other._time - self._time > _MERGE_S:
            return False
        self.change, self._time = replace(self.change, after=other.change.after), other._time
        return True


class History(QUndoStack):
    """Steps that can be undone and redone."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.setUndoLimit(MOST_CHANGES)
        # while a step is undone or redone: what changes then is not recorded
        self.applying = False

    def record(self, change: Change) -> None:
        """Add a change that has been made; of a return, forget both ways. Where others have
        followed the way there, undoing it will do nothing.
        """
        ways = [(one.after, one.before) for one in self._made()[-1:]]
        if not self.applying and (not change.is_return or (change.before, change.after) in ways):
            self.push(_Step(change))

    def undo(self) -> None:
        self._apply(super().undo)

    def redo(self) -> None:
        self._apply(super().redo)

    def take_back(self, change: Change) -> None:
        """Undo a change; where others have followed it, by one more step."""
        made = self._made()
        if made and made[-1] is change:
            self.undo()
        elif any(one is change for one in made):
            change.apply(change.before)
            text = f"undo {change.text}"
            self.record(replace(change, text=text, before=change.after, after=change.before))

    def clear(self) -> None:
        """Forget all steps but those made that outlast the graph."""
        lasting = [change for change in self._made() if change.outlasts_graph]
        super().clear()
        for change in lasting:
            self.record(change)

    def _made(self) -> list[Change]:
        """The changes that can be undone, oldest first."""
        steps = (self.command(i) for i in range(self.index()))
        return [step.change for step in steps if isinstance(step, _Step)]

    def _apply(self, step: Callable[[], None]) -> None:
        self.applying = True
        try:
            step()
        finally:
            self.applying = False
