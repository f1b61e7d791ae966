"""What may be imported without what: all of solvers without Qt, the catalogue without device libraries."""

from __future__ import annotations

from tests.blocked_imports import run_without

_ALL_OF_SOLVERS = """
import solvers
names = [found.name for found in pkgutil.walk_packages(solvers.__path__, "solvers.")]
assert "solvers.running.run" in names and "solvers.commands.solve" in names
for name in names:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name.partition(".")[0] not in {"cupy", "mpi4py"}:  # extras that this machine may lack
            raise
"""

_CATALOGUE = """
from solvers.core import variant
from solvers.core.availability import availability
assert all(availability(v, None, None).reason or not v.runs_on.needs_device for v in variant.all_variants())
"""


def test_all_of_solvers_is_imported_without_qt():
    run_without(("PySide6", "PyQt6", "pyqtgraph", "gui"), _ALL_OF_SOLVERS)


def test_the_catalogue_is_read_without_device_libraries():
    run_without(("cupy", "pyopencl", "mpi4py", "pymetis"), _CATALOGUE)


def test_help_and_version_wait_for_no_numerics():
    """The command line answers at once: numba alone takes longer to import than a user waits."""
    program = """
from solvers import cli
assert cli.main(["--version"]) == 0
assert cli.main(["--help"]) == 0
"""
    run_without(("numba", "scipy", "PySide6"), program)


def test_packages_of_extras_are_imported_only_where_they_are_used():
    """Also those of the base that one format, page or download needs: they would be loaded at every start."""
    program = """
from solvers import cli
from solvers.core import variant
import solvers.commands.solve, solvers.commands.all_sources, solvers.running.run
variant.all_variants()
command = "solve resources/samples/harbour.gr.gz --source 1 --variants dijkstra-heap --trials 1"
assert cli.main(command.split()) == 0
"""
    extras = ("distributed", "dask", "zarr", "tornado", "cryptography", "pyarrow", "imageio_ffmpeg")
    run_without((*extras, "pooch", "requests", "osmium", "PIL", "pygments", "networkx", "PySide6"), program)
