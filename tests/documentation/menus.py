"""The menus, their keys, and what the mouse does on the canvas, from the window's table of actions."""

from __future__ import annotations

import os
from functools import cache

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from gui.dialogs.help import GESTURES
from gui.model.settings import Settings
from gui.shell.commands import MENUS, Action
from gui.window import MainWindow
from solvers.system.files import temporary_folder
from tests.documentation.markdown import table, text


@cache
def window_actions() -> tuple[Action, ...]:
    """The actions of a window that is made for them, and not shown."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _ = QApplication.instance() or QApplication([])
    with temporary_folder("documentation") as folder:
        window = MainWindow(Settings(QSettings(str(folder / "tautline.ini"), QSettings.Format.IniFormat)))
        window.close()
    return tuple(spec for spec, _ in window.commands)


def menus() -> str:
    """A table of each menu, and one of the mouse."""
    parts = []
    for menu in MENUS:
        rows = [(text(_place(spec)), _keys(spec), text(spec.tip)) for spec in window_actions() if spec.menu == menu]
        parts += [f"## {menu}\n", table(("Command", "Keys", ""), rows)]
    gestures = [(text(what), text(how)) for what, how in GESTURES]
    return "\n".join([*parts, "## Mouse on the graph\n", table(("To", "Do"), gestures)])


def _place(spec: Action) -> str:
    return f"{spec.submenu} > {spec.text}" if spec.submenu else spec.text


def _keys(spec: Action) -> str:
    return " or ".join(f"<kbd>{key}</kbd>" for key in spec.keys)
