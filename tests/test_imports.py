"""What may be imported without what, no circle of imports, and class names that are unique."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.blocked_imports import run_without
from tests.tree_size import PACKAGES, ROOT, import_graph

_PUBLIC_CLASS = re.compile(r"^class ([^\W_]\w*)[(:]", re.MULTILINE)


def test_no_files_import_each_other_in_a_circle() -> None:
    """Neither at their heads nor later, by statement or by name."""
    try:
        TopologicalSorter(import_graph(*PACKAGES)).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for package in ("gui", "solvers"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in _PUBLIC_CLASS.findall(path.read_text(encoding="utf-8")):
                places[name].append(path.relative_to(ROOT).as_posix())
    assert len(places) > 100, "the packages were found"
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


_NAMED = re.compile(r"\b(?:solvers|gui)(?:\.[a-z]\w*)+|\b(?:solvers|gui)(?:/\w+)+\.\w+")


def test_no_text_names_a_module_that_is_gone() -> None:
    """In strings, docstrings and comments, by its dotted name or its path."""
    texts = [ROOT / "main.py", ROOT / "ARCHITECTURE.md"]
    for package, ending in ((one, end) for one in ("gui", "solvers") for end in ("py", "sql")):
        texts += sorted((ROOT / package).rglob(f"*.{ending}"))
    gone = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        for name in set(_NAMED.findall(path.read_text(encoding="utf-8")))
        if not _is_there(name)
    }
    assert len(texts) > 500, "the packages were found"
    assert gone == set()


def _is_there(name: str) -> bool:
    """Whether it is a file, a module, or a name in one."""
    if "/" in name:
        return (ROOT / name).exists()
    place, *rest = name.split(".")
    at = ROOT / place
    while rest and ((at / f"{rest[0]}.py").exists() or (at / rest[0] / "__init__.py").exists()):
        at /= rest.pop(0)
    source = at.with_suffix(".py") if at.with_suffix(".py").exists() else at / "__init__.py"
    return not rest or re.search(rf"\b{rest[0]}\b", source.read_text(encoding="utf-8")) is not None


_ALL_OF_SOLVERS = """
import solvers
names = [found.name for found in pkgutil.walk_packages(solvers.__path__, "solvers.")]
assert "solvers.running.run" in names and "solvers.commands.solve" in names
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        # extras that this machine may lack
        if missing.name.partition(".")[0] not in {"cupy", "mpi4py"}:
            raise
"""

_CATALOGUE = """
from solvers.core import variant
from solvers.core.availability import availability
for one in variant.all_variants():
    assert availability(one, None, None).reason or not one.runs_on.needs_device
"""

# The command line answers at once: numba alone takes longer to import than a user waits.
_HELP_AND_VERSION = """
from solvers import cli
assert cli.main(["--version"]) == 0
assert cli.main(["--help"]) == 0
"""

_FUNCTIONS = """
from solvers import from_networkx, generate, list_devices, prepare, read, solve
from solvers import to_networkx, variants
"""

# Flows, their proofs and CuPy are imported while METIS works.
_UNTIL_METIS_WORKS = """
import solvers.features.all_sources.call
from solvers import generate
from solvers.features.all_sources.request import AllSourcesRequest
from solvers.system.cancel import SILENT
request = AllSourcesRequest.of(generate("road", vertices=3000), ["betweenness"])
with request.ordered_ahead(SILENT):
    pass
"""
_OF_FLOWS = (
    "cupy",
    "solvers.features.all_sources.run",
    "solvers.running.engines",
    "solvers.running.records",
    "solvers.verification",
)

_ONE_SOLVE = """
from solvers import cli
from solvers.core import variant
import solvers.commands.solve, solvers.running.run
import solvers.features.all_sources.commands.all_sources
variant.all_variants()
command = "solve resources/samples/harbour.gr.gz --source 1 --variants dijkstra-heap --trials 1"
assert cli.main(command.split()) == 0
"""
_EXTRAS = ("distributed", "dask", "zarr", "cryptography", "pyarrow", "imageio_ffmpeg")
_ONE_USE = ("pooch", "requests", "osmium", "PIL", "networkx")  # of a format, a page or a download
# a third of a start
_BY_OPTION = ("solvers.features.page.document", "solvers.features.alternatives.ways")

_MODEL = """
import gui.model
names = [found.name for found in pkgutil.walk_packages(gui.model.__path__, "gui.model.")]
assert "gui.model.session" in names
for name in names:
    importlib.import_module(name)
