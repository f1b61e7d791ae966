"""What of the window may be imported without Qt: the picture without any of it, the model without widgets."""

from __future__ import annotations

from pathlib import Path

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


_SHOWN_WINDOW = """
from PySide6.QtCore import QSettings
from gui import app
application = app.make_application()
window = app.MainWindow(app.Settings(QSettings({settings!r}, QSettings.Format.IniFormat)))
window.show()
application.processEvents()
assert window.isVisible()
"""


def test_the_window_is_shown_without_what_few_sessions_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Together they took a third of the start: charts, layouts, exports, sources and experiments import them."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    blocked = ("networkx", "pyqtgraph", "scipy.fft", "pygments", "PIL", "xml.sax", "solvers.experiments")
    run_without(blocked, _SHOWN_WINDOW.format(settings=str(tmp_path / "tautline.ini")))


def test_a_blocked_package_is_missed() -> None:
    with pytest.raises(AssertionError, match="QtCore is blocked in this test"):
        run_without(("PySide6.QtCore",), _EVERY_MODULE_OF.format(package="gui.model", known="session"))
