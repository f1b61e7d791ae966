"""What of the window may be imported without Qt: the picture without any of it, the model without widgets."""

from __future__ import annotations

import pytest

from tests.blocked_imports import run_without

_EVERY_MODULE_OF = """
package = importlib.import_module("{package}")
names = [found.name for found in pkgutil.walk_packages(package.__path__, "{package}.")]
assert "{package}.{known}" in names
for name in names:
    importlib.import_module(name)
"""


def test_all_of_the_picture_is_imported_without_qt() -> None:
    run_without(
        ("PySide6", "shiboken6", "pyqtgraph"), _EVERY_MODULE_OF.format(package="gui.picture", known="scene.lesson")
    )


def test_all_of_the_model_is_imported_without_widgets() -> None:
    run_without(
        ("PySide6.QtWidgets", "pyqtgraph"),  # undo stacks are of QtGui
        _EVERY_MODULE_OF.format(package="gui.model", known="session"),
    )


def test_the_window_starts_without_networkx() -> None:
    """It takes a tenth of the start, and is needed only where graphs are exchanged with it."""
    run_without(("networkx",), "import gui.app")


def test_a_blocked_package_is_missed() -> None:
    with pytest.raises(AssertionError, match="QtCore is blocked in this test"):
        run_without(("PySide6.QtCore",), _EVERY_MODULE_OF.format(package="gui.model", known="session"))
