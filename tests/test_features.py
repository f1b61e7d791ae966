"""The core imports no feature, and runs without any one of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.system.feature import features
from tests.features import feature_imports, feature_names
from tests.tree_size import ROOT

FEATURES = feature_names()


@pytest.mark.parametrize("name", FEATURES)
def test_the_core_imports_nothing_of_the_feature(name: str) -> None:
    assert feature_imports()[name].from_core == ()


def test_architecture_has_a_row_of_each_feature_that_says_what_it_needs() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    for name in FEATURES:
        (row,) = (line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        needs = features()[name].needs if name in features() else ()
        assert row.split("|")[-2].strip() == (", ".join(f"`{one}`" for one in needs) or "none")


_WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QSettings, QTimer
import solvers
from gui.app import make_application
from gui.controllers.first_start import QUICK
from gui.dialogs.export import ExportOptions
from gui.model.jobs import JobKind
from gui.model.settings import Settings
from gui.window import MainWindow
from main import main

folder, taken = Path(sys.argv[1]), sys.argv[2]
graph = "resources/samples/harbour.gr.gz"
solve = ["solve", graph, "--source", "1", "--variants", "dijkstra-heap", "--trials", "1"]
assert main([*solve, "--picture", str(folder / "solved.png")]) == 0

def until(reached):
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if reached() else None)
    timer.start(20)
    QTimer.singleShot(500_000, lambda: loop.exit(1))
    assert loop.exec() == 0

application = make_application()
window = MainWindow(Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)))
assert taken not in window.features
parts, session = window.parts, window.parts.session
window.show()
parts.open.open(Path(graph))
until(lambda: session.graph is not None)
until(lambda: not parts.jobs.all() and parts.canvas.canvas.frames.current)
session.choices.choose_lasting({"dijkstra-heap"})
session.set_endpoints(0, 5)
parts.run.start(plan=QUICK)
until(lambda: session.results.all and parts.jobs.running(JobKind.SOLVE) is None)
assert session.results.all[0].verdict.verified
parts.trace.trace_selected()
until(lambda: parts.playback.length)
parts.playback.toggle()
until(lambda: parts.playback.elapsed_ms > 0)
drawn = folder / "drawn.png"
parts.export.picture(drawn, ExportOptions(0, 320, 200, 96, "white"))
until(lambda: drawn.is_file() and not parts.jobs.running(JobKind.EXPORT))
assert drawn.read_bytes()[1:4] == b"PNG"
window.close()
"""


def taken_with(name: str) -> set[str]:
    taken, found = set(), {name}
    while found:
        taken |= found
        found = {other for other, made in features().items() if taken & {*made.needs}} - taken
    return taken


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURES)
def test_the_program_runs_without_the_feature(name: str, tmp_path: Path) -> None:
    """It imports, solves a file, opens a window, runs, plays and draws a picture.

    Features that need it are taken out with it, and those that need these.
    """
    tree = tmp_path / "tree"
    for package in ("solvers", "gui", "resources"):
        ignored = shutil.ignore_patterns("__pycache__", "docs")
        shutil.copytree(ROOT / package, tree / package, ignore=ignored)
    shutil.copy(ROOT / "main.py", tree)
    for one in taken_with(name):
        folders = [tree / package / "features" / one for package in ("solvers", "gui")]
        assert any(folder.is_dir() for folder in folders)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("TAUTPATH_")
    }
    done = subprocess.run(
        [sys.executable, "-c", _WINDOW, str(tmp_path), name],
        cwd=tree,
        env=environment
        | {
            "PYTHONPATH": str(tree),
            "QT_QPA_PLATFORM": "offscreen",
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "NUMBA_DISABLE_JIT": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
