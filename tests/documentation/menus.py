"""The menus, their keys, and what the mouse does on the canvas, from the window's table of commands."""

from __future__ import annotations

from gui.shell.actions import ACTIONS, GESTURES, MENUS, ActionSpec
from tests.documentation.markdown import table, text


def menus() -> str:
    """A table of each menu, and one of the mouse."""
    parts = []
    for menu in MENUS:
        rows = [(text(_place(spec)), _keys(spec), text(spec.tip)) for spec in ACTIONS if spec.menu == menu]
        parts += [f"## {menu}\n", table(("Command", "Keys", ""), rows)]
    gestures = [(text(what), text(how)) for what, how in GESTURES]
    return "\n".join([*parts, "## Mouse on the graph\n", table(("To", "Do"), gestures)])


def _place(spec: ActionSpec) -> str:
    return f"{spec.submenu} > {spec.text}" if spec.submenu else spec.text


def _keys(spec: ActionSpec) -> str:
    return " or ".join(f"<kbd>{key}</kbd>" for key in spec.shortcuts)
