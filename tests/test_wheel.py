"""The source distribution is built, from it the wheel, which is installed into a fresh
virtual environment and started.

Nothing is downloaded: the fresh environment sees the libraries of the one that the
tests run in, but not its Tautpath.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from solvers.devices import discover
from solvers.features.notebooks.displays import MOST_HTML
from solvers.version import __version__

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("solvers", "gui", "resources")
PACKED = (*PACKAGES, "tests", ".ci", ".github")
ROOT_FILES = (
    "main.py",
    "pyproject.toml",
    "constraints.txt",
    "Makefile",
    "MANIFEST.in",
    "LICENSE",
    "CITATION.cff",
)
TEXTS = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASE.md")
FOR_READERS_OF_THE_SOURCE = {".md", ".png"}
# the sources of a site, which the program does not need
DOCUMENTATION = ROOT / "resources" / "docs"
NAMED = ROOT / "solvers" / "installed"  # what the wheel holds beside the other packages
SETUPTOOLS = 77  # the first that knows licence expressions; pyproject.toml asks for it
NOTEBOOKS = sorted(path.stem for path in (DOCUMENTATION / "notebooks").glob("*.ipynb"))
NEED_A_DEVICE = {"your-own-kernel"}
_LIMIT_S = 300  # of a cell: the first to need them compiles functions
EXAMPLES = sorted(
    path
    for path in (ROOT / "tests" / "examples").glob("*.py")
    if not path.name.startswith(("test_", "_"))
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        int(version("setuptools").partition(".")[0]) < SETUPTOOLS,
        reason=f"building the wheel needs setuptools {SETUPTOOLS}, as the extra “test” brings it",
    ),
]


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that no build folder is left in the repository."""
    copy = tmp_path_factory.mktemp("source")
    for name in PACKED:
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    for name in (*ROOT_FILES, *TEXTS):
        shutil.copy(ROOT / name, copy)
    build = "from setuptools.build_meta import build_sdist; build_sdist('dist')"
    run(sys.executable, "-c", build, folder=copy)
    (built,) = (copy / "dist").glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(source_distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    offline = (
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--quiet",
        "--disable-pip-version-check",
    )
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *offline,
        "--wheel-dir",
        folder,
        source_distribution,
        folder=folder,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with ``python`` and ``tautpath`` of a fresh environment that the wheel
    is installed in.
    """
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    # Only the folder itself is added: the .pth file in it that names this very
    # repository is not read.
    Path(paths["purelib"], "libraries.pth").write_text(
        sysconfig.get_path("purelib"), encoding="utf-8"
    )
    python = Path(paths["scripts"], Path(sys.executable).name)
    offline = ("--no-deps", "--no-index", "--quiet", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, "install", *offline, wheel, folder=folder)
    return Path(paths["scripts"])


def test_the_source_distribution_holds_the_repository(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    copy = source_distribution.parents[1]
    files = [path for name in PACKED for path in (copy / name).rglob("*") if path.is_file()]
    ours = {path.relative_to(copy).as_posix() for path in files} | {*ROOT_FILES, *TEXTS}

    assert {".ci/run", "tests/test_wheel.py", "resources/docs/mkdocs.yml"} <= ours
    assert ours - held == set()


def test_the_wheel_holds_all_that_the_packages_hold(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    ours = {
        path.relative_to(NAMED if path.is_relative_to(NAMED) else ROOT).as_posix()
        for path in files
        if "__pycache__" not in path.parts
        and path.suffix not in FOR_READERS_OF_THE_SOURCE
        and not path.is_relative_to(DOCUMENTATION)
    }

    assert {Path(name).suffix for name in ours} >= {
        ".py",
        ".cu",
        ".h",
        ".svg",
        ".gr",
        ".gz",
        ".ttf",
        ".typed",
    }
    assert ours - held == set()
    assert "main.py" in held
    assert not [name for name in held if name.startswith(("tests/", "build/", "resources/docs/"))]
    shared = {name.partition(".data/data/")[2] for name in held}
    assert {
        "share/applications/tautpath.desktop",
        "share/icons/hicolor/scalable/apps/tautpath.svg",
    } <= shared


def test_the_program_starts_from_an_empty_folder(programs: Path, tmp_path: Path) -> None:
    assert run(programs / "tautpath", "--version", folder=tmp_path) == f"Tautpath {__version__}\n"


def test_the_name_of_the_program_is_a_package(programs: Path, tmp_path: Path) -> None:
    python = programs / "python"
    program = (
        "import solvers, tautpath; from tautpath import NegativeCycle, read, solve\n"
        "print(read is solvers.read, dir(tautpath) == dir(solvers), tautpath.__version__)"
    )
    printed = run(python, "-I", "-c", program, folder=tmp_path)
    assert printed == f"True True {__version__}\n"
    version = run(python, "-I", "-m", "tautpath", "--version", folder=tmp_path)
    assert version == f"Tautpath {__version__}\n"


def test_the_library_is_the_installed_one(programs: Path, tmp_path: Path) -> None:
    program = (
        "import solvers; from solvers import generate, read, solve, variants; "
        "print(solvers.__file__)"
    )

    imported = Path(run(programs / "python", "-I", "-c", program, folder=tmp_path).strip())

    assert programs.parent.resolve() in imported.resolve().parents
    assert os.listdir(tmp_path) == []


def test_networkx_finds_the_backend_of_the_wheel(programs: Path, tmp_path: Path) -> None:
    program = (
        "import networkx as nx; from solvers.features.networkx_backend import interface\n"
        "print(*nx.config.backends, nx.utils.backends.backends['tautpath'].load() is interface)"
    )

    assert run(programs / "python", "-I", "-c", program, folder=tmp_path).split() == [
        "tautpath",
        "True",
    ]


def test_the_examples_run_on_the_wheel(programs: Path, tmp_path: Path) -> None:
    """Those that differ in what they import, uncompiled; all of them run compiled in
    `tests.examples`.

    Compiling for the fresh environment takes ten times as long as everything else here.
    """
    chosen = [path for path in EXAMPLES if path.stem in ("path_in_a_file", "networkx_path")]
    assert len(chosen) == 2
    program = (
        "import runpy, sys\n"
        "for path in sys.argv[1:]:\n"
        "    runpy.run_path(path)\n"
        "    print('ran', path)"
    )

    printed = run(
        programs / "python", "-I", "-c", program, *chosen, folder=tmp_path, NUMBA_DISABLE_JIT="1"
    )

    assert [line for line in printed.splitlines() if line.startswith("ran ")] == [
        f"ran {path}" for path in chosen
    ]


@pytest.fixture(params=["with OpenCL", "without OpenCL"])
def kernel(request, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel for notebooks in the environment of the wheel."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    if request.param == "with OpenCL" and not discover().devices:  # which tells others where
        pytest.skip("there is no device for kernels")
    hidden = "" if request.param == "with OpenCL" else "sys.modules['pyopencl'] = None; "
    start = f"import sys; {hidden}from ipykernel.kernelapp import launch_new_instance as start; "
    argv = [str(programs / "python"), "-c", f"{start}start()", "-f", "{connection_file}"]
    folder = tmp_path / "jupyter" / "kernels" / "wheel"
    folder.mkdir(parents=True)
    specification = {"argv": argv, "display_name": "wheel", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(specification), "utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return "wheel"


@pytest.mark.parametrize(
    ("name", "kernel"),
    [(name, "with OpenCL" if name in NEED_A_DEVICE else "without OpenCL") for name in NOTEBOOKS],
    indirect=["kernel"],
)
def test_a_notebook_runs_on_the_wheel_and_shows_pictures(
    name: str, kernel: str, programs: Path, tmp_path: Path
) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    import nbformat

    notebook = nbformat.read(DOCUMENTATION / "notebooks" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    used = "import solvers, sys; (solvers.__file__, sys.modules.get('pyopencl') is None)"
    notebook.cells.append(nbformat.v4.new_code_cell(used))
    environment = os.environ | {"TAUTPATH_DATA": str(tmp_path / "data")}
    client = nbclient.NotebookClient(notebook, timeout=_LIMIT_S, kernel_name=kernel)
    client.execute(env=environment, cwd=str(tmp_path))
    (last,) = notebook.cells.pop().outputs
    assert str(programs.parent.resolve()) in last.data["text/plain"]
    assert ("True" in last.data["text/plain"]) is (name not in NEED_A_DEVICE)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    shown = [output.data for output in outputs if "data" in output]
    assert any("image/png" in data for data in shown)
    assert all(len(data.get("text/html", "")) < 1.5 * MOST_HTML for data in shown)
