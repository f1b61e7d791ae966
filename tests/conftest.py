"""The device of kernel tests, a store of runs of their own, a server of downloads, a
check of the state that is shared.

A test that asks for ``device`` runs on the processor through OpenCL and, where there is
an NVIDIA GPU, once more on that through CuPy; the second run bears the mark ``gpu``. A
test marked ``gpu`` itself runs on the GPU only.
"""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import time
from contextlib import suppress

# Functions that tests compile are kept for the checkouts of this machine; in a variable,
# before the first of them is imported, that programs started by tests inherit.
with suppress(ImportError):  # a GPU server may lack it
    from platformdirs import user_cache_path

    os.environ.setdefault(
        "TAUTPATH_COMPILED", str(user_cache_path("tautpath") / "compiled-for-tests")
    )
    # Constants of every module, by its content, from which Hypothesis also draws: each
    # worker of a fresh clone would parse all modules for them.
    os.environ.setdefault(
        "HYPOTHESIS_STORAGE_DIRECTORY", str(user_cache_path("tautpath") / "hypothesis")
    )

import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from solvers.devices import discover, pick
from solvers.devices.device import Device
from solvers.errors import DeviceUnavailable
from solvers.system import openmp
from solvers.system.disk_cache import FOLDER_VARIABLE
from solvers.system.numba_private import SHARED_VARIABLE
from tests.golden import Golden
from tests.kernels import NVRTC_FOLDER
from tests.shared_imports import import_share, is_left_out
from tests.shared_state import SharedState, shadowed_device_methods
from tests.weight_types import chosen_types

if TYPE_CHECKING:
    from tests.https_server import Server

# A shell starts background jobs with Ctrl+C ignored, nohup with SIGHUP ignored, and
# every program that a test starts inherits that; tests of signals need the defaults.
for _name, _default in (
    ("SIGINT", signal.default_int_handler),
    ("SIGHUP", signal.SIG_DFL),
    ("SIGTERM", signal.SIG_DFL),
):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _default)

# Runs are kept in a folder that ends with the tests, also by the programs that they start.
_DATA = tempfile.TemporaryDirectory(prefix="tautpath-data-")
os.environ[FOLDER_VARIABLE] = _DATA.name

# What programs print that tests start does not depend on what was compiled before.
os.environ["TAUTPATH_QUIET"] = "1"

# Windows that tests start as programs must not compile beside the tests; named as in
# gui.controllers.first_start.
os.environ["TAUTPATH_NO_COMPILING_AHEAD"] = "1"

# A case that takes long is not a failure: the first call of a function compiles it, and
# machines are shared. `make test` tries the same examples each time, so that it says of a
# change whether it broke something; `make test-all` looks for new ones, more of them, and
# what failed is kept in the clone that it failed in.
_PROFILE = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=25,
    database=DirectoryBasedExampleDatabase(
        Path(__file__).resolve().parents[1] / ".hypothesis" / "examples"
    ),
)
settings.register_profile("quick", _PROFILE, derandomize=True, database=None)
settings.register_profile("thorough", _PROFILE, max_examples=200)
settings.load_profile("quick")

# Begun last, one of these would keep one worker busy while the other has nothing left to do.
_LONGEST = (
    "tests/gui/test_soak.py",
    "tests/test_wheel.py",
    "tests/solvers/devices/test_every_kernel_compiles.py",
    "tests/solvers/test_output.py",
    "tests/gui/export/test_split_composition.py",
    "tests/solvers/algorithms/test_variants.py",
    "tests/solvers/features/all_sources/test_run.py",
)

# Middle-aged collections before each full one: numba keeps a million objects and more
# of what it compiles.
_FULL_COLLECTIONS = 100

# Its workers and threads, which these tests share, live as long as the process: no
# other test should meet them.
_LAST = "tests/solvers/features/clusters/"

# after which a function is compiled again: nothing tells which are still used
_COMPILED_KEPT_S = 30 * 24 * 3600