"""

WITHOUT = {
    "all of solvers": (("PySide6", "PyQt6", "shiboken6", "pyqtgraph", "gui"), _ALL_OF_SOLVERS),
    "the catalogue": (("cupy", "pyopencl", "mpi4py", "pymetis"), _CATALOGUE),
    "help and version": (("numba", "scipy", "PySide6"), _HELP_AND_VERSION),
    "import of a function": (("numba", "scipy", "networkx", "pyopencl"), _FUNCTIONS),
    "all sources until METIS works": (_OF_FLOWS, _UNTIL_METIS_WORKS),
    "a solve": ((*_EXTRAS, *_ONE_USE, *_BY_OPTION, "PySide6"), _ONE_SOLVE),
    "all of the model": (("PySide6.QtWidgets", "pyqtgraph"), _MODEL),  # undo stacks are of QtGui
}


@pytest.mark.parametrize("what", WITHOUT)
def test_it_runs_without_packages_that_it_does_not_need(what: str) -> None:
    run_without(*WITHOUT[what])


_SHOWN_WINDOW = """
import linecache
from PySide6.QtCore import QSettings
from gui import app
application = app.make_application()
window = app.MainWindow(app.Settings(QSettings({settings!r}, QSettings.Format.IniFormat)))
window.show()
application.processEvents()
assert window.isVisible()
# where PySide's own import stays in place, it reads the source of every module
assert not [name for name in linecache.cache if name.endswith("window.py")]
"""

_LARGE = (
    "importlib.metadata",
    "networkx",
    "numba",
    "psutil",
    "pyqtgraph",
    "scipy",
    "PIL",
    "xml.sax",
)

# what a press of a button, a run or an open graph needs first
_WHEN_USED = (
    "gui.dialogs.export",
    "gui.dialogs.open",
    "gui.export.animation",
    "gui.features.live.animation",
    "gui.features.own_kernels.editor",
    "gui.features.own_kernels.faults",
    "gui.panels.highlighting",
    "solvers.features.all_sources.betweenness",
    "solvers.features.experiments.spec",
    "solvers.features.live.solver",
    "solvers.features.mpi.dijkstra_rank",
    "solvers.features.own_kernels.user_process",
    "solvers.graphs.readers.formats",
    "solvers.graphs.readers.parse",
    "solvers.graphs.turn_rules",
    "solvers.graphs.writers",
    "solvers.picture.charts.drawing",
    "solvers.picture.charts.files",
    "solvers.picture.layout.stress",
    "solvers.running.answers.write",
    "solvers.running.compile_ahead",
    "solvers.running.run",
    "solvers.verification.prover",
)


def test_the_window_is_shown_without_what_few_sessions_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries took a third of the start: charts, layouts, exports, sources and experiments
    import them.
    """
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    blocked = (*_LARGE, *_WHEN_USED)
    run_without(blocked, _SHOWN_WINDOW.format(settings=str(tmp_path / "tautpath.ini")))


def test_a_blocked_package_is_missed() -> None:
    with pytest.raises(AssertionError, match="QtCore is blocked in this test"):
        run_without(("PySide6.QtCore",), _MODEL)


_IN_A_PROJECT = """
import solvers
from pathlib import Path
from solvers.features.datasets.catalogue import datasets
from solvers.features.experiments.spec_file import shipped
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.features.exercises.course import exercises
assert solvers.solve([("a", "b", 4)], source="a", target="b").distance == 4
assert solvers.all_sources(solvers.generate("grid"), ["betweenness"]).verdict.verified
assert datasets() and shipped() and exercises() and solvers.variants()
RunStore(Path("runs.db"))
import gui, main, resources, tests
assert {m.__name__: Path(m.__file__).parent for m in (gui, main, resources, tests)} == {
    "gui": Path("gui").resolve(), "main": Path().resolve(),
    "resources": Path("resources").resolve(), "tests": Path("tests").resolve(),
}
"""


@pytest.mark.parametrize("first", [True, False])
def test_a_project_may_have_packages_named_as_ours(tmp_path: Path, first: bool) -> None:
    """Whether Python finds them before ours or not; `gui` and `main` are found first only."""
    for name in ("gui", "resources", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "main.py").write_text("")
    both = [str(tmp_path), str(ROOT)]
    program = _IN_A_PROJECT if first else "import resources; assert resources.__file__"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path if first else ROOT / "tests",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(both if first else both[::-1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
