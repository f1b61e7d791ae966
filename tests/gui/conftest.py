"""The fixtures of the window tests; on a machine without Qt only what needs none of it
is collected.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

if find_spec("PySide6"):
    from tests.gui.fixtures import (
        apart_from_the_user,
        application,
        every_paint,
        qapp,
        settings,
        shared_window,
        type_of,
        window,
    )

    __all__ = [
        "apart_from_the_user",
        "application",
        "every_paint",
        "qapp",
        "settings",
        "shared_window",
        "type_of",
        "window",
    ]
else:
    collect_ignore = [
        found.name for found in Path(__file__).parent.iterdir() if found.name != "picture"
    ]
