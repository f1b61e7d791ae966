"""The fixtures of the window tests; on a machine without Qt only what needs none of it
is collected.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

if find_spec("PySide6"):
    from tests.gui.fixtures import (
        application,
        no_layouts_of_the_user,
        no_prominence_of_the_user,
        no_runs_of_the_user,
        patient_notices,
        qapp,
        settings,
        short_measuring,
        type_of,
        window,
    )

    __all__ = [
        "application",
        "no_layouts_of_the_user",
        "no_prominence_of_the_user",
        "no_runs_of_the_user",
        "patient_notices",
        "qapp",
        "settings",
        "short_measuring",
        "type_of",
        "window",
    ]
else:
    collect_ignore = [
        found.name for found in Path(__file__).parent.iterdir() if found.name != "picture"
    ]