_CUDA = pytest.param("cuda", marks=pytest.mark.gpu)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="keep what is said now in tests/golden"
    )


def pytest_sessionstart(session: pytest.Session) -> None:
    """Remove what was compiled long ago."""
    folder = os.environ.get(SHARED_VARIABLE)
    if not folder or "PYTEST_XDIST_WORKER" in os.environ:
        return
    oldest = time.time() - _COMPILED_KEPT_S
    for index in Path(folder).glob("*/*.nbi"):
        with suppress(FileNotFoundError):
            if index.stat().st_mtime < oldest:
                shutil.rmtree(index.parent, ignore_errors=True)
    for outcome in Path(folder, NVRTC_FOLDER).glob("*.json"):
        with suppress(FileNotFoundError):
            if outcome.stat().st_mtime < oldest:
                outcome.unlink()


def pytest_runtest_setup(item: pytest.Item) -> None:
    problem = openmp.availability_error() if item.get_closest_marker("openmp") else None
    if problem is not None:
        pytest.skip(f"numba has no OpenMP here: {problem}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" not in metafunc.fixturenames:
        return
    kinds: list[object] = [_CUDA]
    if not any(metafunc.definition.iter_markers("gpu")):
        has_gpu = any(device.kind == "cuda" for device in discover().devices)
        kinds = ["opencl", _CUDA] if has_gpu else ["opencl"]
    metafunc.parametrize("device", kinds, indirect=True)


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Device:
    """The OpenCL processor, or the CUDA GPU; skips, saying why, where it is not here."""
    try:
        if request.param == "cuda":
            return pick("cuda")
        return next(found for found in discover().devices if found.is_cpu)
    except StopIteration:
        pytest.skip(f"no OpenCL processor here: {'; '.join(discover().problems)}")
    except DeviceUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Golden:
    """What commands and dialogs say, as kept in ``tests/golden``; the test's own folder
    is called FOLDER there.
    """
    return Golden(request.config.getoption("rewrite_golden"), {str(tmp_path): "FOLDER"})


@pytest.fixture(scope="session")
def https_server_of_all_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from tests.https_server import https_server  # imports cryptography: only when needed

    with https_server(tmp_path_factory.mktemp("authority")) as server:
        yield server


@pytest.fixture
def server(https_server_of_all_tests: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A local HTTPS server that offers nothing yet, and whose certificate downloads trust."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(https_server_of_all_tests.certificates))
    https_server_of_all_tests.resources.clear()
    https_server_of_all_tests.requests.clear()
    return https_server_of_all_tests


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect quickly, and keep what is collected out of the sight of Python's cycle collector.

    Modules and tests stay to the end. Walking through all of them again and again took
    a tenth of the suite's time.
    """
    gc.disable()
    try:
        import_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], _FULL_COLLECTIONS)
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_module = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_module and is_left_out(collection_path, config) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the longest modules to the front and those of the cluster to the end, after
    pytest-randomly's shuffle.
    """
    position = {name: number for number, name in enumerate(_LONGEST)}

    def place(item: pytest.Item) -> int:
        module = item.nodeid.partition("::")[0]
        return position.get(module, len(position) + module.startswith(_LAST))

    items.sort(key=place)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which order the tests ran in: pytest-randomly's own line is hidden by ``-q``."""
    seed = config.getoption("randomly_seed", None)
    if seed is not None:
        terminalreporter.write_line(f"Order of the tests: --randomly-seed={seed}")
    terminalreporter.write_line(f"Weight types: {', '.join(chosen_types())}")


@pytest.fixture(autouse=True)
def _shared_state_is_left_as_it_was() -> Iterator[None]:
    """Set up before all other fixtures of a test, and so torn down after them."""
    before = SharedState.now()
    yield
    left_behind = before.changes(SharedState.now()) + shadowed_device_methods()
    assert not left_behind, "this test leaves shared state changed:\n" + "\n".join(left_behind)
