"""Edit > Undo and Redo: what the user changed, step by step."""

from __future__ import annotations

from gui.contributions import Contribution, WindowActs
from gui.features.undo.controller import UndoController
from gui.parts import WindowComponents
from gui.style.text import button_text


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """Two rows, which name the step; it is made at once, since it listens to all changes."""
    controller = UndoController(parts.session, parts.canvas, parts.window)
    history = controller.history

    def show_steps() -> None:
        for name, verb, what in (
            ("undo", "Undo", history.undoText()),
            ("redo", "Redo", history.redoText()),
        ):
            window.commands[name].setText(button_text(f"{verb} {what}".rstrip()))
        window.refresh()

    controller.changed.connect(show_steps)
    return Contribution(
        acts={"undo": controller.undo, "redo": controller.redo},
        missing={
            "undo": lambda: "" if history.canUndo() else "There is nothing to undo",
            "redo": lambda: "" if history.canRedo() else "There is nothing to redo",
        },
        controller=lambda: controller,
    )
